"""History goes back: from the first kept state on, the changes of each transaction are kept.

SQLite's session extension tells them, as a changeset; `branches` knows which of them lead to which
state. While no state is kept, nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Table

from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted
from venue.history import driver
from venue.history.branches import NOW, Branches, add
from venue.history.schema.copying import SCHEMA
from venue.history.schema.spot import OPENING, PROGRESS

KINDS: Final = (StateKept, StateReverted, StateDropped)


def follow(connection: Connection, event: Event) -> None:
    """Do what an event says of kept states, inside the caller's transaction."""
    branches = Branches(connection)
    if isinstance(event, StateKept):
        branches.keep(event.name)
    elif isinstance(event, StateReverted):
        _revert(connection, branches, event.name)
    elif isinstance(event, StateDropped):
        branches.drop(event.name)
    branches.write()


@contextmanager
def recorded(connection: Connection) -> Iterator[None]:
    """Have what changes inside, in the caller's transaction, taken back when history goes back."""
    if not _kept(connection):
        yield
        return
    with driver.recording(connection, kept_tables()) as changes:
        yield
        found = changes()
    if found:
        add(connection, found)


def _revert(connection: Connection, branches: Branches, name: str) -> None:
    """Take back what came behind a kept state. One from before this history began: all of it."""
    if branches.go_to(name):
        return
    if branches.known():
        branches.go_to_oldest()
    with driver.recording(connection, kept_tables()) as changes:
        for table in _kept_tables():
            connection.execute(table.delete())
        found = changes()
    if branches.known():
        branches.begin_before(found)


def _kept(connection: Connection) -> bool:
    """Whether any state is."""
    known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'nodes'"
    if not connection.exec_driver_sql(known).scalar_one():
        return False
    kept = connection.exec_driver_sql("SELECT count(*) FROM nodes WHERE node <> ?", (NOW,))
    return bool(kept.scalar_one())


def kept_tables() -> list[str]:
    """The names of the tables that go back: all but where history begins and how far it is."""
    return [table.name for table in _kept_tables()]


def _kept_tables() -> list[Table]:
    return [table for table in SCHEMA.sorted_tables if table not in (OPENING, PROGRESS)]
