"""A table of history is a struct: its fields are the columns.

Integers are in core units: prices in ticks, quantities in lots, money in atoms, times in µs. Ids
and times grow together, so an index that ends in time serves lists that are newest first. Every
index costs each write: there is one per question.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Any, ClassVar, Final, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import astuple, fields

TYPES: Final = {int: "INTEGER", str: "TEXT", bytes: "BLOB"}
PAST: Final = "time < {time}"
ENDED: Final = "closed < {time}"


class TableRow(Struct, frozen=True, gc=False):
    """A row of a table. A first field that is a struct stands for columns named as its fields.

    The class attributes say all else about the table: `key` is its primary key, `indexes` have a
    name, columns and perhaps a condition each. Of a table that `grows`, rows are only added, and
    the first column of the key grows with each. `archivable` is the condition under which no row
    changes any more, before a `{time}` (empty: rows of the table are never archived); `placed` says
    when a row began, the column `made` when it was written. Rows of a table that is `clustered`
    stand in the order of its key.
    """

    table: ClassVar[str]
    key: ClassVar[tuple[str, ...]] = ()
    indexes: ClassVar[tuple[str, ...]] = ()
    grows: ClassVar[bool] = False
    archivable: ClassVar[str] = ""
    placed: ClassVar[str] = "time"
    made: ClassVar[str] = "time"
    clustered: ClassVar[bool] = False


Table = type[TableRow]
R = TypeVar("R", bound=TableRow)


@cache
def columns(table: Table) -> dict[str, Any]:
    """Return the names of a table's columns and their types, in the order of the fields."""
    found: dict[str, Any] = {}
    within = _within(table)
    for field in fields(table):
        if not found and within is not None:
            found = {one.name: one.type for one in fields(within)}
        else:
            found[field.name] = field.type
    return found


def create_statements(table: Table) -> list[str]:
    """Return the statements that create a table and its indexes where they are missing."""
    parts = [_declare_column(table, name, kind) for name, kind in columns(table).items()]
    if len(table.key) > 1:
        parts.append(f"PRIMARY KEY ({', '.join(table.key)})")
    end = " WITHOUT ROWID" if table.clustered else ""
    texts = [f"CREATE TABLE IF NOT EXISTS {table.table} ({', '.join(parts)}){end}"]
    for index in table.indexes:
        name, _, of = index.partition(" ")
        texts.append(f"CREATE INDEX IF NOT EXISTS {name} ON {table.table} {of}")
    return texts


def _declare_column(table: Table, name: str, kind: Any) -> str:
    """Return a column. Only a single key that is declared INTEGER is the row's own number, and
    needs no second tree."""
    if table.key == (name,):
        return f"{name} {TYPES[kind]} PRIMARY KEY"
    if isinstance(kind, UnionType):
        return f"{name} {TYPES[get_args(kind)[0]]}"
    return f"{name} {TYPES[kind]} NOT NULL"


@cache
def names(table: Table) -> str:
    """Return the columns as a statement lists them."""
    return ", ".join(f"{table.table}.{name}" for name in columns(table))


@cache
def insert_statement(table: Table) -> str:
    """Return the statement that inserts a row of `values`."""
    every = columns(table)
    marks = ", ".join("?" * len(every))
    return f"INSERT INTO {table.table} ({', '.join(every)}) VALUES ({marks})"


def values(row: TableRow) -> tuple[Any, ...]:
    """Return a row's values, as `columns` orders them."""
    first, *others = found = astuple(row)
    return (*astuple(first), *others) if isinstance(first, Struct) else found


def is_flat(table: Table) -> bool:
    """Return whether each field is a column."""
    return _within(table) is None


def row_of(table: type[R], found: tuple[Any, ...]) -> R:
    """Return the row whose values were found."""
    within = _within(table)
    if within is None:
        return table(*found)
    end = len(within.__struct_fields__)
    return table(within(*found[:end]), *found[end:])


@cache
def _within(table: Table) -> type[Struct] | None:
    """Return the struct that is a table's first field, if it is one."""
    kind = fields(table)[0].type
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None
