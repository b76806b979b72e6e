"""One price-time book: levels, rest, take, remove. It knows prices and quantities, no money."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final, Generic

from venue.core.book.orders import Order, T, after_fill
from venue.core.units import PRICE_MAX
from venue.vocabulary import BUY

NO_ASK: Final = PRICE_MAX + 1  # the best ask of a book without asks: above all that can be named


class Level(Generic[T]):
    """All orders resting at one price, oldest first: an intrusive list, never empty in a book."""

    __slots__ = ("head", "price", "quantity", "tail")

    def __init__(self, order: Order[T]) -> None:
        self.price = order.price
        self.quantity = order.remaining
        self.head = order
        self.tail = order

    def orders(self) -> Iterator[Order[T]]:
        """Its orders, oldest first."""
        order: Order[T] | None = self.head
        while order is not None:
            yield order
            order = order.next


class Half(Generic[T]):
    """One side of a book. Keys ascend towards the best price, so the best is always `keys[-1]`: a
    bid's key is its price, an ask's the negative, which `sign` says."""

    __slots__ = ("keys", "levels", "sign")

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.keys: list[int] = []
        self.levels: dict[int, Level[T]] = {}

    def walk(self) -> Iterator[Level[T]]:
        """The levels, best price first."""
        for key in reversed(self.keys):
            yield self.levels[key]

    def best_levels(self, most: int) -> list[Level[T]]:
        """The best levels, best price first, at most so many: quicker than a `walk` for a few."""
        levels = self.levels
        return [levels[key] for key in self.keys[: -most - 1 : -1]]

    def within(self, limit: int) -> Iterator[Order[T]]:
        """The orders that one with this limit price, in ticks, could meet, in their turn."""
        least = limit * self.sign
        for level in self.walk():
            if level.price * self.sign < least:
                return
            yield from level.orders()


class Book(Generic[T]):
    """Both sides of one symbol, and their best prices in ticks: `bid` is 0 and `ask` `NO_ASK` where
    a side is empty."""

    __slots__ = ("ask", "asks", "bid", "bids")

    def __init__(self) -> None:
        self.bids: Half[T] = Half(1)
        self.asks: Half[T] = Half(-1)
        self.bid = 0
        self.ask = NO_ASK

    def rest(self, order: Order[T]) -> None:
        """Append an order to its price's level, behind those already there."""
        assert order.level is None, f"order {order.order_id} rests already"
        price = order.price
        buy = order.side == BUY
        half = self.bids if buy else self.asks
        key = price if buy else -price
        level = half.levels.get(key)
        if level is not None:
            last = level.tail
            last.next = order
            order.prev = last
            level.tail = order
            level.quantity += order.remaining
        else:
            level = half.levels[key] = Level(order)
            insort(half.keys, key)
            if buy:
                if price > self.bid:
                    self.bid = price
            elif price < self.ask:
                self.ask = price
            assert self.bid < self.ask, f"the book is crossed: {self.bid} bid, {self.ask} asked"
        order.level = level

    def take(self, order: Order[T], lots: int, time: int) -> None:
        """Take traded lots off a resting order; a full fill removes it."""
        there = order.remaining
        assert 0 < lots <= there, f"{lots} lots of order {order.order_id}, which has {there}"
        order.update_time = time
        if lots < there:
            self.reduce(order, lots)
        else:
            self.remove(order)
            order.remaining = 0
        order.become(after_fill(order.remaining))

    def reduce(self, order: Order[T], lots: int) -> None:
        """Take some lots off a resting order, which keeps its place."""
        level = order.level
        assert level is not None, f"order {order.order_id} does not rest"
        level.quantity -= lots
        order.remaining -= lots
        assert order.remaining > 0, f"order {order.order_id}: {order.remaining} lots remain"

    def remove(self, order: Order[T]) -> None:
        """Take an order out of its level, and the level out of the book when it is empty."""
        level = order.level
        assert level is not None, f"order {order.order_id} does not rest"
        before = order.prev
        after = order.next
        order.prev = None
        order.next = None
        order.level = None
        level.quantity -= order.remaining
        if before is not None:
            before.next = after
            if after is not None:
                after.prev = before
            else:
                level.tail = before
        elif after is not None:
            level.head = after
            after.prev = None
        else:
            price = level.price
            assert level.quantity == 0, f"{level.quantity} lots of nobody at {price}"
            if order.side == BUY:
                keys = _drop(self.bids, price)
                if price == self.bid:
                    self.bid = keys[-1] if keys else 0
            else:
                keys = _drop(self.asks, -price)
                if price == self.ask:
                    self.ask = -keys[-1] if keys else NO_ASK

    def opposite(self, side: int) -> Half[T]:
        """The half that an order of this side trades with."""
        return self.asks if side == BUY else self.bids

    def best(self, side: int) -> int:
        """The best price at which an order of this side can trade, in ticks; 0: with nobody."""
        if side == BUY:
            return self.ask if self.ask != NO_ASK else 0
        return self.bid

    def crosses(self, side: int, price: int) -> bool:
        """Whether an order of this side at this price would trade."""
        return price >= self.ask if side == BUY else price <= self.bid

    def twice_mid(self) -> int:
        """The sum of the two best prices: twice their middle, exactly; 0 when a side is empty."""
        return self.bid + self.ask if self.bid and self.ask != NO_ASK else 0


def _drop(half: Half[T], key: int) -> list[int]:
    """Take out a level that has no orders left; the keys of the others."""
    del half.levels[key]
    keys = half.keys
    if keys[-1] == key:
        keys.pop()
    else:
        del keys[bisect_left(keys, key)]
    return keys


def resting(half: Half[T]) -> list[Order[T]]:
    """The orders of one side, best price and oldest first."""
    return list(half.within(0 if half.sign > 0 else NO_ASK))
