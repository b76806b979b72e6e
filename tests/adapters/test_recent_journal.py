"""The journal of a venue in memory forgets what two snapshots stand for; explanations know it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from time import monotonic, sleep

import pytest

from support.holding import children
from venue.core.engine import Engine
from venue.core.messages.commands import Command, CreateOwner, Tick
from venue.core.state import snapshot as state
from venue.journal import built
from venue.journal.journal import JournalCorrupt, Snapshot, earliest
from venue.journal.recent import EVERY, RecentJournal
from venue.journal.recovery import ENGINE, beginning, load
from venue.node.explainer import WAITING_MAX, Explained, Explainer, ExplainQuestion, TooBusy, TooOld

ROUNDS = 6
BATCH = 7


async def at_once(function: Callable[[], None]) -> None:
    function()


def filled(engine: Engine, journal: RecentJournal, count: int) -> None:
    """Go on with so many commands."""
    for _ in range(count):
        batch: list[Command] = [Tick(engine.time + 1 + n) for n in range(BATCH)]
        journal.append(batch)
        for command in batch:
            engine.apply(command)


def kept(engine: Engine, journal: RecentJournal) -> None:
    dumped, digest = state.dump_and_hash(engine)
    journal.save_snapshot(Snapshot(engine.sequence, built.name(), digest, {ENGINE: dumped}))


def begun() -> tuple[Engine, RecentJournal]:
    engine, journal = Engine(), RecentJournal(EVERY)
    first: list[Command] = [CreateOwner("anna", time=1)]
    journal.append(first)
    engine.apply(first[0])
    return engine, journal


def test_it_keeps_what_the_older_snapshot_does_not_stand_for() -> None:
    engine, journal = begun()
    begins = []
    for _ in range(ROUNDS):
        filled(engine, journal, 10)
        kept(engine, journal)
        begins.append(journal.begin())
    step = 10 * BATCH
    assert begins == [0, *(1 + step * n for n in range(1, ROUNDS))]
    assert earliest(journal) == journal.begin()
    first = beginning(journal)
    assert first is not None
    again = load(first, 0)
    assert again is not None
    for number, commands in journal.read(first.sequence):
        assert number == again.sequence + 1
        for command in commands:
            again.apply(command)
    assert state.state_hash(again) == state.state_hash(engine)
    with pytest.raises(JournalCorrupt):
        list(journal.read(journal.begin() - 1))


def test_what_is_packed_is_what_was_written() -> None:
    engine, journal = begun()
    filled(engine, journal, 400)
    for after in (0, 1, 3, 1_000, journal.last_sequence() - 1):
        first, _ = journal.packed(after, journal.last_sequence())[0]
        assert first <= after + 1 < first + BATCH
        assert sum(len(some) for _, some in journal.read(after)) == journal.last_sequence() - after
    assert journal.packed(journal.last_sequence(), journal.last_sequence()) == []


def test_a_snapshot_is_due_after_so_many() -> None:
    journal = RecentJournal(EVERY)
    ticks: list[Command] = [Tick(1)] * (EVERY - 1)
    journal.append(ticks)
    assert not journal.is_due()
    journal.append([Tick(1)])
    assert journal.is_due()


def ask(
    journal: RecentJournal, question: ExplainQuestion, time_max_s: float = 60.0
) -> Explained | None:
    return asyncio.run(Explainer(journal, at_once, time_max_s).ask(question))


def test_what_came_before_is_too_old() -> None:
    engine, journal = begun()
    for _ in range(3):
        filled(engine, journal, 2)
        kept(engine, journal)
    with pytest.raises(TooOld, match=f"before command {journal.begin() + 1},"):
        ask(journal, ExplainQuestion("order", 1))


def test_time_is_bounded() -> None:
    _, journal = begun()
    with pytest.raises(TooBusy, match=r"within 0\.001 s"):
        ask(journal, ExplainQuestion("order", 10**15), 0.001)


def test_few_wait() -> None:
    _, journal = begun()

    async def many() -> None:
        explainer = Explainer(journal, at_once, 60.0)
        first = [
            asyncio.create_task(explainer.ask(ExplainQuestion("order", 10**15)))
            for _ in range(WAITING_MAX)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooBusy, match="under way"):
            await explainer.ask(ExplainQuestion("order", 10**15))
        assert await asyncio.gather(*first) == [None] * WAITING_MAX

    asyncio.run(many())


def test_a_helper_that_dies_is_told() -> None:
    """It is killed when it first asks for commands. Other children of these tests live on."""
    _, journal = begun()
    others = children(os.getpid())

    async def killing(function: Callable[[], None]) -> None:
        (helper,) = set(children(os.getpid())) - set(others)
        os.kill(helper, signal.SIGKILL)
        function()

    with pytest.raises(TooBusy, match="could not be explained"):
        asyncio.run(Explainer(journal, killing, 60.0).ask(ExplainQuestion("order", 10**15)))


def test_a_helper_that_has_its_turns_late_is_waited_for() -> None:
    """Enemy: a busy machine. The helper runs a moment at a time until long after the limit."""
    engine, journal = begun()
    filled(engine, journal, 2)
    others = children(os.getpid())
    limit_s = 4.0

    def turns(helper: int, until: float) -> None:
        while monotonic() < until:
            os.kill(helper, signal.SIGSTOP)
            sleep(0.05)
            os.kill(helper, signal.SIGCONT)
            sleep(0.002)

    async def story() -> None:
        until = monotonic() + 1.5 * limit_s

        async def slowly(function: Callable[[], None]) -> None:
            (helper,) = set(children(os.getpid())) - set(others)
            await asyncio.to_thread(turns, helper, until)
            function()

        assert await Explainer(journal, slowly, limit_s).ask(ExplainQuestion("order", 1)) is None
        assert monotonic() >= until

    asyncio.run(story())
