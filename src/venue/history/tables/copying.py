"""The tables of copy trading: copies and tracked positions that have ended (rule 9.4); and what can
be asked of them."""

from __future__ import annotations

from msgspec import Struct

from venue.core.messages.copy_events import CopyClosed, TrackClosed
from venue.history.tables.table import ENDED, TableRow


class EndedCopy(TableRow, frozen=True, gc=False):
    """One copy's whole life, and when it ended (µs)."""

    table = "copies"
    key = ("copy_no",)
    indexes = ("copies_of_owner (uid, closed, symbol)",)
    archivable = ENDED
    placed = "created"
    made = "closed"

    life: CopyClosed
    closed: int


class EndedTrack(TableRow, frozen=True, gc=False):
    """One tracked position of a lead: its whole life, and when it ended (µs)."""

    table = "tracks"
    key = ("tracking_no",)
    indexes = ("tracks_of_owner (uid, closed, symbol)",)
    archivable = ENDED
    placed = "created"
    made = "closed"

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
