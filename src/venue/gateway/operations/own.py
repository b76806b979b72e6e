"""Operations of a practice venue that show an owner its orders' places and its wire entries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from venue.api.names import SIDE_NAMES
from venue.api.operator.wire import WireEntry
from venue.api.own import OwnWireRequest, PlacesRequest, QueuePlace
from venue.core.book.book import Order
from venue.core.book.places import lots_before, queue_of
from venue.gateway.door import Call
from venue.gateway.operations.operator.wire import entries
from venue.node.node import Node
from venue.texts import order_price_text, quantity_text

SPOT, CONTRACT = "SPOT", "CONTRACT"


def places(call: Call, request: PlacesRequest) -> list[QueuePlace]:
    """Return the caller's open orders with the quantities around them."""
    node, engine = call.node, call.node.engine
    _check_symbol(node, request)
    found: list[QueuePlace] = []
    if request.product != CONTRACT:
        found += _places(SPOT, engine.spot_account(call.uid).orders.values(), request.symbol)
    if request.product != SPOT:
        found += _places(CONTRACT, engine.holding(call.uid).orders.values(), request.symbol)
    return found


def own_wire(call: Call, request: OwnWireRequest) -> list[WireEntry]:
    """Return the caller's newest entries that agree, oldest first."""
    return entries(call.door, request, call.uid)


def _check_symbol(node: Node, request: PlacesRequest) -> None:
    """ApiError -2007 or -1121 for a symbol that the product does not have, or neither has."""
    symbol = request.symbol
    if symbol is None:
        return
    if request.product == CONTRACT:
        node.perp(symbol)
    elif request.product == SPOT or symbol not in node.engine.perps:
        node.market(symbol)


def _places(product: str, orders: Iterable[Order[Any]], symbol: str | None) -> list[QueuePlace]:
    wanted = [order for order in orders if symbol in (None, order.market.symbol)]
    before = lots_before(wanted)
    return [_place(product, order, before.get(order.order_id)) for order in wanted]


def _place(product: str, order: Order[Any], before: int | None) -> QueuePlace:
    instrument, queue = order.market.instrument, queue_of(order)
    whole = queue.quantity if queue is not None else 0
    found = QueuePlace(
        product=product,
        symbol=order.market.symbol,
        order_id=order.order_id,
        side=SIDE_NAMES[order.side],
        price=order_price_text(instrument, order.price),
        quantity=quantity_text(instrument, order.remaining),
        ahead=None,
        behind=None,
        at_price=quantity_text(instrument, whole) if queue is not None else None,
    )
    if before is not None:
        found.ahead = quantity_text(instrument, before)
        found.behind = quantity_text(instrument, whole - before - order.remaining)
    return found
