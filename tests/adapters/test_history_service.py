"""History beside a node: fed and asked over a pipe, and never silent about a failure."""

from __future__ import annotations

import asyncio
import fcntl
import os
import resource
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.helper_process import process_of
from support.tape import Sum, Tape, rows_of
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.helpers import link
from venue.helpers.link import HelperFailed
from venue.helpers.process import HelperProcess
from venue.helpers.program import environment
from venue.history import store as store_room
from venue.history.process import client, unprojected
from venue.history.process.client import History
from venue.history.process.pipe import PART, PROJECT, OpenRequest
from venue.history.process.starting import start_worker
from venue.history.process.unprojected import BATCH_MAX
from venue.history.questions import spot as queries
from venue.history.sql import scalar
from venue.history.store import open_history
from venue.history.tables.spot import BillsOf, OrdersOf

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


def engine_after(applied: list[Applied]) -> Engine:
    engine = Engine()
    for done in applied:
        engine.apply(done.command)
    return engine


def test_frames_are_bounded_by_their_events(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    """A settlement of many positions has some hundred events a command: encoding a thousand of
    those at once would keep orders waiting."""
    most = max(len(done.events) for done in tape.applied)
    monkeypatch.setattr(unprojected, "PART_EVENTS", 50)
    monkeypatch.setattr(unprojected, "BATCH_EVENTS", 200)
    sent: list[tuple[bytes, int]] = []

    async def scene() -> None:
        async with running() as history:
            send = history._link.send

            def counted(kind: bytes, payload: bytes) -> asyncio.Future[Any]:
                if kind in (PART, PROJECT):
                    chunks, _ = msgspec.msgpack.decode(payload)
                    events = sum(len(entry[2]) for entries in chunks for entry in entries)
                    sent.append((kind, events))
                return send(kind, payload)

            monkeypatch.setattr(history._link, "send", counted)
            history.follow(tape.applied)
            await history.drain()
            uid = tape.uids[0]
            orders = await history.ask(queries.orders, OrdersOf(uid, "BTCUSDT"), 10_000, 1)
            assert [row.order_id for row in reversed(orders)] == [
                row[0] for row in Sum(tape.applied).rows()["orders"] if row[1:3] == (uid, "BTCUSDT")
            ]

    asyncio.run(scene())
    assert max(events for _, events in sent) < 50 + most
    transaction = 0
    for kind, events in sent:
        transaction += events
        assert transaction < 200 + 50 + most
        transaction = 0 if kind == PROJECT else transaction


def kinds_sent(history: History, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The kinds of the frames that history's process is sent from now on."""
    sent: list[bytes] = []
    send = history._link.send

    def counted(kind: bytes, payload: bytes) -> asyncio.Future[Any]:
        sent.append(kind)
        return send(kind, payload)

    monkeypatch.setattr(history._link, "send", counted)
    return sent


def test_a_process_has_the_next_commands_before_it_asks(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: a loop that is busy with orders and hears an answer late. A process that waited for it
    after each frame fell behind, until all owners' orders were refused."""
    monkeypatch.setattr(unprojected, "PART_MAX", 100)
    monkeypatch.setattr(unprojected, "BATCH_MAX", 400)

    async def scene() -> None:
        async with running() as history:
            sent = kinds_sent(history, monkeypatch)
            process = process_of(history)
            os.kill(process.pid, signal.SIGSTOP)  # no answer comes
            for start in range(0, len(tape.applied), 40):
                history.follow(tape.applied[start : start + 40])
            assert len(sent) == client.AHEAD
            assert PROJECT in sent[:-1]  # beyond the end of the first transaction
            os.kill(process.pid, signal.SIGCONT)
            await history.drain()
            assert (history.last_sequence(), history.lag()) == (len(tape.applied), 0)

    asyncio.run(scene())


def test_what_was_followed_is_reached_and_answered(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            assert (history.last_sequence(), history.lag()) == (0, 0)
            history.follow([])
            for start in range(0, len(tape.applied), 40):
                history.follow(tape.applied[start : start + 40])
            assert history.lag() == len(tape.applied)
            await history.reach(70, PATIENCE_S)
            assert history.last_sequence() >= 70
            await history.drain()
            assert (history.last_sequence(), history.lag()) == (len(tape.applied), 0)
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
            assert history.last_sequence() == 11

    asyncio.run(scene())


def test_a_file_is_taken_up_where_it_was_left(tape: Tape, tmp_path: Path) -> None:
    path = tmp_path / "venue.history"
    half = len(tape.applied) // 2
    engine = engine_after(tape.applied[:half])

    async def scene() -> None:
        async with running(path) as history:
            history.follow(tape.applied[:half])
            await history.drain()
            assert await history.checkpoint() == half
        async with running(path, engine) as history:
            assert history.last_sequence() == half
            history.follow(tape.applied[half - 9 :])
            await history.drain()

    asyncio.run(scene())
    store = open_history(str(path))
    try:
        assert rows_of(store) == Sum(tape.applied).rows()
    finally:
        store.close()


def test_a_failed_projection_is_told_by_everything_until_it_goes_on(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:20])
            await history.drain()
            history.follow(tape.applied[21:30])
            with pytest.raises(HelperFailed, match="AssertionError"):
                await history.reach(30, PATIENCE_S)
            await _all_refuse(history)
            assert (history.last_sequence(), history.lag()) == (20, 10)

    asyncio.run(scene())


def test_a_caller_that_waits_makes_no_history_slower_that_is_far_behind(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: one who asks again and again, so that each frame is a transaction of its own."""
    monkeypatch.setattr(unprojected, "PART_MAX", 100)
    monkeypatch.setattr(unprojected, "BATCH_MAX", 400)
    monkeypatch.setattr(client, "BATCH_MAX", 400)

    async def scene() -> None:
        async with running() as history:
            sent = kinds_sent(history, monkeypatch)
            asking = asyncio.create_task(history.reach(1_000, PATIENCE_S))
            await asyncio.sleep(0)  # it waits
            history.follow(tape.applied[:1_000])
            await asking
            # Two whole ones, and what is left has no more parts than its caller needs.
            assert sent[:8] == [PART, PART, PART, PROJECT] * 2
            assert history.lag() == 0

    asyncio.run(scene())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("lasting", [True, False])
def test_another_process_goes_on_where_one_ended(
    tape: Tape, tmp_path: Path, how: int, lasting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "HUNG_S", 0.5)
    half = len(tape.applied) // 2

    async def scene() -> None:
        path = tmp_path / "venue.history" if lasting else None
        async with running(path, engine_after(tape.applied)) as history:
            history.follow(tape.applied[:half])
            await history.drain()
            process = process_of(history)
            os.kill(process.pid, how)
            history.follow(tape.applied[half:])
            with pytest.raises(HelperFailed, match="ended" if how == signal.SIGKILL else "0.5 s"):
                await history.reach(len(tape.applied), PATIENCE_S)
            await _all_refuse(history)
            await _until_healthy(history)
            await history.drain()
            assert process_of(history).pid != process.pid
            assert (history.last_sequence(), history.lag()) == (len(tape.applied), 0)
            rows = Sum(tape.applied).rows()
            uid = tape.uids[0]
            orders = await history.ask(queries.orders, OrdersOf(uid, "BTCUSDT"), 10_000, 1)
            assert [row.order_id for row in reversed(orders)] == [
                row[0] for row in rows["orders"] if row[1:3] == (uid, "BTCUSDT")
            ]

    asyncio.run(scene())


def test_a_process_that_works_does_not_hang(
    tmp_path: Path, tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: other programs on the same processor, so that its answer takes longer than usual."""
    monkeypatch.setattr(client, "HUNG_S", 0.3)
    monkeypatch.setattr(client, "ASK_S", PATIENCE_S)
    counted = (
        "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 5000000)"
        " SELECT max(n) FROM up"
    )
    told = HelperProcess.worked

    async def scene() -> None:
        async with running(tmp_path / "venue.history", engine_after(tape.applied)) as history:
            process = process_of(history)
            looks: list[int] = []

            def worked(process: HelperProcess) -> int:
                looks.append(found := told(process))
                return found

            monkeypatch.setattr(HelperProcess, "worked", worked)
            assert await history.ask(scalar, counted) == 5_000_000
            assert len(looks) > 1  # it was looked at before it answered
            assert looks == sorted(set(looks))
            assert process_of(history) is process

    asyncio.run(scene())


def test_starts_that_fail_are_further_and_further_apart(
    tmp_path: Path, tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each process has more time to answer: what fails may be a slow disk."""
    monkeypatch.setattr(client, "AGAIN_S", 0.02)
    start, starts = client._again, 5
    tried: list[tuple[float, float]] = []

    async def failing(opened: OpenRequest, patience_s: float) -> tuple[client.Pipe, int]:
        tried.append((asyncio.get_running_loop().time(), patience_s))
        if len(tried) < starts:
            raise HelperFailed("not yet")
        return await start(opened, patience_s)

    monkeypatch.setattr(client, "_again", failing)

    async def scene() -> None:
        async with running(tmp_path / "venue.history", engine_after(tape.applied)) as history:
            os.kill(process_of(history).pid, signal.SIGKILL)
            with pytest.raises(HelperFailed):
                await history.reach(1, PATIENCE_S)
            await _until_healthy(history)

    asyncio.run(scene())
    times, patience = zip(*tried, strict=True)
    assert len(tried) == starts
    for number in range(1, starts):
        assert times[number] - times[number - 1] >= client.AGAIN_S * 2**number
    assert list(patience) == [
        min(client.HUNG_S * 2**number, client.HUNG_MAX_S) for number in range(1, starts + 1)
    ]


def test_a_process_is_told_of_its_file_later(tmp_path: Path, tape: Tape) -> None:
    async def scene() -> None:
        process = await start_worker()
        history = await History.start(str(tmp_path / "history"), process=process)
        assert process_of(history) is process
        history.begin(engine_after(tape.applied[:20]))
        history.follow(tape.applied[:20])
        await history.drain()
        assert (history._path, history.last_sequence()) == (str(tmp_path / "history"), 20)
        await history.close()
        assert process.returncode == 0

    asyncio.run(scene())


def test_a_process_that_gets_no_file_ends_with_the_venue() -> None:
    async def scene() -> None:
        process = await start_worker()
        process.stdin.close()
        assert await process.wait() == 0

    asyncio.run(scene())


def test_a_process_that_ended_before_it_got_its_file_is_told(tmp_path: Path) -> None:
    async def scene() -> None:
        process = await start_worker()
        process.kill()
        await process.wait()
        with pytest.raises(HelperFailed, match="ended"):
            await History.start(str(tmp_path / "history"), process=process)

    asyncio.run(scene())


def test_a_hanging_process_is_ended_in_time(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "CLOSE_S", 0.2)

    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:20])
            await history.drain()
            os.kill(process_of(history).pid, signal.SIGSTOP)
        assert process_of(history).returncode == -signal.SIGKILL
        assert not os.path.exists(history._path)

    asyncio.run(scene())


def test_a_question_in_vain_ends(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ASK_S", 0.2)

    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:20])
            await history.drain()
            os.kill(process_of(history).pid, signal.SIGSTOP)
            with pytest.raises(TimeoutError):
                await history.ask(queries.order, 1, 2)

    asyncio.run(scene())


def test_a_file_in_use_is_told_at_once_and_waited_for_in_bounds(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_room, "LOCK_S", 0)
    path = str(tmp_path / "venue.history")
    open_history(path).close()
    with Path(f"{path}.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OSError, match=r"another process holds .*venue\.history\.lock"):
            open_history(path)
    assert "another process holds" in caplog.text
    open_history(path).close()


def test_what_a_helper_is_handed() -> None:
    given = {
        "PATH": "/bin", "PYTHONPATH": ":/a::/b:", "LC_ALL": "C", "VENUE_OPERATOR_TOKEN": "secret",
        "CLOUD_SECRET": "secret",
    }  # fmt: skip
    assert environment(given) == {"PATH": "/bin", "PYTHONPATH": "/a:/b", "LC_ALL": "C"}


def test_a_question_that_raises_fails_alone(tape: Tape) -> None:
    async def scene() -> None:
        async with running() as history:
            with pytest.raises(HelperFailed, match="TypeError"):
                await history.ask(queries.order, 1)  # type: ignore[call-arg]
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
    with pytest.raises(HelperFailed, match=r"venue\.history is damaged: "):
        asyncio.run(History.start(str(path)))
    assert capfd.readouterr().err == ""


async def _until_healthy(history: History) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                history.health()
            except HelperFailed:
                await asyncio.sleep(0)
            else:
                return


async def _all_refuse(history: History) -> None:
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: history.reach(1, PATIENCE_S),
        lambda: history.ask(queries.order, 1, 2),
        history.checkpoint,
        history.drain,
    ]
    for call in calls:
        with pytest.raises(HelperFailed):
            await call()
    with pytest.raises(HelperFailed):
        history.health()


def test_without_descriptors_a_process_is_started_later(
    tape: Tape, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with running(engine=engine_after(tape.applied)) as history:
            history.follow(tape.applied[:20])
            await history.drain()
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
            try:
                history._link.kill("killed by the test")
                async with asyncio.timeout(PATIENCE_S):
                    while "history is not started yet" not in caplog.text:
                        await asyncio.sleep(0.01)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            history.follow(tape.applied[20:40])
            async with asyncio.timeout(PATIENCE_S):
                while history.last_sequence() < 40:
                    await asyncio.sleep(0.01)
            history.health()

    asyncio.run(scene())
