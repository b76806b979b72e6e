"""More commands than one batch takes: owners take turns, and nobody waits for a flood."""

from __future__ import annotations

import asyncio

import pytest

from support.sequencing import Clock, Desk, Gate, run
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, Tick
from venue.node import sequencer as room
from venue.node.fair_queue import VENUE
from venue.node.sequencer import Overloaded


def test_overload_is_refused_without_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enemy: an owner whose cancels, which nothing else refuses, fill the queue for all others."""
    monkeypatch.setattr(room, "OWN_MAX", 3)
    monkeypatch.setattr(room, "PENDING_MAX", 6)
    monkeypatch.setattr(room, "NEW_MAX", 5)
    monkeypatch.setattr(room, "RESERVE", 2)

    async def story() -> None:
        journal = Gate()
        desk = Desk(journal, Clock(1))
        waiting: list[asyncio.Future[list[Applied]]] = []

        def enter(owner: int, *commands: Command) -> None:
            answer: asyncio.Future[list[Applied]] = asyncio.get_running_loop().create_future()
            desk.sequencer.enter(commands or [Tick()], answer, owner=owner)
            waiting.append(answer)

        for _ in range(3):
            enter(1)
        with pytest.raises(Overloaded, match="3 of its commands wait"):
            enter(1)
        enter(2)
        enter(2)  # five wait
        assert desk.sequencer.crowded(1)
        assert desk.sequencer.crowded(2)
        assert not desk.sequencer.crowded(3)
        enter(3, Tick(), Tick(), Tick())  # eight: beyond, for one for whom nothing waited
        assert desk.sequencer.crowded(4)  # new orders; ending some would be let in
        for owner in (2, 4, VENUE):
            with pytest.raises(Overloaded, match="8 commands wait"):
                enter(owner)
        journal.open.set()
        await asyncio.gather(*waiting)
        assert desk.engine.sequence == 8
        assert not any(desk.sequencer.crowded(owner) for owner in range(1, 5))
        enter(1)
        await waiting[-1]
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


@pytest.mark.parametrize(("flood", "place"), [(room.TOGETHER_MAX - 1, 100), (150, 2)])
def test_owners_take_turns_when_many_requests_wait(flood: int, place: int) -> None:
    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))
        loop = asyncio.get_running_loop()
        answers = [loop.create_future() for _ in range(flood + 1)]
        for number, answer in enumerate(answers):
            desk.sequencer.enter([Tick()], answer, owner=2 if number == flood else 1)
        *others, (last,) = await asyncio.gather(*answers)
        assert last.sequence == place
        order = [done.sequence for (done,) in others]
        assert order == sorted(order)
        assert desk.engine.sequence == flood + 1
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_a_debt_ends_with_what_it_was_made_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enemy: a batch of long ago, whose turns its owner still owed when others' floods came."""
    monkeypatch.setattr(room, "TOGETHER_MAX", 1)

    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))

        def enter(owner: int, size: int = 1) -> asyncio.Future[list[Applied]]:
            answer: asyncio.Future[list[Applied]] = asyncio.get_running_loop().create_future()
            desk.sequencer.enter([Tick()] * size, answer, owner=owner)
            return answer

        await asyncio.gather(enter(2), enter(1, 2 * room.BATCH_FIRST))
        await enter(3)  # alone
        floods = [enter(2) for _ in range(2 * room.BATCH_FIRST)]
        before = desk.engine.sequence
        (applied,) = await enter(1)
        assert applied.sequence <= before + 2
        await asyncio.gather(*floods)
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


def test_who_asks_for_little_does_not_wait_for_the_pace_of_a_flood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Enemies: a flood, and many owners that ask for little: what went ahead of its time is waited
    for before more does."""
    times = [0.0]
    monkeypatch.setattr(room, "monotonic", lambda: times[0])
    monkeypatch.setattr(room, "RECONSIDER_S", 0.001)

    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1), capacity=1)

        def enter(owner: int) -> asyncio.Future[list[Applied]]:
            answer: asyncio.Future[list[Applied]] = asyncio.get_running_loop().create_future()
            desk.sequencer.enter([Tick()], answer, owner=owner)
            return answer

        flood = [enter(1) for _ in range(3)]
        await flood[0]
        (applied,) = await enter(2)
        assert applied.sequence == 2
        others = [enter(3), enter(4)]
        for time, applied_by_then in ((0.9, 2), (1.9, 3), (2.9, 4), (3.9, 4), (4.9, 5), (6.0, 6)):
            times[0] = time
            for _ in range(20):
                await asyncio.sleep(0.001)
            assert desk.engine.sequence <= applied_by_then, "the capacity is kept"
        await asyncio.gather(*flood, *others)
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)
