"""Notes for private frames: open orders, waiting conditional orders, positions, money moved.

There are as many notes as the engine has open orders and positions. Facts that the engine does not
hold, fees and fill prices of the past, are in a part of their own in snapshots.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.core.book.book import OPEN, Order, T, after_fill
from venue.core.contract.records import Algo, Position, Terms
from venue.core.messages.contract_events import AlgoPlaced, ContractOrderPlaced
from venue.core.messages.events import OrderPlaced
from venue.vocabulary import (
    ALGO_TRAILING_STOP_MARKET,
    ALGO_UNTRIGGERED,
    COMBINED,
    CROSSED,
    INCOME_POSITION_FUNDING,
    NEW,
)

NO_REASON: Final = "UNKNOWN_ORDER_CANCEL_REASON"

Chosen = tuple[int, int]  # margin mode and separated mode of an owner in a contract
NOT_CHOSEN: Final = (CROSSED, COMBINED)


class ConditionalNote(Struct, array_like=True, gc=False):
    """A conditional order; `triggered_price` (ticks) and `trigger_time` are 0 until its trigger."""

    algo_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    quantity: int
    trigger_price: int
    price: int
    source: int
    client_id: str
    parent_id: int
    position_id: int
    take_profit: bool
    stop_loss: bool
    modes: Chosen
    time: int
    update_time: int
    status: int = ALGO_UNTRIGGERED
    reason: str = NO_REASON
    triggered_price: int = 0
    trigger_time: int = 0


class OrderNote(Struct, array_like=True, gc=False):
    """An order: `executed` lots for `notional` atoms and `fee` atoms; fill prices in ticks.

    `position_side` is 0 for a spot order; `conditional` is the conditional order that it came
    from.
    """

    order_id: int
    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    time: int
    update_time: int
    status: int = NEW
    reason: str = NO_REASON
    executed: int = 0
    notional: int = 0
    fee: int = 0
    latest: int = 0
    highest: int = 0
    lowest: int = 0
    position_side: int = 0
    position_id: int = 0
    modes: Chosen = NOT_CHOSEN
    conditional: ConditionalNote | None = None
    take_profit: bool = False
    stop_loss: bool = False
    liquidate_fee: int = 0
    realized: int = 0

    def fill(
        self, lots: int, notional: int, price: int, fee: int, remaining: int, time: int
    ) -> None:
        """Add one fill."""
        self.executed += lots
        self.notional += notional
        self.fee += fee
        self.latest = price
        if price > self.highest:
            self.highest = price
        if price < self.lowest or not self.lowest:
            self.lowest = price
        self.status = after_fill(remaining)
        self.update_time = time

    def has_ended(self) -> bool:
        return self.status not in OPEN


class PositionNote:
    """Facts that the event of a position's end lacks: its opening order and sequence numbers."""

    __slots__ = ("auto_margin", "created", "isolated", "open_order_id", "separated", "updated")

    def __init__(
        self, open_order_id: int, created: int, *, isolated: bool, separated: bool
    ) -> None:
        self.isolated = isolated
        self.separated = separated
        self.open_order_id = open_order_id
        self.created = created
        self.updated = created
        self.auto_margin = False


class MoneyMoved(Struct, array_like=True):
    """Money that moved in one settle asset of an owner since `since`, by `IncomeType`, in atoms."""

    since: int
    amounts: dict[str, int] = {}
    fee: int = 0
    liquidate_fee: int = 0

    def add(self, kind: str, amount: int) -> None:
        """Add an item; all but funding count without sign."""
        if kind != INCOME_POSITION_FUNDING:
            amount = abs(amount)
        self.amounts[kind] = self.amounts.get(kind, 0) + amount


class PastNotes(Struct, array_like=True):
    """Notes that the engine does not know: of open orders with fills, or that a conditional order
    became; and moved money, with uid and the asset's ordinal.
    """

    orders: list[OrderNote] = []
    moved: list[tuple[int, int, MoneyMoved]] = []


# -- from events -----------------------------------------------------------------------------------


def placed_order(placed: OrderPlaced | ContractOrderPlaced, time: int) -> OrderNote:
    """Return the note of a new order."""
    return OrderNote(
        placed.order_id, placed.uid, placed.symbol, placed.side, placed.type, placed.time_in_force,
        placed.quantity, placed.price, placed.client_id, time, time,
    )  # fmt: skip


def placed_conditional(placed: AlgoPlaced, modes: Chosen, time: int) -> ConditionalNote:
    """Return the note of a new conditional order."""
    return ConditionalNote(
        placed.algo_id, placed.uid, placed.symbol, placed.side, placed.position_side, placed.type,
        placed.quantity, placed.trigger_price, placed.price, placed.source, placed.client_id,
        placed.parent_id, placed.position_id, placed.take_profit > 0, placed.stop_loss > 0, modes,
        time, time,
    )  # fmt: skip


# -- from the engine -------------------------------------------------------------------------------


def open_order(order: Order[T]) -> OrderNote:
    """Return the note of an order that rests in a book; fees and fill prices of the past are
    unknown."""
    note = OrderNote(
        order.order_id, order.uid, order.market.symbol, order.side, order.type,
        order.time_in_force, order.quantity, order.price, order.client_id, order.time, order.time,
    )  # fmt: skip
    note.update_time = order.update_time
    note.status = order.status
    note.executed = order.quantity - order.remaining
    note.notional = order.quote
    return note


def open_contract_order(order: Order[Terms], modes: Chosen) -> OrderNote:
    """Return the same of a contract order."""
    note = open_order(order)
    terms = order.terms
    note.executed -= terms.trimmed
    note.position_side = terms.position_side
    note.modes = modes
    position = terms.position()
    if position is not None:
        note.position_id = position.position_id
    note.take_profit = terms.take_profit is not None and terms.take_profit.trigger_price > 0
    note.stop_loss = terms.stop_loss is not None and terms.stop_loss.trigger_price > 0
    origin = _origin(order)
    note.conditional = waiting_conditional(origin, modes) if origin is not None else None
    return note


def _origin(order: Order[Terms]) -> Algo | None:
    """Return the conditional order that an open order came from, while its client id is
    remembered."""
    terms = order.terms
    if not terms.algo_id:
        return None
    clients = terms.holding.algo_clients.values()
    return next((one for one in clients if one.algo_id == terms.algo_id), None)


def waiting_conditional(order: Algo, modes: Chosen) -> ConditionalNote:
    """Return the note of a conditional order: one that waits, or one that became an open order."""
    position_id = order.position.position_id if order.position is not None else 0
    # A trailing stop's price moves along: its note has none until it is triggered.
    waits_at = 0 if order.type == ALGO_TRAILING_STOP_MARKET else order.trigger_price
    note = ConditionalNote(
        order.algo_id, order.holding.account.uid, order.perp.symbol, order.side,
        order.position_side, order.type, order.quantity, waits_at, order.price, order.source,
        order.client_id, order.parent_id, position_id, order.take_profit.trigger_price > 0,
        order.stop_loss.trigger_price > 0, modes, order.time, order.time,
    )  # fmt: skip
    note.update_time = order.update_time
    note.status = order.status
    if order.status != ALGO_UNTRIGGERED:
        note.triggered_price = order.trigger_price
        note.trigger_time = order.update_time
    return note


def open_position(position: Position) -> PositionNote:
    """Return the note of a position that is open."""
    note = PositionNote(
        position.open_order_id, position.created_sequence,
        isolated=position.pool.position_id != 0, separated=position.separated,
    )  # fmt: skip
    note.updated = position.updated_sequence
    note.auto_margin = position.auto_margin
    return note
