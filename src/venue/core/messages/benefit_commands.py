"""The commands of gifts, fee discounts, invitations, fee tiers, and the operator's articles."""

from msgspec import Struct

from venue.core.ranges import Code, Signed, Whole


class ChangeGift(Struct, array_like=True, tag_field="what", tag=80):
    """Give an owner `amount` atoms as contract margin, or (negative) take back at most that much.
    The same `reference` (empty: none) has no second effect (rule 2.6)."""

    uid: Whole
    asset: str
    amount: Signed
    time: Whole = 0
    reference: str = ""


class SetDiscount(Struct, array_like=True, tag_field="what", tag=81):
    """Set the venue's discount: an owner that holds `holding` atoms of a token gets `rate_ppm` of
    its contract fees back. An empty `asset` ends it."""

    asset: str
    holding: Whole
    rate_ppm: Whole
    time: Whole = 0


class JoinDiscount(Struct, array_like=True, tag_field="what", tag=82):
    """Opt an owner in to the discount, or out of it."""

    uid: Whole
    on: bool
    time: Whole = 0


class SetAffiliate(Struct, array_like=True, tag_field="what", tag=83):
    """Let an owner invite others by a code, for a share of their fees in ppm."""

    uid: Whole
    code: str
    spot_ppm: Whole
    contract_ppm: Whole
    time: Whole = 0


class Invite(Struct, array_like=True, tag_field="what", tag=84):
    """Record that an owner came by an affiliate's invitation; this never changes."""

    uid: Whole
    inviter: Whole
    time: Whole = 0


class InternalWithdraw(Struct, array_like=True, tag_field="what", tag=85):
    """Send `amount` atoms of an affiliate's own money to another owner's wallet, spot or funding.

    The same `client_id` (empty: none) with the same content has no second effect.
    """

    uid: Whole
    to_uid: Whole
    source: Code
    target: Code
    asset: str
    amount: Whole
    client_id: str = ""
    request: bytes = b""
    time: Whole = 0


class PostArticle(Struct, array_like=True, tag_field="what", tag=86):
    """Publish a text of the operator; `coins` are the assets that it is about."""

    title: str
    text: str
    coins: list[str]
    time: Whole = 0


class PostBanner(Struct, array_like=True, tag_field="what", tag=87):
    """Publish a picture that leads to a page; both are addresses."""

    title: str
    image: str
    link: str
    time: Whole = 0


class RemoveContent(Struct, array_like=True, tag_field="what", tag=88):
    """Take an article or a banner away."""

    content_id: Whole
    time: Whole = 0


class FeeTier(Struct, array_like=True, frozen=True, gc=False):
    """The rates in ppm of owners that traded at least `volume` atoms in 30 days."""

    volume: Whole
    maker_ppm: Signed
    taker_ppm: Signed


class SetFeeTiers(Struct, array_like=True, tag_field="what", tag=89):
    """Set the fee tiers of one `vocabulary.Product`, lowest first; an empty list removes them.

    Volume counts in markets whose quote (or settle) asset is `asset`.
    """

    product: Code
    asset: str
    tiers: list[FeeTier]
    time: Whole = 0
