"""The resting orders that an order meets: found in one walk, without effect, then executed.

The matcher knows prices, lots and owners. The rules of a product decide which resting orders are
liquidity and what a fill costs each side: they make the fills, and execute them.
"""

from __future__ import annotations

from typing import Final, Generic, Protocol, TypeVar

from venue.core.book.book import OPEN, Order, T
from venue.core.units import PPM, PRICE_MAX, ceil_div
from venue.vocabulary import (
    BUY,
    CANCELED,
    EXPIRE_MAKER,
    EXPIRE_TAKER,
    EXPIRED,
    FILLED,
    GTC,
    LIMIT,
    NEW,
    NO_PREVENTION,
    PARTIALLY_FILLED,
    POST_ONLY,
)

F = TypeVar("F")  # a product's fill
F_co = TypeVar("F_co", covariant=True)

FILLS_MAX: Final = 1_000  # fills of an owner's own order; the rest is canceled (rule 3.13)
PLANNED_MAX: Final = 5_000  # fills of any order, with the resting orders that it ends
LOWEST: Final = 0  # the limit price of a seller who takes any


class Rules(Protocol[T, F_co]):
    """A product's rules: they turn the resting orders that an order meets into fills."""

    def meet(self, maker: Order[T], lots: int) -> F_co | None:
        """Return the fill of so many lots with a resting order; None when that order is no
        liquidity."""

    def end(self, maker: Order[T]) -> F_co:
        """Return the entry for a resting order that self-trade prevention ends."""


class Match(Generic[T, F]):
    """The fills of one order, in matching order, and their sum `lots`.

    `looked` counts the resting orders that were examined, filled or not. `prevented`: self-trade
    prevention (`prevention`) ended an order; `stopped`: it ended this one. `enough`: the rules want
    no more fills. `room` is how many more fills are allowed; `bounded`: that limit was reached
    (rule 3.13).
    """

    __slots__ = ("bounded", "enough", "fills", "limit", "looked", "lots", "order", "prevented",
                 "prevention", "room", "stopped")  # fmt: skip

    def __init__(self, order: Order[T], prevention: int, room: int = FILLS_MAX) -> None:
        self.order = order
        self.prevention = prevention
        self.fills: list[F] = []
        self.lots = 0
        self.limit = 0
        self.looked = 0
        self.room = room
        self.prevented = False
        self.stopped = False
        self.enough = False
        self.bounded = False

    def walk(self, limit: int, rules: Rules[T, F]) -> None:
        """Visit the resting orders up to the price `limit`: best price first, oldest first
        (3.2)."""
        order = self.order
        uid = order.uid
        prevents = self.prevention != NO_PREVENTION
        wanted = order.remaining
        half = order.market.book.opposite(order.side)
        levels = half.levels
        self.limit = limit * half.sign
        for key in reversed(half.keys):
            if key < self.limit:
                return
            maker: Order[T] | None = levels[key].head
            while maker is not None:
                if self.room == 0 or len(self.fills) >= PLANNED_MAX:
                    self.bounded = True
                    return
                self.looked += 1
                if prevents and maker.uid == uid:
                    self._prevent(maker, rules)
                    if self.stopped:
                        return
                else:
                    left = wanted - self.lots
                    lots = left if left < maker.remaining else maker.remaining
                    fill = rules.meet(maker, lots)
                    if fill is not None:
                        self.fills.append(fill)
                        self.lots += lots
                        self.room -= 1
                        if lots == left or self.enough:
                            return
                maker = maker.next

    def _prevent(self, maker: Order[T], rules: Rules[T, F]) -> None:
        """Keep an order from trading with its owner's own order (rule 3.7)."""
        self.prevented = True
        if self.prevention != EXPIRE_TAKER:
            self.fills.append(rules.end(maker))
        self.stopped = self.prevention != EXPIRE_MAKER

    def narrow(self, price: int) -> None:
        """Stop the rest of the walk at this price, in ticks."""
        limit = price if self.order.side != BUY else -price
        if limit > self.limit:
            self.limit = limit

    def forget(self) -> None:
        """Drop all fills: an order that must be filled as a whole meets too little."""
        self.fills = []
        self.lots = 0
        self.prevented = False
        self.stopped = False

    def conclude(self) -> bool:
        """Give the executed order its status; return whether its remainder rests.

        A remainder that crosses the book never rests, whether the orders that it could meet are no
        liquidity for it or its rules let it trade no further.
        """
        order = self.order
        left = order.remaining
        assert left == order.quantity - self.lots, f"order {order.order_id}: {left} lots are left"
        crosses = left > 0 and order.market.book.crosses(order.side, order.price)
        status = self.outcome(left, crosses=crosses)
        if status != NEW:
            order.become(status)
        return status in OPEN

    def outcome(self, left: int, *, crosses: bool) -> int:
        """Return the order's status when `remaining` lots are left, which cross the book or do
        not."""
        if left == 0:
            return FILLED
        order = self.order
        if (
            not crosses
            and not self.stopped
            and order.type == LIMIT
            and (order.time_in_force == GTC or order.time_in_force == POST_ONLY)
        ):
            return PARTIALLY_FILLED if self.lots else NEW
        return CANCELED if self.lots and not self.stopped else EXPIRED


def expected_status(match: Match[T, F], taken: dict[int, int]) -> int:
    """Return the status that an order will have once its match is executed.

    `taken` are the lots that the fills take off the resting orders, by id.
    """
    order = match.order
    met = order.market.book.opposite(order.side).within(order.price)
    crosses = any(taken.get(maker.order_id, 0) < maker.remaining for maker in met)
    return match.outcome(order.quantity - match.lots, crosses=crosses)


def any_price(side: int) -> int:
    """Return the limit, in ticks, of an order of this side that takes any price."""
    return PRICE_MAX if side == BUY else LOWEST


def tighter(side: int, price: int, other: int) -> int:
    """Return the one of two limits that an order of this side reaches first."""
    return min(price, other) if side == BUY else max(price, other)


def within_band(side: int, price: int, band_ppm: int) -> int:
    """Return the worst price within the band from `price`, in ticks (rule 3.4)."""
    if side == BUY:
        return price * (PPM + band_ppm) // PPM
    return ceil_div(price * (PPM - band_ppm), PPM)
