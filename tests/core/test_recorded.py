"""The rules' number holds: recorded commands bring about the same events and states under it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, get_args

import pytest

from support import recorded
from venue.core import rules
from venue.core.messages.commands import Command, Deposit
from venue.core.messages.events import Event
from venue.core.units import FIRST_UID
from venue.vocabulary import Cause

pytestmark = pytest.mark.core

FILE: Final = Path(__file__).resolve().parents[1] / "files" / "recorded.msgpack.gz"
AGAIN: Final = (
    "Journals that were written under rules {rules} replay to another state now: {found}. Raise"
    " RULES in src/venue/core/rules.py, once between two published versions; then record again:"
    " make recorded (see tests/files/README.md)."
)


def test_recorded_commands_bring_about_what_they_did() -> None:
    recording = recorded.read(FILE)
    found = recorded.differences(recording)
    if recording.rules != rules.RULES:
        found.append(f"the recording is of rules {recording.rules}")
    assert not found, AGAIN.format(rules=rules.RULES, found="; ".join(found))


def test_the_recording_holds_what_can_happen() -> None:
    """A new kind of command or event belongs into one of the walks."""
    walks = recorded.read(FILE).walks
    told = {type(command).__name__ for walk in walks for command in walk.commands}
    happened, causes = set(), set()
    for walk in walks:
        for events in recorded.said(walk.commands):
            happened |= {type(event).__name__ for event in events}
            causes |= {event.cause for event in events if hasattr(event, "cause")}
    assert [kind for kind in get_args(Command) if kind.__name__ not in told] == []
    assert [kind for kind in get_args(Event) if kind.__name__ not in happened] == []
    assert [cause for cause in Cause if cause not in causes] == []


def test_the_first_difference_is_named() -> None:
    recording = recorded.read(FILE)
    walk = recording.walks[0]
    walk.commands[149] = Deposit(FIRST_UID, 0, "QQQ", 1, walk.commands[149].time)
    assert recorded.differences(recording) == [f"walk {walk.name!r}, commands 101 to 200"]
