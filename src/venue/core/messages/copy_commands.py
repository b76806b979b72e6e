"""Commands of copy trading (rule 9.4); the habits are those of `commands`."""

from msgspec import Struct


class CopyConfig(Struct, array_like=True, frozen=True):
    """How a follower copies: in one symbol, or (`symbol` empty) in those of `symbols`, empty: all.

    `value` is ppm of the lead's margin share, or (`by_amount`) atoms of margin per opening order;
    `hold_max` atoms of open value per symbol. A ratio of 0 ppm stands for none, a slippage of 0 for
    the venue's. `margin_mode` -1 is the lead's. `leverage_type` is a `vocabulary.CopyLeverage`;
    `custom` are (symbol, long, short).
    """

    symbol: str
    by_amount: bool
    value: int
    hold_max: int
    take_profit_ppm: int = 0
    stop_loss_ppm: int = 0
    slippage_ppm: int = 0
    margin_mode: int = -1
    leverage_type: int = 0
    long: int = 10
    short: int = 10
    custom: list[tuple[str, int, int]] = []
    symbols: list[str] = []


class SetLead(Struct, array_like=True, tag_field="what", tag=70):
    """Make an owner a lead trader, or change its terms.

    The copied contracts are those of `symbols` (empty: all) that settle in `asset`. The lead
    earns `share_ppm` of a follower's profit, of which owner `third_uid` gets `third_ppm`; it is 0
    where there is none. Not `active`: no owner begins to follow, and openings
    are no longer copied.
    """

    uid: int
    asset: str
    active: bool
    share_ppm: int
    third_uid: int = 0
    third_ppm: int = 0
    symbols: list[str] = []
    time: int = 0


class Follow(Struct, array_like=True, tag_field="what", tag=71):
    """Copy a lead from now on, or change how: one config (`unified`), or one for each symbol."""

    uid: int
    lead_uid: int
    unified: bool
    configs: list[CopyConfig]
    request: bytes = b""
    time: int = 0


class StopCopying(Struct, array_like=True, tag_field="what", tag=72, gc=False):
    """Copy no more of a lead's openings; open copies stay as they are."""

    uid: int
    lead_uid: int
    request: bytes = b""
    time: int = 0


class CloseCopy(Struct, array_like=True, tag_field="what", tag=73, gc=False):
    """Close one copied part of an owner at market."""

    uid: int
    symbol: str
    copy_no: int
    request: bytes = b""
    time: int = 0
