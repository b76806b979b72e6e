"""The rows of history that nothing changes any more: copied to an archive and taken out in pieces.

Pieces are small, so that a running venue's history goes on between two of them. A table notes the
time up to which rows are being taken out, until all of them are. When the process ends before that,
the next opening of the file takes out the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from venue.history.sql import first, scalar, transaction
from venue.history.tables.every import ARCHIVABLE
from venue.history.tables.table import Table, columns

if TYPE_CHECKING:
    from apsw import Connection

ROWS: Final = 2_000  # read in one piece: some ten milliseconds

Window = tuple[str, tuple[object, ...]]
"""A condition on the keys of a table, and the values in it."""


def copy_settled(connection: Connection, time: int) -> Iterator[None]:
    """Copy rows that were settled before `time` into the attached file `other`, piece by piece."""
    for table in ARCHIVABLE:
        for which, values in _windows(connection, table):
            with transaction(connection):
                rows = f"{table.archivable.format(time=time)} AND {which}"
                copy_rows(connection, table, ("main", "other"), rows, values)
            yield


def begin_taking_out(connection: Connection, time: int) -> None:
    """Note, inside the caller's transaction, that rows settled before `time` are to go."""
    connection.execute("CREATE TABLE taken_out (time INTEGER NOT NULL)")
    connection.execute("INSERT INTO taken_out VALUES (?)", (time,))


def take_out(connection: Connection) -> Iterator[None]:
    """Take out, piece by piece, the rows noted to go; none when there is no such note."""
    with transaction(connection):
        known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'taken_out'"
        if not scalar(connection, known):
            return
        time = scalar(connection, "SELECT time FROM main.taken_out")
    for table in ARCHIVABLE:
        for which, values in _windows(connection, table):
            rows = f"{table.archivable.format(time=time)} AND {which}"
            with transaction(connection):
                delete_rows(connection, table, rows, values)
            yield
    with transaction(connection):
        connection.execute("DROP TABLE main.taken_out")


def forget(connection: Connection, spans: list[tuple[int, int]]) -> Iterator[None]:
    """Take out, piece by piece, the rows that were placed after the begin of a span and settled
    before its end (µs)."""
    for table in ARCHIVABLE:
        conditions = [
            f"({table.placed} > {begin} AND {table.archivable.format(time=end)})"
            for begin, end in spans
        ]
        for which, values in _windows(connection, table):
            with transaction(connection):
                delete_rows(connection, table, f"({' OR '.join(conditions)}) AND {which}", values)
            yield


def delete_rows(
    connection: Connection, table: Table, which: str, values: tuple[object, ...]
) -> None:
    """Delete some of a table's rows, inside the caller's transaction. They are gone for kept states
    too."""
    connection.execute(
        f"DELETE FROM main.{table.table} WHERE {which}",
        values,
    )


def copy_rows(
    connection: Connection,
    table: Table,
    way: tuple[str, str],
    which: str,
    values: tuple[object, ...] = (),
) -> None:
    """Copy some rows of a table from one attached file to another one."""
    source, target = way
    names = ", ".join(columns(table))
    connection.execute(
        f"INSERT INTO {target}.{table.table} ({names})"
        f" SELECT {names} FROM {source}.{table.table} WHERE {which}",
        values,
    )


def _windows(connection: Connection, table: Table) -> Iterator[Window]:
    """Conditions that hold for a few of a table's rows each, in the order of its keys, and together
    for all of them. Rows of earlier conditions may go in between."""
    names, marks = ", ".join(table.key), ", ".join("?" * len(table.key))
    after, low = "true", ()
    while True:
        found = first(
            connection,
            f"SELECT {names} FROM main.{table.table} WHERE {after}"
            f" ORDER BY {names} LIMIT 1 OFFSET {ROWS - 1}",
            low,
        )
        if found is None:
            yield after, low
            return
        high = tuple(found)
        yield f"{after} AND ({names}) <= ({marks})", (*low, *high)
        after, low = f"({names}) > ({marks})", high
