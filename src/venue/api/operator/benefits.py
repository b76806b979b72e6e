"""Operator operations of gifts, the fee discount and affiliates (rules 9.1 to 9.3)."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import ClientId, Decimal, Flag, Rate, Text
from venue.api.operation import VENUE, Empty, rows


class BenefitsRequest(Struct, kw_only=True):
    """The benefits of one owner, or of all owners that have any."""

    owner: Text | None = None


class GiftView(Struct):
    """The rest of the contract gifts in one asset."""

    asset: str
    left: str


class BenefitsView(Struct, rename="camel"):
    """The benefits that the venue grants one owner.

    `code` is the code that it invites others with (empty: it is no affiliate), its shares of their
    fees are fractions; `inviter` is the uid of the owner that invited it, 0 for none.
    """

    uid: int
    name: str
    gifts: list[GiftView]
    discount: bool
    inviter: int
    code: str
    spot_rate: str
    contract_rate: str


class GiftRequest(Struct, kw_only=True):
    """An amount of contract margin that an owner is given, or has taken back.

    A gift bears losses and fees first and cannot leave the contract wallet. Taken back is at most
    the rest of it that is not needed as margin. `reference` is as of a deposit.
    """

    owner: Text
    asset: Text
    amount: Decimal
    reference: ClientId | None = None


class GiftChange(Struct, rename="camel"):
    """The amount given, or (negative) taken back, and the owner's gifts in this asset now."""

    uid: int
    asset: str
    amount: str
    left: str


class DiscountRequest(Struct, kw_only=True):
    """The terms of the fee discount: an owner that opted in and holds so much of the operator's
    token gets this fraction of the contract fees back, each day at 00:00 UTC.

    Without any of the three there is no discount from now on.
    """

    asset: Text | None = None
    holding: Decimal | None = None
    rate: Rate | None = None


class DiscountView(Struct):
    """The terms of the fee discount; an empty asset means that there is none."""

    asset: str
    holding: str
    rate: str


class JoinDiscountRequest(Struct, kw_only=True):
    """An owner opts in to the fee discount, or out of it; fees count from then on."""

    owner: Text
    on: Flag


class AffiliateRequest(Struct, rename="camel", kw_only=True):
    """An owner that may invite others by a code, and its shares of the fees that they pay."""

    owner: Text
    code: Text
    spot_rate: Rate = "0"
    contract_rate: Rate = "0"


class InviteRequest(Struct, kw_only=True):
    """An owner came by an affiliate's code. This is told once and never changes."""

    owner: Text
    code: Text


_W = (1, 0)
benefits = VENUE.get("/benefits", _W, BenefitsRequest, list[BenefitsView])
give_gift = VENUE.post("/gifts/give", _W, GiftRequest, GiftChange)
take_gift = VENUE.post("/gifts/take", _W, GiftRequest, GiftChange)
discount = VENUE.get("/discount", _W, Empty, DiscountView)
set_discount = VENUE.post("/discount", _W, DiscountRequest, DiscountView)
join_discount = VENUE.post("/owners/discount", _W, JoinDiscountRequest, BenefitsView)
set_affiliate = VENUE.post("/affiliates", _W, AffiliateRequest, BenefitsView)
invite = VENUE.post("/affiliates/invite", _W, InviteRequest, BenefitsView)

ROWS = rows(globals())
