"""Seeded streams of commands for one market: W1 (churn), W2 (82 % moves), and longer ones like W1.

A reference book of its own decides which ids are open and what remains of them, so that every
engine gets the same commands: identical ids, sides, prices and quantities, all whole numbers.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from random import Random
from typing import Final, NamedTuple

MID: Final = 10_000  # the price around which orders lie, in ticks
WIDTH: Final = 375  # how far from it orders rest
PREFILL: Final = 1_000
W1: Final = {"A": 42, "X": 9, "I": 4, "C": 45}
W2: Final = {"A": 6, "X": 3, "I": 3, "C": 6, "M": 82}


class Step(NamedTuple):
    """A (add), I (immediate or cancel), C (cancel `earlier`), M (cancel `earlier`, then add)."""

    kind: str
    number: int
    side: int
    price: int
    quantity: int
    earlier: int


class Sums(NamedTuple):
    """The outcome of any correct engine at the end of a stream."""

    trades: int
    volume: int
    notional: int
    live: int


class Workload(NamedTuple):
    """A stream and its sums."""

    steps: list[Step]
    sums: Sums


EXPECTED: Final = {
    "W1": Sums(59_629, 1_996_591, 19_965_517_365, 957),
    "W2": Sums(33_745, 1_093_128, 10_931_248_755, 943),
}


class _Book:
    """The reference: price-time priority and no other rule."""

    def __init__(self) -> None:
        self.levels: tuple[dict[int, dict[int, int]], dict[int, dict[int, int]]] = ({}, {})
        self.prices: tuple[list[int], list[int]] = ([], [])
        self.open: dict[int, tuple[int, int]] = {}
        self.trades = self.volume = self.notional = 0

    def best(self, side: int) -> int | None:
        prices = self.prices[side]
        if not prices:
            return None
        return prices[-1] if side == 0 else prices[0]

    def add(self, number: int, side: int, price: int, quantity: int, *, rests: bool) -> None:
        left = self._take(1 - side, price, quantity)
        if left and rests:
            level = self.levels[side].get(price)
            if level is None:
                level = self.levels[side][price] = {}
                insort(self.prices[side], price)
            level[number] = left
            self.open[number] = (side, price)

    def _take(self, other: int, limit: int, quantity: int) -> int:
        left = quantity
        while left:
            price = self.best(other)
            if price is None or (price > limit if other == 1 else price < limit):
                break
            level = self.levels[other][price]
            while left and level:
                oldest = next(iter(level))
                lots = min(left, level[oldest])
                left -= lots
                level[oldest] -= lots
                self.trades += 1
                self.volume += lots
                self.notional += lots * price
                if not level[oldest]:
                    del level[oldest], self.open[oldest]
            self._tidy(other, price)
        return left

    def cancel(self, number: int) -> None:
        side, price = self.open.pop(number)
        del self.levels[side][price][number]
        self._tidy(side, price)

    def _tidy(self, side: int, price: int) -> None:
        if not self.levels[side][price]:
            del self.levels[side][price]
            prices = self.prices[side]
            del prices[bisect_left(prices, price)]


class _Live:
    """The ids to choose from; ids of filled orders are dropped when drawn."""

    def __init__(self, random: Random, book: _Book) -> None:
        self._random = random
        self._book = book
        self._numbers: list[int] = []
        self._places: dict[int, int] = {}

    def add(self, number: int) -> None:
        self._places[number] = len(self._numbers)
        self._numbers.append(number)

    def remove(self, number: int) -> None:
        place = self._places.pop(number)
        last = self._numbers.pop()
        if last != number:
            self._numbers[place] = last
            self._places[last] = place

    def pick(self) -> int:
        while True:
            number = self._numbers[self._random.randrange(len(self._numbers))]
            if number in self._book.open:
                return number
            self.remove(number)


class _Generator:
    """Draws the stream; the order of its random draws is part of what W1 and W2 are."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.book = _Book()
        self.live = _Live(self.random, self.book)
        self.steps: list[Step] = []
        self.number = 0

    def passive(self, side: int) -> int:
        distance = 1 + int(abs(self.random.gauss(0, 1)) * 110) % WIDTH
        return MID - distance if side == 0 else MID + distance

    def prefill(self) -> None:
        for _ in range(PREFILL):
            side = self.random.randrange(2)
            price = self.passive(side)
            self.place("A", side, price, self.random.randint(1, 100))

    def place(self, kind: str, side: int, price: int, quantity: int, earlier: int = 0) -> None:
        self.number += 1
        self.book.add(self.number, side, price, quantity, rests=kind != "I")
        self.steps.append(Step(kind, self.number, side, price, quantity, earlier))
        if self.number in self.book.open:
            self.live.add(self.number)

    def add(self, kind: str) -> None:
        """Add a passive order, or (X, I) one that crosses, never far enough to leave the width."""
        side = self.random.randrange(2)
        quantity = self.random.randint(1, 100)
        if kind == "A":
            self.place("A", side, self.passive(side), quantity)
            return
        best = self.book.best(1 - side)
        around = MID if best is None else best
        quantity = self.random.randint(1, 150)
        price = min(around + 3, MID + WIDTH) if side == 0 else max(around - 3, MID - WIDTH)
        self.place("I" if kind == "I" else "A", side, price, quantity)

    def cancel(self) -> None:
        earlier = self.live.pick()
        self.book.cancel(earlier)
        self.live.remove(earlier)
        self.steps.append(Step("C", 0, 0, 0, 0, earlier))

    def move(self) -> None:
        """Move an order to another passive price with its remaining quantity, never crossing."""
        earlier = self.live.pick()
        side, old = self.book.open[earlier]
        quantity = self.book.levels[side][old][earlier]
        price = self.passive(side)
        best = self.book.best(1 - side)
        if best is not None:
            price = min(price, best - 1) if side == 0 else max(price, best + 1)
        self.book.cancel(earlier)
        self.live.remove(earlier)
        self.place("M", side, price, quantity, earlier)


def generate(mix: dict[str, int], count: int = 300_000, seed: int = 42) -> Workload:
    """The prefill and `count` steps of the mix, around 1,000 open orders."""
    made = _Generator(seed)
    made.prefill()
    kinds, weights = list(mix), list(mix.values())
    for _ in range(count):
        kind = made.random.choices(kinds, weights)[0]
        if kind == "C" and len(made.book.open) < PREFILL - 50:
            kind = "A"
        elif kind == "A" and len(made.book.open) > PREFILL + 50:
            kind = "C"
        if kind == "C":
            made.cancel()
        elif kind == "M":
            made.move()
        else:
            made.add(kind)
    book = made.book
    return Workload(made.steps, Sums(book.trades, book.volume, book.notional, len(book.open)))
