"""More commands than one batch takes: owners take turns, and nobody waits for a flood."""

from __future__ import annotations

import asyncio

import pytest

from support.sequencing import Clock, Desk, Gate, run
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
        waiting = [desk.enter(1) for _ in range(3)]
        with pytest.raises(Overloaded, match="3 of its commands wait"):
            desk.enter(1)
        waiting += [desk.enter(2) for _ in range(2)]  # five wait
        assert desk.sequencer.is_crowded(1)
        assert desk.sequencer.is_crowded(2)
        assert not desk.sequencer.is_crowded(3)
        waiting.append(desk.enter(3, 3))  # eight: beyond, for one for whom nothing waited
        assert desk.sequencer.is_crowded(4)  # new orders; ending some would be let in
        for owner in (2, 4, VENUE):
            with pytest.raises(Overloaded, match="8 commands wait"):
                desk.enter(owner)
        journal.open.set()
        await asyncio.gather(*waiting)
        assert desk.engine.sequence == 8
        assert not any(desk.sequencer.is_crowded(owner) for owner in range(1, 5))
        await desk.enter(1)
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)


@pytest.mark.parametrize(("flood", "place"), [(room.TOGETHER_MAX - 1, 100), (150, 2)])
def test_owners_take_turns_when_many_requests_wait(flood: int, place: int) -> None:
    async def story() -> None:
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1))
        answers = [*[desk.enter(1) for _ in range(flood)], desk.enter(2)]
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
        await asyncio.gather(desk.enter(2), desk.enter(1, 2 * room.BATCH_FIRST))
        await desk.enter(3)  # alone
        floods = [desk.enter(2) for _ in range(2 * room.BATCH_FIRST)]
        before = desk.engine.sequence
        (applied,) = await desk.enter(1)
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
    now, looks = 0.0, 0

    def look() -> float:
        nonlocal looks
        looks += 1
        return now

    monkeypatch.setattr(room, "monotonic", look)
    monkeypatch.setattr(room, "RECONSIDER_S", 0.001)

    async def story() -> None:
        nonlocal now
        journal = Gate()
        journal.open.set()
        desk = Desk(journal, Clock(1), capacity=1)
        flood = [desk.enter(1) for _ in range(3)]
        await flood[0]
        (applied,) = await desk.enter(2)
        assert applied.sequence == 2
        others = [desk.enter(3), desk.enter(4)]
        for time, served in ((0.5, 2), (1.5, 2), (2.5, 4), (3.0, 4), (5.0, 5)):
            now = time
            while desk.engine.sequence < served:
                await asyncio.sleep(0)
            before = looks
            while looks < before + 20:  # there is no room for more
                await asyncio.sleep(0)
            assert desk.engine.sequence == served
        now = 6.5
        await asyncio.gather(*flood, *others)
        await desk.sequencer.stop()
        desk.sequencer.close()

    run(story)
