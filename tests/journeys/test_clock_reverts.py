"""Time that is moved while the state goes back: by an advance, another mode, or itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.clocked import Movable
from venue.api.errors import ApiError
from venue.api.operator.clock import Advance, AdvanceRequest, ClockRequest
from venue.api.operator.snapshots import Reverted, SnapshotId
from venue.core.messages.commands import Tick
from venue.gateway.door import Call
from venue.gateway.operations.operator.clock import advance_clock, change_clock
from venue.gateway.operations.operator.snapshots import keep_snapshot, revert
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.times import US_PER_MS, moment_us

BEGIN_US = moment_us("2026-01-01T00:00:00Z")
HOUR_US = 3_600_000_000
BASE = SnapshotId(name="base")
SETTINGS: list[dict[str, Any]] = [
    {"mode": "real"},
    {"mode": "offset"},
    {"mode": "offset", "offset": "1h"},
    {"mode": "manual", "at": "2026-01-01T02:00:00Z"},
    {"mode": "manual"},
]


@asynccontextmanager
async def later(
    folder: Path, begin_us: int = BEGIN_US, machine: Movable | None = None
) -> AsyncIterator[Call]:
    """A venue in a file whose time stands an hour after the kept state `base`."""
    options = Options(
        state=str(folder / "venue.db"), agents=False, history=False,
        clock=ClockMode(Mode.MANUAL), at=begin_us,
    )  # fmt: skip
    async with open_venue(options, SystemClock(machine), _fail) as door:
        node = door.node
        call = Call(door, 0, b"")
        await keep_snapshot(call, BASE)
        await node.timekeeper.advance(begin_us + HOUR_US)
        yield call


def test_an_advance_that_meets_a_revert_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with later(tmp_path) as call:
            went, refused = await asyncio.gather(
                revert(call, BASE),
                advance_clock(call, AdvanceRequest(by="1s")),
                return_exceptions=True,
            )
            assert isinstance(went, Reverted)
            _check_refused(refused)
            assert call.node.clock.now() == BEGIN_US
            done = await advance_clock(call, AdvanceRequest(by="1s"))
            assert done.end * US_PER_MS == BEGIN_US + 1_000_000

    asyncio.run(story())


@pytest.mark.parametrize("setting", SETTINGS)
def test_another_mode_that_meets_a_revert_is_refused(
    tmp_path: Path, setting: dict[str, Any]
) -> None:
    async def story() -> None:
        machine = Movable()
        begin_us = BEGIN_US if "at" in setting else machine.wall() - HOUR_US // 2
        async with later(tmp_path, begin_us, machine) as call:
            machine.let_pass(HOUR_US)
            went, refused = await asyncio.gather(
                revert(call, BASE),
                change_clock(call, ClockRequest(**setting)),
                return_exceptions=True,
            )
            assert isinstance(went, Reverted)
            _check_refused(refused)
            clock = call.node.clock
            assert (clock.mode, clock.now()) == (Mode.MANUAL, begin_us)

    asyncio.run(story())


def test_a_revert_that_meets_a_change_which_ends_an_advance_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with later(tmp_path) as call:
            advance = asyncio.create_task(advance_clock(call, AdvanceRequest(by="1h")))
            at = ClockRequest(mode="manual", at="2026-01-01T03:00:00Z")
            change = asyncio.create_task(change_clock(call, at))
            while not advance.done():
                await asyncio.sleep(0)
            assert advance.result().stopped
            assert not change.done()
            with pytest.raises(ApiError) as caught:
                await revert(call, BASE)
            _check_refused(caught.value)
            assert (await change).time * US_PER_MS == BEGIN_US + 3 * HOUR_US

    asyncio.run(story())


def test_ticks_go_on_from_where_the_state_went_back_to(tmp_path: Path) -> None:
    """Time that passes by itself was about to do what is due at an instant that lay ahead."""

    async def story() -> None:
        machine = Movable()
        options = Options(state=str(tmp_path / "venue.db"), agents=False, history=False)
        async with open_venue(options, SystemClock(machine), _fail) as door:
            node = door.node
            call = Call(door, 0, b"")
            await keep_snapshot(call, BASE)
            machine.let_pass(HOUR_US)
            going_back = asyncio.create_task(revert(call, BASE))
            passing = asyncio.create_task(node.timekeeper.run())
            await going_back
            ticks: list[int] = []
            node.outbox.follow(
                lambda batch: ticks.extend(one.time for one in batch if type(one.command) is Tick)
            )
            done = await advance_clock(call, AdvanceRequest(by="1m"))
            assert isinstance(done, Advance)
            assert len(ticks) >= 6
            passing.cancel()

    asyncio.run(story())


def _check_refused(problem: object) -> None:
    assert isinstance(problem, ApiError), problem
    assert (problem.status, problem.code) == (503, -1008)
    assert "nothing was done" in str(problem)


def _fail(problem: BaseException) -> None:
    raise AssertionError(problem)
