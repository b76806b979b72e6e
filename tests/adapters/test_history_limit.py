"""No more commands are taken than history can project, so that nobody is refused for its sake."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from support.helper_process import process_of
from support.tape import Tape
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import CreateOwner
from venue.core.state.snapshot import begin
from venue.helpers.link import HelperFailed
from venue.history.process import client
from venue.history.process.client import History
from venue.history.process.speed import LEAST_PER_S, UNKNOWN_PER_S, Speed
from venue.journal.memory import MemoryJournal
from venue.node.clock import SystemClock
from venue.node.outbox import Outbox
from venue.node.sequencer import Sequencer

PATIENCE_S = 30.0  # a bound, far beyond what is needed


@pytest.fixture(scope="module")
def tape() -> Tape:
    return Tape().walk(seed=3, count=7_100)


@asynccontextmanager
async def running() -> AsyncIterator[History]:
    history = await History.start(None)
    try:
        history.begin(Engine())
        yield history
    finally:
        await history.close()


def test_its_speed_is_that_of_the_times_in_which_it_works() -> None:
    speed = Speed()
    speed.begin(10.0)
    speed.note(3_000, 10.3)
    speed.begin(20.0)
    speed.note(3_000, 20.2)  # half a second of work in all
    speed.begin(50.0)
    assert speed.per_s(50.0) == 12_000
    assert speed.limit(1.0, 50.0) == 18_000
    assert speed.limit(0.5, 50.0) == 12_000
    assert speed.limit(0.0, 50.0) == 6_000


def test_its_speed_falls_while_it_stands_still() -> None:
    """Enemy: a process that is held up, and was fast before, or so an owner hopes."""
    speed = Speed()
    speed.begin(10.0)
    assert speed.per_s(11.0) == UNKNOWN_PER_S
    speed.note(6_000, 10.5)
    speed.begin(20.0)
    assert speed.per_s(21.0) == 12_000
    assert speed.per_s(22.0) == 6_000
    assert speed.limit(1.0, 24.0) == 4_500
    assert speed.limit(1.0, 60.0) == LEAST_PER_S  # of many owners, each its cancels


def test_commands_are_slowed_before_history_is_too_far_behind(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: one owner's commands, more than history can project, until all owners' are refused."""
    monkeypatch.setattr(client, "SLOWED", 2_000)
    monkeypatch.setattr(client, "CATCHES_UP", 4_000)
    monkeypatch.setattr(client, "LAG_MAX", 6_000)
    known, near, far = tape.applied[:1_000], tape.applied[1_000:4_000], tape.applied[4_000:7_100]

    async def scene() -> None:
        async with running() as history:
            history.follow(known)
            await history.drain()
            assert history.limit() is None
            monkeypatch.setattr(client, "monotonic", lambda: 0.0)  # no time passes from now on
            history._speed = Speed()
            os.kill(process_of(history).pid, signal.SIGSTOP)
            history.follow(near)  # 3,000 behind
            assert history.limit() == UNKNOWN_PER_S
            history.follow(far)
            assert history.behind
            assert history.limit() == UNKNOWN_PER_S / 2  # cancels too: the queue is fair, it is not
            os.kill(process_of(history).pid, signal.SIGCONT)
            await history.drain()
            assert history.limit() is None

    asyncio.run(scene())


def test_a_history_that_is_started_again_slows_nothing(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SLOWED", 2_000)
    monkeypatch.setattr(client, "AGAIN_S", 60.0)
    monkeypatch.setattr(client, "AGAIN_MAX_S", 60.0)

    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:1_000])
            await history.drain()
            os.kill(process_of(history).pid, signal.SIGSTOP)
            history.follow(tape.applied[1_000:4_000])
            assert history.limit() is not None
            os.kill(process_of(history).pid, signal.SIGKILL)
            async with asyncio.timeout(PATIENCE_S):
                while history.limit() is not None:
                    await asyncio.sleep(0)
            with pytest.raises(HelperFailed, match="it is started again"):
                history.health()

    asyncio.run(scene())


def test_the_sequencer_takes_no_more_than_a_follower_can_take() -> None:
    """Without a limit all that wait go in one batch; with one no more than it allows."""

    async def scene() -> None:
        outbox, failures, batches = Outbox(), list[BaseException](), list[int]()
        limits: list[float | None] = [None]
        outbox.follow(lambda batch: batches.append(len(batch)), lambda: limits[-1])
        journal = MemoryJournal(keep=False)
        sequencer = Sequencer(begin(), journal, outbox, SystemClock(), failures.append)

        async def five(name: str) -> None:
            commands = [CreateOwner(f"{name}{number}") for number in range(5)]
            await asyncio.gather(*[sequencer.submit([command]) for command in commands])

        await five("a")
        limits.append(100.0)
        await five("b")  # the limit is asked for after each batch
        await five("c")
        limits.append(None)
        await five("d")  # and before one that had to wait
        await five("e")
        assert batches == [5, 5, *[1] * 5, 5, 5]
        assert failures == []
        await sequencer.stop()
        sequencer.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))


def test_a_limit_that_is_gone_is_not_waited_for() -> None:
    """Enemy: a large group under a low limit, so that later commands wait long after its end."""

    async def scene() -> None:
        outbox, failures = Outbox(), list[BaseException]()
        limits: list[float | None] = [0.001]
        outbox.follow(lambda _: None, lambda: limits[-1])
        journal = MemoryJournal(keep=False)
        sequencer = Sequencer(begin(), journal, outbox, SystemClock(), failures.append)
        await sequencer.submit([CreateOwner(f"a{number}") for number in range(100)])
        waiting = sequencer.submit([CreateOwner("b")])  # for a day
        await asyncio.sleep(0)
        limits.append(None)
        await waiting
        assert failures == []
        await sequencer.stop()
        sequencer.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))


def test_slices_of_large_commands_keep_the_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enemy: an owner whose one command makes thousands, which history has to project as well."""

    async def scene() -> None:
        outbox, failures = Outbox(), list[BaseException]()
        limits: list[float | None] = [None]
        seen = 0

        def note(batch: list[Applied]) -> None:
            nonlocal seen
            seen += len(batch)

        outbox.follow(note, lambda: limits[-1])
        engine, journal = begin(), MemoryJournal(keep=False)
        sequencer = Sequencer(engine, journal, outbox, SystemClock(), failures.append)
        monkeypatch.setattr(Engine, "pending", lambda _: seen < 1_000)
        limits.append(0.001)
        await sequencer.submit([CreateOwner("a")])
        for _ in range(100):
            await asyncio.sleep(0)
        assert seen == 2  # with a slice in its own batch
        limits.append(None)
        await sequencer.worked_off()
        assert seen == 1_000
        assert failures == []
        await sequencer.stop()
        sequencer.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
