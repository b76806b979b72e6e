"""Events of copy trading (rule 9.4). Amounts in atoms, sizes in lots."""

from msgspec import Struct

from venue.core.messages.copy_commands import CopyConfig


class LeadSet(Struct, array_like=True, tag_field="what", tag=70):
    """An owner is a lead trader on these terms; see `SetLead`."""

    uid: int
    asset: str
    active: bool
    share_ppm: int
    third_uid: int
    third_ppm: int
    symbols: list[str]


class Followed(Struct, array_like=True, tag_field="what", tag=71):
    """A follower begins to copy a lead, or changes how.

    `number` is that of the pair, counted over the venue. The pair keeps it when it begins again.
    """

    uid: int
    lead_uid: int
    number: int
    unified: bool
    configs: list[CopyConfig]


class FollowStopped(Struct, array_like=True, tag_field="what", tag=72, gc=False):
    """A follower copies no more of a lead's openings; its open `copies` continue."""

    uid: int
    lead_uid: int
    copies: int


class CopyOpened(Struct, array_like=True, tag_field="what", tag=73, gc=False):
    """A follower's order opened `lots` of a copy for `value`, without the fee.

    `copy_no` is the copy's tracking number, `tracking_no` the lead's position.
    """

    copy_no: int
    uid: int
    lead_uid: int
    tracking_no: int
    symbol: str
    side: int
    position_id: int
    order_id: int
    lots: int
    value: int
    fee: int


class CopyRefused(Struct, array_like=True, tag_field="what", tag=74, gc=False):
    """A lead's act was not copied, for a reason of the follower's; nothing else happened."""

    uid: int
    lead_uid: int
    tracking_no: int
    symbol: str
    opens: bool
    reason: int


class CopyClosed(Struct, array_like=True, tag_field="what", tag=75, gc=False):
    """A copy has ended: its whole life. `paid` was pre-deducted of its profit."""

    copy_no: int
    uid: int
    lead_uid: int
    tracking_no: int
    symbol: str
    side: int
    order_id: int
    leverage: int
    open_size: int
    open_value: int
    open_fee: int
    close_value: int
    close_fee: int
    realized: int
    paid: int
    created: int


class TrackClosed(Struct, array_like=True, tag_field="what", tag=76, gc=False):
    """A lead's tracked position has ended: its whole life; `followers` copied it."""

    tracking_no: int
    uid: int
    symbol: str
    side: int
    order_id: int
    leverage: int
    open_size: int
    open_value: int
    open_fee: int
    close_value: int
    close_fee: int
    realized: int
    followers: int
    created: int


class CopySettled(Struct, array_like=True, tag_field="what", tag=77, gc=False):
    """One pair's day: its `net` result so far, its high-water mark after the settlement, the lead's
    share (`third` of that was passed on), and the money that returned to the follower."""

    uid: int
    lead_uid: int
    net: int
    high: int
    paid: int
    third: int
    back: int
