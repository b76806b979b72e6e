"""One price-time book: levels, rest, take, remove. It knows prices and quantities, no money."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from venue.core.book.orders import Order
from venue.core.units import PRICE_MAX
from venue.vocabulary import BUY

NO_MATCH: Final = PRICE_MAX + 1  # a limit key above every key a book can hold


class Level:
    """All orders resting at one price, oldest first: an intrusive list."""

    __slots__ = ("head", "price", "quantity", "tail")

    def __init__(self, price: int) -> None:
        self.price = price
        self.quantity = 0
        self.head: Order | None = None
        self.tail: Order | None = None


class Half:
    """One side of a book. Keys ascend towards the best price, so the best is always `keys[-1]`."""

    __slots__ = ("keys", "levels")

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.levels: dict[int, Level] = {}


class Book:
    """Both sides of one symbol. A bid's key is its price, an ask's key the negative."""

    __slots__ = ("asks", "bids")

    def __init__(self) -> None:
        self.bids = Half()
        self.asks = Half()

    def rest(self, order: Order) -> None:
        """Append an order to its price's level, behind those already there."""
        price = order.price
        if order.side == BUY:
            half = self.bids
            key = price
        else:
            half = self.asks
            key = -price
        level = half.levels.get(key)
        if level is None:
            level = Level(price)
            half.levels[key] = level
            insort(half.keys, key)
        last = level.tail
        order.level = level
        order.prev = last
        if last is None:
            level.head = order
        else:
            last.next = order
        level.tail = order
        level.quantity += order.remaining

    def remove(self, order: Order) -> None:
        """Take an order out of its level, and the level out of the book when it is empty."""
        level = order.level
        assert level is not None
        before = order.prev
        after = order.next
        if before is None:
            level.head = after
        else:
            before.next = after
        if after is None:
            level.tail = before
        else:
            after.prev = before
        order.prev = None
        order.next = None
        order.level = None
        level.quantity -= order.remaining
        if level.head is None:
            if order.side == BUY:
                _drop(self.bids, level.price)
            else:
                _drop(self.asks, -level.price)

    def opposite(self, side: int) -> Half:
        """The half that an order of this side trades with."""
        return self.asks if side == BUY else self.bids

    def twice_mid(self) -> int:
        """The sum of the two best prices: twice their middle, exactly; 0 when a side is empty."""
        if not self.bids.keys or not self.asks.keys:
            return 0
        return self.bids.keys[-1] - self.asks.keys[-1]


def _drop(half: Half, key: int) -> None:
    del half.levels[key]
    keys = half.keys
    if keys[-1] == key:
        keys.pop()
    else:
        del keys[bisect_left(keys, key)]


def resting(half: Half) -> list[Order]:
    """The orders of one side, best price and oldest first."""
    orders: list[Order] = []
    for key in reversed(half.keys):
        order = half.levels[key].head
        while order is not None:
            orders.append(order)
            order = order.next
    return orders


def sweep(half: Half, limit_key: int, quantity: int) -> tuple[int, int]:
    """The lots that an order could take down to `limit_key`, and their sum of price x lots."""
    left = quantity
    cost = 0
    for key in reversed(half.keys):
        if key < limit_key or left == 0:
            break
        lots = min(left, half.levels[key].quantity)
        left -= lots
        cost += (key if key >= 0 else -key) * lots
    return quantity - left, cost


def sweep_others(
    half: Half, limit_key: int, quantity: int, uid: int, *, stop: bool
) -> tuple[int, int]:
    """As `sweep`, for an owner under self-trade prevention: its own orders are passed over, or
    (`stop`) end the sweep."""
    left = quantity
    cost = 0
    for key in reversed(half.keys):
        if key < limit_key:
            break
        order = half.levels[key].head
        while order is not None and left:
            if order.account.uid != uid:
                lots = min(left, order.remaining)
                left -= lots
                cost += order.price * lots
            elif stop:
                return quantity - left, cost
            order = order.next
        if left == 0:
            break
    return quantity - left, cost
