"""Commands of copy trading (rule 9.4), with the conventions of `commands`."""

from msgspec import Struct

from venue.core.ranges import Code, Whole


class CopyConfig(Struct, array_like=True, frozen=True):
    """How a follower copies: in one symbol, or (`symbol` empty) in those of `symbols`, empty: all.

    `value` is ppm of the lead's margin share, or (`by_amount`) atoms of margin per opening order;
    `hold_max` atoms of open value per symbol. A ratio of 0 ppm stands for none, a slippage of 0 for
    the venue's. `margin_mode` -1 is the lead's. `leverage_type` is a `vocabulary.CopyLeverage`;
    `custom` are (symbol, long, short).
    """

    symbol: str
    by_amount: bool
    value: Whole
    hold_max: Whole
    take_profit_ppm: Whole = 0
    stop_loss_ppm: Whole = 0
    slippage_ppm: Whole = 0
    margin_mode: Code = -1
    leverage_type: Code = 0
    long: Whole = 10
    short: Whole = 10
    custom: list[tuple[str, Whole, Whole]] = []
    symbols: list[str] = []


class SetLead(Struct, array_like=True, tag_field="what", tag=70):
    """Make an owner a lead trader, or change its terms.

    The copied contracts are those of `symbols` (empty: all) that settle in `asset`. The lead earns
    `share_ppm` of a follower's profit, of which owner `third_uid` gets `third_ppm`; both are 0
    without one. Not `active`: no owner can start to follow, and openings are no longer copied.
    """

    uid: Whole
    asset: str
    active: bool
    share_ppm: Whole
    third_uid: Whole = 0
    third_ppm: Whole = 0
    symbols: list[str] = []
    time: Whole = 0


class Follow(Struct, array_like=True, tag_field="what", tag=71):
    """Copy a lead from now on, or change how: one config (`unified`), or one for each symbol."""

    uid: Whole
    lead_uid: Whole
    unified: bool
    configs: list[CopyConfig]
    request: bytes = b""
    time: Whole = 0


class StopCopying(Struct, array_like=True, tag_field="what", tag=72, gc=False):
    """Stop copying a lead's openings; open copies stay."""

    uid: Whole
    lead_uid: Whole
    request: bytes = b""
    time: Whole = 0


class CloseCopy(Struct, array_like=True, tag_field="what", tag=73, gc=False):
    """Close one copied part of an owner at market."""

    uid: Whole
    symbol: str
    copy_no: Whole
    request: bytes = b""
    time: Whole = 0
