"""Contract trading operations: orders, and closing positions."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from venue.api import errors
from venue.api.contract.orders import (
    CancelAllRequest,
    CancelContractBatchRequest,
    ClosedPosition,
    ClosePositionsRequest,
    ContractBatchCanceled,
    ContractCanceled,
    ContractOrderAck,
    ContractOrderCanceled,
    ContractOrderRequest,
    PlaceContractBatchRequest,
    PlaceContractOrderRequest,
)
from venue.api.errors import ApiError
from venue.api.fields import CONTRACT_BATCH_MAX, GENERATED_CLIENT_ID, Money
from venue.api.names import POSITION_SIDES, SIDES, SOURCES, TYPES
from venue.core.contract.records import Holding
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    NO_EXIT,
    CancelContractOrder,
    CancelContractOrders,
    ClosePositions,
    Command,
    Exit,
    PlaceContractOrder,
)
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderClosed,
    ContractOrderPlaced,
)
from venue.core.messages.events import OrderRepeated, Rejected
from venue.gateway.dispatch.decode import lots, own_client_id, price_and_force, ticks
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.door import Call
from venue.gateway.operations.batches import BatchItems, place_each, to_cancel
from venue.gateway.operations.refusals.contract import (
    ORDER,
    ListedContract,
    Words,
    exit_refusal,
    refusal,
    size_refusal,
    symbol_unknown,
)
from venue.gateway.operations.refusals.funds import contract_money
from venue.gateway.operations.requests import order_identity
from venue.node.node import DEMO_ASSET, Node
from venue.vocabulary import (
    BUY,
    LONG,
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    Reject,
)

NOT_BY_API: Final = -1058
ITEMS: Final = BatchItems(
    "batchOrders", CONTRACT_BATCH_MAX, compile_request(PlaceContractOrderRequest)
)
_FORCE_MISSING: Final = partial(errors.missing, "timeInForce")
# The answer to an unknown order in a batch, by setting.
NOT_FOUND: Final = {"document": "order not found", "live": "FAILED_ORDER_NOT_FOUND"}
# The reply about an open position names the reason, but not the bound that was broken.
_CAPS: Final = {
    int(Reject.OPEN_ORDERS_SYMBOL): OPEN_ORDERS_PER_SYMBOL_MAX,
    int(Reject.OPEN_ORDERS_ACCOUNT): OPEN_ORDERS_PER_ACCOUNT_MAX,
}


# -- orders ---------------------------------------------------------------------------------------


async def place_contract_order(call: Call, request: PlaceContractOrderRequest) -> ContractOrderAck:
    """Place one order."""
    return await _place(call, tradable_contract(call, request.symbol), request)


async def place_demo_order(call: Call, request: PlaceContractOrderRequest) -> ContractOrderAck:
    """Place one order in a contract that settles in demo money."""
    found = tradable_contract(call, request.symbol)
    if found.asset.name != DEMO_ASSET:
        raise symbol_unknown()
    return await _place(call, found, request)


async def place_contract_batch(
    call: Call, request: PlaceContractBatchRequest
) -> list[ContractOrderAck]:
    """Place up to 10 orders; each succeeds or fails alone, all become durable together."""

    def order(item: PlaceContractOrderRequest) -> tuple[ListedContract, PlaceContractOrder]:
        found = tradable_contract(call, item.symbol)
        return found, order_command(call, found, item)

    raws: list[Any] = list(request.batch_orders)
    ITEMS.check(raws)
    return await place_each(call, ITEMS, raws, order, _placed_ack, _failed_ack)


async def cancel_contract_order(call: Call, request: ContractOrderRequest) -> ContractCanceled:
    """Cancel one order, by id or by client id."""
    order_id, client_id = order_identity(request)
    known = request.orig_client_order_id or _client_id_of(call, order_id)
    applied = await submit_command(
        call, CancelContractOrder(call.uid, order_id, client_id, call.request_id)
    )
    (event,) = applied.events
    assert isinstance(event, ContractOrderClosed), event
    return ContractCanceled(str(event.order_id), known)


async def cancel_contract_batch(
    call: Call, request: CancelContractBatchRequest
) -> ContractBatchCanceled | list[ContractCanceled]:
    """Cancel orders by id and by client id; each item is answered, in the order asked."""
    numbers = "orderIdList", request.order_id_list
    names = "origClientOrderIdList", request.orig_client_order_id_list
    which = to_cancel(numbers, names, CONTRACT_BATCH_MAX)
    commands = [CancelContractOrder(call.uid, *one, call.request_id) for one in which]
    known = [_client_id_of(call, number) for number in request.order_id_list or []]
    known += request.orig_client_order_id_list or []
    message = NOT_FOUND[call.node.batch_cancel_wording()]
    items = [
        _batch_canceled(command, name, found, message)
        for command, name, found in zip(commands, known, await call.submit(commands), strict=True)
    ]
    if call.node.setting("contractBatchCancelEnvelope", "object") == "array":
        return items
    return ContractBatchCanceled(items)


async def cancel_contract_open_orders(
    call: Call, request: CancelAllRequest
) -> list[ContractOrderCanceled]:
    """Cancel every open order, in one contract or in all that the lists show."""
    symbol, without = selected_symbol(call, request.symbol)
    command = CancelContractOrders(call.uid, symbol, call.request_id, without=without)
    applied = await submit_command(call, command)
    return [
        ContractOrderCanceled(event.order_id)
        for event in applied.events
        if isinstance(event, ContractOrderClosed)
    ]


async def close_positions(call: Call, request: ClosePositionsRequest) -> list[ClosedPosition]:
    """Close whole positions at market; each is answered."""
    symbol, without = selected_symbol(call, request.symbol)
    position_id = request.position_id or 0
    held = holding_of(call).positions
    if symbol or position_id in held:
        check_open(call, symbol or held[position_id].perp.symbol)
    elif not position_id and any(not is_open(call, one.perp.symbol) for one in held.values()):
        return await _close_open_ones(call, without)
    command = ClosePositions(
        call.uid, symbol, position_id, call.request_id, without="" if position_id else without
    )
    return _closings(await submit_command(call, command))


async def _close_open_ones(call: Call, without: str) -> list[ClosedPosition]:
    """Close all positions but those in contracts that take no orders over the interface."""
    found: dict[str, None] = {}
    refused = []
    for position in holding_of(call).positions.values():
        perp = position.perp
        if perp.market.instrument.quote == without:
            continue
        if is_open(call, perp.symbol):
            found[perp.symbol] = None
        else:
            words = errors.error(NOT_BY_API).message
            refused.append(ClosedPosition(position.position_id, False, 0, words))
    commands = [ClosePositions(call.uid, symbol, 0, call.request_id) for symbol in found]
    applied = await call.submit(commands) if commands else []
    return [closed for one in applied for closed in _closings(one)] + refused


def _closings(applied: Applied) -> list[ClosedPosition]:
    return [
        _closed_position(event) for event in applied.events if isinstance(event, ClosedAtMarket)
    ]


# -- shared with conditional orders, leverage and margin ------------------------------------------


def listed_contract(node: Node, symbol: str) -> ListedContract:
    """Return a listed contract. ApiError -1121 when there is none."""
    perp = node.perp(symbol)
    return ListedContract(perp.contract, node.engine.assets[perp.asset])


def tradable_contract(call: Call, symbol: str) -> ListedContract:
    """Return a contract that takes the caller's orders. ApiError -1121 when there is none, -1058
    when it is closed to the interface."""
    found = listed_contract(call.node, symbol)
    check_open(call, symbol)
    return found


def check_open(call: Call, symbol: str) -> None:
    """ApiError -1058 when a contract takes no orders over the interface."""
    if not is_open(call, symbol):
        raise errors.error(NOT_BY_API)


def is_open(call: Call, symbol: str) -> bool:
    """Return whether a contract takes orders over the interface."""
    return symbol not in call.node.api_closed()


def holding_of(call: Call) -> Holding:
    """Return the caller's contract side."""
    return call.node.engine.holding(call.uid)


async def submit_command(
    call: Call, command: Command, found: ListedContract | None = None, words: Words = ORDER
) -> Applied:
    """Return the events of a command; ApiError when it was refused."""
    (applied,) = await call.submit([command])
    for event in applied.events[:1]:
        if isinstance(event, Rejected):
            raise refusal(event, found, words)
    return applied


def selected_symbol(call: Call, symbol: str | None) -> tuple[str, str]:
    """Return the symbol a request is restricted to, empty for all; and the asset it leaves alone
    then.

    Contracts that lists show only by symbol must not be ended with all others.
    """
    if symbol is None:
        return "", DEMO_ASSET
    listed_contract(call.node, symbol)
    return symbol, ""


def direction(side: int, position_side: int) -> str:
    """Return the parameters by which a request closes, for a message; empty for one that opens."""
    if (side == BUY) == (position_side == LONG):
        return ""
    return "side=BUY and positionSide=SHORT" if side == BUY else "side=SELL and positionSide=LONG"


# -- one order ------------------------------------------------------------------------------------


async def _place(
    call: Call, found: ListedContract, request: PlaceContractOrderRequest
) -> ContractOrderAck:
    command = order_command(call, found, request)
    (applied,) = await call.submit([command])
    return _placed_ack(call, applied, found, command)


def order_command(
    call: Call, found: ListedContract, request: PlaceContractOrderRequest
) -> PlaceContractOrder:
    """Return the command of a request, in ticks and lots; ApiError for a text without a meaning."""
    side = SIDES[request.side]
    position_side = POSITION_SIDES[request.position_side]
    client_id = own_client_id(request.new_client_order_id, "newClientOrderId")
    # LIMIT needs a time in force as on the live exchange.
    price, time_in_force = price_and_force(found.contract.instrument, request, _FORCE_MISSING)
    quantity = lots(found.contract.instrument, request.quantity, "quantity")
    closing = direction(side, position_side)
    # An exit on an order of the other direction would be lost in silence.
    if closing and request.tp_trigger_price is not None:
        raise errors.combination("tpTriggerPrice", closing)
    if closing and request.sl_trigger_price is not None:
        raise errors.combination("slTriggerPrice", closing)
    if not closing and request.position_id is not None:
        raise errors.combination(
            "positionId", f"side={request.side} and positionSide={request.position_side}"
        )
    return PlaceContractOrder(
        call.uid, found.contract.instrument.symbol, side, position_side, TYPES[request.type],
        time_in_force, quantity, price, client_id, call.request_id, connection=call.connection,
        position_id=request.position_id or 0,
        take_profit=_exit(
            found, request.tp_trigger_price, request.tp_working_type, "tpTriggerPrice"
        ),
        stop_loss=_exit(found, request.sl_trigger_price, request.sl_working_type, "slTriggerPrice"),
    )  # fmt: skip


def _exit(found: ListedContract, price: Money | None, source: str, name: str) -> Exit:
    if price is None:
        return NO_EXIT
    return Exit(ticks(found.contract.instrument, price, name), SOURCES[source])


def _failed_ack(client_id: str, problem: ApiError) -> ContractOrderAck:
    return ContractOrderAck("", client_id, False, problem.item_code, problem.message)


def _placed_ack(
    call: Call, applied: Applied, found: ListedContract, command: PlaceContractOrder
) -> ContractOrderAck:
    event = applied.events[0]
    if isinstance(event, ContractOrderPlaced):
        call.note_placed(event.order_id)
    if isinstance(event, ContractOrderPlaced | OrderRepeated):
        return ContractOrderAck(
            str(event.order_id), event.client_id or GENERATED_CLIENT_ID % event.order_id
        )
    assert isinstance(event, Rejected), event
    raise order_refusal(call.node, event, found, command)


def order_refusal(
    node: Node, event: Rejected, found: ListedContract, command: PlaceContractOrder
) -> ApiError:
    """Return the error for a refused order, with the reason."""
    if event.reason == Reject.FUNDS:
        money = contract_money(node, command.uid, command.symbol)
        return refusal(event, found, Words(money=money))
    if event.reason == Reject.TRIGGER_PRICE:
        return exit_refusal(event, found, command)
    if event.reason == Reject.LEVERAGE_SIZE:
        return size_refusal(event, found, node.engine, command)
    return refusal(event, found)


def _client_id_of(call: Call, order_id: int) -> str:
    """Return the client id of an open order; empty when there is no such order."""
    order = holding_of(call).orders.get(order_id)
    if order is None:
        return ""
    return order.client_id or GENERATED_CLIENT_ID % order_id


def _batch_canceled(
    command: CancelContractOrder, client_id: str, applied: Applied, message: str
) -> ContractCanceled:
    (event,) = applied.events
    if isinstance(event, ContractOrderClosed):
        return ContractCanceled(str(event.order_id), client_id)
    assert isinstance(event, Rejected), event
    asked = str(command.order_id) if command.order_id else ""
    return ContractCanceled(asked, client_id, False, refusal(event).item_code, message)


def _closed_position(event: ClosedAtMarket) -> ClosedPosition:
    if event.order_id:
        return ClosedPosition(event.position_id, True, event.order_id, "")
    problem = refusal(Rejected(event.reason, _CAPS.get(event.reason, 0)))
    return ClosedPosition(event.position_id, False, 0, problem.message)
