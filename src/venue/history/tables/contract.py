"""The tables of contracts: orders, fills, income, positions, prices, liquidations; and what can be
asked of them.

Times are µs; `start` and `end` are inclusive. An empty symbol stands for all of them, so indexes
end in columns that are often asked for, after the time that lists are sorted by.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.candles import MINUTE_US
from venue.core.book.book import OPEN
from venue.core.messages.contract_events import PositionClosed
from venue.history.tables.table import ENDED, PAST, TableRow
from venue.vocabulary import ALGO_UNTRIGGERED, AlgoStatus, OrderStatus

CLOSED: Final = f"update_time < {{time}} AND status NOT IN {OPEN}"
FINISHED: Final = "finished > 0 AND finished < {time}"
_LIQUIDATIONS: Final = "SELECT liquidation_id FROM main.liquidations WHERE "
OF_FINISHED: Final = f"liquidation_id IN ({_LIQUIDATIONS}{FINISHED})"
STARTED: Final = (
    "(SELECT time FROM main.liquidations AS it WHERE it.liquidation_id = {table}.liquidation_id)"
)
BECAME_NOTHING: Final = {  # how a conditional order ends, as an order ends
    int(AlgoStatus.CANCELED): int(OrderStatus.CANCELED),
    int(AlgoStatus.EXPIRED): int(OrderStatus.EXPIRED),
}


class ContractOrder(TableRow, frozen=True, gc=False):
    """One contract order: price in ticks, quantities in lots, `quote` in atoms, times in µs.

    quantity = executed + remaining + canceled; `reduced` is the canceled part that its position
    took along (rule 5.1).
    """

    table = "contract_orders"
    key = ("order_id",)
    indexes = (
        "contract_orders_of_owner (uid, time, symbol)",
        "contract_orders_updated (uid, update_time) WHERE update_time > time",
        "contract_orders_by_client_id (uid, client_id) WHERE client_id <> ''",
    )
    grows = True
    archivable = CLOSED

    order_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    time_in_force: int
    quantity: int  # as placed, before any reduction
    price: int
    client_id: str
    cause: int
    algo_id: int
    position_id: int
    time: int
    executed: int  # lots
    quote: int  # executed notional in atoms
    reduced: int  # lots taken away with the position (rule 5.1)
    status: int
    update_time: int


class ContractOrderRow(Struct, frozen=True, gc=False):
    """An order as an answer, with what the conditional order had that it came from, or is: one that
    has ended as such is listed under its own id. None where there was none.
    """

    order: ContractOrder
    stop_price: int | None
    stop_source: int | None
    conditional_type: int | None


class ContractFill(TableRow, frozen=True, gc=False):
    """One leg of a contract trade: money in atoms of `fee_asset`, `realized` without the fee.

    The order id of a trade outside the book is its liquidation's, on both sides.
    """

    table = "contract_fills"
    key = ("trade_id", "is_maker")
    indexes = ("contract_fills_of_owner (uid, time, symbol)", "contract_fills_of_order (order_id)")
    grows = True
    archivable = PAST
    clustered = True

    trade_id: int
    is_maker: int
    order_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    position_id: int
    price: int
    quantity: int
    notional: int
    fee: int
    fee_asset: str
    realized: int
    opens: int
    cause: int
    time: int


class ContractFillRow(Struct, frozen=True, gc=False):
    """A fill as an answer. `both`: it is the maker's leg of an owner's trade with itself."""

    fill: ContractFill
    both: int


class IncomeRow(TableRow, frozen=True, gc=False):
    """One item of a pool: signed `amount`, the fee inside, and the `balance` after it, in atoms.

    `position_id` 0 is the cross pool; `symbol` is empty for transfers, `reason` for all others.
    """

    table = "income"
    key = ("bill_id",)
    indexes = ("income_of_owner (uid, time, asset, kind, symbol)",)
    grows = True
    archivable = PAST

    bill_id: int
    uid: int
    position_id: int  # 0: the cross pool
    asset: str
    symbol: str  # empty for transfers
    kind: str
    amount: int  # signed, the fee already inside
    fee: int
    balance: int  # the pool's collateral after it
    reason: str  # of transfers, otherwise empty
    time: int


class Conditional(TableRow, frozen=True, gc=False):
    """One conditional order: prices in ticks, quantity in lots (0: the whole position).

    `order_id` is the order that it became and `triggered_price` the price that triggered it, or 0;
    `reason` is the `vocabulary.Reject` of one that was refused then; `trigger_time` is 0 before.
    """

    table = "algo_orders"
    key = ("algo_id",)
    indexes = ("algo_orders_of_owner (uid, time, symbol)",)
    archivable = f"update_time < {{time}} AND status <> {ALGO_UNTRIGGERED}"

    algo_id: int
    uid: int
    symbol: str
    side: int
    position_side: int
    type: int
    quantity: int
    trigger_price: int
    price: int
    source: int
    client_id: str
    rising: int
    parent_id: int
    position_id: int
    take_profit: int
    take_profit_source: int
    stop_loss: int
    stop_loss_source: int
    callback_ppm: int
    time: int
    status: int
    order_id: int
    triggered_price: int
    reason: int
    trigger_time: int
    update_time: int


class ConditionalRow(Struct, frozen=True, gc=False):
    """A conditional order as an answer: with the executed lots of the order that it became, and
    their notional in atoms."""

    conditional: Conditional
    executed: int
    quote: int


class EndedPosition(TableRow, frozen=True, gc=False):
    """A position's whole life, and when it became zero (µs)."""

    table = "positions"
    key = ("position_id",)
    indexes = ("positions_of_owner (uid, closed, symbol)",)
    archivable = ENDED
    placed = "created"
    made = "closed"

    life: PositionClosed
    closed: int


class FundingRateRow(TableRow, frozen=True, gc=False):
    """One funding settlement: prices in ticks, money in atoms; `settled` is 0 until it is through.

    `time` is when rate and mark were frozen: later than `due` when the index was stale.
    """

    table = "funding_rates"
    key = ("symbol", "due")
    archivable = "time < {time} AND (skipped = 1 OR (settled > 0 AND settled < {time}))"
    clustered = True

    symbol: str
    due: int
    skipped: int  # 1: nothing was paid, no rate (rule 6.6)
    rate_ppb: int
    mark_price: int
    index_price: int
    time: int
    positions: int
    paid: int
    received: int
    settled: int


class LiquidationRow(TableRow, frozen=True, gc=False):
    """One pool's liquidation, amounts in atoms; the members after `finished` are 0 until then."""

    table = "liquidations"
    key = ("liquidation_id",)
    indexes = ("liquidations_of_owner (uid, liquidation_id)",)
    archivable = FINISHED

    liquidation_id: int
    uid: int
    position_id: int  # 0: the cross pool of `asset`
    asset: str
    symbol: str
    time: int
    equity: int
    maintenance: int
    collateral: int
    finished: int  # 0: under way
    equity_after: int
    maintenance_after: int
    topped_up: int
    compensated: int
    fund_equity: int


class StepRow(TableRow, frozen=True, gc=False):
    """One rung of a liquidation; `sequence` and `place` are where the engine stated it."""

    table = "liquidation_steps"
    key = ("liquidation_id", "sequence", "place")
    archivable = OF_FINISHED
    placed = STARTED.format(table="liquidation_steps")
    clustered = True

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    symbol: str
    side: int
    mark_price: int
    tier: int
    bankruptcy_price: int
    wanted: int
    filled: int
    taken_over: int
    deleveraged: int
    fee: int
    fund_change: int
    time: int


class DeleveragedRow(TableRow, frozen=True, gc=False):
    """One opposite position that took over lots; `sequence` and `place` as in `StepRow`."""

    table = "deleveraged"
    key = ("liquidation_id", "sequence", "place")
    archivable = OF_FINISHED
    placed = STARTED.format(table="deleveraged")
    clustered = True

    liquidation_id: int
    sequence: int
    place: int
    position_id: int
    uid: int
    symbol: str
    quantity: int
    price: int
    rank: int
    score: int
    time: int


class PriceMinute(TableRow, frozen=True, gc=False):
    """Index and mark of one symbol in one minute that began at `open_time`, in ticks."""

    table = "price_minutes"
    key = ("symbol", "open_time")
    archivable = "open_time < {time} - " + str(MINUTE_US)
    placed = "open_time"
    made = "open_time"
    clustered = True

    symbol: str
    open_time: int
    index_open: int
    index_high: int
    index_low: int
    index_close: int
    mark_open: int
    mark_high: int
    mark_low: int
    mark_close: int
    open_interest: int  # lots, the last of the minute


class LiquidationStory(Struct, frozen=True):
    """A liquidation with everything that happened in it, oldest first.

    `fills` are the liquidated owner's: in the book, to the fund and to deleveraged positions.
    """

    liquidation: LiquidationRow
    steps: list[StepRow]
    deleveraged: list[DeleveragedRow]
    fills: list[ContractFill]


class PriceCandle(Struct, frozen=True, gc=False):
    """One minute of a price, in ticks, and the open interest at its end, in lots."""

    open_time: int
    open: int
    high: int
    low: int
    close: int
    open_interest: int


class ContractOrdersOf(Struct, frozen=True, gc=False):
    """Which orders: an owner's, placed from `start` to `end`, or only those that have ended.

    `among` are the symbols that count, empty for all of them. With `touched` a start counts for
    the last update too: an order placed before it counts when something happened to it since.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    ended: bool = False
    touched: bool = False


class ContractFillsOf(Struct, frozen=True, gc=False):
    """Which fills: an owner's, of one order, from `start` to `end`; `among` as for orders.

    `from_id` as for spot.
    """

    uid: int
    symbol: str = ""
    order_id: int | None = None
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    from_id: int | None = None


class IncomeOf(Struct, frozen=True, gc=False):
    """Which items: an owner's, by asset (or all but the one in `without`), symbol, kind and time.

    `next_time` and `next_id` go on after an item: its bill id, and its time or a later one.
    """

    uid: int
    asset: str = ""
    symbol: str = ""
    kind: str = ""
    start: int | None = None
    end: int | None = None
    next_time: int | None = None
    next_id: int | None = None
    without: str = ""


class ConditionalsOf(Struct, frozen=True, gc=False):
    """Which conditional orders: an owner's that have ended, placed from `start` to `end`.

    `among` are the symbols that count, empty for all of them; `type` is one `AlgoType`, or None.
    """

    uid: int
    symbol: str = ""
    start: int | None = None
    end: int | None = None
    among: tuple[str, ...] = ()
    type: int | None = None
