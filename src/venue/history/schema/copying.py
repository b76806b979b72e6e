"""The tables of copy trading: copies and tracked positions that have ended (rule 9.4)."""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, MetaData, SmallInteger, Table, Text

from venue.history.schema import affiliates, contract
from venue.history.schema.spot import METADATA, ROW_ID


def _life() -> list[Column[int]]:
    """The columns of a position's life: sizes in lots, money in atoms, times in µs."""
    names = ("leverage", "open_size", "open_value", "open_fee", "close_value", "close_fee",
             "realized")  # fmt: skip
    return [Column(name, BigInteger, nullable=False) for name in names]


COPIES: Final = Table(
    "copies",
    METADATA,
    Column("copy_no", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("lead_uid", BigInteger, nullable=False),
    Column("tracking_no", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("order_id", BigInteger, nullable=False),
    *_life(),
    Column("paid", BigInteger, nullable=False),  # pre-deducted of its profit
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger, nullable=False),
)
Index("copies_of_owner", COPIES.c.uid, COPIES.c.closed, COPIES.c.symbol)

TRACKS: Final = Table(
    "tracks",
    METADATA,
    Column("tracking_no", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("order_id", BigInteger, nullable=False),
    *_life(),
    Column("followers", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger, nullable=False),
)
Index("tracks_of_owner", TRACKS.c.uid, TRACKS.c.closed, TRACKS.c.symbol)

# The whole schema of history: these tables, and those of the modules that they stand beside.
assert contract.CONTRACT_ORDERS.metadata is METADATA
assert affiliates.COMMISSIONS.metadata is METADATA
SCHEMA: Final[MetaData] = METADATA
