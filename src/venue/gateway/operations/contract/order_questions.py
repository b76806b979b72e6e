"""Order questions of the contract side: the engine knows open orders, history the past ones."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.contract.orders import (
    ContractOpenOrdersRequest,
    ContractOrderHistoryRequest,
    ContractOrderRequest,
    ContractOrderView,
    UserTrade,
    UserTradesRequest,
)
from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.names import (
    ALGO_STATUS_NAMES,
    ALGO_TYPE_NAMES,
    NO_SOURCE,
    POSITION_SIDE_NAMES,
    SIDE_NAMES,
    SOURCE_NAMES,
    STATUS_NAMES,
    TIME_IN_FORCE_NAMES,
    TYPE_NAMES,
)
from venue.api.profile import Profile
from venue.candles import DAY_US
from venue.core.book.book import Order
from venue.core.contract.records import Algo, Terms
from venue.core.instruments import Instrument
from venue.gateway.door import Call
from venue.gateway.operations.contract.market import bounded_span
from venue.gateway.operations.contract.orders import holding_of
from venue.gateway.operations.refusals.contract import order_unknown, symbol_unknown
from venue.gateway.operations.requests import order_identity, span
from venue.history.questions import contract as questions
from venue.history.tables.contract import (
    BECAME_NOTHING,
    ConditionalRow,
    ContractFillRow,
    ContractFillsOf,
    ContractOrderRow,
    ContractOrdersOf,
)
from venue.node.node import DEMO_ASSET, Node
from venue.texts import (
    amount_text,
    average_text,
    fill_id,
    order_price_text,
    price_text,
    quantity_text,
)
from venue.times import LAST_US_OF_MS, US_PER_MS
from venue.vocabulary import ALGO_UNTRIGGERED, ALGOS_AT_PRICE, BUY, LONG, SEPARATED

ORDERS_DAYS_MAX: Final = 90
TRADES_DAYS_MAX: Final = 7


# -- orders ---------------------------------------------------------------------------------------


async def contract_order(call: Call, request: ContractOrderRequest) -> ContractOrderView:
    """Return one order or conditional order, open or ended."""
    node = call.node
    order_id, client_id = order_identity(request)
    holding = holding_of(call)
    found = holding.orders.get(order_id) if order_id else holding.clients.get(client_id)
    if found is not None:
        return await _order_view(call, found)
    waits = holding.algos.get(order_id) if order_id else holding.algo_clients.get(client_id)
    if waits is not None and waits.status == ALGO_UNTRIGGERED:
        return _waiting_view(node, waits)
    node.check_rows(call.uid)
    if order_id:
        row = await node.ask(questions.contract_order, call.uid, order_id)
    else:
        row = await node.ask(questions.contract_order_by_client_id, call.uid, client_id)
    if row is not None:
        return _row_view(node, row)
    conditional = await node.ask(questions.conditional_order, call.uid, order_id, client_id)
    if conditional is None:
        raise order_unknown()
    return await _resulting_order(call, conditional)


async def _resulting_order(call: Call, row: ConditionalRow) -> ContractOrderView:
    """Return a conditional order that waits no more, under its own id, with the state of the order
    it became."""
    conditional = row.conditional
    node = call.node
    if not conditional.order_id:
        return _ended_view(node, row)
    found = holding_of(call).orders.get(conditional.order_id)
    if found is not None:
        view = await _order_view(call, found)
    else:
        view = _row_view(
            node, await node.ask(questions.contract_order, call.uid, conditional.order_id)
        )
    view.order_id = conditional.algo_id
    view.client_order_id = conditional.client_id or GENERATED_CLIENT_ID % conditional.algo_id
    return view


async def contract_open_orders(
    call: Call, request: ContractOpenOrdersRequest
) -> list[ContractOrderView]:
    """Return the open orders, oldest first; in demo contracts only by symbol."""
    node = call.node
    after, before = request.start_time, request.end_time
    span(after, before)  # may not be reversed
    symbols = selected_symbols(node, request.symbol)
    holding = holding_of(call)
    found = [
        order
        for order in holding.orders.values()
        if order.market.symbol in symbols
        and (request.order_id is None or order.order_id > request.order_id)
        and (after is None or order.time // US_PER_MS > after)
        and (before is None or order.time // US_PER_MS < before)
    ]
    found.sort(key=lambda order: order.order_id)
    begin = request.page * request.limit
    views = [await _order_view(call, order) for order in found[begin : begin + request.limit]]
    for view in views:
        view.price_protect = False
        view.price_match = "NONE"
        view.self_trade_prevention_mode = "NONE"
        view.good_till_date = 0
    return views


async def contract_order_history(
    call: Call, request: ContractOrderHistoryRequest
) -> list[ContractOrderView]:
    """Ended orders, newest first; of demo contracts only by symbol."""
    return await _history(call, request, selected_symbols(call.node, request.symbol))


async def demo_order_history(
    call: Call, request: ContractOrderHistoryRequest
) -> list[ContractOrderView]:
    """Ended orders of the demo contracts, newest first."""
    node = call.node
    if request.symbol is not None:
        if node.perp(request.symbol).contract.instrument.quote != DEMO_ASSET:
            raise symbol_unknown()
        return await _history(call, request, (request.symbol,))
    return await _history(call, request, tuple(perp.symbol for perp in node.perps(demo=True)))


async def _history(
    call: Call, request: ContractOrderHistoryRequest, symbols: tuple[str, ...]
) -> list[ContractOrderView]:
    node = call.node
    node.check_rows(call.uid)
    start, end = days(request.start_time, request.end_time, node.clock.now(), ORDERS_DAYS_MAX)
    if not symbols:
        return []
    # Without times, orders that ended lately are there, however old they are.
    touched = request.start_time is None and request.end_time is None
    which = ContractOrdersOf(
        call.uid, start=start, end=end, among=symbols, ended=True, touched=touched
    )
    rows = await node.ask(questions.contract_orders, which, request.limit, request.page + 1)
    return [_row_view(node, row) for row in rows]


def selected_symbols(node: Node, symbol: str | None) -> tuple[str, ...]:
    """Return the symbol asked for, or all but those of demo contracts."""
    if symbol is not None:
        return (node.perp(symbol).symbol,)
    return tuple(perp.symbol for perp in node.perps(demo=False))


def days(start: int | None, end: int | None, now: int, days: int) -> tuple[int | None, int | None]:
    """Return a span of at most `days` days in µs: the last ones, or those beside the end that is
    given."""
    length = days * DAY_US
    begin, until = bounded_span(start, end, now)
    if start is not None and end is not None:
        if (end - start) * US_PER_MS > length:
            raise errors.error(-1170, name="endTime", rule=f"at most {days} days after startTime")
    elif start is not None:
        until = start * US_PER_MS + length + LAST_US_OF_MS
    elif end is not None:
        begin = end * US_PER_MS - length
    else:
        begin = now - length
    return begin, until


async def _order_view(call: Call, found: Order[Terms]) -> ContractOrderView:
    """Return an order of the engine; history knows the conditional order that it came from."""
    node = call.node
    terms = found.terms
    if terms.algo_id:
        row = await node.ask(questions.contract_order, call.uid, found.order_id)
        return _row_view(node, row)
    instrument = found.market.instrument
    executed = found.quantity - found.remaining - terms.trimmed
    return ContractOrderView(
        avg_price=average_text(terms.perp, found.quote, executed),
        client_order_id=found.client_id or GENERATED_CLIENT_ID % found.order_id,
        cum_quote=amount_text(node.asset(instrument.quote), found.quote),
        executed_qty=quantity_text(instrument, executed),
        order_id=found.order_id,
        orig_qty=quantity_text(instrument, found.quantity),
        price=order_price_text(instrument, found.price),
        reduce_only=not terms.opens and _told_to_reduce(node, terms),
        side=SIDE_NAMES[found.side],
        position_side=POSITION_SIDE_NAMES[terms.position_side],
        status=STATUS_NAMES[found.status],
        stop_price="0",
        symbol=instrument.symbol,
        time=found.time // US_PER_MS,
        time_in_force=TIME_IN_FORCE_NAMES[found.time_in_force],
        type=TYPE_NAMES[found.type],
        update_time=found.update_time // US_PER_MS,
        working_type=NO_SOURCE,
    )


def _told_to_reduce(node: Node, terms: Terms) -> bool:
    """Return whether an open order that closes is told as one that only reduces: the live exchange
    does so in SEPARATED mode alone."""
    return node.profile is not Profile.LIVE or terms.modes.separated == SEPARATED


def _row_view(node: Node, row: ContractOrderRow) -> ContractOrderView:
    order = row.order
    perp = node.perp(order.symbol)
    instrument = perp.market.instrument
    stop_price, working_type, kind = "0", NO_SOURCE, TYPE_NAMES[order.type]
    if row.conditional_type is not None and row.stop_source is not None:
        stop_price = order_price_text(instrument, row.stop_price or 0)
        working_type = SOURCE_NAMES[row.stop_source]
        kind = ALGO_TYPE_NAMES[row.conditional_type]
    return ContractOrderView(
        avg_price=average_text(perp, order.quote, order.executed),
        client_order_id=order.client_id or GENERATED_CLIENT_ID % order.order_id,
        cum_quote=amount_text(node.asset(instrument.quote), order.quote),
        executed_qty=quantity_text(instrument, order.executed),
        order_id=order.order_id,
        orig_qty=quantity_text(instrument, order.quantity),
        price=order_price_text(instrument, order.price),
        reduce_only=closes(order.side, order.position_side),
        side=SIDE_NAMES[order.side],
        position_side=POSITION_SIDE_NAMES[order.position_side],
        status=STATUS_NAMES[order.status],
        stop_price=stop_price,
        symbol=order.symbol,
        time=order.time // US_PER_MS,
        time_in_force=TIME_IN_FORCE_NAMES[order.time_in_force],
        type=kind,
        update_time=order.update_time // US_PER_MS,
        working_type=working_type,
    )


def _waiting_view(node: Node, order: Algo) -> ContractOrderView:
    """Return a conditional order that waits, in the fields of an order."""
    instrument = order.perp.market.instrument
    return ContractOrderView(
        avg_price=average_text(order.perp, 0, 0),
        client_order_id=order.client_id or GENERATED_CLIENT_ID % order.algo_id,
        cum_quote=amount_text(node.asset(instrument.quote), 0),
        executed_qty=quantity_text(instrument, 0),
        order_id=order.algo_id,
        orig_qty=quantity_text(instrument, order.quantity),
        price=own_price(instrument, order.type, order.price),
        reduce_only=closes(order.side, order.position_side),
        side=SIDE_NAMES[order.side],
        position_side=POSITION_SIDE_NAMES[order.position_side],
        status=ALGO_STATUS_NAMES[order.status],
        stop_price=order_price_text(instrument, order.trigger_price),
        symbol=instrument.symbol,
        time=order.time // US_PER_MS,
        time_in_force=time_in_force(order.type),
        type=ALGO_TYPE_NAMES[order.type],
        update_time=order.update_time // US_PER_MS,
        working_type=SOURCE_NAMES[order.source],
    )


def _ended_view(node: Node, row: ConditionalRow) -> ContractOrderView:
    """Return a conditional order that became no order."""
    conditional = row.conditional
    perp = node.perp(conditional.symbol)
    instrument = perp.market.instrument
    return ContractOrderView(
        avg_price=average_text(perp, 0, 0),
        client_order_id=conditional.client_id or GENERATED_CLIENT_ID % conditional.algo_id,
        cum_quote=amount_text(node.asset(instrument.quote), 0),
        executed_qty=quantity_text(instrument, 0),
        order_id=conditional.algo_id,
        orig_qty=quantity_text(instrument, conditional.quantity),
        price=own_price(instrument, conditional.type, conditional.price),
        reduce_only=closes(conditional.side, conditional.position_side),
        side=SIDE_NAMES[conditional.side],
        position_side=POSITION_SIDE_NAMES[conditional.position_side],
        status=STATUS_NAMES[BECAME_NOTHING[conditional.status]],
        stop_price=order_price_text(
            instrument, conditional.trigger_price or conditional.triggered_price
        ),
        symbol=conditional.symbol,
        time=conditional.time // US_PER_MS,
        time_in_force=time_in_force(conditional.type),
        type=ALGO_TYPE_NAMES[conditional.type],
        update_time=conditional.update_time // US_PER_MS,
        working_type=SOURCE_NAMES[conditional.source],
    )


def closes(side: int, position_side: int) -> bool:
    """Return whether an order of `side` closes a position of `position_side`."""
    return (side == BUY) != (position_side == LONG)


# -- fills ----------------------------------------------------------------------------------------


async def user_trades(call: Call, request: UserTradesRequest) -> list[UserTrade]:
    """Own fills, newest first; those of one order, or from an id on, at any time."""
    node = call.node
    node.check_rows(call.uid)
    symbols = selected_symbols(node, request.symbol)
    start, end = days(request.start_time, request.end_time, node.clock.now(), TRADES_DAYS_MAX)
    named = request.order_id is not None or request.from_id is not None
    if named and request.start_time is None and request.end_time is None:
        start = None
    if request.order_id is not None:
        symbols = () if request.symbol is None else symbols
    elif not symbols:
        return []
    which = ContractFillsOf(
        call.uid,
        order_id=request.order_id,
        start=start,
        end=end,
        among=symbols,
        from_id=request.from_id,
    )
    rows = await node.ask(questions.contract_fills, which, request.limit)
    return [_fill_view(node, row) for row in rows]


def _fill_view(node: Node, row: ContractFillRow) -> UserTrade:
    fill = row.fill
    instrument = node.perp(fill.symbol).market.instrument
    asset = node.asset(fill.fee_asset)
    return UserTrade(
        id=fill_id(fill.trade_id, second=bool(row.both)),
        order_id=fill.order_id,
        symbol=fill.symbol,
        buyer=fill.side == BUY,
        commission=amount_text(asset, fill.fee),
        commission_asset=asset.name,
        maker=bool(fill.is_maker),
        price=price_text(instrument, fill.price),
        qty=quantity_text(instrument, fill.quantity),
        quote_qty=amount_text(asset, fill.notional),
        realized_pnl=amount_text(asset, fill.realized),
        side=SIDE_NAMES[fill.side],
        position_side=POSITION_SIDE_NAMES[fill.position_side],
        time=fill.time // US_PER_MS,
    )


def time_in_force(conditional_type: int) -> str:
    """Return how long the order of a conditional order lives."""
    return "GTC" if conditional_type in ALGOS_AT_PRICE else "IOC"


def own_price(instrument: Instrument, conditional_type: int, price: int) -> str:
    """Return the price it enters the book at: `0` for market (a trailing stop's is its
    activation)."""
    return order_price_text(instrument, price) if conditional_type in ALGOS_AT_PRICE else "0"
