"""Handlers of followers' operations."""

from __future__ import annotations

from venue.api import errors
from venue.api.contract.account import Acknowledged
from venue.api.copying.follower import (
    CloseCopyRequest,
    CopiesRequest,
    FollowedTrader,
    MyTraders,
    MyTradersRequest,
    OpenCopy,
    SettingsRequest,
    TraceSettings,
    TraderRequest,
)
from venue.api.copying.trader import EndedRequest, EndedTracks
from venue.core.copying.people import Following, Trader
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.messages.copy_commands import CloseCopy, Follow, StopCopying
from venue.core.messages.events import Rejected
from venue.gateway.door import Call
from venue.gateway.operations.contract.orders import tradable_contract
from venue.gateway.operations.copying.settings import configs, settings_view
from venue.gateway.operations.copying.trader import ended_page
from venue.gateway.operations.copying.views import open_copy
from venue.gateway.operations.refusals.copying import not_followed, refusal
from venue.history.questions import copying as questions
from venue.texts import amount_text, rate_text
from venue.times import US_PER_MS
from venue.vocabulary import Reject


def open_copies(call: Call, request: CopiesRequest) -> list[OpenCopy]:
    """Open copies, oldest first."""
    node = call.node
    if request.symbol is not None:
        node.perp(request.symbol)
    followings = _followings(call)
    if request.trader_id is not None or request.trader_user_id is not None:
        followings = [
            _following(
                call,
                TraderRequest(trader_id=request.trader_id, trader_user_id=request.trader_user_id),
            )
        ]
    found = [
        copy
        for following in followings
        for copy in following.copies.values()
        if request.symbol is None or copy.track.perp.symbol == request.symbol
    ]
    found.sort(key=lambda copy: copy.number)
    begin = request.page * request.limit
    return [open_copy(node, copy) for copy in found[begin : begin + request.limit]]


async def ended_copies(call: Call, request: EndedRequest) -> EndedTracks:
    """Copies that have ended, newest first."""
    return await ended_page(call, request, questions.ended_copies)


def copy_settings(call: Call, request: TraderRequest) -> list[TraceSettings]:
    """Return how a trader is copied."""
    following = _following(call, request)
    return settings_view(following, call.node.engine.assets[following.lead.asset])


async def set_copy_settings(call: Call, request: SettingsRequest) -> Acknowledged:
    """Follow a trader, or follow one differently."""
    uid = _trader_id(
        TraderRequest(trader_id=request.trader_id, trader_user_id=request.trader_user_id)
    )
    trader = call.node.engine.leads.get(uid)
    if trader is None or trader.lead is None:
        raise refusal(Rejected(int(Reject.LEAD_UNKNOWN)))
    asset = call.node.engine.assets[trader.lead.asset]
    unified = request.setting_type == "unified"
    command = Follow(call.uid, uid, unified, configs(request, asset), call.request_id)
    return _acknowledge(await _submit(call, command))


async def close_copy(call: Call, request: CloseCopyRequest) -> Acknowledged:
    """Close one copy at market."""
    tradable_contract(call, request.symbol)
    command = CloseCopy(call.uid, request.symbol, request.copy_no, call.request_id)
    return _acknowledge(await _submit(call, command))


async def stop_copying(call: Call, request: TraderRequest) -> Acknowledged:
    """Copy no more of a trader's openings."""
    return _acknowledge(
        await _submit(call, StopCopying(call.uid, _trader_id(request), call.request_id))
    )


def my_traders(call: Call, request: MyTradersRequest) -> MyTraders:
    """Traders that are or were followed."""
    found = _followings(call)
    begin = (request.page - 1) * request.limit
    shown = found[begin : begin + request.limit]
    return MyTraders([_trader_view(call, one) for one in shown], begin + len(shown) < len(found))


def _trader_view(call: Call, following: Following) -> FollowedTrader:
    lead = following.lead
    asset = call.node.engine.assets[lead.asset]
    return FollowedTrader(
        trader_id=lead.account.uid,
        trader_name=lead.account.name,
        copy_enable=following.active,
        copy_count=len(following.copies),
        net_profit=amount_text(asset, following.net),
        pre_deducted=amount_text(asset, following.prepaid),
        profit_share_ratio=rate_text(following.share_ppm),
        margin_coin=asset.name,
        create_time=following.created // US_PER_MS,
    )


def _trader(call: Call) -> Trader | None:
    return call.node.engine.leads.get(call.uid)


def _followings(call: Call) -> list[Following]:
    """Return the caller's pairs, in the order of following."""
    trader = _trader(call)
    found = [] if trader is None else list(trader.followings.values())
    return sorted(found, key=lambda following: following.number)


def _following(call: Call, request: TraderRequest) -> Following:
    """Return the caller's pair with a trader; ApiError -1142 where it has none, also for unknown
    uids."""
    uid = _trader_id(request)
    trader = _trader(call)
    following = None if trader is None else trader.followings.get(uid)
    if following is None:
        raise not_followed()
    return following


def _trader_id(request: TraderRequest) -> int:
    if request.trader_id is not None:
        if request.trader_user_id not in (None, request.trader_id):
            raise errors.combination("traderId", "traderUserId")
        return request.trader_id
    if request.trader_user_id is None:
        raise errors.missing("traderId")
    return request.trader_user_id


async def _submit(call: Call, command: Command) -> Applied:
    """Return the outcome of a command; ApiError when it was refused."""
    (applied,) = await call.submit([command])
    first = applied.events[0]
    if isinstance(first, Rejected):
        raise refusal(first)
    return applied


def _acknowledge(applied: Applied) -> Acknowledged:
    return Acknowledged(request_time=applied.time // US_PER_MS)
