"""The contract side of a batch: events folded to rows, and the statements that change old rows."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Table

from venue.candles import MINUTE_US
from venue.core.book.book import after_fill
from venue.core.messages.contract_events import (
    AlgoChanged,
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Deleveraged,
    FundingDue,
    FundingSettled,
    FundingSkipped,
    Income,
    Leg,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.events import Event
from venue.history.projection.copying_rows import CopyingRows
from venue.history.schema.contract import (
    CONDITIONAL_ORDERS,
    CONTRACT_FILLS,
    CONTRACT_ORDERS,
    DELEVERAGED,
    FUNDING_RATES,
    INCOME,
    LIQUIDATION_STEPS,
    LIQUIDATIONS,
    POSITIONS,
)
from venue.history.schema.copying import COPIES, TRACKS
from venue.vocabulary import (
    ALGO_EXPIRED,
    ALGO_TRIGGERED,
    ALGO_UNTRIGGERED,
    CAUSES_LIQUIDATING,
    CAUSES_OUTSIDE,
    INCOME_POSITION_CLOSE_LONG,
    INCOME_POSITION_CLOSE_SHORT,
    INCOME_POSITION_OPEN_LONG,
    INCOME_POSITION_OPEN_SHORT,
    LONG,
    NEW,
)

AS_IT_WAS: Final = -1  # a status that does not change


class Statement(Struct, frozen=True):
    """A text with one place (`{}`) for any number of rows, each of `width` values."""

    text: str
    width: int


# VALUES names its columns column1, column2, ... on SQLite and on PostgreSQL.
ORDERS_CHANGE: Final = Statement(
    "UPDATE contract_orders SET executed = contract_orders.executed + mark.column2,"
    " quote = contract_orders.quote + mark.column3,"
    " reduced = contract_orders.reduced + mark.column4,"
    " status = CASE WHEN mark.column5 < 0 THEN contract_orders.status ELSE mark.column5 END,"
    " update_time = mark.column6"
    " FROM (VALUES {}) AS mark WHERE contract_orders.order_id = mark.column1",
    6,
)
CONDITIONAL_ORDERS_CHANGE: Final = Statement(
    "UPDATE algo_orders SET type = mark.column2, trigger_price = mark.column3,"
    " price = mark.column4, source = mark.column5, rising = mark.column6,"
    " quantity = mark.column7, update_time = mark.column8"
    " FROM (VALUES {}) AS mark WHERE algo_orders.algo_id = mark.column1",
    8,
)
CONDITIONAL_ORDERS_END: Final = Statement(
    "UPDATE algo_orders SET status = mark.column2, order_id = mark.column3,"
    " triggered_price = mark.column4, reason = mark.column5, trigger_time = mark.column6,"
    " update_time = mark.column7"
    " FROM (VALUES {}) AS mark WHERE algo_orders.algo_id = mark.column1",
    7,
)
FUNDING_SETTLED: Final = Statement(
    "UPDATE funding_rates SET positions = mark.column3, paid = mark.column4,"
    " received = mark.column5, settled = mark.column6"
    " FROM (VALUES {}) AS mark"
    " WHERE funding_rates.symbol = mark.column1 AND funding_rates.due = mark.column2",
    6,
)
LIQUIDATIONS_END: Final = Statement(
    "UPDATE liquidations SET finished = mark.column2, equity_after = mark.column3,"
    " maintenance_after = mark.column4, topped_up = mark.column5, compensated = mark.column6,"
    " fund_equity = mark.column7"
    " FROM (VALUES {}) AS mark WHERE liquidations.liquidation_id = mark.column1",
    7,
)
# A minute that an earlier batch began keeps its open, and is widened.
MINUTES_MERGE: Final = Statement(
    "INSERT INTO price_minutes (symbol, open_time, index_open, index_high, index_low, index_close,"
    " mark_open, mark_high, mark_low, mark_close, open_interest) VALUES {}"
    " ON CONFLICT (symbol, open_time) DO UPDATE SET"
    " index_high = CASE WHEN excluded.index_high > price_minutes.index_high"
    " THEN excluded.index_high ELSE price_minutes.index_high END,"
    " index_low = CASE WHEN excluded.index_low < price_minutes.index_low"
    " THEN excluded.index_low ELSE price_minutes.index_low END,"
    " index_close = excluded.index_close,"
    " mark_high = CASE WHEN excluded.mark_high > price_minutes.mark_high"
    " THEN excluded.mark_high ELSE price_minutes.mark_high END,"
    " mark_low = CASE WHEN excluded.mark_low < price_minutes.mark_low"
    " THEN excluded.mark_low ELSE price_minutes.mark_low END,"
    " mark_close = excluded.mark_close, open_interest = excluded.open_interest",
    11,
)

ADDED: Final = (CONTRACT_ORDERS, CONTRACT_FILLS, INCOME)
INSERTED: Final = (
    CONDITIONAL_ORDERS,
    POSITIONS,
    FUNDING_RATES,
    LIQUIDATIONS,
    LIQUIDATION_STEPS,
    DELEVERAGED,
    COPIES,
    TRACKS,
)
STATEMENTS: Final = (
    ORDERS_CHANGE,
    CONDITIONAL_ORDERS_CHANGE,
    CONDITIONAL_ORDERS_END,
    FUNDING_SETTLED,
    LIQUIDATIONS_END,
    MINUTES_MERGE,
)


class ContractRows:
    """The contract rows of one batch, value after value as the columns stand.

    `assets` is the settle asset of each contract. Orders and their marks (executed lots, executed
    quote, reduced lots, status, update time) are merged as in `projector.Rows`; changes of other
    rows are written after the new rows, of each kind only the last one of a batch.
    """

    __slots__ = (
        "_assets", "_conditional_changes", "_conditional_ends", "_conditionals", "_copying",
        "_deleveraged", "_fills", "_finished", "_income", "_liquidations", "_marks", "_minutes",
        "_orders", "_positions", "_rates", "_settled", "_steps",
    )  # fmt: skip

    def __init__(self, assets: dict[str, str]) -> None:
        self._assets = assets
        self._orders: dict[int, tuple[object, ...]] = {}
        self._marks: dict[int, list[int]] = {}
        self._fills: list[object] = []
        self._income: list[object] = []
        self._conditionals: list[object] = []
        self._conditional_changes: dict[int, tuple[object, ...]] = {}
        self._conditional_ends: dict[int, tuple[object, ...]] = {}
        self._positions: list[object] = []
        self._rates: list[object] = []
        self._settled: list[object] = []
        self._liquidations: list[object] = []
        self._finished: list[object] = []
        self._steps: list[object] = []
        self._deleveraged: list[object] = []
        self._copying = CopyingRows()
        self._minutes: dict[tuple[str, int], list[int]] = {}

    def fold(
        self, event: Event, sequence: int, place: int, time: int, agents: tuple[int, ...]
    ) -> None:
        """Add the rows of one event: the one at `place` among those of command `sequence`. A trade
        leaves none of `agents`."""
        if type(event) is ContractTrade:
            self._trade(event, agents, time)
        elif type(event) is ContractOrderPlaced:
            order_id = event.order_id
            self._orders[order_id] = (
                order_id, event.uid, event.symbol, event.side, event.position_side, event.type,
                event.time_in_force, event.quantity, event.price, event.client_id, event.cause,
                event.algo_id, event.position_id, time,
            )  # fmt: skip
            self._marks[order_id] = [0, 0, 0, NEW, time]
        elif type(event) is ContractOrderClosed:
            self._mark(event.order_id, 0, 0, 0, event.status, time)
        elif type(event) is ContractOrderReduced:
            self._mark(event.order_id, 0, 0, event.quantity, AS_IT_WAS, time)
        elif type(event) is Income:
            self._income += (
                event.bill_id, event.uid, event.position_id, event.asset, event.symbol, event.kind,
                event.amount, event.fee, event.balance, event.reason, time,
            )  # fmt: skip
        elif type(event) is MarkSet:
            self._prices(event, time)
        elif type(event) is PositionClosed:
            self._positions += (*astuple(event), time)
        else:
            self._conditional(event, time)
            self._funding(event, time)
            self._liquidation(event, sequence, place, time)
            self._copying.fold(event, time)

    def added(self) -> dict[Table, list[object]]:
        """New rows of the tables that only grow."""
        orders: list[object] = []
        for order_id, order in self._orders.items():
            orders += order
            orders += self._marks[order_id]
        return dict(zip(ADDED, (orders, self._fills, self._income), strict=True))

    def inserts(self) -> dict[Table, list[object]]:
        """All other new rows, in the order of `INSERTED`."""
        values = (
            self._conditionals, self._positions, self._rates, self._liquidations, self._steps,
            self._deleveraged, self._copying.copies, self._copying.tracks,
        )  # fmt: skip
        return dict(zip(INSERTED, values, strict=True))

    def changes(self) -> list[tuple[Statement, list[object]]]:
        """The updates that are written after the new rows, in the order of `STATEMENTS`."""
        orders: list[object] = []
        for order_id, mark in self._marks.items():
            if order_id not in self._orders:
                orders += (order_id, *mark)
        values = (
            orders,
            [value for row in self._conditional_changes.values() for value in row],
            [value for row in self._conditional_ends.values() for value in row],
            self._settled,
            self._finished,
            [value for key, prices in self._minutes.items() for value in (*key, *prices)],
        )
        return list(zip(STATEMENTS, values, strict=True))

    def _trade(self, event: ContractTrade, agents: tuple[int, ...], time: int) -> None:
        """Two legs. In a liquidation's trades the taker's is there, whoever it is."""
        side, taker, maker = event.taker_side, event.taker, event.maker
        if taker.uid not in agents or event.cause in CAUSES_LIQUIDATING:
            self._leg(event, taker, 0, side, event.taker_remaining, time)
        if maker.uid not in agents:
            self._leg(event, maker, 1, 1 - side, event.maker_remaining, time)

    def _leg(
        self, event: ContractTrade, leg: Leg, is_maker: int, side: int, remaining: int, time: int
    ) -> None:
        """A fill and an item; inside the book, the change of an order."""
        asset = self._assets[event.symbol]
        if event.cause not in CAUSES_OUTSIDE:
            status = after_fill(remaining)
            self._mark(leg.order_id, event.quantity, event.notional, 0, status, time)
        symbol, position_id, position_side = event.symbol, leg.position_id, leg.position_side
        self._fills += (
            event.trade_id, is_maker, leg.order_id, leg.uid, symbol, side, position_side,
            position_id, event.price, event.quantity, event.notional, leg.fee, asset, leg.realized,
            leg.opens, event.cause, time,
        )  # fmt: skip
        if leg.opens:
            kind = (
                INCOME_POSITION_OPEN_LONG if position_side == LONG else INCOME_POSITION_OPEN_SHORT
            )
        else:
            kind = (
                INCOME_POSITION_CLOSE_LONG if position_side == LONG else INCOME_POSITION_CLOSE_SHORT
            )
        self._income += (
            leg.bill_id, leg.uid, position_id, asset, symbol, kind, leg.amount, leg.fee,
            leg.balance, "", time,
        )  # fmt: skip

    def _mark(
        self, order_id: int, lots: int, notional: int, reduced: int, status: int, time: int
    ) -> None:
        mark = self._marks.get(order_id)
        if mark is None:
            self._marks[order_id] = [lots, notional, reduced, status, time]
            return
        mark[0] += lots
        mark[1] += notional
        mark[2] += reduced
        if status != AS_IT_WAS:
            mark[3] = status
        mark[4] = time

    def _prices(self, event: MarkSet, time: int) -> None:
        """Widen the minute of two prices; prices that do not exist yet are 0 and left out."""
        index, mark = event.index, event.mark
        if index <= 0 or mark <= 0:
            return
        key = (event.symbol, time - time % MINUTE_US)
        row = self._minutes.get(key)
        if row is None:
            interest = event.open_interest
            self._minutes[key] = [index, index, index, index, mark, mark, mark, mark, interest]
            return
        row[1] = max(row[1], index)
        row[2] = min(row[2], index)
        row[3] = index
        row[5] = max(row[5], mark)
        row[6] = min(row[6], mark)
        row[7] = mark
        row[8] = event.open_interest

    def _conditional(self, event: Event, time: int) -> None:
        if type(event) is AlgoPlaced:
            self._conditionals += (
                event.algo_id, event.uid, event.symbol, event.side, event.position_side, event.type,
                event.quantity, event.trigger_price, event.price, event.source, event.client_id,
                event.rising, event.parent_id, event.position_id, event.take_profit,
                event.take_profit_source, event.stop_loss, event.stop_loss_source,
                event.callback_ppm, time, ALGO_UNTRIGGERED, 0, 0, 0, 0, time,
            )  # fmt: skip
        elif type(event) is AlgoChanged:
            self._conditional_changes[event.algo_id] = (
                event.algo_id, event.type, event.trigger_price, event.price, event.source,
                event.rising, event.quantity, time,
            )  # fmt: skip
        elif type(event) is AlgoTriggered:
            status = ALGO_TRIGGERED if event.order_id else ALGO_EXPIRED
            self._conditional_ends[event.algo_id] = (
                event.algo_id, status, event.order_id, event.price, event.reason, time, time,
            )  # fmt: skip
        elif type(event) is AlgoClosed:
            self._conditional_ends[event.algo_id] = (event.algo_id, event.status, 0, 0, 0, 0, time)

    def _funding(self, event: Event, time: int) -> None:
        if type(event) is FundingDue:
            self._rates += (
                event.symbol, event.due, 0, event.rate_ppb, event.mark, event.index, time,
                0, 0, 0, 0,
            )  # fmt: skip
        elif type(event) is FundingSkipped:
            self._rates += (event.symbol, event.due, 1, 0, 0, 0, time, 0, 0, 0, 0)
        elif type(event) is FundingSettled:
            self._settled += (
                event.symbol, event.due, event.positions, event.paid, event.received, time,
            )  # fmt: skip

    def _liquidation(self, event: Event, sequence: int, place: int, time: int) -> None:
        if type(event) is LiquidationStarted:
            self._liquidations += (
                event.liquidation_id, event.uid, event.position_id, event.asset, event.symbol, time,
                event.equity, event.maintenance, event.collateral, 0, 0, 0, 0, 0, 0,
            )  # fmt: skip
        elif type(event) is LiquidationStep:
            self._steps += (
                event.liquidation_id, sequence, place, event.position_id, event.symbol, event.side,
                event.mark, event.tier, event.bankruptcy_price, event.wanted, event.filled,
                event.taken_over, event.deleveraged, event.fee, event.fund_change, time,
            )  # fmt: skip
        elif type(event) is Deleveraged:
            self._deleveraged += (
                event.liquidation_id, sequence, place, event.position_id, event.uid, event.symbol,
                event.quantity, event.price, event.rank, event.score, time,
            )  # fmt: skip
        elif type(event) is LiquidationFinished:
            self._finished += (
                event.liquidation_id, time, event.equity, event.maintenance, event.topped_up,
                event.compensated, event.fund_equity,
            )  # fmt: skip
