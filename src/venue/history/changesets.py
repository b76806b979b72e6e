"""Changes of tables as SQLite's session extension records them: changesets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import apsw

from venue.history.tables.every import KEPT


@contextmanager
def recording(connection: apsw.Connection) -> Iterator[Callable[[], bytes]]:
    """Record the changes in the tables that go back meanwhile; the given function returns them so
    far as a changeset, empty when nothing changed."""
    with closing(apsw.Session(connection, "main")) as session:
        for table in KEPT:
            session.attach(table.table)
        yield session.changeset


def apply(connection: apsw.Connection, changes: bytes) -> None:
    """Make a changeset's changes, inside the caller's transaction. A row that is there already, or
    is gone, counts as changed."""
    apsw.Changeset.apply(changes, connection, conflict=_resolve_conflict)


def take_back(connection: apsw.Connection, changes: bytes) -> None:
    """As `apply`, the other way."""
    inverse = apsw.SQLITE_CHANGESETAPPLY_INVERT
    apsw.Changeset.apply(changes, connection, conflict=_resolve_conflict, flags=inverse)


def invert(changes: bytes) -> bytes:
    """Return the changeset that leads back."""
    return apsw.Changeset.invert(changes)


def _resolve_conflict(reason: int, _: apsw.TableChange) -> int:
    """Leave a row alone that was archived meanwhile; of two rows take the changeset's."""
    if reason in (apsw.SQLITE_CHANGESET_DATA, apsw.SQLITE_CHANGESET_CONFLICT):
        return apsw.SQLITE_CHANGESET_REPLACE
    return apsw.SQLITE_CHANGESET_OMIT
