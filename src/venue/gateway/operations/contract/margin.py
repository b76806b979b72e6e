"""Contract settings: margin mode and leverage of a contract, margin of an isolated position."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.contract.account import (
    Acknowledged,
    AutoMarginRequest,
    LeverageReply,
    LeverageRequest,
    MarginTypeRequest,
    PositionMarginRequest,
)
from venue.api.names import MARGIN_MODE_NAMES
from venue.api.profile import Profile
from venue.core.messages.applied import Applied
from venue.core.messages.commands import MoveMargin, SetAutoMargin, SetLeverage, SetMarginMode
from venue.core.messages.contract_events import LeverageSet
from venue.core.messages.events import Rejected
from venue.gateway.dispatch.decode import scale_amount
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import holding_of, listed_contract, submit_command
from venue.gateway.operations.refusals.contract import Words, refusal
from venue.gateway.operations.refusals.funds import contract_money
from venue.vocabulary import CROSSED, MarginMode, Reject, SeparatedMode

ADDS: Final = 1  # the wire's `type` of a change that puts margin in
MARGIN: Final = Words(position="isolatedPositionId", funds="at most {} can be moved")


async def set_margin_type(call: Call, request: MarginTypeRequest) -> Acknowledged:
    """Change a contract's margin mode, and separated mode where that is given."""
    found = listed_contract(call.node, request.symbol)
    separated = -1
    if request.separated_type is not None:
        separated = int(SeparatedMode[request.separated_type])
    mode = int(MarginMode[request.margin_type])
    command = SetMarginMode(call.uid, request.symbol, mode, separated, call.request_id)
    return _acknowledge(await submit_command(call, command, found))


async def set_leverage(call: Call, request: LeverageRequest) -> LeverageReply:
    """Change the leverages that are given, in either mode, and the mode if it is given."""
    found = listed_contract(call.node, request.symbol)
    sent = {
        "crossLeverage": request.cross_leverage,
        "isolatedLongLeverage": request.isolated_long_leverage,
        "isolatedShortLeverage": request.isolated_short_leverage,
    }
    crossed = request.margin_type == MarginMode.CROSSED.name
    if call.node.profile is Profile.LIVE and crossed and request.cross_leverage is None:
        raise errors.missing("crossLeverage")
    if not any(sent.values()):
        raise errors.missing("' or '".join(sent))
    cross, long, short = (leverage or 0 for leverage in sent.values())
    command = SetLeverage(
        call.uid, request.symbol, cross, long, short, call.request_id,
        margin_mode=-1 if request.margin_type is None else int(MarginMode[request.margin_type]),
    )  # fmt: skip
    (applied,) = await call.submit([command])
    event = applied.events[0]
    if isinstance(event, Rejected):
        money = contract_money(call.node, call.uid, request.symbol)
        words = Words(leverage=_too_high(sent, event.limit), money=money)
        raise refusal(event, found, words)
    assert isinstance(event, LeverageSet), event
    return _leverages(event, command)


async def move_margin(call: Call, request: PositionMarginRequest) -> Acknowledged:
    """Put an amount into an isolated position's margin, or take it out."""
    position_id = request.isolated_position_id
    position = holding_of(call).positions.get(position_id)
    if position is None:
        raise refusal(Rejected(Reject.POSITION_UNKNOWN), None, MARGIN)
    found = listed_contract(call.node, position.perp.symbol)
    amount = scale_amount(request.amount, found.asset.scale, "amount")
    signed = amount if request.type == ADDS else -amount
    command = MoveMargin(call.uid, position_id, signed, call.request_id)
    return _acknowledge(await submit_command(call, command, found, MARGIN))


async def set_auto_margin(call: Call, request: AutoMarginRequest) -> Acknowledged:
    """Switch an isolated position's automatic top-up."""
    on = request.auto_append_margin
    command = SetAutoMargin(call.uid, request.position_id, on, call.request_id)
    return _acknowledge(await submit_command(call, command))


def _acknowledge(applied: Applied) -> Acknowledged:
    return Acknowledged(request_time=applied.time // 1000)


def _too_high(sent: dict[str, int | None], most: int) -> str:
    """Return the first leverage sent that lies above the bound; the first one sent if none does."""
    given = {name: leverage for name, leverage in sent.items() if leverage is not None}
    return next((name for name, leverage in given.items() if leverage > most), next(iter(given)))


def _leverages(event: LeverageSet, command: SetLeverage) -> LeverageReply:
    """Return the leverages now; `0` for one of the other mode, unless it was sent."""
    crossed = event.margin_mode == CROSSED
    return LeverageReply(
        event.symbol,
        MARGIN_MODE_NAMES[event.margin_mode],
        str(event.cross if crossed or command.cross else 0),
        str(event.long if not crossed or command.long else 0),
        str(event.short if not crossed or command.short else 0),
    )
