"""Trailing stops follow together at the cost of a few, and each as if it were alone (rule 8.2)."""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Final

import pytest

from support.order_desk import BUY, LONG, MARK, SELL, SHORT, SYMBOL, TRAILING, Desk, of
from venue.compiled import compiled
from venue.core.contract.conditional.trailing import Trail, Trailing
from venue.core.contract.conditional.triggers import FIRED_MAX, LOOKED_MAX, OWNER_SHARE
from venue.core.contract.records import Algo
from venue.core.messages.commands import CancelAlgo, PostIndex, Proceed, Tick
from venue.core.messages.contract_events import AlgoPlaced, AlgoTriggered
from venue.core.state import snapshot
from venue.core.units import PPM, ceil_div

pytestmark = pytest.mark.core
interpreted = pytest.mark.skipif(compiled(), reason="counts lines of the interpreted core")

RISING: Final = (0, 2)  # queues of buys
OWNERS: Final = [f"owner{number}" for number in range(12)]


class Lone:
    """A trailing stop by itself: the simple model."""

    def __init__(self, number: int, queue: int, callback: int, activation: int) -> None:
        self.number = number
        self.queue = queue
        self.callback = callback
        self.activation = activation
        self.extreme = 0
        self.trigger = 0

    def observe(self, prices: tuple[int, int]) -> bool:
        """Move along; whether it is due."""
        price = prices[self.queue // 2]
        if not price:
            return False
        buys = self.queue in RISING
        if not self.extreme:
            if self.activation and (price > self.activation if buys else price < self.activation):
                return False
            self.extreme = price
        self.extreme = min(self.extreme, price) if buys else max(self.extreme, price)
        if buys:
            self.trigger = ceil_div(self.extreme * (PPM + self.callback), PPM)
            return price >= self.trigger
        self.trigger = self.extreme * (PPM - self.callback) // PPM
        return price <= self.trigger

    def place(self) -> tuple[int, int, int, int]:
        """Its place among those that are due: the nearest of its queue first, then the oldest."""
        near = self.trigger if self.queue in RISING else -self.trigger
        return self.queue, near, self.callback, self.number


def step(chance: random.Random, price: int) -> int:
    """A price near the last one, or unknown, or far away."""
    if chance.random() < 0.02:
        return 0
    wide = 400 if chance.random() < 0.01 else 6
    return min(max(price or 1_000, 400), 2_000) + chance.randint(-wide, wide)


@pytest.mark.parametrize("seed", range(8))
def test_together_they_do_what_each_does_alone(seed: int) -> None:
    """Random ones come, end and follow random prices; some are put back as a snapshot does."""
    chance = random.Random(seed)
    together: Trailing[Lone] = Trailing()
    alone: dict[int, Lone] = {}
    prices = (1_000, 1_000)
    for number in range(1, 500):
        for _ in range(chance.randrange(4)):
            lone = Lone(
                chance.randrange(10**6) * 10**4 + number, chance.randrange(4),
                chance.choice([1, 3_000, 3_000, 10_000, chance.randint(1, 500_000)]),
                chance.choice([0, 0, chance.randint(900, 1_100)]),
            )  # fmt: skip
            if lone.number not in alone:
                add(together, lone)
                alone[lone.number] = lone
        for ended in chance.sample(list(alone), min(len(alone), chance.randrange(2))):
            together.remove(ended)
            if chance.random() < 0.5:
                del alone[ended]
            else:
                add(together, alone[ended])
        prices = step(chance, prices[0]), step(chance, prices[1])
        together.observe(prices)
        due = sorted((lone for lone in alone.values() if lone.observe(prices)), key=Lone.place)
        for lone in alone.values():
            assert together.prices_of(lone.number) == (lone.extreme, lone.trigger)
        for lone in due:
            assert together.due(prices) is lone
            together.remove(lone.number)
            del alone[lone.number]
        assert together.due(prices) is None
    assert list(together.trails) == [number for number in together.trails if number in alone]
    assert alone


def add(together: Trailing[Lone], lone: Lone) -> None:
    together.add(
        lone.number, lone, lone.queue, lone.callback,
        activation=lone.activation, extreme=lone.extreme,
    )  # fmt: skip


def queue_of(algo: Algo) -> int:
    return 2 * algo.source + (0 if algo.rising else 1)


@pytest.mark.parametrize("seed", range(6))
def test_an_engine_triggers_those_that_alone_would_be_triggered(seed: int) -> None:
    """Owners place and cancel while marks jump: each slice enters what the model has due, nearest
    first, and an engine that is loaded again and again says the same."""
    chance = random.Random(seed)
    desk = Desk(*OWNERS, "ben")
    desk.bids("ben", 2_000, 970)
    desk.asks("ben", 2_000, 1_030)
    for name in OWNERS:
        desk.pair(name, "ben", 40)
    alone: dict[int, Lone] = {}
    other = snapshot.load(snapshot.dump(desk.engine))
    mark = 1_000
    for _ in range(120):
        name = chance.choice(OWNERS)
        callback, activation = chance.randint(1_000, 20_000), chance.choice([0, mark - 5, mark + 5])
        side = chance.choice([BUY, SELL])
        command = desk.algo_command(
            name, side, LONG, TRAILING, 2, activation, source=MARK, callback=callback
        )
        command.time = desk.time
        (placed,) = desk.engine.apply(command)
        assert isinstance(placed, AlgoPlaced), placed
        assert other.apply(command) == [placed]
        algo = next(reversed(desk.holding(name).algos.values()))
        lone = alone[algo.algo_id] = Lone(algo.algo_id, queue_of(algo), callback, activation)
        assert not lone.observe((0, mark))
        if chance.random() < 0.2:
            uid = desk.uids[name]
            ended = chance.choice(list(desk.holding(name).algos))
            cancel = CancelAlgo(uid, ended, time=desk.time)
            assert desk.engine.apply(cancel) == other.apply(cancel)
            del alone[ended]
        if chance.random() < 0.3:
            other = snapshot.load(snapshot.dump(other))
        mark = min(max(mark + chance.choice([-14, -3, -1, 0, 1, 3, 14]), 985), 1_015)
        post = PostIndex(SYMBOL, "desk", mark, desk.time, jump=True)
        said = desk.engine.apply(post)
        assert other.apply(post) == said
        while desk.engine.pending():  # one owner has more than its share
            more = desk.engine.apply(Proceed(time=desk.time))
            assert other.apply(Proceed(time=desk.time)) == more
            said += more
        due = sorted((lone for lone in alone.values() if lone.observe((0, mark))), key=Lone.place)
        fired = [(one.algo_id, one.price) for one in of(said, AlgoTriggered)]
        expected = [(lone.number, lone.trigger) for lone in due]
        shared = max(Counter(one.uid for one in of(said, AlgoTriggered)).values(), default=0)
        assert (fired if shared <= OWNER_SHARE else sorted(fired)) == (
            expected if shared <= OWNER_SHARE else sorted(expected)
        )
        for lone in due:
            del alone[lone.number]
        assert snapshot.state_hash(desk.engine) == snapshot.state_hash(other)
    assert len(alone) < 110


def followers(desk: Desk, owners: int, each: int, callback: int) -> None:
    """Owners with so many trailing stops each, all of which have seen the mark."""
    for number in range(owners):
        uid = desk.owner(f"many{number}")
        command = desk.algo_command(f"many{number}", SELL, SHORT, TRAILING, 2, 0, source=MARK)
        command.uid, command.callback_ppm, command.time = uid, callback, desk.time
        for _ in range(each):
            desk.engine.apply(command)


def balanced(trail: Trail[int] | None) -> int:
    """The height of a tree, whose branches differ by one at most everywhere."""
    if trail is None:
        return 0
    left, right = balanced(trail.left), balanced(trail.right)
    assert abs(left - right) <= 1
    for branch in (trail.left, trail.right):
        assert branch is None or branch.parent is trail
    assert trail.height == 1 + max(left, right)
    return trail.height


@pytest.mark.parametrize("order", ["rising", "falling", "outwards", "random"])
def test_no_choice_of_activation_prices_makes_a_long_tree(order: str) -> None:
    """2,000 that wait for prices that their owner chooses, come together and end: no branch is
    longer than a balanced tree's, 1.45 x log2(n + 2). A chain ended in a RecursionError."""
    chance = random.Random(order)
    prices = list(range(1, 2_001))
    if order == "falling":
        prices.reverse()
    elif order == "outwards":
        prices.sort(key=lambda price: abs(price - 1_000))
    elif order == "random":
        chance.shuffle(prices)
    together: Trailing[int] = Trailing()
    trails = together.queues[0]
    for number, price in enumerate(prices):
        together.add(number, number, 0, 1_000 + number, activation=price, extreme=0)
        if number % 100 == 0:
            balanced(trails.waiting)
    assert balanced(trails.waiting) <= 16
    for price in (1_500, 1_000, 400, 1_200, 1):
        together.observe((price, 0))
        balanced(trails.waiting)
        balanced(trails.following)
    assert balanced(trails.following) <= 16
    for number in chance.sample(range(2_000), 2_000):
        together.remove(number)
        if number % 50 == 0:
            balanced(trails.following)
    assert trails.following is None


def test_a_slice_takes_out_a_bounded_number_and_the_rest_goes_on() -> None:
    """1,600 are due at one mark: 50 enter in a slice, at most 500 more are put in line, and the
    next slices go on at once."""
    desk = Desk("ben")
    desk.bids("ben", 2_000, 900)
    followers(desk, 32, 50, 10_000)
    desk.tick()
    post = PostIndex(SYMBOL, "desk", 980, desk.time, jump=True)
    fired = of(desk.engine.apply(post), AlgoTriggered)
    assert len(fired) == FIRED_MAX
    assert len(desk.perp().due_algos) == LOOKED_MAX - FIRED_MAX
    slices = 1
    while desk.engine.pending():
        found = of(desk.engine.apply(Proceed(time=desk.time)), AlgoTriggered)
        assert len(found) <= FIRED_MAX
        fired += found
        slices += 1
    assert slices <= 45
    assert len(fired) == len({event.algo_id for event in fired}) == 1_600
    assert not desk.perp().trailing.trails


def lines(desk: Desk, mark: int) -> int:
    """Lines of code that a new mark takes."""
    counted = 0

    def count(frame: object, event: str, arg: object) -> object:
        nonlocal counted
        counted += event == "line"
        return count

    post = PostIndex(SYMBOL, "desk", mark, desk.time, jump=True)
    before = sys.gettrace()
    sys.settrace(count)  # type: ignore[arg-type]
    try:
        desk.engine.apply(post)
    finally:
        sys.settrace(before)
    return counted


@interpreted
def test_a_price_step_costs_the_same_among_few_and_many() -> None:
    """Of 3,000 that wait for their activation price, that have just come, or that follow, a step
    of the price asks a few."""
    taken = []
    for owners in (2, 60):
        desk = Desk()
        for source_price in (0, 1_005):
            for number in range(owners // 2):
                uid = desk.owner(f"{source_price} {number}")
                command = desk.algo_command("", SELL, SHORT, TRAILING, 2, source_price, 0, MARK)
                command.uid, command.callback_ppm, command.time = uid, 20_000, desk.time
                for _ in range(50):
                    desk.engine.apply(command)
        steps = [lines(desk, mark) for mark in (1_001, 1_005, 1_009, 1_000, 1_012)]
        assert len(desk.perp().trailing.trails) == owners * 50
        desk.engine.apply(Tick(time=desk.time))
        taken.append(max(steps))
    few, many = taken
    assert many < few + 1_000  # the logarithm of 30 times as many
