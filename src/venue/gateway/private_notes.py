"""What private frames remember: open orders, waiting conditional orders, positions, money moved.

A note follows the events of a command, while the engine may be further already: it applies a whole
batch before anybody hears of it. Notes are as many as the engine's open orders and positions.
"""

from __future__ import annotations

from typing import Final

from venue.core.algos import Algo
from venue.core.contract_events import AlgoPlaced, ContractOrderPlaced
from venue.core.events import OrderPlaced
from venue.core.orders import Order
from venue.core.positions import Position
from venue.terms import COMBINED, CROSSED, AlgoStatus, IncomeType, OrderStatus

NEW: Final = int(OrderStatus.NEW)
PARTIALLY_FILLED: Final = int(OrderStatus.PARTIALLY_FILLED)
FILLED: Final = int(OrderStatus.FILLED)
UNTRIGGERED: Final = int(AlgoStatus.UNTRIGGERED)
FUNDING: Final = IncomeType.POSITION_FUNDING.value
NO_REASON: Final = "UNKNOWN_ORDER_CANCEL_REASON"

Chosen = tuple[int, int]  # margin mode and separated mode of an owner in a contract
NOT_CHOSEN: Final = (CROSSED, COMBINED)


class AlgoNote:
    """A conditional order; `triggered_price` (ticks) and `trigger_time` are 0 until it is."""

    __slots__ = (
        "algo_id", "client_id", "modes", "parent_id", "position_id", "position_side", "price",
        "quantity", "reason", "side", "source", "status", "stop_loss", "symbol", "take_profit",
        "time", "trigger_price", "trigger_time", "triggered_price", "type", "uid", "update_time",
    )  # fmt: skip

    def __init__(self, placed: AlgoPlaced, modes: Chosen, time: int) -> None:
        self.algo_id = placed.algo_id
        self.uid = placed.uid
        self.symbol = placed.symbol
        self.side = placed.side
        self.position_side = placed.position_side
        self.type = placed.type
        self.quantity = placed.quantity
        self.trigger_price = placed.trigger_price
        self.price = placed.price
        self.source = placed.source
        self.client_id = placed.client_id
        self.parent_id = placed.parent_id
        self.position_id = placed.position_id
        self.take_profit = placed.take_profit > 0
        self.stop_loss = placed.stop_loss > 0
        self.modes = modes
        self.time = time
        self.update_time = time
        self.status = UNTRIGGERED
        self.reason = NO_REASON
        self.triggered_price = 0
        self.trigger_time = 0


class OrderNote:
    """An order: `executed` lots for `notional` atoms and `fee` atoms; fill prices in ticks.

    `position_side` is 0 for a spot order; `algo` is the conditional order that one came from.
    """

    __slots__ = (
        "algo", "client_id", "executed", "fee", "highest", "latest", "liquidate_fee",
        "lowest", "modes", "notional", "order_id", "position_id", "position_side", "price",
        "quantity", "realized", "reason", "side", "status", "stop_loss", "symbol", "take_profit",
        "time", "time_in_force", "type", "uid", "update_time",
    )  # fmt: skip

    def __init__(self, placed: OrderPlaced | ContractOrderPlaced, time: int) -> None:
        self.order_id = placed.order_id
        self.uid = placed.uid
        self.symbol = placed.symbol
        self.side = placed.side
        self.type = placed.type
        self.time_in_force = placed.time_in_force
        self.quantity = placed.quantity
        self.price = placed.price
        self.client_id = placed.client_id
        self.time = time
        self.update_time = time
        self.status = NEW
        self.reason = NO_REASON
        self.executed = 0
        self.notional = 0
        self.fee = 0
        self.latest = 0
        self.highest = 0
        self.lowest = 0
        self.position_side = 0
        self.position_id = 0
        self.modes: Chosen = NOT_CHOSEN
        self.algo: AlgoNote | None = None
        self.take_profit = False
        self.stop_loss = False
        self.liquidate_fee = 0
        self.realized = 0

    def fill(
        self, lots: int, notional: int, price: int, fee: int, remaining: int, time: int
    ) -> None:
        """Add one fill."""
        self.executed += lots
        self.notional += notional
        self.fee += fee
        self.latest = price
        self.highest = max(self.highest, price)
        self.lowest = min(self.lowest or price, price)
        self.status = PARTIALLY_FILLED if remaining else FILLED
        self.update_time = time

    def ended(self) -> bool:
        return self.status not in (NEW, PARTIALLY_FILLED)


class PositionNote:
    """What the end of a position does not tell: who opened it, and when in the order of trades."""

    __slots__ = ("auto_margin", "created", "isolated", "open_order_id", "separated", "updated")

    def __init__(self, isolated: bool, separated: bool, open_order_id: int, created: int) -> None:
        self.isolated = isolated
        self.separated = separated
        self.open_order_id = open_order_id
        self.created = created
        self.updated = created
        self.auto_margin = False


class Moved:
    """Money that moved in one settle asset of an owner since `since`, by `IncomeType`, in atoms."""

    __slots__ = ("amounts", "fee", "liquidate_fee", "since")

    def __init__(self, since: int) -> None:
        self.since = since
        self.amounts: dict[str, int] = {}
        self.fee = 0
        self.liquidate_fee = 0

    def add(self, kind: str, amount: int) -> None:
        """Add an item; all but funding count without sign."""
        if kind != FUNDING:
            amount = abs(amount)
        self.amounts[kind] = self.amounts.get(kind, 0) + amount


# -- from the engine -------------------------------------------------------------------------------


def open_order(order: Order, modes: Chosen) -> OrderNote:
    """The note of an order that rests in a book; fees and fill prices of the past are unknown."""
    note = OrderNote(
        OrderPlaced(
            order.order_id, order.account.uid, order.market.symbol, order.side, order.type,
            order.time_in_force, order.quantity, order.price, order.client_id, order.remaining,
        ),
        order.time,
    )  # fmt: skip
    note.update_time = order.update_time
    note.status = order.status
    note.executed = order.quantity - order.remaining
    note.notional = order.quote
    terms = order.terms
    if terms is None:
        return note
    note.executed -= terms.trimmed
    note.position_side = terms.position_side
    note.modes = modes
    if terms.position is not None:
        note.position_id = terms.position.position_id
    note.take_profit = terms.take_profit is not None and terms.take_profit.trigger_price > 0
    note.stop_loss = terms.stop_loss is not None and terms.stop_loss.trigger_price > 0
    return note


def waiting_algo(algo: Algo, modes: Chosen) -> AlgoNote:
    """The note of a conditional order: one that waits, or one that became an open order."""
    position_id = algo.position.position_id if algo.position is not None else 0
    note = AlgoNote(
        AlgoPlaced(
            algo.algo_id, algo.holding.account.uid, algo.perp.symbol, algo.side,
            algo.position_side, algo.type, algo.quantity, algo.trigger_price, algo.price,
            algo.source, algo.client_id, algo.rising, algo.parent_id, position_id,
            algo.take_profit.trigger_price, algo.take_profit.source,
            algo.stop_loss.trigger_price, algo.stop_loss.source, algo.callback_ppm,
        ),
        modes,
        algo.time,
    )  # fmt: skip
    note.update_time = algo.update_time
    note.status = algo.status
    if algo.status != UNTRIGGERED:
        note.triggered_price = algo.trigger_price
        note.trigger_time = algo.update_time
    return note


def open_position(position: Position) -> PositionNote:
    """The note of a position that is open."""
    note = PositionNote(
        position.pool.position_id != 0, position.separated, position.open_order_id,
        position.created_sequence,
    )  # fmt: skip
    note.updated = position.updated_sequence
    note.auto_margin = position.auto_margin
    return note
