"""The journal of a venue in memory keeps a day, with states on the way that explanations use."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from time import monotonic, sleep

import pytest

from support.holding import children
from venue.candles import HOUR_US
from venue.core.engine import Engine
from venue.core.messages.commands import Command, CreateOwner, Tick
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state import snapshot as state
from venue.core.units import DAY_US
from venue.journal import built
from venue.journal.journal import JournalCorrupt, Snapshot, earliest
from venue.journal.recent import EVERY, RecentJournal
from venue.journal.recovery import ENGINE, beginning, load
from venue.node.explainer import (
    TRIED,
    WAITING_MAX,
    Explainer,
    ExplainQuestion,
    ExplanationText,
    TooBusy,
    TooOld,
    _newest,
)
from venue.node.snapshots import take_state

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
        first, _ = journal.read_packed(after, journal.last_sequence())[0]
        assert first <= after + 1 < first + BATCH
        assert sum(len(some) for _, some in journal.read(after)) == journal.last_sequence() - after
    assert journal.read_packed(journal.last_sequence(), journal.last_sequence()) == []


def day_by_day(journal: RecentJournal, rounds: int, hours: int) -> Engine:
    """Go on for so many hours in each round, with a snapshot of the whole venue after each."""
    engine = Engine()
    for number in range(rounds):
        batch: list[Command] = [Tick(engine.time + 1 + n * HOUR_US) for n in range(hours + 1)]
        batch.append(CreateOwner(f"owner{number}", time=batch[-1].time))
        journal.append(batch)
        for command in batch:
            engine.apply(command)
        dumped, digest = state.dump_and_hash(engine)
        parts = {ENGINE: dumped, "market_data": bytes(1_000)}
        journal.save_snapshot(Snapshot(engine.sequence, built.name(), digest, parts))
    return engine


def test_a_day_is_kept_and_can_be_replayed_from_every_state_on_the_way() -> None:
    journal = RecentJournal(EVERY, span_us=DAY_US)
    engine = day_by_day(journal, 12, 5)
    first = next(commands[0] for _, commands in journal.read(journal.begin()))
    assert DAY_US <= engine.time - first.time < DAY_US + 6 * HOUR_US
    assert [len(one.parts) for one in journal.snapshots()] == [2, 2]
    beginnings = journal.beginnings()
    assert beginnings[0] == journal.begin() == earliest(journal)
    assert len(beginnings) == 6
    for sequence in beginnings:
        snapshot = journal.state(sequence)
        assert snapshot is not None
        again = load(snapshot, 0)
        assert again is not None
        for _, commands in journal.read(sequence):
            for command in commands:
                again.apply(command)
        assert state.state_hash(again) == state.state_hash(engine), sequence
    assert journal.state(beginnings[0] - 1) is None


def test_states_alone_are_kept_between_whole_snapshots() -> None:
    """While time flies whole ones are rare: what is kept begins no later than the older of two."""
    engine, journal = begun()
    wholes = []
    for number in range(20):
        filled(engine, journal, 10)
        if number % 8 == 7:
            kept(engine, journal)
            wholes.append(engine.sequence)
        else:
            journal.save_state(take_state(engine))
    assert [one.sequence for one in journal.snapshots()] == wholes[::-1]
    assert journal.begin() == wholes[0]
    assert len(journal.beginnings()) == 13
    for sequence in journal.beginnings():
        snapshot = journal.state(sequence)
        again = load(snapshot, 0) if snapshot is not None else None
        assert again is not None
        assert again.sequence == sequence


def test_what_a_day_takes_has_a_bound() -> None:
    """Of what is older than the last two snapshots."""
    journal = RecentJournal(EVERY, span_us=DAY_US, bytes_max=0)
    day_by_day(journal, 12, 1)
    assert len(journal.beginnings()) == 2


def test_a_revert_takes_no_lived_time_back() -> None:
    """Enemy: a venue that goes back each hour has no day behind it by its clock."""
    engine, journal = state.begin(), RecentJournal(EVERY, span_us=DAY_US)
    sizes = []
    for number in range(60):
        back = RevertState("begin", time=engine.time) if number else KeepState("begin")
        for command in (back, Tick(1), Tick(1 + HOUR_US)):
            journal.append([command])
            engine.apply(command)
        kept(engine, journal)
        sizes.append(len(journal.beginnings()))
    assert max(sizes) == sizes[-1] == 25


def test_what_is_packed_together_is_read_as_it_was_written() -> None:
    journal = RecentJournal(EVERY)
    names = [f"{n:05}-{'x' * 40}" for n in range(6_000)]
    for begin in range(0, len(names), BATCH):
        journal.append([CreateOwner(name, time=1) for name in names[begin : begin + BATCH]])
    for after in (0, 1, 1_234, 5_998, 5_999):
        read = [one for _, commands in journal.read(after) for one in commands]
        assert [one.name for one in read if isinstance(one, CreateOwner)] == names[after:], after


@pytest.mark.parametrize("epoch", [0, 1])
def test_the_newest_state_before_a_thing_is_found(epoch: int) -> None:
    """With few looks where numbers grow; where a revert put some back, each thing is found too."""
    numbers = list(range(0, 1_000, 10))
    if epoch:
        numbers[:50] = [number + 700 for number in numbers[:50]]
    for wanted in (0, 5, 10, 455, 989, 990, 5_000):
        looked: list[int] = []

        async def lies_behind(sequence: int) -> bool:
            looked.append(sequence)  # noqa: B023 - of this turn
            return numbers[sequence] <= wanted  # noqa: B023

        found = asyncio.run(_newest(list(range(100)), lies_behind, epoch))
        if epoch:
            assert (found is None) == (min(numbers) > wanted)
            assert found is None or numbers[found] <= wanted
        else:
            assert found == min(wanted // 10, 99)
            assert len(looked) <= TRIED + 7


def test_a_snapshot_is_due_after_so_many() -> None:
    journal = RecentJournal(EVERY)
    ticks: list[Command] = [Tick(1)] * (EVERY - 1)
    journal.append(ticks)
    assert not journal.is_due()
    journal.append([Tick(1)])
    assert journal.is_due()


def ask(
    journal: RecentJournal, question: ExplainQuestion, time_max_s: float = 60.0
) -> ExplanationText | None:
    return asyncio.run(Explainer(journal, at_once, time_max_s).ask(question))


def test_what_came_before_is_too_old() -> None:
    engine, journal = begun()
    for _ in range(3):
        filled(engine, journal, 2)
        kept(engine, journal)
    told = f"before command {journal.begin() + 1},.* keeps its last {EVERY} commands: those up to"
    with pytest.raises(TooOld, match=told):
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
