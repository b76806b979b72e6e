"""What every test needs: the core that was asked for, never a stale one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from venue import fast

TESTS = Path(__file__).parent
ON_BOTH_CORES = ("core", "scenarios", "properties")  # their tests say nothing but engine matters


def pytest_configure() -> None:
    # Begun in the background it would ignore ^C, and so would all programs that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        fast.refuse_stale()
    except fast.StaleBuild as error:
        raise pytest.UsageError(str(error)) from error
    if os.environ.get("VENUE_EXPECT_COMPILED") == "1" and not fast.compiled():
        raise pytest.UsageError("the compiled core was asked for, the interpreted one would run")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"core: {'compiled' if fast.compiled() else 'interpreted'}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in ON_BOTH_CORES:
            item.add_marker(pytest.mark.core)
