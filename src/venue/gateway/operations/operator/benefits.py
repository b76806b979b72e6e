"""Operator operations of gifts, the fee discount and affiliates."""

from __future__ import annotations

from typing import Final

from venue import texts
from venue.api import errors
from venue.api.fields import Money
from venue.api.operation import Empty
from venue.api.operator.benefits import (
    AffiliateRequest,
    BenefitsRequest,
    BenefitsView,
    DiscountRequest,
    DiscountView,
    GiftChange,
    GiftRequest,
    GiftView,
    InviteRequest,
    JoinDiscountRequest,
)
from venue.core.instruments import Asset
from venue.core.ledger.accounts import Account
from venue.core.ledger.benefits import Benefits
from venue.core.messages.benefit_commands import (
    ChangeGift,
    Invite,
    JoinDiscount,
    SetAffiliate,
    SetDiscount,
)
from venue.core.messages.benefit_events import GiftChanged, MovementRepeated
from venue.core.rewards import SHARE_MAX_PPM
from venue.gateway.dispatch import decode
from venue.gateway.door import Call
from venue.gateway.operations.operator.venue import answer_of, owner, submit_command
from venue.node.node import Node

CODE_LENGTH_MAX: Final = 32
NOBODY: Final = Benefits()


def benefits(call: Call, request: BenefitsRequest) -> list[BenefitsView]:
    """Return the benefits of owners that have any; of one that is named, in any case."""
    node = call.node
    if request.owner is not None:
        return [_view(node, owner(node, request.owner))]
    accounts = node.engine.accounts.values()
    return [_view(node, account) for account in accounts if account.benefits is not None]


async def give_gift(call: Call, request: GiftRequest) -> GiftChange:
    """Give contract margin."""
    return await _change(call, request, 1)


async def take_gift(call: Call, request: GiftRequest) -> GiftChange:
    """Take back the part that may be taken."""
    return await _change(call, request, -1)


async def _change(call: Call, request: GiftRequest, sign: int) -> GiftChange:
    node = call.node
    account = owner(node, request.owner)
    asset = _asset(node, request.asset)
    amount = decode.scale_amount(request.amount, asset.scale, "amount")
    reference = request.reference or ""
    command = ChangeGift(account.uid, asset.name, sign * amount, reference=reference)
    event = (await submit_command(call, command))[0]
    if isinstance(event, MovementRepeated):
        changed, left = answer_of(node, reference)
    else:
        assert isinstance(event, GiftChanged), event
        changed, left = event.amount, event.left
    return GiftChange(
        account.uid, asset.name, texts.amount_text(asset, changed), texts.amount_text(asset, left)
    )


def discount(call: Call, _: Empty) -> DiscountView:
    """Return the terms of the fee discount."""
    ledger = call.node.engine.ledger
    terms = ledger.terms
    if terms.asset < 0:
        return DiscountView("", "0", "0")
    asset = ledger.assets[terms.asset]
    return DiscountView(
        asset.name, texts.amount_text(asset, terms.holding), texts.rate_text(terms.rate_ppm)
    )


async def set_discount(call: Call, request: DiscountRequest) -> DiscountView:
    """Set other terms, or none."""
    name, holding, rate = request.asset, request.holding, request.rate
    if name is None and holding is None and rate is None:
        await submit_command(call, SetDiscount("", 0, 0))
        return discount(call, Empty())
    if name is None:
        raise errors.missing("asset")
    if holding is None:
        raise errors.missing("holding")
    if rate is None:
        raise errors.missing("rate")
    asset = _asset(call.node, name)
    atoms = decode.scale_amount(holding, asset.scale, "holding")
    await submit_command(call, SetDiscount(asset.name, atoms, _share(rate, "rate", least=1)))
    return discount(call, Empty())


async def join_discount(call: Call, request: JoinDiscountRequest) -> BenefitsView:
    """Opt in or out."""
    account = owner(call.node, request.owner)
    await submit_command(call, JoinDiscount(account.uid, request.on))
    return _view(call.node, account)


async def set_affiliate(call: Call, request: AffiliateRequest) -> BenefitsView:
    """Make an owner an affiliate, or change its code and shares."""
    account = owner(call.node, request.owner)
    code = request.code
    if not (code.isascii() and code.isalnum() and len(code) <= CODE_LENGTH_MAX):
        raise errors.invalid("code", f"must be 1 to {CODE_LENGTH_MAX} letters and digits")
    spot = _share(request.spot_rate, "spotRate")
    contract = _share(request.contract_rate, "contractRate")
    await submit_command(call, SetAffiliate(account.uid, code, spot, contract))
    return _view(call.node, account)


async def invite(call: Call, request: InviteRequest) -> BenefitsView:
    """Note the affiliate that invited an owner."""
    account = owner(call.node, request.owner)
    inviter = call.node.engine.rewards.codes.get(request.code)
    if inviter is None:
        raise errors.invalid("code", "no affiliate's")
    await submit_command(call, Invite(account.uid, inviter))
    return _view(call.node, account)


def _asset(node: Node, name: str) -> Asset:
    name = name.upper()
    if name not in node.engine.ordinals:
        raise errors.invalid("asset", "no such asset")
    return node.asset(name)


def _share(text: Money, name: str, least: int = 0) -> int:
    ppm = decode.ppm(text, name)
    if not least <= ppm <= SHARE_MAX_PPM:
        low, high = texts.rate_text(least), texts.rate_text(SHARE_MAX_PPM)
        raise errors.out_of_range(name, f"allowed: {low} to {high}")
    return ppm


def _view(node: Node, account: Account) -> BenefitsView:
    found = account.benefits or NOBODY
    affiliate = found.affiliate
    assets = node.engine.assets
    return BenefitsView(
        uid=account.uid,
        name=account.name,
        gifts=[
            GiftView(assets[ordinal].name, texts.amount_text(assets[ordinal], gift.left))
            for ordinal, gift in sorted(found.gifts.items())
        ],
        discount=found.discount,
        inviter=found.inviter,
        code=affiliate.code if affiliate is not None else "",
        spot_rate=texts.rate_text(affiliate.spot_ppm if affiliate is not None else 0),
        contract_rate=texts.rate_text(affiliate.contract_ppm if affiliate is not None else 0),
    )
