"""Orders: records, the checks of one by itself, and its life cycle (rules 3.1, 3.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from venue.core.messages.events import Rejected
from venue.core.units import PRICE_MAX
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

if TYPE_CHECKING:
    from venue.core.book.book import Level
    from venue.core.book.market import Market
    from venue.core.ledger.accounts import Account

T = TypeVar("T")  # what a product's orders have beside price and quantity: its terms

# What may follow each status. Only `Order.become` gives an order another one.
NEXT: Final[dict[int, tuple[int, ...]]] = {
    NEW: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    PARTIALLY_FILLED: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    FILLED: (),
    CANCELED: (),
    EXPIRED: (),
}
OPEN: Final[tuple[int, ...]] = tuple([status for status, after in NEXT.items() if after])


def after_fill(left: int) -> int:
    """The status of an order of which a fill left so many lots."""
    return PARTIALLY_FILLED if left else FILLED


class Order(Generic[T]):
    """One order: open while it rests in a book, kept for a day after when it has a client id.

    `quantity` and `remaining` are lots, `quote` is the executed notional in quote atoms. A contract
    order has `Terms`, a spot order none.
    """

    __slots__ = (
        "account",
        "client_id",
        "level",
        "market",
        "next",
        "order_id",
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
        "update_time",
    )

    def __init__(
        self,
        order_id: int,
        account: Account,
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
        self.account = account
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
        self.level: Level[T] | None = None
        self.prev: Order[T] | None = None
        self.next: Order[T] | None = None
        self.terms = terms

    def become(self, status: int) -> None:
        """Have another status, which may follow the present one."""
        assert status in NEXT[self.status], f"order {self.order_id}: {self.status} to {status}"
        self.status = status


def malformed(order: Order[T], position_side: int = LONG) -> Rejected | None:
    """The first fault of an order by itself, in the order of rule 3.1.

    `position_side` is what a contract order names; a spot order names none.
    """
    market = order.market
    quantity = order.quantity
    price = order.price
    assert type(quantity) is int, quantity
    assert type(price) is int, price
    if order.side != BUY and order.side != SELL:
        return Rejected(Reject.SIDE)
    if order.type == LIMIT:
        last = POST_ONLY
    elif order.type == MARKET:
        last = IOC
    else:
        return Rejected(Reject.TYPE)
    if order.time_in_force < GTC or order.time_in_force > last:
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
