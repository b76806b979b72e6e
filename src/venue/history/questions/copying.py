"""Every question about copy trading that the interface asks of history; the habits of `spot`.

Lists are newest first, by when they ended. Times are µs; `start` and `end` are inclusive.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Connection, Select, select

from venue.core.messages.copy_events import CopyClosed, TrackClosed
from venue.history.questions.spot import from_to
from venue.history.schema.copying import COPIES, TRACKS
from venue.history.tables.copying import EndedCopy, EndedOf, EndedTrack


def ended_copies(connection: Connection, which: EndedOf, limit: int) -> list[EndedCopy]:
    """A follower's copies. One more than is shown tells whether there is a next page."""
    found = connection.execute(_ended(select(COPIES), which, COPIES.c).limit(limit))
    return [EndedCopy(CopyClosed(*life), closed) for *life, closed in found]


def ended_tracks(connection: Connection, which: EndedOf, limit: int) -> list[EndedTrack]:
    """A lead's tracked positions, as `ended_copies`."""
    found = connection.execute(_ended(select(TRACKS), which, TRACKS.c).limit(limit))
    return [EndedTrack(TrackClosed(*life), closed) for *life, closed in found]


def _ended(rows: Select[Any], which: EndedOf, table: Any) -> Select[Any]:
    number: Column[int] = table[0]
    rows = rows.where(table.uid == which.uid)
    if which.symbol:
        rows = rows.where(table.symbol == which.symbol)
    rows = rows.where(*from_to(table.closed, which.start, which.end))
    if which.next_id is not None and which.next_time is not None:
        earlier = table.closed < which.next_time
        rows = rows.where(earlier | ((table.closed == which.next_time) & (number < which.next_id)))
    return rows.order_by(table.closed.desc(), number.desc())
