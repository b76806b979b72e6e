"""Waiting commands take turns by owner; the venue's own go first; a capacity is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from venue.core.messages.commands import Command, Tick
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.proxies import Proxies
from venue.gateway.transport.listener import WOKEN_MAX, Listener
from venue.node.capacity import Pace
from venue.node.fair_queue import AGENTS, VENUE, FairQueue


class Nobody:
    """An answer that nobody waits for."""

    def done(self) -> bool:
        return True

    def set_result(self, applied: object) -> None:
        raise AssertionError("nothing is applied here")

    def set_exception(self, problem: BaseException) -> None:
        raise AssertionError("nothing fails here")


def add(queue: FairQueue, owner: int, *sizes: int, now: float = 0.0) -> None:
    for size in sizes:
        commands: Sequence[Command] = [Tick()] * size
        queue.add((commands, Nobody(), owner), now)


def owners(queue: FairQueue, room: int) -> list[int]:
    return [group[2] for group in queue.take(room)]


def test_owners_take_turns_and_each_keeps_its_order() -> None:
    queue = FairQueue()
    add(queue, 1, *range(1, 6))
    assert [len(group[0]) for group in queue.take(15)] == [1, 2, 3, 4, 5]
    add(queue, 1, *[1] * 20)
    add(queue, 2, 1)
    add(queue, 3, *[1] * 11)
    # The last five of owner 1 were five turns.
    assert owners(queue, 32) == [2] + [3] * 6 + [1, 3] * 5 + [1] * 15
    assert queue.commands == 0


def test_who_waits_for_nothing_goes_before_those_who_do() -> None:
    queue = FairQueue()
    add(queue, 1, *[1] * 100)
    add(queue, 2, *[1] * 100)
    for _ in range(5):
        owners(queue, 3)  # a whole round of turns
        add(queue, 3, 1)
        assert owners(queue, 3)[0] == 3


def test_who_comes_back_at_once_is_not_new_again() -> None:
    queue = FairQueue()
    add(queue, 1, *[1] * 100)
    add(queue, 2, 1)
    served = []
    for _ in range(40):
        served += owners(queue, 1)
        if queue.since(2) is None:
            add(queue, 2, 1)
    assert served.count(1) >= 10


def test_who_comes_back_waits_for_one_short_round() -> None:
    """Enemy: floods whose round takes long, beside an owner with two orders in that time."""
    queue = FairQueue()
    for flooding in (1, 2, 3, 4):
        add(queue, flooding, *[1] * 100)
    for _ in range(20):
        add(queue, 5, 1)
        assert 5 in owners(queue, 5)


@pytest.mark.parametrize(("size", "pause"), [(1, 0), (2, 0), (20, 0), (20, 25)])
def test_who_always_comes_back_gets_no_more_than_its_share(size: int, pause: int) -> None:
    """Enemy: an owner of batches who has nothing waiting whenever it is looked at, and is
    forgotten before the next."""
    queue = FairQueue()
    for flooding in (1, 2):
        add(queue, flooding, *[1] * 600)
    served = {1: 0, 2: 0, 3: 0}
    idle = pause
    while sum(served.values()) < 600:
        idle = idle + 1 if queue.since(3) is None else 0
        if idle > pause:
            add(queue, 3, size)
        (group,) = queue.take(1)
        served[group[2]] += len(group[0])
    assert served[3] <= 220, served
    assert abs(served[1] - served[2]) <= 1, served


def test_turns_that_are_put_back_cost_nothing() -> None:
    queue = FairQueue()
    add(queue, 1, 20)
    add(queue, 2, *[1] * 5)
    taken = queue.take(20)
    queue.put_back(taken, 0.0)
    assert owners(queue, 22) == [1, 2, 2]


def test_nobody_owes_a_turn_when_nothing_waits_any_more() -> None:
    """Enemy: a debt of long ago, in a flood by others."""
    queue = FairQueue()
    add(queue, 1, 20)
    assert owners(queue, 10) == [1]
    queue.forget()
    add(queue, 2, *[1] * 20)
    add(queue, 1, 1)
    assert owners(queue, 2) == [2, 1]


def test_those_for_whom_nothing_waited_are_taken_alone() -> None:
    queue = FairQueue()
    add(queue, 1, *[1] * 10)
    add(queue, 2, *[1] * 10)
    assert owners(queue, 2) == [1, 2]
    add(queue, 1, 1)
    add(queue, 3, 1)
    add(queue, VENUE, 1)
    assert [group[2] for group in queue.take_new(10)] == [VENUE, 3]
    assert queue.take_new(10) == []
    assert queue.commands == 19


def test_the_venue_goes_first() -> None:
    queue = FairQueue()
    add(queue, 1, *[1] * 50)
    add(queue, VENUE, 2, 3)
    assert owners(queue, 6) == [VENUE, VENUE, 1]


def test_liquidity_agents_take_turns_with_the_owners() -> None:
    """Enemy: a low limit, under which agents that go first leave nobody else a turn."""
    queue = FairQueue()
    add(queue, AGENTS, *[10] * 10)
    add(queue, 1, *[1] * 3)
    assert owners(queue, 10) == [AGENTS]
    assert owners(queue, 13) == [1, 1, 1, AGENTS]


def test_a_group_is_taken_whole_and_one_always() -> None:
    queue = FairQueue()
    add(queue, 1, 40, 5)
    add(queue, 2, 3)
    assert owners(queue, 32) == [1]
    assert owners(queue, 7) == [2]  # 40 are forty turns
    assert owners(queue, 7) == [1]
    assert queue.take(7) == []


def test_a_wait_begins_with_the_oldest_group() -> None:
    queue = FairQueue()
    assert queue.since(1) is None
    add(queue, 1, 1, now=5.0)
    add(queue, 1, 1, now=6.0)
    assert queue.since(1) == 5.0
    queue.take(1)
    assert queue.since(1) == 6.0
    queue.take(1)
    assert queue.since(1) is None


def test_a_capacity_is_kept_and_little_of_it_is_stored() -> None:
    pace = Pace(1_000, 0.0)
    assert pace.room(0.0) == 5  # of five milliseconds
    pace.spend(5)
    assert pace.room(0.0) == 0
    assert pace.room(0.0025) == 2
    assert pace.room(60.0) == 5
    pace.spend(25)  # a large group is paid for later
    assert pace.ahead() == 0
    assert pace.wait_s() == 0.0225  # for as many as go in one step
    assert pace.room(60.02) == 0
    assert pace.room(60.022) == 0
    assert pace.room(60.023) == 3
    pace.spend(3)
    assert pace.room(60.023) == 0
    assert pace.ahead() == 2  # of a step
    pace.spend(2)
    assert pace.ahead() == 0
    assert pace.room(60.026) == 0
    assert pace.ahead() == 0  # before the next step
    assert pace.room(61.0) == 5
    pace.spend(5)
    assert pace.ahead() == 2


def test_steps_come_whatever_goes_ahead_of_them() -> None:
    """Enemy: thousands of owners with one command each: a venue that serves them alone has no step,
    and so no slice of what is due."""
    pace = Pace(3_000, 0.0)
    steps = served = 0
    for tenth_ms in range(10_000):
        room = pace.room(tenth_ms / 10_000)
        steps += room > 0
        together = min(room, 3) or min(pace.ahead(), 1)
        served += together
        pace.spend(together)
    assert steps >= 200
    assert 2_900 <= served <= 3_015


def test_the_smallest_capacity_is_one_a_second() -> None:
    pace = Pace(1, 0.0)
    assert pace.room(0.0) == 1
    pace.spend(1)
    assert pace.room(0.5) == 0
    assert pace.room(1.0) == 1


class Sleeper:
    """A connection that rests, and notes when it is woken."""

    def __init__(self, woken: list[int], number: int) -> None:
        self._woken = woken
        self._number = number

    def wake(self) -> None:
        self._woken.append(self._number)


def test_connections_that_asked_too_much_are_woken_a_few_at_a_time() -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        listener = Listener(HttpLimits(), lambda _: None, None, Proxies(), loop)
        woken: list[int] = []
        for number in range(3 * WOKEN_MAX + 1):
            listener.rest(Sleeper(woken, number))
        seen = [0]
        while len(woken) <= 3 * WOKEN_MAX:
            await asyncio.sleep(0)
            if len(woken) != seen[-1]:
                seen.append(len(woken))
        assert woken == list(range(3 * WOKEN_MAX + 1))
        assert seen == [0, WOKEN_MAX, 2 * WOKEN_MAX, 3 * WOKEN_MAX, 3 * WOKEN_MAX + 1]
        await listener.stop(0)

    asyncio.run(asyncio.wait_for(story(), 20))
