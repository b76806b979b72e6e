"""Operator operations that show the effects of an order: the core's plan of it, not executed."""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from venue import texts
from venue.api.contract.orders import PlaceContractOrderRequest
from venue.api.errors import ApiError
from venue.api.operator.preview import (
    Preview,
    PreviewFill,
    PreviewOrder,
    PreviewPosition,
    PreviewRefusal,
    PreviewRequest,
)
from venue.api.spot.orders import PlaceOrderRequest
from venue.core.contract import preview as contract
from venue.core.instruments import Asset, Instrument
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.spot import preview as spot
from venue.gateway.dispatch.decode import decode
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.door import Call
from venue.gateway.operations.contract import orders as contract_orders
from venue.gateway.operations.spot import orders as spot_orders
from venue.vocabulary import BUY, GTC, OrderStatus

_SPOT: Final = compile_request(PlaceOrderRequest)
_CONTRACT: Final = compile_request(PlaceContractOrderRequest)


def preview(call: Call, request: PreviewRequest) -> Preview:
    """Return the effects that an order would have now. The answer also tells a refusal."""
    engine = call.node.engine
    uid = call.node.owner(request.owner).uid
    time = max(call.node.clock.now(), engine.time)
    empty = Preview(engine.sequence, time // 1_000, accepted=False)
    theirs = Call(call.door, uid, b"")
    try:
        if request.product == "SPOT":
            return _spot(theirs, request.order, empty, time)
        return _contract(theirs, request.order, empty, time)
    except ApiError as problem:
        refused = PreviewRefusal(problem.status, problem.code, problem.message)
        return structs.replace(empty, refused=refused)


def _parameters_of(order: PreviewOrder) -> dict[str, Any]:
    """Return the parameters that were sent, by their names on the wire."""
    named = {field.name: field.encode_name for field in structs.fields(order)}
    values = structs.asdict(order)
    return {named[name]: value for name, value in values.items() if value is not None}


def _of_repetition(events: list[Event], empty: Preview) -> Preview:
    """Return the preview of an order that is found again by its client id."""
    (event,) = events
    assert isinstance(event, OrderRepeated), event
    return structs.replace(empty, accepted=True, repeats=event.order_id)


# -- spot -----------------------------------------------------------------------------------------


def _spot(call: Call, order: PreviewOrder, empty: Preview, time: int) -> Preview:
    request = decode(_SPOT, _parameters_of(order))
    node = call.node
    instrument = node.market(request.symbol).instrument
    command = spot_orders.order_command(call, instrument, request, GTC)
    command.time = time
    found = spot.preview(node.engine.spot, command)
    if isinstance(found, list):
        if isinstance(found[0], Rejected):
            raise spot_orders.order_refusal(node, found[0], command)
        return _of_repetition(found, empty)
    buy = command.side == BUY
    gets = node.asset(instrument.base if buy else instrument.quote)
    pays = node.asset(instrument.quote if buy else instrument.base)
    return structs.replace(
        empty,
        accepted=True,
        status=OrderStatus(found.status).name,
        fills=_fills(found.fills, instrument, gets),
        filled_quantity=_filled_text(found.fills, instrument),
        resting_quantity=texts.quantity_text(instrument, found.rests),
        fee=texts.amount_text(gets, found.fee),
        fee_asset=gets.name,
        held=texts.amount_text(pays, found.held),
        held_asset=pays.name,
        ended_orders=found.ended,
    )


# -- contracts ------------------------------------------------------------------------------------


def _contract(call: Call, order: PreviewOrder, empty: Preview, time: int) -> Preview:
    request = decode(_CONTRACT, _parameters_of(order))
    listed = contract_orders.listed_contract(call.node, request.symbol)
    command = contract_orders.order_command(call, listed, request)
    command.time = time
    found = contract.preview(call.node.engine.contracts, command)
    if isinstance(found, list):
        if isinstance(found[0], Rejected):
            raise contract_orders.order_refusal(call.node, found[0], listed, command)
        return _of_repetition(found, empty)
    instrument, asset = listed.contract.instrument, listed.asset
    return structs.replace(
        empty,
        accepted=True,
        status=OrderStatus(found.status).name,
        fills=_fills(found.fills, instrument, asset),
        filled_quantity=_filled_text(found.fills, instrument),
        resting_quantity=texts.quantity_text(instrument, found.rests),
        fee=texts.amount_text(asset, found.fee),
        fee_asset=asset.name,
        held=texts.amount_text(asset, found.held),
        held_asset=asset.name,
        ended_orders=found.ended,
        margin=texts.amount_text(asset, found.margin),
        available=texts.amount_text(asset, found.available),
        position=_position(found, instrument, asset) if found.fills else None,
    )


def _position(
    found: contract.ContractOutlook, instrument: Instrument, asset: Asset
) -> PreviewPosition:
    price = texts.order_price_text(instrument, found.liquidation)
    return PreviewPosition(
        texts.quantity_text(instrument, found.size),
        texts.amount_text(asset, found.value),
        None if found.liquidation == contract.UNTOLD else price,
    )


# -- both -----------------------------------------------------------------------------------------


def _fills(
    fills: list[tuple[int, int, int]], instrument: Instrument, asset: Asset
) -> list[PreviewFill]:
    return [
        PreviewFill(
            texts.price_text(instrument, price),
            texts.quantity_text(instrument, lots),
            texts.amount_text(asset, fee),
        )
        for price, lots, fee in fills
    ]


def _filled_text(fills: list[tuple[int, int, int]], instrument: Instrument) -> str:
    return texts.quantity_text(instrument, sum(lots for _, lots, _ in fills))
