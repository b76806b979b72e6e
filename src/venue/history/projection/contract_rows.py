"""The contract side of a batch: events become rows, and changes of old rows."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import astuple

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
from venue.history.projection.batch import (
    AS_IT_WAS,
    AppliedCommand,
    Batch,
    Folds,
    Marks,
    MinutePrices,
)
from venue.history.tables.contract import (
    Conditional,
    ContractFill,
    ContractOrder,
    DeleveragedRow,
    EndedPosition,
    FundingRateRow,
    IncomeRow,
    LiquidationRow,
    PriceMinute,
    StepRow,
)
from venue.history.tables.table import insert_statement
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

ORDERS_CHANGE: Final = (
    "UPDATE contract_orders SET executed = executed + ?2, quote = quote + ?3,"
    " reduced = reduced + ?4, status = CASE WHEN ?5 < 0 THEN status ELSE ?5 END, update_time = ?6"
    " WHERE order_id = ?1"
)
CONDITIONAL_ORDERS_CHANGE: Final = (
    "UPDATE algo_orders SET type = ?2, trigger_price = ?3, price = ?4, source = ?5, rising = ?6,"
    " quantity = ?7, update_time = ?8 WHERE algo_id = ?1"
)
CONDITIONAL_ORDERS_END: Final = (
    "UPDATE algo_orders SET status = ?2, order_id = ?3, triggered_price = ?4, reason = ?5,"
    " trigger_time = ?6, update_time = ?7 WHERE algo_id = ?1"
)
FUNDING_SETTLED: Final = (
    "UPDATE funding_rates SET positions = ?3, paid = ?4, received = ?5, settled = ?6"
    " WHERE symbol = ?1 AND due = ?2"
)
LIQUIDATIONS_END: Final = (
    "UPDATE liquidations SET finished = ?2, equity_after = ?3, maintenance_after = ?4,"
    " topped_up = ?5, compensated = ?6, fund_equity = ?7 WHERE liquidation_id = ?1"
)
# A minute that an earlier batch began keeps its open, and is widened.
MINUTES_MERGE: Final = (
    f"{insert_statement(PriceMinute)} ON CONFLICT (symbol, open_time) DO UPDATE SET"
    " index_high = max(index_high, excluded.index_high),"
    " index_low = min(index_low, excluded.index_low), index_close = excluded.index_close,"
    " mark_high = max(mark_high, excluded.mark_high),"
    " mark_low = min(mark_low, excluded.mark_low), mark_close = excluded.mark_close,"
    " open_interest = excluded.open_interest"
)


class ContractRows:
    """Adds the contract rows of one batch.

    `assets` is the settle asset of each contract. Changes of old rows are written after the new
    rows, of each kind only the last one of a batch.
    """

    __slots__ = (
        "_assets", "_batch", "_conditional_changes", "_conditional_ends", "_fills", "_finished",
        "_income", "_marks", "_minutes", "_new", "_placed", "_settled",
    )  # fmt: skip

    def __init__(self, batch: Batch, assets: dict[str, str]) -> None:
        self._batch = batch
        self._new = batch.new
        self._assets = assets
        self._placed: dict[int, tuple[ContractOrderPlaced, int]] = {}  # and when
        self._marks = Marks()
        self._fills = batch.new[ContractFill]
        self._income = batch.new[IncomeRow]
        self._conditional_changes: dict[int, tuple[Any, ...]] = {}
        self._conditional_ends: dict[int, tuple[Any, ...]] = {}
        self._settled: list[tuple[Any, ...]] = []
        self._finished: list[tuple[Any, ...]] = []
        self._minutes: dict[tuple[str, int], MinutePrices] = {}

    def folds(self) -> Folds:
        """Return the functions that add the rows of each kind of event."""
        return {
            ContractTrade: self._trade,
            ContractOrderPlaced: self._order,
            ContractOrderClosed: self._add_closed,
            ContractOrderReduced: self._add_reduced,
            Income: self._item,
            MarkSet: self._prices,
            PositionClosed: self._position,
            AlgoPlaced: self._conditional,
            AlgoChanged: self._conditional_changed,
            AlgoTriggered: self._conditional_triggered,
            AlgoClosed: self._conditional_closed,
            FundingDue: self._funding,
            FundingSkipped: self._funding_skipped,
            FundingSettled: self._funding_settled,
            LiquidationStarted: self._liquidation,
            LiquidationStep: self._step,
            Deleveraged: self._deleveraging,
            LiquidationFinished: self._liquidation_finished,
        }

    def finish(self) -> None:
        """Add the new orders, as the batch leaves them, and the changes of old rows."""
        orders = self._new[ContractOrder]
        marks = self._marks.by_id
        for order_id, (placed, time) in self._placed.items():
            mark = marks.pop(order_id)
            row = ContractOrder(
                order_id, placed.uid, placed.symbol, placed.side, placed.position_side,
                placed.type, placed.time_in_force, placed.quantity, placed.price,
                placed.client_id, placed.cause, placed.algo_id, placed.position_id, time,
                mark.executed, mark.quote, mark.reduced, mark.status, mark.update_time,
            )  # fmt: skip
            orders.append(row)
        minutes = [(*key, *astuple(minute)) for key, minute in self._minutes.items()]
        self._batch.changes += (
            (ORDERS_CHANGE, [astuple(mark) for mark in marks.values()]),
            (CONDITIONAL_ORDERS_CHANGE, list(self._conditional_changes.values())),
            (CONDITIONAL_ORDERS_END, list(self._conditional_ends.values())),
            (FUNDING_SETTLED, self._settled),
            (LIQUIDATIONS_END, self._finished),
            (MINUTES_MERGE, minutes),
        )

    def _order(self, event: ContractOrderPlaced, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        self._placed[event.order_id] = (event, time)
        self._marks.add(event.order_id, 0, 0, 0, NEW, time)

    def _add_closed(self, event: ContractOrderClosed, applied: AppliedCommand, _: int) -> None:
        self._marks.add(event.order_id, 0, 0, 0, event.status, applied.time)

    def _add_reduced(self, event: ContractOrderReduced, applied: AppliedCommand, _: int) -> None:
        self._marks.add(event.order_id, 0, 0, event.quantity, AS_IT_WAS, applied.time)

    def _item(self, event: Income, applied: AppliedCommand, _: int) -> None:
        row = IncomeRow(
            event.bill_id, event.uid, event.position_id, event.asset, event.symbol, event.kind,
            event.amount, event.fee, event.balance, event.reason, applied.time,
        )  # fmt: skip
        self._income.append(row)

    def _position(self, event: PositionClosed, applied: AppliedCommand, _: int) -> None:
        self._new[EndedPosition].append(EndedPosition(event, applied.time))

    def _trade(self, event: ContractTrade, applied: AppliedCommand, _: int) -> None:
        """Two legs. In a liquidation's trades the taker's is there, whoever it is."""
        side, taker, maker = event.taker_side, event.taker, event.maker
        time, agents = applied.time, applied.agents
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
            self._marks.add(leg.order_id, event.quantity, event.notional, 0, status, time)
        symbol, position_id, position_side = event.symbol, leg.position_id, leg.position_side
        fill = ContractFill(
            event.trade_id, is_maker, leg.order_id, leg.uid, symbol, side, position_side,
            position_id, event.price, event.quantity, event.notional, leg.fee, asset, leg.realized,
            leg.opens, event.cause, time,
        )  # fmt: skip
        self._fills.append(fill)
        if leg.opens:
            kind = (
                INCOME_POSITION_OPEN_LONG if position_side == LONG else INCOME_POSITION_OPEN_SHORT
            )
        else:
            kind = (
                INCOME_POSITION_CLOSE_LONG if position_side == LONG else INCOME_POSITION_CLOSE_SHORT
            )
        item = IncomeRow(
            leg.bill_id, leg.uid, position_id, asset, symbol, kind, leg.amount, leg.fee,
            leg.balance, "", time,
        )  # fmt: skip
        self._income.append(item)

    def _prices(self, event: MarkSet, applied: AppliedCommand, _: int) -> None:
        """Widen the minute of two prices; prices that do not exist yet are 0 and left out."""
        index, mark, interest = event.index, event.mark, event.open_interest
        if index <= 0 or mark <= 0:
            return
        time = applied.time
        key = (event.symbol, time - time % MINUTE_US)
        minute = self._minutes.get(key)
        if minute is None:
            minute = MinutePrices(index, index, index, index, mark, mark, mark, mark, interest)
            self._minutes[key] = minute
            return
        minute.index_high = max(minute.index_high, index)
        minute.index_low = min(minute.index_low, index)
        minute.index_close = index
        minute.mark_high = max(minute.mark_high, mark)
        minute.mark_low = min(minute.mark_low, mark)
        minute.mark_close = mark
        minute.open_interest = interest

    def _conditional(self, event: AlgoPlaced, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        row = Conditional(
            event.algo_id, event.uid, event.symbol, event.side, event.position_side, event.type,
            event.quantity, event.trigger_price, event.price, event.source, event.client_id,
            event.rising, event.parent_id, event.position_id, event.take_profit,
            event.take_profit_source, event.stop_loss, event.stop_loss_source,
            event.callback_ppm, time, ALGO_UNTRIGGERED, 0, 0, 0, 0, time,
        )  # fmt: skip
        self._new[Conditional].append(row)

    def _conditional_changed(self, event: AlgoChanged, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        self._conditional_changes[event.algo_id] = (
            event.algo_id, event.type, event.trigger_price, event.price, event.source,
            event.rising, event.quantity, time,
        )  # fmt: skip

    def _conditional_triggered(self, event: AlgoTriggered, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        status = ALGO_TRIGGERED if event.order_id else ALGO_EXPIRED
        self._conditional_ends[event.algo_id] = (
            event.algo_id, status, event.order_id, event.price, event.reason, time, time,
        )  # fmt: skip

    def _conditional_closed(self, event: AlgoClosed, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        self._conditional_ends[event.algo_id] = (event.algo_id, event.status, 0, 0, 0, 0, time)

    def _funding(self, event: FundingDue, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        row = FundingRateRow(
            event.symbol, event.due, 0, event.rate_ppb, event.mark, event.index, time,
            0, 0, 0, 0,
        )  # fmt: skip
        self._new[FundingRateRow].append(row)

    def _funding_skipped(self, event: FundingSkipped, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        row = FundingRateRow(event.symbol, event.due, 1, 0, 0, 0, time, 0, 0, 0, 0)
        self._new[FundingRateRow].append(row)

    def _funding_settled(self, event: FundingSettled, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        values = (
            event.symbol, event.due, event.positions, event.paid, event.received, time,
        )  # fmt: skip
        self._settled.append(values)

    def _liquidation(self, event: LiquidationStarted, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        row = LiquidationRow(
            event.liquidation_id, event.uid, event.position_id, event.asset, event.symbol, time,
            event.equity, event.maintenance, event.collateral, 0, 0, 0, 0, 0, 0,
        )  # fmt: skip
        self._new[LiquidationRow].append(row)

    def _step(self, event: LiquidationStep, applied: AppliedCommand, place: int) -> None:
        time = applied.time
        row = StepRow(
            event.liquidation_id, applied.sequence, place, event.position_id, event.symbol,
            event.side, event.mark, event.tier, event.bankruptcy_price, event.wanted, event.filled,
            event.taken_over, event.deleveraged, event.fee, event.fund_change, time,
        )  # fmt: skip
        self._new[StepRow].append(row)

    def _deleveraging(self, event: Deleveraged, applied: AppliedCommand, place: int) -> None:
        time = applied.time
        row = DeleveragedRow(
            event.liquidation_id, applied.sequence, place, event.position_id, event.uid,
            event.symbol, event.quantity, event.price, event.rank, event.score, time,
        )  # fmt: skip
        self._new[DeleveragedRow].append(row)

    def _liquidation_finished(
        self, event: LiquidationFinished, applied: AppliedCommand, _: int
    ) -> None:
        time = applied.time
        values = (
            event.liquidation_id, time, event.equity, event.maintenance, event.topped_up,
            event.compensated, event.fund_equity,
        )  # fmt: skip
        self._finished.append(values)
