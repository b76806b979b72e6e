"""The places of resting orders in the queues at their prices, found without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from venue.core.book.book import Level, Order, T

LOOKED_MAX: Final = 20_000  # resting orders that are looked at for one question


def queue_of(order: Order[T]) -> Level[T] | None:
    """Return the level in which an order waits for its turn; None: it may not trade now."""
    return order.level if order.order_id not in order.market.book.parked else None


def lots_before(orders: Iterable[Order[T]], most: int = LOOKED_MAX) -> dict[int, int]:
    """Return the lots that stand before each open order of one product at its price, by order id.

    A parked order has no place. An order that `most` looks at resting orders do not reach has none
    here either. Each level is looked at once, from both its ends: few orders wait in the middle.
    """
    levels: dict[tuple[int, int, int], tuple[Level[T], list[Order[T]]]] = {}
    for order in orders:
        level = queue_of(order)
        if level is not None:
            key = (order.market.ordinal, order.side, order.price)
            levels.setdefault(key, (level, []))[1].append(order)
    found: dict[int, int] = {}
    for level, wanted in levels.values():
        ids = dict.fromkeys([order.order_id for order in wanted])
        left = len(ids)
        for order, before in _from_both_ends(level):
            if most == 0:
                return found
            most -= 1
            if order.order_id in ids:
                found[order.order_id] = before
                left -= 1
                if left == 0:
                    break
    return found


def _from_both_ends(level: Level[T]) -> Iterator[tuple[Order[T], int]]:
    """Yield each order of a level once, in turn from its beginning and its end, with the lots
    before it."""
    first: Order[T] | None = level.head
    last: Order[T] | None = level.tail
    before, behind = 0, level.quantity
    while first is not None and last is not None:
        yield first, before
        if first is last:
            return
        behind -= last.remaining
        yield last, behind
        before += first.remaining
        first = first.next
        if first is last:
            return
        last = last.prev
