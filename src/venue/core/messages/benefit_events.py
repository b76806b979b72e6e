"""Events of gifts, the fee discount and invitations (rule 9)."""

from msgspec import Struct


class GiftChanged(Struct, array_like=True, tag_field="what", tag=80):
    """A gift was given or (negative) taken back, in atoms; the owner has `left` of it.

    The income item of the movement follows.
    """

    uid: int
    asset: str
    amount: int
    left: int


class DiscountSet(Struct, array_like=True, tag_field="what", tag=81):
    """The venue's discount has these terms; an empty `asset`: there is none."""

    asset: str
    holding: int
    rate_ppm: int


class DiscountJoined(Struct, array_like=True, tag_field="what", tag=82):
    uid: int
    on: bool


class AffiliateSet(Struct, array_like=True, tag_field="what", tag=83):
    uid: int
    code: str
    spot_ppm: int
    contract_ppm: int


class Invited(Struct, array_like=True, tag_field="what", tag=84):
    uid: int
    inviter: int


class CommissionPaid(Struct, array_like=True, tag_field="what", tag=85):
    """An affiliate's share of the fees that `uid` paid on `day` (days since 1970), in atoms.

    It is a share of `fee`; `maker` and `taker` are the amounts traded. The bill of the affiliate's
    spot wallet follows; of contract fees the fee account's item stands between.
    """

    affiliate: int
    uid: int
    day: int
    product: int
    asset: str
    fee: int
    commission: int
    rate_ppm: int
    maker: int
    taker: int


class InternallyWithdrawn(Struct, array_like=True, tag_field="what", tag=86):
    """Money went from one owner to another; the sender's bill follows, then the receiver's."""

    withdraw_id: int
    uid: int
    to_uid: int
    asset: str
    source: int
    target: int
    amount: int


class MovementRepeated(Struct, array_like=True, tag_field="what", tag=87):
    """The same movement of money was requested before and had its effect then. `number` is the
    internal withdrawal's id; for a movement with a reference, the first value of its answer."""

    number: int


class ContentPosted(Struct, array_like=True, tag_field="what", tag=88):
    """An article or a banner was published."""

    content_id: int


class ContentRemoved(Struct, array_like=True, tag_field="what", tag=89):
    content_id: int


class FeeTiersSet(Struct, array_like=True, tag_field="what", tag=100):
    """A product has this number of fee tiers from now on."""

    product: int
    count: int


class FeeTierReached(Struct, array_like=True, tag_field="what", tag=101):
    """An owner has another tier (0: none), or its tier has other rates, in ppm; -1: the symbol's.

    It traded `volume` in the 30 days before, in atoms.
    """

    uid: int
    product: int
    level: int
    volume: int
    maker_ppm: int
    taker_ppm: int
