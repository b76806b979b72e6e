"""Operator operations of copy trading."""

from __future__ import annotations

from venue.api import errors
from venue.api.operation import Empty
from venue.api.operator.copying import LeadRequest, LeadView
from venue.core.copying.people import Lead
from venue.core.messages.copy_commands import SetLead
from venue.core.messages.events import Rejected
from venue.gateway.dispatch.decode import ppm
from venue.gateway.door import Call
from venue.gateway.operations.operator.venue import owner
from venue.gateway.operations.refusals.copying import refusal
from venue.node.node import Node
from venue.texts import rate_text
from venue.vocabulary import Reject


def leads(call: Call, _: Empty) -> list[LeadView]:
    """Return all lead traders."""
    traders = call.node.engine.leads
    found = [trader.lead for _, trader in sorted(traders.items())]
    return [_view(call.node, lead) for lead in found if lead is not None]


async def set_lead(call: Call, request: LeadRequest) -> LeadView:
    """Make an owner a lead trader, or give one other terms."""
    node = call.node
    account = owner(node, request.owner)
    third = 0 if request.third_party is None else owner(node, request.third_party, "thirdParty").uid
    third_share = ppm(request.third_party_share, "thirdPartyShare")
    if third_share > 10**6:
        raise errors.out_of_range("thirdPartyShare", "allowed: 0 to 1")
    command = SetLead(
        account.uid, request.asset.upper(), request.active,
        ppm(request.profit_share, "profitShare"), third, third_share, request.symbols or [],
    )  # fmt: skip
    (applied,) = await node.submit([command])
    first = applied.events[0]
    if isinstance(first, Rejected):
        if first.reason == Reject.SYMBOL_UNKNOWN:
            raise errors.error(-1121, name="symbols")
        raise refusal(first)
    lead = node.engine.leads[account.uid].lead
    assert lead is not None
    return _view(node, lead)


def _view(node: Node, lead: Lead) -> LeadView:
    return LeadView(
        uid=lead.account.uid,
        owner=lead.account.name,
        asset=node.engine.assets[lead.asset].name,
        active=lead.active,
        profit_share=rate_text(lead.share_ppm),
        third_party=lead.third_uid or None,
        third_party_share=rate_text(lead.third_ppm),
        symbols=lead.symbols,
        followers=len(lead.followers),
        tracked=len(lead.tracks),
    )
