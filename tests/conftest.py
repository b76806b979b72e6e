"""The set-up of every test: the core that was asked for, never a stale one."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from venue import compiled

TESTS = Path(__file__).parent
ON_BOTH_CORES = ("core", "scenarios", "properties")  # their tests say nothing but engine matters
# The door is compiled with the core: its tests with random bytes, raw bytes and stock clients.
ON_BOTH_DOORS = (
    "adapters/test_body_values.py",
    "conformance/test_bad_input.py",
    "conformance/test_ccxt_contract_orders.py",
    "conformance/test_fuzz.py",
    "conformance/test_raw_bytes.py",
    "conformance/test_replay.py",
    "conformance/test_sync_order.py",
    "journeys/test_private_frames.py",
    "journeys/test_resume.py",
    "journeys/test_resume_bounds.py",
    "journeys/test_stream_readers.py",
    "journeys/test_wire_log.py",
)

# The longest files go first: side by side with others, none is left over at the end.
LONGEST = (
    "journeys/test_crash_tests.py",
    "journeys/test_former_files.py",
    "conformance/test_snippets.py",
    "journeys/test_prune.py",
    "conformance/test_kill.py",
    "journeys/test_damaged_files.py",
    "adapters/test_points.py",
    "journeys/test_contract_crash.py",
    "journeys/test_same_run.py",
    "conformance/test_ccxt_pro.py",
    "journeys/test_copying_crash.py",
    "journeys/test_runs.py",
    "journeys/test_command.py",
    "journeys/test_helpers.py",
    "properties/test_search.py",
    "properties/test_contracts.py",
    "journeys/test_damaged_archives.py",
    "conformance/test_random_streams.py",
    "properties/test_preview.py",
    "journeys/test_stream_resume.py",
    "journeys/test_people.py",
)


# A busy machine is no defect: no example has to end within a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    # Tests start hundreds of venues: each would compile every module again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Begun in the background it would ignore ^C, and so would all programs that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        compiled.refuse_stale()
        asked, found = compiled.wanted(), compiled.engine()
    except (compiled.StaleBuild, compiled.EngineRefused) as error:
        raise pytest.UsageError(str(error)) from error
    if asked not in ("", found):
        raise pytest.UsageError(f"the {asked} engine is asked for, the {found} one would run")
    os.environ[compiled.ENGINE] = found  # for programs that tests start


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collected tests stay in memory, so they are never searched for garbage. All other objects are
    searched less often, because tests make engines of many objects. The searches took a sixth of
    the time of tests that replay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(10_000, 20, 20)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Asked for the core's tests alone, nothing else is imported: that would take longer."""
    inside = collection_path.is_relative_to(TESTS) and collection_path != TESTS
    if config.option.markexpr != "core" or not inside:
        return None
    name = collection_path.relative_to(TESTS).as_posix()
    doors = any(door == name or door.startswith(f"{name}/") for door in ON_BOTH_DOORS)
    return None if doors or name.partition("/")[0] in ON_BOTH_CORES else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"core: {'compiled' if compiled.compiled() else 'interpreted'}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = {path: path.relative_to(TESTS).as_posix() for path in {item.path for item in items}}
    for item in items:
        name = names[item.path]
        if name.partition("/")[0] in ON_BOTH_CORES or name in ON_BOTH_DOORS:
            item.add_marker(pytest.mark.core)
    items.sort(key=lambda item: _place(names[item.path]))


def _place(name: str) -> int:
    """The place of a file in LONGEST; all others come after, in the order they came in."""
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)
