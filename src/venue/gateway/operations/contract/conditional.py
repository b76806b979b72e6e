"""Conditional orders: text to commands, commands to the sequencer, events to answers."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.contract.conditional import (
    ChangeExitRequest,
    ExitAck,
    ExitChanged,
    PlaceAlgoRequest,
    PlaceExitRequest,
)
from venue.api.contract.orders import (
    CancelAllRequest,
    ContractCanceled,
    ContractOrderAck,
    ContractOrderCanceled,
    ContractOrderRequest,
)
from venue.api.fields import GENERATED_CLIENT_ID, Money
from venue.api.names import POSITION_SIDES, SIDES, SOURCES
from venue.core.contract.records import Algo
from venue.core.messages.commands import (
    NO_EXIT,
    CancelAlgo,
    CancelAlgos,
    ChangeAlgo,
    Exit,
    PlaceAlgo,
)
from venue.core.messages.contract_events import AlgoClosed, AlgoPlaced
from venue.core.messages.events import OrderRepeated
from venue.gateway.dispatch.decode import lots, own_client_id, ppm, ticks
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import (
    direction,
    holding_of,
    listed_contract,
    selected_symbol,
    submit_command,
    tradable_contract,
)
from venue.gateway.operations.refusals.contract import ListedContract, Words, order_unknown
from venue.gateway.operations.requests import order_identity
from venue.texts import price_text
from venue.vocabulary import (
    ALGO_STOP,
    ALGO_STOP_MARKET,
    ALGO_TAKE_PROFIT,
    ALGO_TAKE_PROFIT_MARKET,
    ALGO_TRAILING_STOP_MARKET,
    ALGOS_AT_PRICE,
    BUY,
    LONG,
    SELL,
    AlgoType,
)

_TYPES: Final = f"must be one of {', '.join(kind.name for kind in AlgoType)}"
ALGO: Final = Words(client_id="clientAlgoId", types=_TYPES)
EXIT: Final = Words(client_id="clientAlgoId", types=_TYPES, price="executePrice")
CHANGE: Final = Words(types="a TRAILING_STOP_MARKET cannot be changed", price="executePrice")


async def place_algo(call: Call, request: PlaceAlgoRequest) -> ContractOrderAck:
    """Place a conditional order, which waits for its trigger price."""
    found = tradable_contract(call, request.symbol)
    order_id, client_id = await _place(call, _command(call, found, request), found, ALGO)
    return ContractOrderAck(str(order_id), client_id)


async def place_exit(call: Call, request: PlaceExitRequest) -> list[ExitAck]:
    """Place a take-profit or stop-loss of a position, which waits for its trigger price."""
    found = tradable_contract(call, request.symbol)
    instrument = found.contract.instrument
    client_id = own_client_id(request.client_algo_id, "clientAlgoId")
    price = _price_or_market(found, request.execute_price)
    if request.plan_type == "TAKE_PROFIT":
        kind = ALGO_TAKE_PROFIT if price else ALGO_TAKE_PROFIT_MARKET
    else:
        kind = ALGO_STOP if price else ALGO_STOP_MARKET
    position_side = POSITION_SIDES[request.position_side]
    command = PlaceAlgo(
        call.uid, instrument.symbol, SELL if position_side == LONG else BUY, position_side, kind,
        lots(instrument, request.quantity or "0", "quantity"),
        ticks(instrument, request.trigger_price, "triggerPrice"), price,
        SOURCES[request.trigger_price_type], client_id, call.request_id,
    )  # fmt: skip
    order_id, _ = await _place(call, command, found, EXIT)
    return [ExitAck(True, order_id)]


async def change_exit(call: Call, request: ChangeExitRequest) -> ExitChanged:
    """Give a waiting conditional order other prices; absent ones stay as they are."""
    order = _waiting(call, request.order_id)
    if order is None:
        raise order_unknown()
    if order.type == ALGO_TRAILING_STOP_MARKET:
        raise errors.error(-1116, rule=CHANGE.types)
    found = listed_contract(call.node, order.perp.symbol)
    price, source = order.price, order.source
    if request.execute_price is not None:
        price = _price_or_market(found, request.execute_price)
    if request.trigger_price_type is not None:
        source = SOURCES[request.trigger_price_type]
    trigger_price = ticks(found.contract.instrument, request.trigger_price, "triggerPrice")
    command = ChangeAlgo(call.uid, request.order_id, trigger_price, price, source, call.request_id)
    await submit_command(call, command, found, CHANGE)
    return ExitChanged()


async def cancel_algo(call: Call, request: ContractOrderRequest) -> ContractCanceled:
    """Cancel one conditional order, by id or by client id."""
    algo_id, client_id = order_identity(request)
    known = request.orig_client_order_id
    if known is None:
        order = _waiting(call, algo_id)
        known = order.client_id or GENERATED_CLIENT_ID % order.algo_id if order is not None else ""
    applied = await submit_command(call, CancelAlgo(call.uid, algo_id, client_id, call.request_id))
    (event,) = applied.events
    assert isinstance(event, AlgoClosed), event
    return ContractCanceled(str(event.algo_id), known)


async def cancel_algos(call: Call, request: CancelAllRequest) -> list[ContractOrderCanceled]:
    """Cancel every conditional order, in one contract or in all that the lists show."""
    symbol, without = selected_symbol(call, request.symbol)
    command = CancelAlgos(call.uid, symbol, call.request_id, without=without)
    applied = await submit_command(call, command)
    return [
        ContractOrderCanceled(event.algo_id)
        for event in applied.events
        if isinstance(event, AlgoClosed)
    ]


# -- one conditional order ------------------------------------------------------------------------


def _command(call: Call, found: ListedContract, request: PlaceAlgoRequest) -> PlaceAlgo:
    """Return the command of a request, in ticks and lots; ApiError for a text without a meaning."""
    instrument = found.contract.instrument
    kind = int(AlgoType[request.type])
    side, position_side = SIDES[request.side], POSITION_SIDES[request.position_side]
    client_id = own_client_id(request.client_algo_id, "clientAlgoId")
    trigger_price, price, callback_ppm = _prices(found, request, kind)
    takes = kind in (ALGO_TAKE_PROFIT, ALGO_TAKE_PROFIT_MARKET)
    closing = direction(side, position_side)
    reference = price or trigger_price
    long = position_side == LONG
    return PlaceAlgo(
        call.uid, instrument.symbol, side, position_side, kind,
        lots(instrument, request.quantity, "quantity"), trigger_price, price,
        # The interface has one field per kind of exit, and none for the order's own trigger.
        SOURCES[request.tp_working_type if takes else request.sl_working_type],
        client_id, call.request_id,
        take_profit=_preset(
            found, "presetTakeProfitPrice", request.preset_take_profit_price,
            request.tp_working_type, closing, reference, above=long,
        ),
        stop_loss=_preset(
            found, "presetStopLossPrice", request.preset_stop_loss_price,
            request.sl_working_type, closing, reference, above=not long,
        ),
        callback_ppm=callback_ppm,
    )  # fmt: skip


def _prices(found: ListedContract, request: PlaceAlgoRequest, kind: int) -> tuple[int, int, int]:
    """Trigger price (of a trailing stop: activation price), price, and callback rate in ppm."""
    instrument = found.contract.instrument
    if kind not in ALGOS_AT_PRICE and request.price is not None:
        raise errors.combination("price", f"type={request.type}")
    if kind == ALGO_TRAILING_STOP_MARKET:
        if request.trigger_price is not None:
            raise errors.combination("triggerPrice", f"type={request.type}")
        if request.callback_rate is None:
            raise errors.missing("callbackRate")
        activation = 0
        if request.activate_price is not None:
            activation = ticks(instrument, request.activate_price, "activatePrice")
        return activation, 0, ppm(request.callback_rate, "callbackRate")
    if request.activate_price is not None:
        raise errors.combination("activatePrice", f"type={request.type}")
    if request.callback_rate is not None:
        raise errors.combination("callbackRate", f"type={request.type}")
    if request.trigger_price is None:
        raise errors.missing("triggerPrice")
    trigger_price = ticks(instrument, request.trigger_price, "triggerPrice")
    if kind not in ALGOS_AT_PRICE:
        return trigger_price, 0, 0
    if request.price is None:
        raise errors.missing("price")
    return trigger_price, ticks(instrument, request.price, "price"), 0


def _preset(
    found: ListedContract,
    name: str,
    text: Money | None,
    source: str,
    closing: str,
    reference: int,
    *,
    above: bool,
) -> Exit:
    """Return an exit of the position that a conditional order opens, on its side of the opening
    price."""
    if text is None:
        return NO_EXIT
    if closing:
        raise errors.combination(name, closing)
    instrument = found.contract.instrument
    price = ticks(instrument, text, name)
    if reference and (price <= reference if above else price >= reference):
        where = "above" if above else "below"
        raise errors.out_of_range(name, f"must lie {where} {price_text(instrument, reference)}")
    return Exit(price, SOURCES[source])


def _price_or_market(found: ListedContract, text: Money | None) -> int:
    """Return an execution price in ticks; 0, for at market, when it is absent or 0."""
    return ticks(found.contract.instrument, text or "0", "executePrice")


async def _place(
    call: Call, command: PlaceAlgo, found: ListedContract, words: Words
) -> tuple[int, str]:
    """Id and client id of a conditional order that waits now."""
    applied = await submit_command(call, command, found, words)
    event = applied.events[0]
    if isinstance(event, OrderRepeated):
        return event.order_id, event.client_id or GENERATED_CLIENT_ID % event.order_id
    assert isinstance(event, AlgoPlaced), event
    return event.algo_id, event.client_id or GENERATED_CLIENT_ID % event.algo_id


def _waiting(call: Call, algo_id: int) -> Algo | None:
    return holding_of(call).algos.get(algo_id)
