"""The notes by which former versions of history went back: triggers, and a log of statements."""

from __future__ import annotations

from sqlalchemy import Connection

from venue.history.kept_rows import kept_tables


def tables() -> list[str]:
    """The log, the kept states, and the triggers, once there was a state."""
    return [
        "CREATE TABLE undo (number INTEGER PRIMARY KEY, statement TEXT NOT NULL)",
        "CREATE TABLE savepoints (name TEXT PRIMARY KEY, number INTEGER NOT NULL)",
        *_triggers(),
    ]


def keep(connection: Connection, name: str) -> None:
    """Keep the present state."""
    newest = connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM undo").scalar_one()
    connection.exec_driver_sql("INSERT INTO savepoints VALUES (?, ?)", (name, newest))


def _triggers() -> list[str]:
    made: list[str] = []
    for table in kept_tables():
        name = table.name
        columns = [f'"{column.name}"' for column in table.columns]
        keys = [f'"{column.name}"' for column in table.primary_key.columns]
        new_key = " || ' AND ' || ".join([f"'{key} = ' || quote(NEW.{key})" for key in keys])
        values = " || ', ' || ".join([f"quote(OLD.{column})" for column in columns])
        changes = " || ', ' || ".join(
            [f"'{column} = ' || quote(OLD.{column})" for column in columns]
        )
        undo = {
            "INSERT": f"'DELETE FROM {name} WHERE ' || {new_key}",
            "UPDATE": f"'UPDATE {name} SET ' || {changes} || ' WHERE ' || {new_key}",
            "DELETE": f"'INSERT INTO {name} ({', '.join(columns)}) VALUES (' || {values} || ')'",
        }
        made += [
            f"CREATE TRIGGER undo_{kind}_{name} AFTER {kind} ON {name} BEGIN"
            f" INSERT INTO undo (statement) VALUES ({text}); END"
            for kind, text in undo.items()
        ]
    return made
