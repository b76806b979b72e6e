"""Every question about copy trading that the interface asks of history: conventions as in `spot`.

Lists are newest first, by when they ended. Times are µs; `start` and `end` are inclusive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venue.history.sql import Where, select
from venue.history.tables.copying import EndedCopy, EndedOf, EndedTrack
from venue.history.tables.table import R

if TYPE_CHECKING:
    from apsw import Connection


def ended_copies(connection: Connection, which: EndedOf, limit: int) -> list[EndedCopy]:
    """Return a follower's copies. One more than is shown tells whether there is a next page."""
    return _ended_rows(connection, EndedCopy, which, limit)


def ended_tracks(connection: Connection, which: EndedOf, limit: int) -> list[EndedTrack]:
    """Return a lead's tracked positions, as `ended_copies`."""
    return _ended_rows(connection, EndedTrack, which, limit)


def _ended_rows(connection: Connection, table: type[R], which: EndedOf, limit: int) -> list[R]:
    (number,) = table.key
    where = Where("uid = ?", which.uid).add_given("symbol = ?", which.symbol)
    where.from_to("closed", which.start, which.end)
    if which.next_id is not None and which.next_time is not None:
        earlier = f"(closed < ? OR (closed = ? AND {number} < ?))"
        where.add(earlier, which.next_time, which.next_time, which.next_id)
    return select(connection, table, where, f"ORDER BY closed DESC, {number} DESC LIMIT ?", limit)
