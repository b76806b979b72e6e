"""The modules on an order's way: counted on a real request, and as the page tells them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tools.journey import Journey

from venue.compiled import compiled
from venue.core.counters import Counters
from venue.core.units import ceil_div

ROOT = Path(__file__).resolve().parents[2]
SPOT_MODULES, CONTRACT_MODULES = 20, 26  # an order enters no more
TRIES = 3  # a tick of the venue's clock may come between


def counted() -> str:
    done = subprocess.run(
        [sys.executable, "tools/journey.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/src:{ROOT}"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_journeys_are_as_the_page_draws_them() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for _ in range(TRIES):
        told = counted()
        if told in page:
            break
    assert told in page, f"python tools/journey.py --write draws:\n{told}"
    spot, contract = [line for line in told.splitlines() if line.startswith("a ")]
    assert int(spot.split()[-2]) <= SPOT_MODULES
    assert int(contract.split()[-2]) <= CONTRACT_MODULES
    assert "-> core.book.matching" in told


@pytest.mark.skipif(compiled(), reason="compiled, no call is seen")
def test_a_module_that_is_entered_is_seen() -> None:
    """The counter itself: nothing before `begin`, each module once, in turn."""
    seen = Journey()
    seen.install()
    try:
        ceil_div(1, 1)
        seen.begin()
        ceil_div(1, 1)
        Counters()
        ceil_div(1, 1)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert list(seen.modules) == ["core.units", "core.counters"]
