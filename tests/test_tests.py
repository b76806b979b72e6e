"""House rules about the tests: they have one clock, and hide no module of the standard library."""

from __future__ import annotations

import sys
from pathlib import Path

from support.sources import ROOT

# Only these ask for the machine's time in ns: the one place of signatures, a bot that is a program
# of its own, and tests that compare the venue's time with the machine's.
CLOCKS = [
    "conformance/test_copying.py",
    "journeys/test_clocks.py",
    "support/bot.py",
    "support/crash_stage.py",
    "support/stamps.py",
]


def test_no_support_module_hides_one_of_the_standard_library() -> None:
    names = {path.stem for path in (ROOT / "tests" / "support").glob("*.py")}
    assert names & sys.stdlib_module_names == set()


def test_signatures_of_tests_have_one_clock() -> None:
    asked = [
        path.relative_to(ROOT / "tests").as_posix()
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if "time_ns(" in path.read_text() and path.name != Path(__file__).name
    ]
    assert asked == CLOCKS
