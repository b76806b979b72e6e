"""Questions about spot orders and fills: open orders from the engine, the past from history."""

from __future__ import annotations

from venue.api import errors
from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import (
    SIDE_NAMES,
    STATUS_NAMES,
    TIME_IN_FORCE_NAMES,
    TYPE_NAMES,
)
from venue.api.spot.orders import (
    AllOrdersRequest,
    MyTrade,
    MyTradesRequest,
    OpenOrdersRequest,
    OrderRequest,
    OrderView,
)
from venue.core.book.book import OPEN
from venue.core.instruments import Instrument
from venue.core.spot.account import SpotOrder
from venue.gateway.door import Call
from venue.gateway.operations.requests import order_identity, span
from venue.history.questions import spot as questions
from venue.history.tables.spot import (
    FillRow,
    FillsOf,
    OrderRow,
    OrdersOf,
)
from venue.node.node import Node
from venue.texts import (
    amount_text,
    fill_id,
    order_price_text,
    price_text,
    quantity_text,
)
from venue.times import US_PER_MS
from venue.vocabulary import BUY


async def order(call: Call, request: OrderRequest) -> OrderView:
    """Return one order, open or ended."""
    node = call.node
    order_id, client_id = order_identity(request)
    account = node.engine.spot_account(call.uid)
    found = account.orders.get(order_id) if order_id else account.clients.get(client_id)
    if found is not None:
        return _order_view(node, found)
    node.check_rows(call.uid)
    question = questions.order if order_id else questions.order_by_client_id
    row = await node.ask(question, call.uid, order_id or client_id)
    if row is None:
        raise errors.spot_order_unknown()
    return _row_view(node, row)


def open_orders(call: Call, request: OpenOrdersRequest) -> list[OrderView]:
    """Return the open orders, oldest first."""
    node = call.node
    if request.symbol is not None:
        node.market(request.symbol)
    return [
        _order_view(node, found)
        for found in node.engine.spot_account(call.uid).orders.values()
        if request.symbol in (None, found.market.symbol)
    ]


async def all_orders(call: Call, request: AllOrdersRequest) -> list[OrderView]:
    """Orders in every status."""
    node = call.node
    node.check_rows(call.uid)
    node.market(request.symbol)
    start, end = span(request.start_time, request.end_time)
    which = OrdersOf(call.uid, request.symbol, start, end)
    rows = await node.ask(questions.orders, which, request.limit, request.page)
    return [_row_view(node, row) for row in rows]


async def my_trades(call: Call, request: MyTradesRequest) -> list[MyTrade]:
    """Own fills."""
    node = call.node
    node.check_rows(call.uid)
    instrument = node.market(request.symbol).instrument
    start, end = span(request.start_time, request.end_time)
    which = FillsOf(call.uid, request.symbol, request.order_id, start, end, request.from_id)
    rows = await node.ask(questions.fills, which, request.limit)
    return [_fill_view(node, instrument, row) for row in rows]


def _order_view(node: Node, found: SpotOrder) -> OrderView:
    instrument = found.market.instrument
    return OrderView(
        symbol=instrument.symbol,
        order_id=found.order_id,
        client_order_id=found.client_id or GENERATED_CLIENT_ID % found.order_id,
        price=order_price_text(instrument, found.price),
        orig_qty=quantity_text(instrument, found.quantity),
        executed_qty=quantity_text(instrument, found.quantity - found.remaining),
        cummulative_quote_qty=amount_text(node.asset(instrument.quote), found.quote),
        status=STATUS_NAMES[found.status],
        time_in_force=TIME_IN_FORCE_NAMES[found.time_in_force],
        type=TYPE_NAMES[found.type],
        side=SIDE_NAMES[found.side],
        time=found.time // US_PER_MS,
        update_time=found.update_time // US_PER_MS,
        is_working=found.level is not None,
    )


def _row_view(node: Node, row: OrderRow) -> OrderView:
    instrument = node.instrument(row.symbol)
    status = STATUS_NAMES[row.status]
    return OrderView(
        symbol=row.symbol,
        order_id=row.order_id,
        client_order_id=row.client_id or GENERATED_CLIENT_ID % row.order_id,
        price=order_price_text(instrument, row.price),
        orig_qty=quantity_text(instrument, row.quantity),
        executed_qty=quantity_text(instrument, row.executed),
        cummulative_quote_qty=amount_text(node.asset(instrument.quote), row.quote),
        status=status,
        time_in_force=TIME_IN_FORCE_NAMES[row.time_in_force],
        type=TYPE_NAMES[row.type],
        side=SIDE_NAMES[row.side],
        time=row.time // US_PER_MS,
        update_time=row.update_time // US_PER_MS,
        is_working=row.status in OPEN,
    )


def _fill_view(node: Node, instrument: Instrument, row: FillRow) -> MyTrade:
    fill = row.fill
    return MyTrade(
        symbol=fill.symbol,
        id=fill_id(fill.trade_id, second=bool(row.both)),
        order_id=fill.order_id,
        price=price_text(instrument, fill.price),
        qty=quantity_text(instrument, fill.quantity),
        quote_qty=amount_text(node.asset(instrument.quote), fill.notional),
        commission=amount_text(node.asset(fill.fee_asset), fill.fee),
        time=fill.time // US_PER_MS,
        is_buyer=fill.side == BUY,
    )
