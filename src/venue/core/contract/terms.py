"""What a contract order has beside its price and quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venue.core.book.orders import Order
from venue.core.ledger.accounts import Pool
from venue.core.messages.commands import Exit
from venue.core.units import ceil_div

if TYPE_CHECKING:
    from venue.core.contract.account import Holding, Modes
    from venue.core.contract.conditional import Algo
    from venue.core.contract.perpetual import Perpetual
    from venue.core.contract.position import Position


class Terms:
    """What a contract order has beside its price and quantity.

    `pool` is its owner's cross pool. Of the `whole_margin` atoms that an opening order needs,
    `margin` are held there for what remains of it. `position` is what a closing order reduces; of
    an opening one in SEPARATED mode what it has made. `take_profit` and `stop_loss` are attached
    once it has opened something: `attached` are those of the position `exits_position`. `trimmed`
    lots were taken off a closing order because its position became smaller.
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
        "pool",
        "position",
        "position_side",
        "stop_loss",
        "take_profit",
        "trimmed",
        "whole_margin",
    )

    def __init__(
        self, holding: Holding, modes: Modes, position_side: int, opens: bool, cause: int
    ) -> None:
        self.holding = holding
        self.perp: Perpetual = modes.perp
        self.pool: Pool = modes.pool
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

    def closed(self) -> Position:
        """The position that a closing order reduces."""
        position = self.position
        assert position is not None, "what closes has a position"
        return position


def part_margin(order: Order[Terms], lots: int) -> int:
    """What the last `lots` of a resting order hold, in atoms: their part, rounded up."""
    terms = order.terms
    if not terms.opens or not lots:
        return 0
    return min(terms.margin, ceil_div(terms.whole_margin * lots, order.quantity))
