"""History goes back: from the first kept state on, the changes of each transaction are kept.

SQLite's session extension records them as a changeset, except rows that `kept_rows` takes back by
their keys; `branches` knows which of them lead to which state. While no state is kept, nothing is
recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted
from venue.history import changesets
from venue.history.branches import NOW, Branches, follow_on
from venue.history.kept_rows import ends
from venue.history.sql import scalar
from venue.history.tables.every import KEPT

if TYPE_CHECKING:
    from apsw import Connection

KINDS: Final = (StateKept, StateReverted, StateDropped)


def follow(connection: Connection, event: Event) -> None:
    """Keep or revert a state as an event says, inside the caller's transaction."""
    branches = Branches(connection)
    if isinstance(event, StateKept):
        branches.keep(event.name)
    elif isinstance(event, StateReverted):
        _revert(connection, branches, event.name)
    elif isinstance(event, StateDropped):
        branches.drop(event.name)
    branches.write()


def begin(connection: Connection) -> str:
    """Begin a transaction: the last keys of the growing tables before it; empty when no state is
    kept. Until `record_changes`, rows may be added to those tables alone."""
    return ends(connection) if _has_states(connection) else ""


@contextmanager
def record_changes(connection: Connection, begun: str) -> Iterator[None]:
    """Record the other changes, made inside, so that history can go back; with them go the rows
    added since `begin` returned `begun`."""
    if not begun:
        yield
        return
    with changesets.recording(connection) as changes:
        yield
        follow_on(connection, changes(), begun)


def _revert(connection: Connection, branches: Branches, name: str) -> None:
    """Take back all that followed a kept state; all of history if the state is from before it."""
    if branches.go_to(name):
        return
    if branches.has_states():
        branches.go_to_oldest()
    with changesets.recording(connection) as changes:
        for table in KEPT:
            connection.execute(f"DELETE FROM {table.table}")
        found = changes()
    if branches.has_states():
        branches.begin_before(found)


def _has_states(connection: Connection) -> bool:
    """Return whether any state is kept."""
    known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'nodes'"
    if not scalar(connection, known):
        return False
    return scalar(connection, "SELECT count(*) FROM nodes WHERE node <> ?", (NOW,)) > 0
