"""Runs statements: transactions, rows as structs, conditions with their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import length_hint
from typing import TYPE_CHECKING, Any, Final

from venue.core.units import STORED_MAX
from venue.history.tables.table import R, Table, names, row_of

if TYPE_CHECKING:
    from apsw import Connection, Cursor

PAGE: Final = "LIMIT ? OFFSET ?"


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Run the statements inside as one transaction; take all of them back when one fails."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def execute(connection: Connection, text: str, values: Sequence[Any] = ()) -> Cursor:
    """Run a statement. A column holds 64 bits: its greatest number stands for what is more."""
    try:
        return connection.execute(text, values)
    except OverflowError:
        return connection.execute(text, [_clamp(value) for value in values])


def execute_for_each(connection: Connection, text: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement with the values of each row, as `execute`."""
    left = iter(rows)
    while True:
        try:
            connection.executemany(text, left)
        except OverflowError:  # of the last row that was taken
            execute(connection, text, rows[len(rows) - length_hint(left) - 1])
        else:
            return


def _clamp(value: Any) -> Any:
    return max(-STORED_MAX - 1, min(value, STORED_MAX)) if type(value) is int else value


def first(connection: Connection, text: str, values: Sequence[Any] = ()) -> Any:
    """Return the first row that a statement finds, or None."""
    return execute(connection, text, values).fetchone()


def scalar(connection: Connection, text: str, values: Sequence[Any] = ()) -> int:
    """Return the only value of the only row that a statement finds."""
    ((found,),) = execute(connection, text, values)
    return int(found)


class Where:
    """The conditions of a statement, joined by AND, and their values."""

    __slots__ = ("_texts", "values")

    def __init__(self, text: str = "", *values: Any) -> None:
        self._texts: list[str] = []
        self.values: list[Any] = []
        if text:
            self.add(text, *values)

    def add(self, text: str, *values: Any) -> Where:
        """Add a condition with its values."""
        self._texts.append(text)
        self.values += values
        return self

    def add_given(self, text: str, value: int | str | None) -> Where:
        """Add a condition, unless its value is None or empty."""
        return self if value is None or value == "" else self.add(text, value)

    def among(self, column: str, values: Sequence[Any]) -> Where:
        """Add that a column has one of these values."""
        return self.add(f"{column} IN ({', '.join('?' * len(values))})", *values)

    def from_to(self, column: str, start: int | None, end: int | None) -> Where:
        """Add that a column lies from `start` to `end`, both inclusive."""
        return self.add_given(f"{column} >= ?", start).add_given(f"{column} <= ?", end)

    def between(self, column: str, after: int | None, before: int | None) -> Where:
        """Add that a column lies between `after` and `before`."""
        return self.add_given(f"{column} > ?", after).add_given(f"{column} < ?", before)

    def __str__(self) -> str:
        return f"WHERE {' AND '.join(self._texts)}" if self._texts else ""


def select(
    connection: Connection, table: type[R], where: Where, rest: str = "", *values: Any
) -> list[R]:
    """Return the rows of a table that meet conditions; `rest` orders and limits them."""
    text = f"SELECT {names(table)} FROM {table.table} {where} {rest}"
    return [row_of(table, row) for row in execute(connection, text, [*where.values, *values])]


def count(connection: Connection, table: Table, where: Where) -> int:
    """Return how many rows of a table meet conditions."""
    return scalar(connection, f"SELECT count(*) FROM {table.table} {where}", where.values)


def page_of(limit: int, page: int) -> tuple[int, int]:
    """Return the values of `PAGE` for one page of rows; pages count from 1."""
    return limit, limit * (page - 1)
