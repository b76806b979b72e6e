"""The tables that go back with a kept state, and how most of their rows do.

Tables to which rows are only added, under keys that grow, go back by their keys alone: rows after
the last key of that time are deleted. No changes are noted for those rows meanwhile.
"""

from __future__ import annotations

from typing import Final

import msgspec
from sqlalchemy import Connection, Table, func, select

from venue.history.schema.contract import CONTRACT_FILLS, CONTRACT_ORDERS, INCOME
from venue.history.schema.copying import SCHEMA
from venue.history.schema.spot import BILLS, FILLS, OPENING, ORDERS, PROGRESS

# The first column of the key of each grows with every row.
GROWING: Final = (ORDERS, FILLS, BILLS, CONTRACT_ORDERS, CONTRACT_FILLS, INCOME)
_ENDS: Final = select(
    *(
        select(func.coalesce(func.max(table.primary_key.columns[0]), 0)).scalar_subquery()
        for table in GROWING
    )
)
_decode: Final = msgspec.json.Decoder(list[int]).decode


def kept_tables() -> list[Table]:
    """The tables that go back: all but the notes of where history begins and how far it is."""
    return [table for table in SCHEMA.sorted_tables if table not in (OPENING, PROGRESS)]


def ends(connection: Connection) -> str:
    """The last keys of the tables that grow."""
    return msgspec.json.encode(list(connection.execute(_ENDS).one())).decode()


def delete_behind(connection: Connection, last: str) -> None:
    """Delete the rows of the growing tables after the keys that `ends` returned, inside the
    caller's transaction."""
    for table, key in zip(GROWING, _decode(last), strict=True):
        connection.execute(table.delete().where(table.primary_key.columns[0] > key))
