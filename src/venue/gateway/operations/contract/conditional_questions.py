"""Questions of conditional orders: the engine knows those that wait, history the past ones."""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from venue.api.contract.conditional import (
    AllAlgosRequest,
    EndedAlgo,
    EndedAlgos,
    OpenAlgo,
    OpenAlgosRequest,
    TrailingHistoryRequest,
)
from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import (
    ALGO_STATUS_NAMES,
    ALGO_TYPE_NAMES,
    POSITION_SIDE_NAMES,
    SIDE_NAMES,
    SOURCE_NAMES,
)
from venue.core.contract.records import Algo
from venue.core.instruments import Instrument
from venue.gateway.door import Call
from venue.gateway.operations.contract.order_questions import (
    ORDERS_DAYS_MAX,
    closes,
    days,
    own_price,
    selected_symbols,
    time_in_force,
)
from venue.gateway.operations.contract.orders import holding_of
from venue.gateway.operations.requests import span
from venue.history.questions import contract as questions
from venue.history.tables.contract import (
    ConditionalRow,
    ConditionalsOf,
)
from venue.node.node import Node
from venue.texts import (
    average_text,
    order_price_text,
    price_text,
    quantity_text,
    rate_text,
)
from venue.times import US_PER_MS
from venue.vocabulary import (
    ALGO_TRAILING_STOP_MARKET,
)

ALGO_KIND: Final = "PLAN"  # the `algoType` of all, as the interface has it


def open_algos(call: Call, request: OpenAlgosRequest) -> list[OpenAlgo]:
    """Waiting conditional orders, oldest first; in demo contracts only by symbol."""
    return _waiting(call, request, trailing=False)


def open_trailing(call: Call, request: OpenAlgosRequest) -> list[OpenAlgo]:
    """Waiting trailing stops, oldest first; in demo contracts only by symbol."""
    return _waiting(call, request, trailing=True)


def _waiting(call: Call, request: OpenAlgosRequest, *, trailing: bool) -> list[OpenAlgo]:
    node = call.node
    start, end = span(request.start_time, request.end_time)
    symbols = selected_symbols(node, request.symbol)
    holding = holding_of(call)
    found = [
        order
        for order in holding.algos.values()
        if order.perp.symbol in symbols
        and (order.type == ALGO_TRAILING_STOP_MARKET or not trailing)
        and (start is None or order.time >= start)
        and (end is None or order.time <= end)
    ]
    found.sort(key=lambda order: order.algo_id)
    begin = (request.page - 1) * request.limit
    return [_open_view(order) for order in found[begin : begin + request.limit]]


def _open_view(order: Algo) -> OpenAlgo:
    instrument = order.perp.market.instrument
    profit, loss = order.take_profit, order.stop_loss
    trails = order.type == ALGO_TRAILING_STOP_MARKET
    return OpenAlgo(
        algo_id=order.algo_id,
        client_algo_id=order.client_id or GENERATED_CLIENT_ID % order.algo_id,
        algo_type=ALGO_KIND,
        order_type=ALGO_TYPE_NAMES[order.type],
        symbol=instrument.symbol,
        side=SIDE_NAMES[order.side],
        position_side=POSITION_SIDE_NAMES[order.position_side],
        time_in_force=time_in_force(order.type),
        quantity=quantity_text(instrument, order.quantity),
        algo_status=ALGO_STATUS_NAMES[order.status],
        actual_order_id=order.parent_id or None,
        actual_price="0",
        trigger_price=order_price_text(instrument, order.trigger_price),
        price=own_price(instrument, order.type, order.price),
        tp_trigger_price=_given_price(instrument, profit.trigger_price),
        tp_price="0" if profit.trigger_price else None,  # exits execute at market
        sl_trigger_price=_given_price(instrument, loss.trigger_price),
        sl_price="0" if loss.trigger_price else None,
        tp_order_type=SOURCE_NAMES[profit.source] if profit.trigger_price else None,
        working_type=SOURCE_NAMES[order.source],
        close_position=order.quantity == 0,
        reduce_only=closes(order.side, order.position_side),
        create_time=order.time // US_PER_MS,
        update_time=order.update_time // US_PER_MS,
        trigger_time=0,
        activate_price=order_price_text(instrument, order.price) if trails else UNSET,
        callback_rate=rate_text(order.callback_ppm) if trails else UNSET,
    )


async def all_algos(call: Call, request: AllAlgosRequest) -> EndedAlgos:
    """Ended conditional orders, newest first; of demo contracts only by symbol."""
    node = call.node
    symbols = selected_symbols(node, request.symbol)
    start, end = days(request.start_time, request.end_time, node.clock.now(), ORDERS_DAYS_MAX)
    if not symbols:
        return EndedAlgos([], False)
    which = ConditionalsOf(call.uid, start=start, end=end, among=symbols)
    # One more than is shown tells whether there are more.
    rows = await node.ask(questions.conditional_orders, which, request.limit + 1)
    shown = rows[: request.limit]
    return EndedAlgos([_ended_view(node, row) for row in shown], len(rows) > len(shown))


async def trailing_history(call: Call, request: TrailingHistoryRequest) -> list[EndedAlgo]:
    """Ended trailing stops, newest first; of demo contracts only by symbol."""
    node = call.node
    symbols = selected_symbols(node, request.symbol)
    start, end = days(request.start_time, request.end_time, node.clock.now(), ORDERS_DAYS_MAX)
    if not symbols:
        return []
    which = ConditionalsOf(
        call.uid, start=start, end=end, among=symbols, type=ALGO_TRAILING_STOP_MARKET
    )
    rows = await node.ask(questions.conditional_orders, which, request.limit, request.page)
    return [_ended_view(node, row) for row in rows]


def _ended_view(node: Node, row: ConditionalRow) -> EndedAlgo:
    conditional = row.conditional
    perp = node.perp(conditional.symbol)
    instrument = perp.market.instrument
    trails = conditional.type == ALGO_TRAILING_STOP_MARKET
    return EndedAlgo(
        algo_id=conditional.algo_id,
        client_algo_id=conditional.client_id or GENERATED_CLIENT_ID % conditional.algo_id,
        algo_type=ALGO_KIND,
        order_type=ALGO_TYPE_NAMES[conditional.type],
        symbol=conditional.symbol,
        side=SIDE_NAMES[conditional.side],
        position_side=POSITION_SIDE_NAMES[conditional.position_side],
        time_in_force=time_in_force(conditional.type),
        quantity=quantity_text(instrument, conditional.quantity),
        algo_status=ALGO_STATUS_NAMES[conditional.status],
        actual_order_id=conditional.order_id,
        actual_price=average_text(perp, row.quote, row.executed),
        # A trailing stop's moves along: history knows its last place.
        trigger_price=order_price_text(
            instrument, conditional.trigger_price or conditional.triggered_price
        ),
        price=own_price(instrument, conditional.type, conditional.price),
        working_type=SOURCE_NAMES[conditional.source],
        create_time=conditional.time // US_PER_MS,
        update_time=conditional.update_time // US_PER_MS,
        trigger_time=conditional.trigger_time // US_PER_MS,
        activate_price=order_price_text(instrument, conditional.price) if trails else UNSET,
        callback_rate=rate_text(conditional.callback_ppm) if trails else UNSET,
    )


def _given_price(instrument: Instrument, price: int) -> str | None:
    return price_text(instrument, price) if price else None
