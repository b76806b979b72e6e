"""The questions to the history of copy trading, and the rows of the answers."""

from __future__ import annotations

from msgspec import Struct

from venue.core.messages.copy_events import CopyClosed, TrackClosed


class EndedCopy(Struct, frozen=True, gc=False):
    """One copy's whole life, and when it ended (µs)."""

    life: CopyClosed
    closed: int


class EndedTrack(Struct, frozen=True, gc=False):
    """One tracked position of a lead: its whole life, and when it ended (µs)."""

    life: TrackClosed
    closed: int


class EndedOf(Struct, frozen=True, gc=False):
    """Which ones: an owner's, of one symbol or (empty) of all, ended from `start` to `end`.

    `next_time` and `next_id` go on after one of them: its number, and its end or a later time.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    next_time: int | None = None
    next_id: int | None = None
