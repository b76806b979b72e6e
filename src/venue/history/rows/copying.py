"""What is asked of the history of copy trading, and the rows that are answered."""

from __future__ import annotations

from msgspec import Struct


class EndedCopyRow(Struct, frozen=True, gc=False):
    """One copy's whole life: sizes in lots, money in atoms, times in µs."""

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
    closed: int


class EndedTrackRow(Struct, frozen=True, gc=False):
    """One tracked position of a lead: as `EndedCopyRow`; `followers` copied it."""

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
    closed: int


class EndedOf(Struct, frozen=True, gc=False):
    """Which ones: an owner's, of one symbol or (empty) of all, ended from `start` to `end`.

    `next_time` and `next_id` go on behind one of them: its number, and when it ended or later.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    next_time: int | None = None
    next_id: int | None = None
