"""Pruning counts the age of commands in venue time, whatever the machine's clock says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.former import BEGIN_US, Stepping
from support.pruned import DAY_US, HALF_US, archived, copied, live
from venue.cli.serving.dev import DevOptions, refused
from venue.cli.serving.shared import SharedOptions
from venue.cli.verify import verify
from venue.journal.chain import BLOCK
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.pruning.beside import Pruning
from venue.pruning.cut import STEPS
from venue.pruning.prune import prune
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.snapshots import keeper

MACHINE_US = BEGIN_US + 400 * DAY_US  # the machine is a year ahead of the venue
HOUR_US = 3_600_000_000
FRAMES_KEPT = 1_000


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a venue that lived for 40 days and was stopped."""
    folder = tmp_path_factory.mktemp("lived")
    asyncio.run(live(folder / "venue.db"))
    return folder


@pytest.fixture
def state(lived: Path, tmp_path: Path) -> str:
    """A copy of it."""
    return copied(lived, tmp_path / "copy")


async def rounds(state: str, keep_us: int, clock: ClockMode | None, later_us: int = 0) -> list[str]:
    """Start a venue that prunes, move its time, and have all archived that is old enough; the names
    of the states that it keeps then."""
    failed = list[BaseException]()
    options = Options(state=state, agents=False, clock=clock, keep_us=keep_us)
    async with open_venue(options, SystemClock(Stepping(MACHINE_US)), failed.append) as door:
        node = door.node
        await node.timekeeper.keep("now", node.reverts.dump)
        if later_us:
            await node.timekeeper.advance(node.clock.now() + later_us)
        pruning = Pruning(node, keeper(node, state, FRAMES_KEPT), state, keep_us)
        while await pruning.round():
            pass
        kept = list(node.engine.savepoints.kept)
    assert not failed, failed
    return kept


def test_a_venue_whose_time_stands_ages_nothing(state: str) -> None:
    """The mode is the file's own at the second start: nothing there names it again."""
    for clock in (ClockMode(Mode.MANUAL), None):
        assert asyncio.run(rounds(state, 50 * DAY_US, clock)) == ["now"]
    assert archived(state) == []
    assert verify(state).problems == []


def test_time_that_is_advanced_makes_old(state: str) -> None:
    keep_us = (40 * DAY_US + HOUR_US // 2) * STEPS // (STEPS + 1)
    assert asyncio.run(rounds(state, keep_us, ClockMode(Mode.MANUAL))) == ["now"]
    assert archived(state) == []
    assert asyncio.run(rounds(state, keep_us, None, HOUR_US)) == ["now"]
    assert len(archived(state)) == 2
    assert verify(state).problems == []


def test_time_that_went_back_makes_young(state: str) -> None:
    async def gone_back() -> None:
        failed, machine = list[BaseException](), Stepping(BEGIN_US + 41 * DAY_US)
        options = Options(state=state, agents=False)
        async with open_venue(options, SystemClock(machine), failed.append) as door:
            node = door.node
            await node.timekeeper.keep("now", node.reverts.dump)
            machine.time += 1_000 * DAY_US
            await node.timekeeper.revert("now")
            pruning = Pruning(node, keeper(node, state, FRAMES_KEPT), state, 50 * DAY_US)
            assert not await pruning.round()
            assert "now" in node.engine.savepoints.kept
        assert not failed, failed

    asyncio.run(gone_back())
    assert archived(state) == []


def test_a_stopped_venue_has_the_time_of_its_last_command(state: str) -> None:
    assert prune(state, 41 * DAY_US).journal == 0
    assert prune(state, HALF_US).journal == 2 * BLOCK
    assert verify(state).problems == []


def test_every_clock_goes_with_pruning() -> None:
    for clock in ("real", "manual", "skip", "offset"):
        assert refused(SharedOptions(state="venue.db", keep="30d"), DevOptions(clock=clock)) == ""
