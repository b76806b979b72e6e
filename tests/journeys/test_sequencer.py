"""The single writer: durable first, in order, together or not at all, bounded."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from support.sequencing import Clock, Desk, Gate, run
from venue.core.book.book import Market
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    Command,
    CreateOwner,
    Deposit,
    PlaceOrder,
    RegisterAsset,
    Tick,
)
from venue.core.messages.events import OwnerCreated, Rejected
from venue.core.messages.savepoints import KeepState, RevertState, StateReverted
from venue.core.ranges import OutOfBounds
from venue.journal.memory import MemoryJournal
from venue.journal.opening import open_journal
from venue.node import sequencer as room
from venue.node.sequencer import Stopped

GRID = Instrument("X", "X", "", 1, 0, 1, 0, 1, 9, 9, 0, 0)


def owner_of(applied: list[Applied]) -> str:
    (event,) = applied[0].events
    assert isinstance(event, OwnerCreated)
    return event.name


def test_nothing_is_applied_published_or_answered_before_it_is_durable() -> None:
    async def story() -> None:
        journal = Gate()
        desk = Desk(journal, Clock(5))
        first = desk.sequencer.submit([CreateOwner("a")])
        for _ in range(20):
            await asyncio.sleep(0)
        assert not first.done()
        assert desk.engine.sequence == 0
        assert desk.published == []
        journal.open.set()
        assert owner_of(await first) == "a"
        assert desk.published == [1]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_commands_that_wait_share_the_next_batch_in_order() -> None:
    async def story() -> None:
        journal = Gate()
        desk = Desk(journal, Clock(7))
        futures = [desk.sequencer.submit([CreateOwner("first")])]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        futures += [desk.sequencer.submit([CreateOwner(f"o{number}")]) for number in range(5)]
        journal.open.set()
        answers = [await future for future in futures]
        assert journal.batches == [1, 5]
        assert [answer[0].sequence for answer in answers] == [1, 2, 3, 4, 5, 6]
        assert [owner_of(answer) for answer in answers] == ["first", *[f"o{n}" for n in range(5)]]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


@pytest.mark.parametrize(
    ("written", "waiting", "applied"),
    [
        (room.BUSY, room.BUSY // 2, 0),  # half of the callers wait already: the disk is not idle
        (room.BUSY, room.BUSY // 2 - 1, room.BUSY),  # more are coming: the next batch waits
        (room.BUSY - 1, 1, 0),  # few are coming
    ],
)
def test_the_next_batch_is_handed_over_before_the_last_is_applied_or_waits_for_company(
    written: int, waiting: int, applied: int
) -> None:
    async def story() -> None:
        journal = Gate()
        desk = Desk(journal, Clock(1))
        told: list[tuple[int, int, int]] = []
        journal.tell = lambda count: told.append(
            (count, desk.engine.sequence, sum(future.done() for future in first))
        )
        first = [desk.sequencer.submit([Tick()]) for _ in range(written)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        then = [desk.sequencer.submit([Tick()]) for _ in range(waiting)]
        journal.open.set()
        await asyncio.gather(*first, *then)
        assert told == [(written, 0, 0), (waiting, applied, applied)]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


class Listener:
    """A companion that notes what it hears of, and whether the engine stands as that left it."""

    special: frozenset[type] = frozenset({RegisterAsset})

    def __init__(self, engine: Engine) -> None:
        self.busy = False
        self.heard: list[str] = []
        self._engine = engine

    def note(self, applied: Applied) -> None:
        assert self._engine.sequence == applied.sequence
        self.heard.append(type(applied.command).__name__)
        self.busy = type(applied.command) is CreateOwner


def test_a_companion_hears_of_what_concerns_it_command_by_command() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(5))
        listener = Listener(desk.engine)
        desk.outbox.companion = listener
        asset = RegisterAsset("A", 0)
        await desk.sequencer.submit([CreateOwner("a"), Tick(), asset, Tick()])
        assert listener.heard == ["RegisterAsset"]
        listener.busy = True
        await desk.sequencer.submit([CreateOwner("b"), Tick(), Tick()])
        assert listener.heard[1:] == ["CreateOwner", "Tick"]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_listeners_of_reverts_hear_of_nothing_else_and_last() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(5))
        heard: list[str] = []
        desk.outbox.reverts.tell("this", lambda event: heard.append(f"revert {event.epoch}"))
        desk.outbox.follow(lambda batch: heard.append(f"all of {len(batch)}"))
        await desk.sequencer.submit([CreateOwner("a"), KeepState("then")])
        await desk.sequencer.submit([RevertState("then")])
        (refused,) = (await desk.sequencer.submit([RevertState("never")]))[0].events
        assert isinstance(refused, Rejected)
        assert heard == ["all of 2", "all of 1", "revert 1", "all of 1"]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_what_waits_for_a_revert_is_stamped_after_it() -> None:
    """Enemy: a client that trades while the state goes back. Its order, stamped with the time from
    before, would be later than all that follows."""

    async def story() -> None:
        journal, clock = Gate(), Clock(5)
        journal.open.set()
        desk = Desk(journal, clock)

        def go_back(event: StateReverted) -> None:
            clock.times = [event.time]

        desk.outbox.reverts.tell("clock", go_back)
        await desk.sequencer.submit([CreateOwner("a"), KeepState("then")])
        clock.times = [50]
        await desk.sequencer.submit([Tick()])
        journal.open.clear()
        handed_over = asyncio.Event()
        journal.tell = lambda count: handed_over.set()
        reverted = desk.sequencer.submit([RevertState("then")])
        await handed_over.wait()
        waiting = desk.sequencer.submit([CreateOwner("b")])
        journal.open.set()
        (back,), (first,) = await reverted, await waiting
        (second,) = await desk.sequencer.submit([Tick()])
        assert [back.sequence, first.sequence, second.sequence] == [4, 5, 6]
        assert [back.command.time, first.time, second.time] == [50, 5, 5]
        assert desk.failures == []
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_followers_hear_of_a_revert_after_a_long_silence() -> None:
    """No tick goes before it, as before other commands: a revert stands alone in its batch."""

    async def story() -> None:
        clock = Clock(5)
        desk = Desk(MemoryJournal(keep=True), clock)
        heard: list[int] = []
        await desk.sequencer.submit([KeepState("then")])
        desk.outbox.follow(lambda batch: heard.append(len(batch)))
        clock.times = [5 + 2 * room.LATE_US]
        await desk.sequencer.submit([RevertState("then")])
        assert heard == [1]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_time_never_decreases() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(100, 40, 120))
        times = [(await desk.sequencer.submit([Tick()]))[0].time for _ in range(3)]
        assert times == [100, 100, 120]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


@pytest.mark.parametrize(("held_up", "ticks"), [(room.LATE_US - 1, 0), (room.LATE_US, 1)])
def test_what_comes_after_a_sleep_finds_prices_looked_at(held_up: int, ticks: int) -> None:
    async def story() -> None:
        journal = MemoryJournal(keep=True)
        desk = Desk(journal, Clock(9, 9 + held_up))
        await desk.sequencer.submit([CreateOwner("a")])
        assert owner_of(await desk.sequencer.submit([CreateOwner("b")])) == "b"
        kept = [command for _, batch in journal.read(0) for command in batch]
        late: list[type] = [Tick] * ticks
        assert [type(command) for command in kept] == [CreateOwner, *late, CreateOwner]
        assert {command.time for command in kept[1:]} == {9 + held_up}
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_a_group_is_answered_together_refusals_included() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(1))
        group: list[Command] = [RegisterAsset("USDT", 8), RegisterAsset("USDT", 8), Tick()]
        applied = await desk.sequencer.submit(group)
        assert [done.sequence for done in applied] == [1, 2, 3]
        assert isinstance(applied[1].events[0], Rejected)
        assert applied[2].events == []
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_patient_commands_wait_for_company() -> None:
    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))
        agents = desk.sequencer.submit([Tick()], patient=True)
        for _ in range(20):
            await asyncio.sleep(0)
        assert journal.batches == []
        trader = desk.sequencer.submit([CreateOwner("a")])
        await trader
        assert agents.done()
        assert journal.batches == [2]
        alone = desk.sequencer.submit([Tick()], patient=True)
        assert (await alone)[0].sequence == 3
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_a_revert_leaves_the_commands_of_each_owner_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Commands that were taken with it wait on, before others of the same owner."""
    monkeypatch.setattr(room, "TOGETHER_MAX", 4)

    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))
        await desk.sequencer.submit([KeepState("kept")])
        loop = asyncio.get_running_loop()
        answers = [loop.create_future() for _ in range(60)]
        for answer in answers:
            desk.sequencer.enter([Tick()], answer, owner=1)
        reverted = desk.sequencer.submit([RevertState("kept")])
        order = [done.sequence for (done,) in await asyncio.gather(*answers)]
        assert order == sorted(order)
        await reverted
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_batches_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "BATCH_MAX", 4)

    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))
        await asyncio.gather(*[desk.sequencer.submit([Tick(), Tick(), Tick()]) for _ in range(4)])
        assert max(journal.batches) <= 4
        assert sum(journal.batches) == desk.engine.sequence == 12
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_stop_finishes_what_waits_and_takes_no_more() -> None:
    async def story() -> None:
        journal = Gate()
        desk = Desk(journal, Clock(1))
        waiting = [desk.sequencer.submit([Tick()]) for _ in range(2)]
        await asyncio.sleep(0)
        waiting.append(desk.sequencer.submit([Tick()]))
        journal.open.set()
        await desk.sequencer.stop()
        assert [future.done() for future in waiting] == [True] * 3
        with pytest.raises(Stopped):
            desk.sequencer.submit([Tick()])
        desk.sequencer.close()

    run(story)


def test_the_first_failure_ends_everything() -> None:
    async def story() -> None:
        journal = Gate()
        journal.broken = True
        desk = Desk(journal, Clock(1))
        writing = desk.sequencer.submit([Tick()])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting = desk.sequencer.submit([Tick()])
        journal.open.set()
        for future in (writing, waiting):
            with pytest.raises(Stopped, match="the disk is gone"):
                await future
        assert desk.engine.sequence == 0
        assert desk.published == []
        assert [type(problem) for problem in desk.failures] == [OSError]
        assert desk.sequencer.has_failed()
        with pytest.raises(Stopped):
            desk.sequencer.submit([Tick()])
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_a_defect_while_applying_ends_everything() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(1))
        await desk.sequencer.submit([CreateOwner("a")])
        order = PlaceOrder(desk.engine.ledger.names["a"], "X", 0, 0, 0, 1, 1)
        desk.engine.spot.markets["X"] = Market(GRID, 0, 0, 0, 1, 1)  # accounts have no room for it
        with pytest.raises(Stopped):
            await desk.sequencer.submit([order])
        assert [type(problem) for problem in desk.failures] == [IndexError]
        with pytest.raises(Stopped):
            desk.sequencer.submit([Tick()])
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_stop_finishes_patient_commands_of_a_memory_journal() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(1))
        waiting = desk.sequencer.submit([Tick()], patient=True)
        await desk.sequencer.stop()
        assert waiting.done()
        desk.sequencer.close()

    run(story)


def test_an_empty_group_is_a_defect_of_the_caller() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(1))
        with pytest.raises(AssertionError):
            desk.sequencer.submit([])
        assert (await desk.sequencer.submit([Tick()]))[0].sequence == 1
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_a_call_on_the_disk_thread_may_lose_its_caller() -> None:
    async def story() -> None:
        desk = Desk(MemoryJournal(keep=True), Clock(1))
        faults: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context))
        held = threading.Event()

        def waits() -> None:
            held.wait()

        calling = asyncio.create_task(desk.sequencer.on_disk_thread(waits))
        await asyncio.sleep(0)
        calling.cancel()
        held.set()
        await desk.sequencer.on_disk_thread(lambda: None)
        assert calling.cancelled()
        assert faults == []
        desk.sequencer.close()

    run(story)


@pytest.mark.parametrize("amount", [2**63, 2**64, 10**30])
def test_what_cannot_be_written_is_refused_alone_and_nobody_else_notices(
    amount: int, tmp_path: Path
) -> None:
    """Before anything is journaled: those that wait for the same batch go on (1.5)."""

    async def story() -> None:
        journal = open_journal(str(tmp_path / "venue.db"))
        desk = Desk(journal, Clock(7))
        before = desk.sequencer.submit([CreateOwner("before")])
        with pytest.raises(OutOfBounds, match="amount: allowed: 0 to 4611686018427387904"):
            desk.sequencer.submit([Tick(), Deposit(10_000_001, 0, "USDT", amount)])
        after = desk.sequencer.submit([CreateOwner("after")])
        assert [owner_of(await one) for one in (before, after)] == ["before", "after"]
        assert desk.published == [1, 2]
        assert desk.failures == []
        await desk.sequencer.stop()
        desk.sequencer.close()
        assert [len(commands) for _, commands in journal.read(0)] == [2]
        journal.close()

    run(story)
