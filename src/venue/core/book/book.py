"""A market, its price-time book, and the orders in it: check, rest, match, remove. It knows no
money.

These classes point at each other, so they share one module.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from venue.core.instruments import Instrument
from venue.core.messages.events import Rejected
from venue.core.units import PPM, PRICE_MAX, ceil_div
from venue.vocabulary import (
    BUY,
    CANCELED,
    EXPIRED,
    FILLED,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    NEW,
    PARTIALLY_FILLED,
    POST_ONLY,
    SELL,
    SHORT,
    Reject,
)

T = TypeVar("T")  # the terms that a product's orders have beside price and quantity

NO_ASK: Final = PRICE_MAX + 1  # the best ask of a book without asks: above all that can be named

# The statuses that may follow each one. Only `Order.become` gives an order another one.
NEXT: Final[dict[int, tuple[int, ...]]] = {
    NEW: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    PARTIALLY_FILLED: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    FILLED: (),
    CANCELED: (),
    EXPIRED: (),
}
OPEN: Final[tuple[int, ...]] = tuple([status for status, after in NEXT.items() if after])


def after_fill(left: int) -> int:
    """Return the status of an order once a fill has left `remaining` lots of it."""
    return PARTIALLY_FILLED if left else FILLED


class Order(Generic[T]):
    """One order: open while it rests in a book; kept for one more day when it has a client id.

    `quantity` and `remaining` are lots, `quote` is the executed notional in quote atoms. `uid` is
    the owner's. `terms` holds the data that one product adds: `Terms` for a contract order, the
    paying `SpotAccount` for a spot order. While the order rests its owner pays a fee of at most
    `fee_ppm`. Orders at one price trade in ascending `place`, which is the order's id or a later
    number; 0: the order is parked and has lost its place.
    """

    __slots__ = (
        "client_id",
        "fee_ppm",
        "level",
        "market",
        "next",
        "order_id",
        "place",
        "prev",
        "price",
        "quantity",
        "quote",
        "remaining",
        "side",
        "status",
        "terms",
        "time",
        "time_in_force",
        "type",
        "uid",
        "update_time",
    )

    def __init__(
        self,
        order_id: int,
        uid: int,
        market: Market[T],
        side: int,
        type_: int,
        time_in_force: int,
        quantity: int,
        price: int,
        client_id: str,
        time: int,
        terms: T,
    ) -> None:
        self.order_id = order_id
        self.place = order_id
        self.uid = uid
        self.market = market
        self.side = side
        self.type = type_
        self.time_in_force = time_in_force
        self.quantity = quantity
        self.price = price
        self.client_id = client_id
        self.time = time
        self.update_time = time
        self.remaining = quantity
        self.quote = 0
        self.status = NEW
        self.fee_ppm = 0
        self.level: Level[T] | None = None
        self.prev: Order[T] | None = None
        self.next: Order[T] | None = None
        self.terms = terms

    def fault(self, position_side: int = LONG) -> Rejected | None:
        """Return the first fault of the order by itself, in the order of rule 3.1.

        A contract order names its `position_side`; a spot order names none.
        """
        market = self.market
        quantity = self.quantity
        price = self.price
        assert type(quantity) is int, quantity
        assert type(price) is int, price
        if self.side != BUY and self.side != SELL:
            return Rejected(Reject.SIDE)
        if self.type == LIMIT:
            last = POST_ONLY
        elif self.type == MARKET:
            last = IOC
        else:
            return Rejected(Reject.TYPE)
        if self.time_in_force < GTC or self.time_in_force > last:
            return Rejected(Reject.TIME_IN_FORCE)
        if position_side != LONG and position_side != SHORT:
            return Rejected(Reject.POSITION_SIDE)
        if quantity < market.quantity_min:
            return Rejected(Reject.QUANTITY_MIN, market.quantity_min)
        if quantity > market.quantity_max:
            return Rejected(Reject.QUANTITY_MAX, market.quantity_max)
        if last == POST_ONLY and (price <= 0 or price > PRICE_MAX):
            return Rejected(Reject.PRICE, PRICE_MAX)
        return None

    def become(self, status: int) -> None:
        """Change the status. The new one must be allowed after the present one."""
        assert status in NEXT[self.status], f"order {self.order_id}: {self.status} to {status}"
        self.status = status


class Level(Generic[T]):
    """All orders resting at one price, oldest first: an intrusive list, never empty in a book."""

    __slots__ = ("head", "price", "quantity", "tail")

    def __init__(self, order: Order[T]) -> None:
        self.price = order.price
        self.quantity = order.remaining
        self.head = order
        self.tail = order

    def orders(self) -> Iterator[Order[T]]:
        """Yield the orders at this price, oldest first."""
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
        """Yield the levels, best price first."""
        for key in reversed(self.keys):
            yield self.levels[key]

    def best_levels(self, most: int) -> list[Level[T]]:
        """At most `count` levels, best price first; faster than `walk` for a few levels."""
        levels = self.levels
        return [levels[key] for key in self.keys[: -most - 1 : -1]]

    def within(self, limit: int) -> Iterator[Order[T]]:
        """Yield the orders that an incoming order with this limit price (ticks) could meet, in
        matching order."""
        least = limit * self.sign
        for level in self.walk():
            if level.price * self.sign < least:
                return
            yield from level.orders()


class Book(Generic[T]):
    """Both sides of one symbol, and their best prices in ticks: `bid` is 0 and `ask` `NO_ASK` where
    a side is empty.

    `parked` are open orders that may not trade now, by id: each is alone on a level of its own.
    """

    __slots__ = ("ask", "asks", "bid", "bids", "parked")

    def __init__(self) -> None:
        self.bids: Half[T] = Half(1)
        self.asks: Half[T] = Half(-1)
        self.bid = 0
        self.ask = NO_ASK
        self.parked: dict[int, Order[T]] = {}

    def park(self, order: Order[T]) -> None:
        """Take a resting or a new order out of both sides, so that nothing can match it."""
        if order.level is not None:
            self.remove(order)
        order.level = Level(order)
        self.parked[order.order_id] = order

    def unpark(self, order: Order[T], older: Order[T] | None = None) -> None:
        """Put a parked order back into its place at its price; it must not cross the other side.
        The search for the place starts at `older`, an order there that precedes it, or at the end
        of the level."""
        del self.parked[order.order_id]
        order.level = None
        half = self.bids if order.side == BUY else self.asks
        level = half.levels.get(order.price * half.sign)
        before = older
        if level is not None and before is None:
            before = level.tail
            while before is not None and before.place > order.place:
                before = before.prev
        while before is not None and before.next and before.next.place < order.place:
            before = before.next
        after = before.next if before is not None else level.head if level is not None else None
        if level is None or after is None:
            self.rest(order)
            return
        order.prev, order.next, after.prev = before, after, order
        if before is None:
            level.head = order
        else:
            before.next = order
        level.quantity += order.remaining
        order.level = level

    def rest(self, order: Order[T]) -> None:
        """Append an order to its price's level, after the orders already there."""
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
            order.become(PARTIALLY_FILLED)
        else:
            self.remove(order)
            order.remaining = 0
            order.become(FILLED)

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
            if self.parked and self.parked.pop(order.order_id, None) is not None:
                return
            if order.side == BUY:
                keys = _drop(self.bids, price)
                if price == self.bid:
                    self.bid = keys[-1] if keys else 0
            else:
                keys = _drop(self.asks, -price)
                if price == self.ask:
                    self.ask = -keys[-1] if keys else NO_ASK

    def opposite(self, side: int) -> Half[T]:
        """Return the half that an order of this side trades with."""
        return self.asks if side == BUY else self.bids

    def best(self, side: int) -> int:
        """Return the best price at which an order of this side can trade, in ticks; 0 when the
        other side is empty."""
        if side == BUY:
            return self.ask if self.ask != NO_ASK else 0
        return self.bid

    def crosses(self, side: int, price: int) -> bool:
        """Return whether an order of this side at this price would trade."""
        return price >= self.ask if side == BUY else price <= self.bid

    def twice_mid(self) -> int:
        """Return the sum of the two best prices: twice their middle, exactly; 0 when a side is
        empty."""
        return self.bid + self.ask if self.bid and self.ask != NO_ASK else 0


class Market(Generic[T]):
    """A market; amounts of base come in lots, `unit_atoms` is one tick x lot in quote atoms. In
    a contract fee rates, and an owner's own ones, count as at most `fee_most_ppm`."""

    __slots__ = (
        "base",
        "book",
        "buy_band_ppm",
        "fee_most_ppm",
        "halt_reason",
        "halted",
        "instrument",
        "last_price",
        "lot_atoms",
        "maker_ppm",
        "ordinal",
        "quantity_max",
        "quantity_min",
        "quote",
        "sell_band_ppm",
        "symbol",
        "taker_ppm",
        "unit_atoms",
    )

    def __init__(
        self, instrument: Instrument, ordinal: int, base: int, quote: int, lot: int, unit: int
    ) -> None:
        self.symbol = instrument.symbol
        self.ordinal = ordinal
        self.base = base
        self.quote = quote
        self.lot_atoms = lot
        self.unit_atoms = unit
        self.book: Book[T] = Book()
        self.last_price = 0
        self.halted = False
        self.halt_reason = ""
        self.fee_most_ppm = PPM
        self.configure(instrument)

    def configure(self, instrument: Instrument) -> None:
        """Apply the instrument's limits and fees."""
        self.instrument = instrument
        self.quantity_min = instrument.quantity_min
        self.quantity_max = instrument.quantity_max
        self.maker_ppm = instrument.maker_ppm
        self.taker_ppm = instrument.taker_ppm
        self.buy_band_ppm = instrument.buy_band_ppm
        self.sell_band_ppm = instrument.sell_band_ppm

    def bound_fees(self, most_ppm: int) -> None:
        """Count all fee rates as at most `most_ppm`."""
        self.fee_most_ppm = most_ppm
        self.maker_ppm = min(self.instrument.maker_ppm, most_ppm)
        self.taker_ppm = min(self.instrument.taker_ppm, most_ppm)

    def worst_price(self, side: int, mark: int = 0) -> int:
        """Return the worst price that the aggressive side may name (rule 3.9), in ticks.

        It is measured from a contract's `mark`; without a mark from the last trade, and without a
        trade from the mid. 0 when there is no reference.
        """
        twice = 2 * (mark or self.last_price) or self.book.twice_mid()
        if side == BUY:
            return twice * (PPM + self.buy_band_ppm) // (2 * PPM)
        return ceil_div(twice * (PPM - self.sell_band_ppm), 2 * PPM)


def _drop(half: Half[T], key: int) -> list[int]:
    """Remove a level that has no orders left; return the keys of the other levels."""
    del half.levels[key]
    keys = half.keys
    if keys[-1] == key:
        keys.pop()
    else:
        del keys[bisect_left(keys, key)]
    return keys


def resting(half: Half[T]) -> list[Order[T]]:
    """Return the orders of one side, best price and oldest first."""
    return list(half.within(0 if half.sign > 0 else NO_ASK))
