"""History beside a node: fed and asked over a pipe, and never silent about a failure."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.tape import Sum, Tape, rows_of
from venue.core.engine import Engine
from venue.history import queries
from venue.history.queries import BillsOf, OrdersOf
from venue.history.service import BATCH_MAX, History, HistoryFailed
from venue.history.store import open_history

PATIENCE_S = 30.0  # a bound, far beyond what is needed


@pytest.fixture(scope="module")
def tape() -> Tape:
    """More commands than fit one transaction."""
    return Tape().walk(seed=3, count=2 * BATCH_MAX + 50)


@asynccontextmanager
async def running(path: Path | None = None, engine: Engine | None = None) -> AsyncIterator[History]:
    history = await History.start(None if path is None else str(path))
    try:
        history.begin(engine or Engine())
        yield history
    finally:
        await history.close()


def test_what_was_followed_is_reached_and_answered(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            assert (history.reached(), history.lag()) == (0, 0)
            history.follow([])
            for start in range(0, len(tape.applied), 40):
                history.follow(tape.applied[start : start + 40])
            assert history.lag() == len(tape.applied)
            await history.reach(70, PATIENCE_S)
            assert history.reached() >= 70
            await history.drain()
            assert (history.reached(), history.lag()) == (len(tape.applied), 0)
            await history.reach(len(tape.applied), PATIENCE_S)
            history.health()
            rows = Sum(tape.applied).rows()
            uid = tape.uids[0]
            orders = await history.ask(queries.orders, OrdersOf(uid, "BTCUSDT"), 10_000, 1)
            assert [row.order_id for row in reversed(orders)] == [
                row[0] for row in rows["orders"] if row[1:3] == (uid, "BTCUSDT")
            ]
            total, page = await history.ask(queries.bills_paged, BillsOf(uid, 0), 1, 5)
            assert (total, len(page)) == (sum(row[1:3] == (uid, 0) for row in rows["bills"]), 5)

    asyncio.run(scene())


def test_a_sequence_that_does_not_come_is_waited_for_in_bounds(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:10])
            with pytest.raises(TimeoutError):
                await history.reach(11, 0.0)
            history.follow(tape.applied[10:11])
            await history.reach(11, PATIENCE_S)
            assert history.reached() == 11

    asyncio.run(scene())


def test_a_file_is_taken_up_where_it_was_left(tape: Tape, tmp_path: Path) -> None:
    path = tmp_path / "venue.history"
    half = len(tape.applied) // 2
    engine = Engine()
    for done in tape.applied[:half]:
        engine.apply(done.command)

    async def scene() -> None:
        async with running(path) as history:
            history.follow(tape.applied[:half])
            await history.drain()
            assert await history.checkpoint() == half
        async with running(path, engine) as history:
            assert history.reached() == half
            history.follow(tape.applied[half - 9 :])
            await history.drain()

    asyncio.run(scene())
    store = open_history(str(path))
    try:
        assert rows_of(store) == Sum(tape.applied).rows()
    finally:
        store.close()


def test_a_failed_projection_is_told_by_everything(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:20])
            await history.drain()
            history.follow(tape.applied[21:30])
            with pytest.raises(HistoryFailed, match="AssertionError"):
                await history.reach(30, PATIENCE_S)
            await _all_refuse(history)
            history.follow(tape.applied[30:40])
            assert (history.reached(), history.lag()) == (20, 20)

    asyncio.run(scene())


def test_a_killed_process_is_told_by_everything(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:20])
            await history.drain()
            waiting = asyncio.create_task(history.reach(21, PATIENCE_S))
            await asyncio.sleep(0)
            os.kill(history._process.pid, signal.SIGKILL)
            with pytest.raises(HistoryFailed, match="ended"):
                await waiting
            await _all_refuse(history)

    asyncio.run(scene())


def test_a_question_that_raises_fails_alone(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            with pytest.raises(HistoryFailed, match="OverflowError"):
                await history.ask(queries.order, 1, 2**70)
            history.health()
            history.follow(tape.applied[:20])
            await history.drain()
            assert await history.ask(queries.order, 1, 2) is None

    asyncio.run(scene())


def test_a_file_that_is_no_database_does_not_start(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "venue.history"
    path.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(HistoryFailed, match=r"venue\.history is damaged: "):
        asyncio.run(History.start(str(path)))
    assert capfd.readouterr().err == ""


async def _all_refuse(history: History) -> None:
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: history.reach(1, PATIENCE_S),
        lambda: history.ask(queries.order, 1, 2),
        history.checkpoint,
        history.drain,
    ]
    for call in calls:
        with pytest.raises(HistoryFailed):
            await call()
    with pytest.raises(HistoryFailed):
        history.health()
