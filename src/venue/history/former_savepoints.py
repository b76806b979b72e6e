"""Kept states in the form of former versions of history: read once, into today's form.

Triggers wrote, for each row that changed, the statement that takes this back, into one log; a kept
state was the number of its last statement. Run backwards, the log tells the changes themselves.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from sqlalchemy import Connection

from venue.history import driver
from venue.history.branches import NONE, NOW, TABLES, add
from venue.history.kept_rows import kept_tables

AT_ONCE: Final = 1_000  # statements in one call
LAST: Final = 1 << 62  # above every number


def convert(connection: Connection) -> None:
    """Convert such a log, or such changes, if any, inside the caller's transaction."""
    columns = connection.exec_driver_sql("PRAGMA main.table_info(changes)").all()
    if columns and "ends" not in {column[1] for column in columns}:
        connection.exec_driver_sql("UPDATE nodes SET node = node")  # begins the transaction
        connection.exec_driver_sql("ALTER TABLE changes ADD COLUMN ends TEXT NOT NULL DEFAULT ''")
    known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'savepoints'"
    if not connection.exec_driver_sql(known).scalar_one():
        return
    kept = connection.exec_driver_sql("SELECT name, number FROM savepoints ORDER BY number").all()
    connection.exec_driver_sql("UPDATE savepoints SET name = name")  # begins the transaction
    triggers = "SELECT name FROM main.sqlite_schema WHERE type = 'trigger'"
    for (name,) in connection.exec_driver_sql(triggers).all():
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    for statement in TABLES:
        connection.exec_driver_sql(statement)
    numbers = [number for _, number in kept]
    steps = [_taken_back(connection, *part) for part in reversed([*pairwise([*numbers, LAST])])]
    for changes, state in zip(reversed(steps), [*range(2, len(kept) + 1), NOW], strict=True):
        add(connection, changes, state)
        driver.apply(connection, changes)
    rows = [(state, state - 1 or NONE, name) for state, (name, _) in enumerate(kept, 1)]
    for row in [*rows, (NOW, len(kept) or NONE, "")]:
        connection.exec_driver_sql("INSERT INTO nodes VALUES (?, ?, ?)", row)
    for table in ("savepoints", "undo"):
        connection.exec_driver_sql(f"DROP TABLE {table}")


def _taken_back(connection: Connection, behind: int, until: int) -> bytes:
    """Run the statements between two numbers, the newest first; the changes they took back."""
    question = "SELECT statement FROM undo WHERE number > ? AND number <= ? ORDER BY number DESC"
    rows = connection.exec_driver_sql(question, (behind, until))
    statements = [statement for (statement,) in rows]
    with driver.recording(connection, kept_tables()) as changes:
        for start in range(0, len(statements), AT_ONCE):
            connection.exec_driver_sql(";".join(statements[start : start + AT_ONCE]))
        return driver.inverted(changes())
