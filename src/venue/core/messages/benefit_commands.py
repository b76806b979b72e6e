"""The commands of gifts, the fee discount, invitations and what the operator publishes (rule 9)."""

from msgspec import Struct


class ChangeGift(Struct, array_like=True, tag_field="what", tag=80):
    """Give an owner `amount` atoms as contract margin, or (negative) take back at most so much."""

    uid: int
    asset: str
    amount: int
    time: int = 0


class SetDiscount(Struct, array_like=True, tag_field="what", tag=81):
    """The venue's discount: who holds `holding` atoms of a token gets `rate_ppm` of its contract
    fees back. An empty `asset` ends it."""

    asset: str
    holding: int
    rate_ppm: int
    time: int = 0


class JoinDiscount(Struct, array_like=True, tag_field="what", tag=82):
    """An owner opts in to the discount, or out of it."""

    uid: int
    on: bool
    time: int = 0


class SetAffiliate(Struct, array_like=True, tag_field="what", tag=83):
    """Let an owner invite others by a code, for a share of their fees in ppm."""

    uid: int
    code: str
    spot_ppm: int
    contract_ppm: int
    time: int = 0


class Invite(Struct, array_like=True, tag_field="what", tag=84):
    """An owner came by an affiliate's invitation; it stays so."""

    uid: int
    inviter: int
    time: int = 0
