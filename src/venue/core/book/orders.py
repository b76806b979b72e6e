"""Order records and their life cycle, as a transition table (rule 3.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from venue.core.messages.commands import Exit
from venue.core.units import ceil_div
from venue.vocabulary import CANCELED, EXPIRED, FILLED, NEW, PARTIALLY_FILLED

if TYPE_CHECKING:
    from venue.core.book.book import Level
    from venue.core.book.market import Market
    from venue.core.contract.account import Holding, Modes
    from venue.core.contract.conditional import Algo
    from venue.core.contract.perpetual import Perpetual
    from venue.core.contract.position import Position
    from venue.core.ledger.accounts import Account


NEXT: Final[dict[int, tuple[int, ...]]] = {
    NEW: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    PARTIALLY_FILLED: (PARTIALLY_FILLED, FILLED, CANCELED, EXPIRED),
    FILLED: (),
    CANCELED: (),
    EXPIRED: (),
}


class Terms:
    """The fields of a contract order beside its price and quantity.

    Of the `whole_margin` atoms that an opening order needs, `margin` are held for what remains of
    it. `position` is what a closing order reduces; of an opening one in SEPARATED mode what it has
    made. `take_profit` and `stop_loss` are attached once it has opened something: `attached` are
    those of the position `exits_position`. `trimmed` lots were taken off a closing order
    because its position became smaller.
    """

    __slots__ = (
        "algo_id",
        "attached",
        "cause",
        "exits_position",
        "holding",
        "margin",
        "modes",
        "opens",
        "perp",
        "position",
        "position_side",
        "stop_loss",
        "take_profit",
        "trimmed",
        "whole_margin",
    )

    def __init__(
        self,
        holding: Holding,
        perp: Perpetual,
        modes: Modes,
        position_side: int,
        opens: bool,
        cause: int,
    ) -> None:
        self.holding = holding
        self.perp = perp
        self.modes = modes
        self.position_side = position_side
        self.opens = opens
        self.cause = cause
        self.margin = 0
        self.whole_margin = 0
        self.trimmed = 0
        self.position: Position | None = None
        self.algo_id = 0
        self.take_profit: Exit | None = None
        self.stop_loss: Exit | None = None
        self.attached: tuple[Algo, ...] = ()
        self.exits_position = 0


class Order:
    """One order: open while it rests in a book, kept for a day after when it has a client id.

    `quantity` and `remaining` are lots, `quote` is the executed notional in quote atoms; `terms`
    are a contract order's.
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
        market: Market,
        side: int,
        type_: int,
        time_in_force: int,
        quantity: int,
        price: int,
        client_id: str,
        time: int,
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
        self.level: Level | None = None
        self.prev: Order | None = None
        self.next: Order | None = None
        self.terms: Terms | None = None


def part_margin(order: Order, lots: int) -> int:
    """The hold of the last `lots` of a resting order, in atoms: their share, rounded up."""
    terms = order.terms
    assert terms is not None
    if not terms.opens or not lots:
        return 0
    return min(terms.margin, ceil_div(terms.whole_margin * lots, order.quantity))
