"""Permissions of a lead trader's key: close tracked positions at market, and set their exits."""

from __future__ import annotations

from venue.api import errors
from venue.api.contract.conditional import ChangeExitRequest, PlaceExitRequest
from venue.api.contract.orders import ClosePositionsRequest, PlaceContractOrderRequest
from venue.api.names import POSITION_SIDES
from venue.core.contract.records import Position
from venue.gateway.dispatch.decode import amount_text
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import holding_of
from venue.vocabulary import LONG, Access


def may_place(call: Call, request: PlaceContractOrderRequest) -> None:
    """ApiError -1052, unless the order closes a tracked position at market."""
    side = POSITION_SIDES[request.position_side]
    closes = (request.side == "SELL") == (side == LONG)
    if not closes or request.type != "MARKET" or not _is_tracked(call, request.symbol, side):
        raise _not_permitted()


def may_close(call: Call, request: ClosePositionsRequest) -> None:
    """ApiError -1052, unless all positions to be closed are tracked."""
    found = [
        position
        for position in _positions(call)
        if request.symbol in (None, position.perp.symbol)
        and request.position_id in (None, position.position_id)
    ]
    tracks = _tracks(call)
    if not found or any(position.position_id not in tracks for position in found):
        raise _not_permitted()


def may_exit(call: Call, request: PlaceExitRequest) -> None:
    """ApiError -1052, unless it is an exit of a whole tracked position."""
    whole = request.quantity is None or not amount_text(request.quantity).strip("0.")
    side = POSITION_SIDES[request.position_side]
    if not whole or not _is_tracked(call, request.symbol, side):
        raise _not_permitted()


def may_change(call: Call, request: ChangeExitRequest) -> None:
    """ApiError -1052, unless it is an exit of a tracked position."""
    order = holding_of(call).algos.get(request.order_id)
    position = None if order is None else order.position
    if position is None or position.position_id not in _tracks(call):
        raise _not_permitted()


def _not_permitted() -> errors.ApiError:
    return errors.not_permitted(Access.CONTRACT_TRADE.name)


def _positions(call: Call) -> list[Position]:
    return list(holding_of(call).positions.values())


def _tracks(call: Call) -> list[int]:
    """Return the ids of the caller's tracked positions; empty when it is no lead."""
    trader = call.node.engine.leads.get(call.uid)
    return [] if trader is None or trader.lead is None else list(trader.lead.tracks)


def _is_tracked(call: Call, symbol: str, side: int) -> bool:
    """Return whether there is a position of this side, and all of them are tracked."""
    held = [one for one in _positions(call) if one.perp.symbol == symbol and one.side == side]
    tracks = _tracks(call)
    return bool(held) and all(position.position_id in tracks for position in held)
