"""History goes back: what each row was before is kept from the first kept state on.

Triggers write, for every row that is inserted, changed or deleted, the statement that takes this
back. `branches` knows which of them lead to which state; without any nothing is written down.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Table

from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted
from venue.history import driver
from venue.history.branches import Branches
from venue.history.schema.copying import SCHEMA
from venue.history.schema.spot import OPENING, PROGRESS

KINDS: Final = (StateKept, StateReverted, StateDropped)


def follow(connection: Connection, event: Event) -> None:
    """Do what an event says of kept states, inside the caller's transaction."""
    branches = Branches(connection)
    if isinstance(event, StateKept):
        if not branches.known():
            _run(connection, _triggers())
        branches.keep(event.name)
    elif isinstance(event, StateReverted):
        _revert(connection, branches, event.name)
    elif isinstance(event, StateDropped):
        branches.drop(event.name)
    branches.write()
    if not branches.known():
        _run(connection, _no_triggers())


@contextmanager
def beyond_recall(connection: Connection) -> Iterator[None]:
    """Have what changes inside, in the caller's transaction, stay when history goes back."""
    with driver.without_triggers(connection):
        yield


def _revert(connection: Connection, branches: Branches, name: str) -> None:
    """Take back what came behind a kept state. One from before this history began: all of it."""
    if branches.go_to(name):
        return
    if branches.known():
        branches.go_to_oldest()
    for table in _kept_tables():
        connection.execute(table.delete())
    if branches.known():
        branches.begin_before()


def _run(connection: Connection, statements: list[str]) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


def _kept_tables() -> list[Table]:
    """What goes back: all but where history begins and how far it is projected."""
    return [table for table in SCHEMA.sorted_tables if table not in (OPENING, PROGRESS)]


def _triggers() -> list[str]:
    """For each table what writes down how to take a change back; the names are our own."""
    made: list[str] = []
    for table in _kept_tables():
        name = table.name
        columns = [f'"{column.name}"' for column in table.columns]
        keys = [f'"{column.name}"' for column in table.primary_key.columns]
        new_key = _joined([f"'{key} = ' || quote(NEW.{key})" for key in keys], " AND ")
        values = _joined([f"quote(OLD.{column})" for column in columns], ", ")
        changes = _joined([f"'{column} = ' || quote(OLD.{column})" for column in columns], ", ")
        undo = {
            "INSERT": f"'DELETE FROM {name} WHERE ' || {new_key}",
            "UPDATE": f"'UPDATE {name} SET ' || {changes} || ' WHERE ' || {new_key}",
            "DELETE": f"'INSERT INTO {name} ({', '.join(columns)}) VALUES (' || {values} || ')'",
        }
        made += [
            f"CREATE TRIGGER IF NOT EXISTS undo_{kind}_{name} AFTER {kind} ON {name} BEGIN"
            f" INSERT INTO undo (statement) VALUES ({text}); END"
            for kind, text in undo.items()
        ]
    return made


def _no_triggers() -> list[str]:
    kinds = ("INSERT", "UPDATE", "DELETE")
    return [
        f"DROP TRIGGER IF EXISTS undo_{kind}_{table.name}"
        for table in _kept_tables()
        for kind in kinds
    ]


def _joined(parts: list[str], between: str) -> str:
    """SQL that joins texts."""
    return f" || '{between}' || ".join(parts)
