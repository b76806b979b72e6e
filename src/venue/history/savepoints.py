"""History goes back: what each row was before is kept from the first savepoint on.

Triggers write, for every row that is inserted, changed or deleted, the statement that takes this
back. Going back to a savepoint runs the statements behind it, the newest first. They are written
down themselves, so that a later savepoint of another branch can be reached too; when there is none
all of it goes, and the file does not grow however often one goes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Table

from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted
from venue.history.schema.copying import SCHEMA
from venue.history.schema.spot import OPENING, PROGRESS

AT_ONCE: Final = 1_000  # statements in one call
KINDS: Final = (StateKept, StateReverted, StateDropped)
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS undo (number INTEGER PRIMARY KEY, statement TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS savepoints (name TEXT PRIMARY KEY, number INTEGER NOT NULL)",
)


def follow(connection: Connection, event: Event) -> None:
    """Do what an event says of savepoints, inside the caller's transaction."""
    for statement in _TABLES:
        connection.exec_driver_sql(statement)
    if isinstance(event, StateKept):
        _keep(connection, event.name)
    elif isinstance(event, StateReverted):
        _revert(connection, event.name)
    elif isinstance(event, StateDropped):
        connection.exec_driver_sql("DELETE FROM savepoints WHERE name = ?", (event.name,))
        _trim(connection)


@contextmanager
def beyond_recall(connection: Connection) -> Iterator[None]:
    """Have what changes inside, in the caller's transaction, stay when history goes back."""
    known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'undo'"
    newest = None
    if _one(connection, known):
        newest = _one(connection, "SELECT coalesce(max(number), 0) FROM undo")
    yield
    if newest is not None:
        connection.exec_driver_sql("DELETE FROM undo WHERE number > ?", (newest,))


def _keep(connection: Connection, name: str) -> None:
    if not _one(connection, "SELECT count(*) FROM savepoints"):
        for statement in _triggers():
            connection.exec_driver_sql(statement)
    newest = _one(connection, "SELECT coalesce(max(number), 0) FROM undo")
    connection.exec_driver_sql("INSERT OR REPLACE INTO savepoints VALUES (?, ?)", (name, newest))
    _trim(connection)


def _revert(connection: Connection, name: str) -> None:
    """Take back what came behind a savepoint. One from before this history began: all of it."""
    found = connection.exec_driver_sql("SELECT number FROM savepoints WHERE name = ?", (name,))
    row = found.one_or_none()
    if row is None:
        for table in _kept_tables():
            connection.execute(table.delete())
        return
    target = row[0]
    behind = "SELECT statement FROM undo WHERE number > ? ORDER BY number DESC"
    rows = connection.exec_driver_sql(behind, (target,))
    statements = [statement for (statement,) in rows]
    for start in range(0, len(statements), AT_ONCE):
        connection.exec_driver_sql(";".join(statements[start : start + AT_ONCE]))
    if not _one(connection, "SELECT count(*) FROM savepoints WHERE number > ?", target):
        connection.exec_driver_sql("DELETE FROM undo WHERE number > ?", (target,))


def _trim(connection: Connection) -> None:
    """Let go of what lies before the oldest savepoint; without any nothing is written down."""
    oldest = _one(connection, "SELECT min(number) FROM savepoints")
    if oldest is None:
        connection.exec_driver_sql("DELETE FROM undo")
        for statement in _no_triggers():
            connection.exec_driver_sql(statement)
    else:
        connection.exec_driver_sql("DELETE FROM undo WHERE number < ?", (oldest,))


def _one(connection: Connection, question: str, *values: object) -> int | None:
    answer: int | None = connection.exec_driver_sql(question, values).scalar_one()
    return answer


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
