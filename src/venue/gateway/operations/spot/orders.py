"""Trading operations: text to commands, commands to the sequencer, events to answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any, Final

from msgspec import UNSET

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.fields import BATCH_CANCEL_MAX, BATCH_PLACE_MAX, GENERATED_CLIENT_ID
from venue.api.names import SIDES, TYPES
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
from venue.gateway.dispatch.decode import lots, own_client_id, price_and_force
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.door import Call
from venue.gateway.operations.batches import BatchItems, place_each, to_cancel
from venue.gateway.operations.refusals.funds import spot_funds
from venue.gateway.operations.refusals.spot import refusal
from venue.gateway.operations.requests import order_identity
from venue.node.node import Node
from venue.vocabulary import GTC, Reject

CANCELED: Final = "CANCELED"
ITEMS: Final = BatchItems("orderList", BATCH_PLACE_MAX, compile_request(BatchItem))

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
    order_id, client_id, time = _placed_ids(call, applied, command)
    return OrderAck(instrument.symbol, order_id, client_id, time)


async def place_batch(call: Call, request: PlaceBatchRequest) -> PlaceBatchReply:
    """Place up to 10 orders; each succeeds or fails alone, all become durable together."""

    def order(item: BatchItem) -> tuple[Instrument, PlaceOrder]:
        if item.symbol not in (None, instrument.symbol):
            rule = f"must be the batch's, {instrument.symbol}, or absent"
            raise errors.out_of_range("symbol", rule)
        return instrument, order_command(call, instrument, item, errors.bad_time_in_force)

    def failed_item(client_id: str, problem: ApiError) -> BatchPlaced:
        now = call.node.clock.now() // 1000
        words = problem.item_code, problem.message
        return BatchPlaced(instrument.symbol, client_id, now, UNSET, *words)

    ITEMS.check(request.order_list)
    instrument = call.node.market(request.symbol).instrument
    raws: list[Any] = list(request.order_list)
    return PlaceBatchReply(await place_each(call, ITEMS, raws, order, _batch_placed, failed_item))


async def cancel_order(call: Call, request: OrderRequest) -> Canceled:
    """Cancel one order, by id or by client id."""
    order_id, client_id = order_identity(request)
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
    numbers = "orderIds", request.order_ids
    names = "origClientOrderIds", request.orig_client_order_ids
    which = to_cancel(numbers, names, BATCH_CANCEL_MAX)
    if request.symbol is not None:
        call.node.market(request.symbol)
    commands = [CancelOrder(call.uid, *one, call.request_id) for one in which]
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


def order_command(
    call: Call,
    instrument: Instrument,
    request: PlaceOrderRequest | BatchItem,
    absent: int | Callable[[], ApiError],
) -> PlaceOrder:
    """Return the command of a request, in ticks and lots; ApiError for a text without a meaning.
    `absent` is the time in force of an order that names none, or the refusal."""
    client_id = own_client_id(request.new_client_order_id, "newClientOrderId")
    price, time_in_force = price_and_force(instrument, request, absent)
    quantity = lots(instrument, request.quantity, "quantity")
    return PlaceOrder(
        call.uid, instrument.symbol, SIDES[request.side], TYPES[request.type], time_in_force,
        quantity, price, client_id, call.request_id, connection=call.connection,
    )  # fmt: skip


def _batch_placed(call: Call, applied: Applied, _: Instrument, command: PlaceOrder) -> BatchPlaced:
    order_id, client_id, time = _placed_ids(call, applied, command)
    return BatchPlaced(command.symbol, client_id, time, order_id)


def _placed_ids(call: Call, applied: Applied, command: PlaceOrder) -> tuple[int, str, int]:
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
    """Return the error for a refused order, with the reason."""
    if event.reason == Reject.FUNDS:
        return spot_funds(node, command)
    return refusal(event, node.instrument(command.symbol))


def _in_symbol(call: Call, command: CancelOrder, symbol: str | None) -> bool:
    """Return whether a cancel may go on when the request is restricted to one symbol."""
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
