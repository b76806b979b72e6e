"""The tables of spot, for queries: their columns follow from the structs in `tables`."""

from typing import Any, Final

from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Table, Text

from venue.history.tables import spot
from venue.history.tables.frames import FrameRow
from venue.history.tables.table import Table as Told
from venue.history.tables.table import columns

METADATA: Final = MetaData()
_TYPES: Final[dict[Any, Any]] = {int: BigInteger, str: Text, bytes: LargeBinary}


def told(table: Told) -> Table:
    """A struct's table."""
    found = [
        Column(name, _TYPES.get(kind, BigInteger), primary_key=name in table.key)
        for name, kind in columns(table).items()
    ]
    return Table(table.table, METADATA, *found)


ORDERS: Final = told(spot.OrderRow)
FILLS: Final = told(spot.SpotFill)
BILLS: Final = told(spot.BillRow)
TRANSFERS: Final = told(spot.TransferRow)
FRAMES: Final = told(FrameRow)
ROW: Final = (FRAMES.c.number, FRAMES.c.sequence, FRAMES.c.payload)  # the arguments of `unpacked`
PROGRESS: Final = told(spot.Progress)
OPENING: Final = told(spot.Opening)
