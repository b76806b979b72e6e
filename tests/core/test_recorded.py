"""Recorded commands bring about the same events, however the core is arranged."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import recorded

pytestmark = pytest.mark.core

KINDS = (
    "Trade",
    "ContractTrade",
    "FundingSettled",
    "LiquidationFinished",
    "Deleveraged",
    "CancelAfterDue",
    "AlgoTriggered",
    "PositionClosed",
)
FILE = Path(__file__).resolve().parents[1] / "files" / "recorded.msgpack.gz"


def test_recorded_commands_bring_about_what_they_did() -> None:
    recording = recorded.read(FILE)
    assert recorded.digest(recording.walks) == recording.digest, (
        "The engine answers the recorded commands with other events than it did. If a rule changed"
        " on purpose, record them again: python -m support.recorded tests/files/recorded.msgpack.gz"
    )


def test_the_recording_holds_what_can_happen() -> None:
    happened = recorded.kinds(recorded.read(FILE).walks)
    missing = [kind for kind in KINDS if kind not in happened]
    assert not missing, sorted(happened)
