"""The tables of contracts: orders, fills, income, positions, prices, liquidations.

The same units, schema and habits as in `spot`. A question may leave the symbol open: indexes end
in columns that are often asked for, after the time that lists are sorted by.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, SmallInteger, Table, Text

from venue.history.schema.spot import METADATA, ROW_ID

CONTRACT_ORDERS: Final = Table(
    "contract_orders",
    METADATA,
    Column("order_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("position_side", SmallInteger, nullable=False),
    Column("type", SmallInteger, nullable=False),
    Column("time_in_force", SmallInteger, nullable=False),
    Column("quantity", BigInteger, nullable=False),  # as placed, before any reduction
    Column("price", BigInteger, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("cause", SmallInteger, nullable=False),
    Column("algo_id", BigInteger, nullable=False),
    Column("position_id", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("executed", BigInteger, nullable=False),  # lots
    Column("quote", BigInteger, nullable=False),  # executed notional in atoms
    Column("reduced", BigInteger, nullable=False),  # lots taken away with the position (rule 5.1)
    Column("status", SmallInteger, nullable=False),
    Column("update_time", BigInteger, nullable=False),
)
Index(
    "contract_orders_of_owner",
    CONTRACT_ORDERS.c.uid,
    CONTRACT_ORDERS.c.time,
    CONTRACT_ORDERS.c.symbol,
)
# Orders that changed after they were placed: finds those that are older than a list reaches back.
UPDATED: Final = CONTRACT_ORDERS.c.update_time > CONTRACT_ORDERS.c.time
Index(
    "contract_orders_updated",
    CONTRACT_ORDERS.c.uid,
    CONTRACT_ORDERS.c.update_time,
    sqlite_where=UPDATED,
)
Index(
    "contract_orders_by_client_id",
    CONTRACT_ORDERS.c.uid,
    CONTRACT_ORDERS.c.client_id,
    sqlite_where=CONTRACT_ORDERS.c.client_id != "",
)

# The order id of a trade outside the book is its liquidation's, on both sides.
CONTRACT_FILLS: Final = Table(
    "contract_fills",
    METADATA,
    Column("trade_id", BigInteger, primary_key=True, autoincrement=False),
    Column("is_maker", SmallInteger, primary_key=True, autoincrement=False),
    Column("order_id", BigInteger, nullable=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("position_side", SmallInteger, nullable=False),
    Column("position_id", BigInteger, nullable=False),
    Column("price", BigInteger, nullable=False),
    Column("quantity", BigInteger, nullable=False),
    Column("notional", BigInteger, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("fee_asset", Text, nullable=False),
    Column("realized", BigInteger, nullable=False),
    Column("opens", SmallInteger, nullable=False),
    Column("cause", SmallInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
Index(
    "contract_fills_of_owner", CONTRACT_FILLS.c.uid, CONTRACT_FILLS.c.time, CONTRACT_FILLS.c.symbol
)
Index("contract_fills_of_order", CONTRACT_FILLS.c.order_id)

INCOME: Final = Table(
    "income",
    METADATA,
    Column("bill_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("position_id", BigInteger, nullable=False),  # 0: the cross pool
    Column("asset", Text, nullable=False),
    Column("symbol", Text, nullable=False),  # empty for transfers
    Column("kind", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),  # signed, the fee already inside
    Column("fee", BigInteger, nullable=False),
    Column("balance", BigInteger, nullable=False),  # the pool's collateral after it
    Column("reason", Text, nullable=False),  # of transfers, otherwise empty
    Column("time", BigInteger, nullable=False),
)
Index(
    "income_of_owner",
    INCOME.c.uid,
    INCOME.c.time,
    INCOME.c.asset,
    INCOME.c.kind,
    INCOME.c.symbol,
)

CONDITIONAL_ORDERS: Final = Table(
    "algo_orders",
    METADATA,
    Column("algo_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("position_side", SmallInteger, nullable=False),
    Column("type", SmallInteger, nullable=False),
    Column("quantity", BigInteger, nullable=False),  # 0: the whole position
    Column("trigger_price", BigInteger, nullable=False),
    Column("price", BigInteger, nullable=False),
    Column("source", SmallInteger, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("rising", SmallInteger, nullable=False),
    Column("parent_id", BigInteger, nullable=False),
    Column("position_id", BigInteger, nullable=False),
    Column("take_profit", BigInteger, nullable=False),
    Column("take_profit_source", SmallInteger, nullable=False),
    Column("stop_loss", BigInteger, nullable=False),
    Column("stop_loss_source", SmallInteger, nullable=False),
    Column("callback_ppm", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("order_id", BigInteger, nullable=False),  # the order that it became, or 0
    Column("triggered_price", BigInteger, nullable=False),  # the price that triggered it, or 0
    Column("reason", SmallInteger, nullable=False),  # of the refusal when triggered, or 0
    Column("trigger_time", BigInteger, nullable=False),  # 0: never triggered
    Column("update_time", BigInteger, nullable=False),
)
Index(
    "algo_orders_of_owner",
    CONDITIONAL_ORDERS.c.uid,
    CONDITIONAL_ORDERS.c.time,
    CONDITIONAL_ORDERS.c.symbol,
)

POSITIONS: Final = Table(
    "positions",
    METADATA,
    Column("position_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("margin_mode", SmallInteger, nullable=False),
    Column("separated_mode", SmallInteger, nullable=False),
    Column("leverage", BigInteger, nullable=False),
    Column("open_size", BigInteger, nullable=False),
    Column("open_value", BigInteger, nullable=False),
    Column("open_fee", BigInteger, nullable=False),
    Column("close_size", BigInteger, nullable=False),
    Column("close_value", BigInteger, nullable=False),
    Column("close_fee", BigInteger, nullable=False),
    Column("funding_fee", BigInteger, nullable=False),
    Column("liquidate_fee", BigInteger, nullable=False),
    Column("realized", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger, nullable=False),
)
Index("positions_of_owner", POSITIONS.c.uid, POSITIONS.c.closed, POSITIONS.c.symbol)

FUNDING_RATES: Final = Table(
    "funding_rates",
    METADATA,
    Column("symbol", Text, primary_key=True),
    Column("due", BigInteger, primary_key=True, autoincrement=False),
    Column("skipped", SmallInteger, nullable=False),  # 1: nothing was paid, no rate (rule 6.6)
    Column("rate_ppb", BigInteger, nullable=False),
    Column("mark_price", BigInteger, nullable=False),
    Column("index_price", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("positions", BigInteger, nullable=False),
    Column("paid", BigInteger, nullable=False),
    Column("received", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),  # when it was through; 0: not yet
    sqlite_with_rowid=False,
)

LIQUIDATIONS: Final = Table(
    "liquidations",
    METADATA,
    Column("liquidation_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("position_id", BigInteger, nullable=False),  # 0: the cross pool of `asset`
    Column("asset", Text, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("equity", BigInteger, nullable=False),
    Column("maintenance", BigInteger, nullable=False),
    Column("collateral", BigInteger, nullable=False),
    Column("finished", BigInteger, nullable=False),  # 0: under way
    Column("equity_after", BigInteger, nullable=False),
    Column("maintenance_after", BigInteger, nullable=False),
    Column("topped_up", BigInteger, nullable=False),
    Column("compensated", BigInteger, nullable=False),
    Column("fund_equity", BigInteger, nullable=False),
)
Index("liquidations_of_owner", LIQUIDATIONS.c.uid, LIQUIDATIONS.c.liquidation_id)

# A liquidation's children stand in the order in which the engine stated them: by command, and by
# place among its events.
LIQUIDATION_STEPS: Final = Table(
    "liquidation_steps",
    METADATA,
    Column("liquidation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("place", BigInteger, primary_key=True, autoincrement=False),
    Column("position_id", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("side", SmallInteger, nullable=False),
    Column("mark_price", BigInteger, nullable=False),
    Column("tier", SmallInteger, nullable=False),
    Column("bankruptcy_price", BigInteger, nullable=False),
    Column("wanted", BigInteger, nullable=False),
    Column("filled", BigInteger, nullable=False),
    Column("taken_over", BigInteger, nullable=False),
    Column("deleveraged", BigInteger, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("fund_change", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

DELEVERAGED: Final = Table(
    "deleveraged",
    METADATA,
    Column("liquidation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("place", BigInteger, primary_key=True, autoincrement=False),
    Column("position_id", BigInteger, nullable=False),
    Column("uid", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("quantity", BigInteger, nullable=False),
    Column("price", BigInteger, nullable=False),
    Column("rank", BigInteger, nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# Index and mark of one symbol in one minute that began at `open_time`.
PRICE_MINUTES: Final = Table(
    "price_minutes",
    METADATA,
    Column("symbol", Text, primary_key=True),
    Column("open_time", BigInteger, primary_key=True, autoincrement=False),
    Column("index_open", BigInteger, nullable=False),
    Column("index_high", BigInteger, nullable=False),
    Column("index_low", BigInteger, nullable=False),
    Column("index_close", BigInteger, nullable=False),
    Column("mark_open", BigInteger, nullable=False),
    Column("mark_high", BigInteger, nullable=False),
    Column("mark_low", BigInteger, nullable=False),
    Column("mark_close", BigInteger, nullable=False),
    Column("open_interest", BigInteger, nullable=False),  # lots, the last of the minute
    sqlite_with_rowid=False,
)
