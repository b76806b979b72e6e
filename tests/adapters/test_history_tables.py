"""A table of history is told once: statements and comparison follow from its struct."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from venue.history.store import open_history
from venue.history.tables.every import ARCHIVABLE, GROWING, KEPT, TABLES
from venue.history.tables.spot import Opening, Progress, TransferRow
from venue.history.tables.table import (
    Table,
    TableRow,
    columns,
    create_statements,
    insert_statement,
    names,
    row_of,
    values,
)


class Lot(TableRow, frozen=True, gc=False):
    """A planted table."""

    table = "lots"
    key = ("lot_id",)
    indexes = ("lots_of_owner (uid, added)",)

    lot_id: int
    uid: int
    asset: str
    added: int | None


def connected(table: Table) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for text in create_statements(table):
        connection.execute(text)
    return connection


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.table))
def test_a_table_has_its_structs_columns_and_holds_a_row(table: Table) -> None:
    kinds = columns(table)
    with closing(connected(table)) as connection:
        found = list(connection.execute(f"PRAGMA table_info({table.table})"))
        assert [name for _, name, *_ in found] == list(kinds)
        assert {name for _, name, _, _, _, key in found if key} == set(table.key)
        assert all(name in kinds for name in table.key)
        free = {name for _, name, _, required, _, key in found if not required and not key}
        assert free == {name for name, kind in kinds.items() if "None" in str(kind)}
        row = tuple(
            b"b" if kind is bytes else "a" if "str" in str(kind) else 7 for kind in kinds.values()
        )
        connection.execute(insert_statement(table), row)
        (told,) = connection.execute(f"SELECT {names(table)} FROM {table.table}")
        assert told == row == values(row_of(table, told))


@pytest.mark.parametrize("table", ARCHIVABLE, ids=lambda table: str(table.table))
def test_conditions_of_a_table_are_about_its_columns(tmp_path: Path, table: Table) -> None:
    open_history(str(tmp_path / "history")).close()
    with closing(apsw.Connection(str(tmp_path / "history"))) as connection:
        where = f"{table.placed} > 0 AND {table.archivable.format(time=5)}"
        assert list(connection.execute(f"SELECT * FROM {table.table} WHERE {where}")) == []


def test_the_lists_of_tables_follow_from_the_structs() -> None:
    told = [table.table for table in TABLES]
    assert told == sorted(set(told))
    assert set(TABLES) == set(of_every_module(TableRow))
    assert {*KEPT, Progress, Opening} == set(TABLES)
    assert all(len(table.key) == 1 or table.clustered for table in GROWING)
    assert {table.table for table in ARCHIVABLE} == {table.table for table in KEPT} - {"frames"}


def of_every_module(table: Table) -> list[Table]:
    """The structs that declare a table, not those that only add to an answer."""
    found = [one for below in table.__subclasses__() for one in of_every_module(below)]
    own = "table" in vars(table) and table.__module__.startswith("venue.")
    return [*found, table] if own else found


def test_a_column_is_added_in_one_place() -> None:
    with closing(connected(Lot)) as connection:
        lot = Lot(1, 2, "BTC", 7)
        connection.execute(insert_statement(Lot), values(lot))
        ((added, uid),) = connection.execute("SELECT added, uid FROM lots INDEXED BY lots_of_owner")
        assert (added, uid) == (lot.added, lot.uid) == (7, 2)
    assert "added" not in columns(TransferRow)
    assert names(TransferRow).startswith("transfers.transfer_id, transfers.uid, ")
