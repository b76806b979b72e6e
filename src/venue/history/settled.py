"""The rows of history that nothing changes any more: copied to an archive and taken out in pieces.

Pieces are small, so that a running venue's history goes on between two of them. A table notes the
time up to which rows are being taken out, until all of them are. When the process ends before that,
the next opening of the file takes out the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, Table

from venue.candles import MINUTE_US
from venue.core.book.book import OPEN
from venue.history.schema.affiliates import COMMISSIONS, INTERNAL_WITHDRAWALS
from venue.history.schema.contract import (
    CONDITIONAL_ORDERS,
    CONTRACT_FILLS,
    CONTRACT_ORDERS,
    DELEVERAGED,
    FUNDING_RATES,
    INCOME,
    LIQUIDATION_STEPS,
    LIQUIDATIONS,
    POSITIONS,
    PRICE_MINUTES,
)
from venue.history.schema.copying import COPIES, TRACKS
from venue.history.schema.spot import BILLS, FILLS, ORDERS, TRANSFERS
from venue.vocabulary import ALGO_UNTRIGGERED

ROWS: Final = 2_000  # read in one piece: some ten milliseconds

CLOSED: Final = f"update_time < {{time}} AND status NOT IN {OPEN}"
FINISHED: Final = "finished > 0 AND finished < {time}"
_LIQUIDATIONS: Final = "SELECT liquidation_id FROM main.liquidations WHERE "
OF_FINISHED: Final = f"liquidation_id IN ({_LIQUIDATIONS}{FINISHED})"
PAST: Final = "time < {time}"

# The condition of each table for unchanging rows. A liquidation's rows go before it.
# Frames have a bound of their own.
SETTLED: Final[tuple[tuple[Table, str], ...]] = (
    (ORDERS, CLOSED),
    (FILLS, PAST),
    (BILLS, PAST),
    (TRANSFERS, PAST),
    (CONTRACT_ORDERS, CLOSED),
    (CONTRACT_FILLS, PAST),
    (INCOME, PAST),
    (CONDITIONAL_ORDERS, "update_time < {time} AND status <> " + str(ALGO_UNTRIGGERED)),
    (POSITIONS, "closed < {time}"),
    (FUNDING_RATES, "time < {time} AND (skipped = 1 OR (settled > 0 AND settled < {time}))"),
    (LIQUIDATION_STEPS, OF_FINISHED),
    (DELEVERAGED, OF_FINISHED),
    (LIQUIDATIONS, FINISHED),
    (COPIES, "closed < {time}"),
    (TRACKS, "closed < {time}"),
    (COMMISSIONS, PAST),
    (INTERNAL_WITHDRAWALS, PAST),
    (PRICE_MINUTES, "open_time < {time} - " + str(MINUTE_US)),
)

# The time at which a row was placed, where no column `time` tells it.
_STARTED: Final = "(SELECT time FROM main.liquidations AS it WHERE it.liquidation_id = {table})"
PLACED: Final = {
    POSITIONS.name: "created",
    COPIES.name: "created",
    TRACKS.name: "created",
    PRICE_MINUTES.name: "open_time",
    LIQUIDATION_STEPS.name: _STARTED.format(table="liquidation_steps.liquidation_id"),
    DELEVERAGED.name: _STARTED.format(table="deleveraged.liquidation_id"),
}

Window = tuple[str, tuple[object, ...]]
"""A condition on the keys of a table, and the values in it."""


def copied(connection: Connection, time: int) -> Iterator[None]:
    """Copy rows that were settled before `time` into the attached file `other`, piece by piece."""
    for table, settled in SETTLED:
        for which, values in _windows(connection, table):
            with connection.begin():
                rows = f"{settled.format(time=time)} AND {which}"
                copy_rows(connection, table, ("main", "other"), rows, values)
            yield


def begin_taking_out(connection: Connection, time: int) -> None:
    """Note, inside the caller's transaction, that rows settled before `time` are to go."""
    connection.exec_driver_sql("CREATE TABLE taken_out (time INTEGER NOT NULL)")
    connection.exec_driver_sql("INSERT INTO taken_out VALUES (?)", (time,))


def take_out(connection: Connection) -> Iterator[None]:
    """Take out, piece by piece, the rows noted to go; none when there is no such note."""
    with connection.begin():
        known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'taken_out'"
        if not connection.exec_driver_sql(known).scalar_one():
            return
        time = connection.exec_driver_sql("SELECT time FROM main.taken_out").scalar_one()
    for table, settled in SETTLED:
        for which, values in _windows(connection, table):
            rows = f"{settled.format(time=time)} AND {which}"
            with connection.begin():
                delete_rows(connection, table, rows, values)
            yield
    with connection.begin():
        connection.exec_driver_sql("DROP TABLE main.taken_out")


def forget(connection: Connection, spans: list[tuple[int, int]]) -> Iterator[None]:
    """Take out, piece by piece, the rows that were placed after the begin of a span and settled
    before its end (µs)."""
    for table, settled in SETTLED:
        placed = PLACED.get(table.name, "time")
        conditions = [
            f"({placed} > {begin} AND {settled.format(time=end)})" for begin, end in spans
        ]
        for which, values in _windows(connection, table):
            with connection.begin():
                delete_rows(connection, table, f"({' OR '.join(conditions)}) AND {which}", values)
            yield


def delete_rows(
    connection: Connection, table: Table, which: str, values: tuple[object, ...]
) -> None:
    """Delete some of a table's rows, inside the caller's transaction. They are gone for kept states
    too."""
    connection.exec_driver_sql(
        f"DELETE FROM main.{table.name} WHERE {which}",  # noqa: S608 - our own names
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
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    connection.exec_driver_sql(
        f"INSERT INTO {target}.{table.name} ({names})"  # noqa: S608 - names of our own
        f" SELECT {names} FROM {source}.{table.name} WHERE {which}",
        values,
    )


def _windows(connection: Connection, table: Table) -> Iterator[Window]:
    """Conditions that hold for a few of a table's rows each, in the order of its keys, and together
    for all of them. Rows of earlier conditions may go in between."""
    keys = [column.name for column in table.primary_key.columns]
    names, marks = ", ".join(keys), ", ".join("?" * len(keys))
    after, low = "true", ()
    while True:
        with connection.begin():
            found = connection.exec_driver_sql(
                f"SELECT {names} FROM main.{table.name} WHERE {after}"  # noqa: S608 - our own names
                f" ORDER BY {names} LIMIT 1 OFFSET {ROWS - 1}",
                low,
            ).one_or_none()
        if found is None:
            yield after, low
            return
        high = tuple(found)
        yield f"{after} AND ({names}) <= ({marks})", (*low, *high)
        after, low = f"({names}) > ({marks})", high
