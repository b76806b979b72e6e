"""The tables that go back with a kept state, and how most of their rows do.

Tables to which rows are only added, under keys that grow, go back by their keys alone: rows after
the last key of that time are deleted. No changes are noted for those rows meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from venue.history.sql import scalar
from venue.history.tables.every import GROWING

if TYPE_CHECKING:
    from apsw import Connection

_ENDS: Final = [f"SELECT coalesce(max({one.key[0]}), 0) FROM {one.table}" for one in GROWING]
_decode: Final = msgspec.json.Decoder(list[int]).decode


def ends(connection: Connection) -> str:
    """Return the last keys of the tables that grow."""
    return msgspec.json.encode([scalar(connection, one) for one in _ENDS]).decode()


def delete_behind(connection: Connection, last: str) -> None:
    """Delete the rows of the growing tables after the keys that `ends` returned, inside the
    caller's transaction."""
    for table, key in zip(GROWING, _decode(last), strict=True):
        text = f"DELETE FROM {table.table} WHERE {table.key[0]} > ?"
        connection.execute(text, (key,))
