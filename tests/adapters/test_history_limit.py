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
from venue.core.messages.commands import CreateOwner
from venue.core.state.snapshot import begin
from venue.history.process import client, speed
from venue.history.process.client import History
from venue.history.process.link import HistoryFailed
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


def test_commands_are_slowed_before_history_is_too_far_behind(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: one owner's orders, more than history can project, until all owners' are refused."""
    monkeypatch.setattr(client, "SLOWED", 2_000)
    monkeypatch.setattr(client, "LAG_MAX", 6_000)
    monkeypatch.setattr(speed, "MEASURED_S", 0.0)
    known, near, far = tape.applied[:1_000], tape.applied[1_000:4_000], tape.applied[4_000:6_900]

    async def scene() -> None:
        async with running() as history:
            history.follow(known)
            await history.drain()
            assert history.limit() is None
            measured = history._speed.per_s
            assert measured > 0
            process = process_of(history)
            os.kill(process.pid, signal.SIGSTOP)
            history.follow(near)  # 3,000 of at most 6,000: a quarter of the way is gone
            assert history.limit() == measured * 1.25
            history.follow(far)
            assert history.limit() == measured * 0.525
            history.follow(tape.applied[6_900:7_100])
            assert history.behind  # no new order comes now, and cancels gain nothing by waiting
            assert history.limit() is None
            os.kill(process.pid, signal.SIGCONT)
            await history.drain()
            assert history.limit() is None

    asyncio.run(scene())


def test_a_history_that_stands_still_slows_nothing(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SLOWED", 2_000)
    monkeypatch.setattr(client, "AGAIN_S", 60.0)
    monkeypatch.setattr(client, "AGAIN_MAX_S", 60.0)
    monkeypatch.setattr(speed, "MEASURED_S", 0.0)

    async def scene() -> None:
        async with running() as history:
            history.follow(tape.applied[:1_000])
            await history.drain()
            os.kill(process_of(history).pid, signal.SIGSTOP)
            history.follow(tape.applied[1_000:4_000])
            assert history.limit() == history._speed.per_s * (0.5 + 47 / 48)
            os.kill(process_of(history).pid, signal.SIGKILL)
            async with asyncio.timeout(PATIENCE_S):
                while history.limit() is not None:
                    await asyncio.sleep(0)
            with pytest.raises(HistoryFailed, match="it is started again"):
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
        await five("d")
        await five("e")
        assert batches == [5, 5, *[1] * 5, 1, 4, 5]
        assert failures == []
        await sequencer.stop()
        sequencer.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
