"""Trading operations: text to commands, commands to the sequencer, events to answers."""

from __future__ import annotations

from itertools import compress
from typing import Any, Final

from msgspec import UNSET

from venue.api import errors, former
from venue.api.errors import ApiError
from venue.api.fields import BATCH_CANCEL_MAX, BATCH_PLACE_MAX, GENERATED_CLIENT_ID
from venue.api.names import SIDES, TIMES_IN_FORCE, TYPES
from venue.api.spot.orders import (
    BatchCanceled,
    BatchItem,
    BatchPlaced,
    CancelBatchReply,
    CancelBatchRequest,
    Canceled,
    OrderAck,
    OrderRequest,
    PlaceBatchReply,
    PlaceBatchRequest,
    PlaceOrderRequest,
    SymbolRequest,
)
from venue.core.instruments import Instrument
from venue.core.messages.applied import Applied
from venue.core.messages.commands import CancelOrder, CancelOrders, PlaceOrder
from venue.core.messages.events import OrderClosed, OrderPlaced, OrderRepeated, Rejected
from venue.gateway.context import Call, Node
from venue.gateway.dispatch.decode import decode, lots, own_client_id, ticks
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.operations.refusals.funds import spot_funds
from venue.gateway.operations.refusals.spot import refusal
from venue.gateway.operations.requests import given_client_id, identified, named
from venue.vocabulary import GTC, IOC, MARKET, Reject

CANCELED: Final = "CANCELED"

# The answer to an unknown order in a batch: (status, errorMsg) by setting.
NOT_FOUND: Final = {
    "document": ("EXPIRED", "order not found"),
    "live": ("FAILED", "FAILED_ORDER_NOT_FOUND"),
}


async def place_order(call: Call, request: PlaceOrderRequest) -> OrderAck:
    """Place one order."""
    instrument = call.node.market(request.symbol).instrument
    command = order_command(call, instrument, request, GTC)
    (applied,) = await call.submit([command])
    order_id, client_id, time = _placed(call, applied, command)
    return OrderAck(instrument.symbol, order_id, client_id, time)


async def place_batch(call: Call, request: PlaceBatchRequest) -> PlaceBatchReply:
    """Place up to 10 orders; each succeeds or fails alone, all become durable together."""
    if len(request.order_list) > BATCH_PLACE_MAX:
        raise errors.out_of_range("orderList", f"allowed: 1 to {BATCH_PLACE_MAX} orders")
    instrument = call.node.market(request.symbol).instrument
    items = [_batch_command(call, instrument, item) for item in request.order_list]
    commands = [item for item in items if isinstance(item, PlaceOrder)]
    applied = iter(await call.submit(commands) if commands else [])
    now = call.node.clock.now() // 1000
    results = []
    for raw, item in zip(request.order_list, items, strict=True):
        client_id = item.client_id if isinstance(item, PlaceOrder) else given_client_id(raw)
        try:
            if isinstance(item, ApiError):
                raise item
            order_id, client_id, time = _placed(call, next(applied), item)
        except ApiError as problem:
            results.append(_failed(instrument.symbol, client_id, now, problem))
        else:
            results.append(BatchPlaced(instrument.symbol, client_id, time, order_id))
    return PlaceBatchReply(results)


async def cancel_order(call: Call, request: OrderRequest) -> Canceled:
    """Cancel one order, by id or by client id."""
    order_id, client_id = identified(request)
    (applied,) = await call.submit([CancelOrder(call.uid, order_id, client_id, call.request_id)])
    (event,) = applied.events
    if isinstance(event, Rejected):
        raise refusal(event)
    if request.order_id is not None:
        return Canceled(CANCELED, request.order_id)
    return Canceled(CANCELED, UNSET, request.orig_client_order_id or "")


async def cancel_open_orders(call: Call, request: SymbolRequest) -> list[Canceled]:
    """Cancel every open order in a symbol."""
    call.node.market(request.symbol)
    (applied,) = await call.submit([CancelOrders(call.uid, request.symbol, call.request_id)])
    return [
        Canceled(CANCELED, event.order_id)
        for event in applied.events
        if isinstance(event, OrderClosed)
    ]


async def cancel_batch(call: Call, request: CancelBatchRequest) -> CancelBatchReply:
    """Cancel orders by id and by client id; each item is answered, in the order asked."""
    order_ids = request.order_ids or []
    client_ids = request.orig_client_order_ids or []
    if not order_ids and not client_ids:
        raise errors.missing("orderIds' or 'origClientOrderIds")
    if len(order_ids) + len(client_ids) > BATCH_CANCEL_MAX:
        raise errors.out_of_range("orderIds", f"at most {BATCH_CANCEL_MAX} ids are allowed")
    if request.symbol is not None:
        call.node.market(request.symbol)
    commands = [CancelOrder(call.uid, number, "", call.request_id) for number in order_ids]
    for client_id in client_ids:
        commands.append(CancelOrder(call.uid, *named(client_id), call.request_id))
    allowed = [_in_symbol(call, command, request.symbol) for command in commands]
    wanted = list(compress(commands, allowed))
    applied = iter(await call.submit(wanted) if wanted else [])
    setting = call.node.batch_cancel_wording()
    return CancelBatchReply(
        [
            _batch_canceled(command.order_id, next(applied) if may else None, setting)
            for command, may in zip(commands, allowed, strict=True)
        ]
    )


def batch_place_closed(node: Node) -> str:
    """The setting that keeps batch placement closed (the document's state); empty: it is open."""
    return "" if node.setting("batchPlace", "false") == "true" else "batchPlace"


def order_command(
    call: Call,
    instrument: Instrument,
    request: PlaceOrderRequest | BatchItem,
    default_time_in_force: int | None,
) -> PlaceOrder:
    """The command of a request, in ticks and lots; ApiError for a text without a meaning."""
    side = SIDES[request.side]
    kind = TYPES[request.type]
    client_id = own_client_id(request.new_client_order_id, "newClientOrderId")
    if kind == MARKET:
        if request.price is not None:
            raise errors.combination("price", "type=MARKET")
        if (
            request.time_in_force == "POST_ONLY"
        ):  # the document says of all others that they have no effect
            raise errors.combination("timeInForce", "type=MARKET")
        price, time_in_force = 0, IOC
    else:
        if request.time_in_force is not None:
            time_in_force = TIMES_IN_FORCE[request.time_in_force]
        elif default_time_in_force is not None:
            time_in_force = default_time_in_force
        else:
            raise errors.bad_time_in_force()
        if request.price is None:
            raise errors.missing("price")
        price = ticks(instrument, request.price, "price")
    quantity = lots(instrument, request.quantity, "quantity")
    return PlaceOrder(
        call.uid, instrument.symbol, side, kind, time_in_force, quantity, price, client_id,
        call.request_id, connection=call.connection,
    )  # fmt: skip


_BATCH_ITEM = compile_request(BatchItem)


def _batch_command(call: Call, instrument: Instrument, item: Any) -> PlaceOrder | ApiError:
    """The command of one batch item, or the error that there is instead."""
    try:
        if not isinstance(item, dict):
            raise errors.invalid("orderList", "an element must be an object")
        order: BatchItem = decode(_BATCH_ITEM, item)
        if order.symbol not in (None, instrument.symbol):
            rule = f"must be the batch's, {instrument.symbol}, or absent"
            raise errors.out_of_range("symbol", rule)
        return order_command(call, instrument, order, None)
    except ApiError as problem:
        return errors.explained(problem, former.fields(_BATCH_ITEM.names, item))


def _failed(symbol: str, client_id: str, time: int, problem: ApiError) -> BatchPlaced:
    return BatchPlaced(symbol, client_id, time, UNSET, problem.item_code, problem.message)


def _placed(call: Call, applied: Applied, command: PlaceOrder) -> tuple[int, str, int]:
    """Order id, client order id and acceptance time (ms) of a placed order."""
    event = applied.events[0]
    if isinstance(event, OrderPlaced):
        call.note_placed(event.order_id)
        client_id = event.client_id or GENERATED_CLIENT_ID % event.order_id
        return event.order_id, client_id, applied.time // 1000
    if isinstance(event, OrderRepeated):
        return event.order_id, event.client_id, event.placed_time // 1000
    assert isinstance(event, Rejected), event
    raise order_refusal(call.node, event, command)


def order_refusal(node: Node, event: Rejected, command: PlaceOrder) -> ApiError:
    """The error for a refused order, with the reason."""
    if event.reason == Reject.FUNDS:
        return spot_funds(node, command)
    return refusal(event, node.instrument(command.symbol))


def _in_symbol(call: Call, command: CancelOrder, symbol: str | None) -> bool:
    """Whether a cancel may go on when the request is restricted to one symbol."""
    if symbol is None:
        return True
    account = call.node.engine.spot_account(call.uid)
    if command.order_id:
        order = account.orders.get(command.order_id)
    else:
        order = account.clients.get(command.client_id)
    return order is not None and order.market.symbol == symbol


def _batch_canceled(order_id: int, applied: Applied | None, setting: str) -> BatchCanceled:
    if applied is not None:
        (event,) = applied.events
        if isinstance(event, OrderClosed):
            return BatchCanceled(CANCELED, event.order_id)
    status, message = NOT_FOUND[setting]
    named = setting == "live" and order_id  # the document gives an id only "if found"
    return BatchCanceled(status, order_id if named else UNSET, message)
