"""The tables of history: orders, fills, bills, transfers, private frames, and how far the journal
has been projected.

Integers in core units: prices in ticks, quantities in lots, money in atoms, times in µs. One schema
for SQLite and PostgreSQL. Ids and times grow together, so an index that ends in time serves lists
that are newest first. Every index is paid for by each write: there is one per question.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
)

METADATA: Final = MetaData()

# On SQLite only a primary key declared INTEGER is the row's own number and needs no second tree.
ROW_ID: Final = BigInteger().with_variant(Integer, "sqlite")

ORDERS: Final = Table(
    "orders",
    METADATA,
    Column("order_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("type", SmallInteger, nullable=False),
    Column("time_in_force", SmallInteger, nullable=False),
    Column("quantity", BigInteger, nullable=False),
    Column("price", BigInteger, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("executed", BigInteger, nullable=False),  # lots
    Column("quote", BigInteger, nullable=False),  # executed notional in quote atoms
    Column("status", SmallInteger, nullable=False),
    Column("update_time", BigInteger, nullable=False),
)
Index("orders_of_owner", ORDERS.c.uid, ORDERS.c.symbol, ORDERS.c.time)
Index(
    "orders_by_client_id",
    ORDERS.c.uid,
    ORDERS.c.client_id,
    sqlite_where=ORDERS.c.client_id != "",
)

# A trade between two orders of one owner has two fills too: maker or taker tells them apart.
FILLS: Final = Table(
    "fills",
    METADATA,
    Column("trade_id", BigInteger, primary_key=True, autoincrement=False),
    Column("is_maker", SmallInteger, primary_key=True, autoincrement=False),
    Column("order_id", BigInteger, nullable=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("price", BigInteger, nullable=False),
    Column("quantity", BigInteger, nullable=False),
    Column("notional", BigInteger, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("fee_asset", Text, nullable=False),
    Column("time", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
Index("fills_of_owner", FILLS.c.uid, FILLS.c.symbol, FILLS.c.time)
Index("fills_of_order", FILLS.c.order_id)

BILLS: Final = Table(
    "bills",
    METADATA,
    Column("bill_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("wallet", SmallInteger, nullable=False),
    Column("asset", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),  # signed, the fee already inside
    Column("after", BigInteger, nullable=False),
    Column("fee", BigInteger, nullable=False),  # in the bill's asset, positive: charged
    Column("fill_quantity", BigInteger),
    Column("fill_notional", BigInteger),
    Column("symbol", Text),
    Column("time", BigInteger, nullable=False),
)
# Asset and kind ride along so that a rare kind is found without visiting the rows between.
Index("bills_of_owner", BILLS.c.uid, BILLS.c.wallet, BILLS.c.time, BILLS.c.asset, BILLS.c.kind)

TRANSFERS: Final = Table(
    "transfers",
    METADATA,
    Column("transfer_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("asset", Text, nullable=False),
    Column("source", SmallInteger, nullable=False),
    Column("target", SmallInteger, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
)
Index("transfers_of_owner", TRANSFERS.c.uid, TRANSFERS.c.time)

# The newest frames of each private channel, as they were sent. Rows stand in the order of writing,
# the index alone is sorted by channel: frames of many owners are written one after another.
FRAMES: Final = Table(
    "frames",
    METADATA,
    Column("uid", BigInteger, primary_key=True, autoincrement=False),
    Column("product", SmallInteger, primary_key=True, autoincrement=False),
    Column("channel", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),  # the frame's `seq`
    Column("sequence", BigInteger, nullable=False),  # of the command that caused it
    Column("payload", LargeBinary, nullable=False),
)

# One row: the sequence of the last projected command.
PROGRESS: Final = Table("progress", METADATA, Column("sequence", BigInteger, nullable=False))

# No row: history begins with the journal. One: it begins after this command, and orders from this
# id on have all their rows.
OPENING: Final = Table(
    "opening",
    METADATA,
    Column("sequence", BigInteger, nullable=False),
    Column("order_id", BigInteger, nullable=False),
)
