"""Public data of a contract beside its trades: prices, funding, open interest, price candles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from venue.candles import CANDLES_MAX, Candle, fill, join, moment, open_time
from venue.core.messages.contract_events import ContractTrade, FundingDue, Leg, MarkSet
from venue.node.market_data.chart import Chart
from venue.node.market_data.past import NoPast, Past
from venue.node.market_data.records import LastFunding, Prices, StateRecord
from venue.vocabulary import LONG

FUNDING_INTERVAL: Final = "8h"  # between two settlements of the past


class State:
    """The reference data of one contract; open interest in lots."""

    __slots__ = ("funding", "index_chart", "mark_chart", "open_interest", "prices")

    def __init__(self) -> None:
        self.prices = Prices()
        self.funding = LastFunding()
        self.open_interest = 0
        self.index_chart = Chart()
        self.mark_chart = Chart()


class ContractData:
    """The contracts by symbol; every question calls `catch_up` first.

    Each question raises KeyError for a symbol that is not listed. `past` provides index, mark and
    funding from before the first ones here: there, both prices are the price at which the contract
    traded.
    """

    def __init__(self, catch_up: Callable[[], None], past: Past | None = None) -> None:
        self._catch_up = catch_up
        self._past: Past = past or NoPast()
        self._states: dict[str, State] = {}

    def prices(self, symbol: str) -> Prices:
        """Index and mark now; the average premium is the forecast's."""
        return self._state(symbol).prices

    def funding(self, symbol: str) -> LastFunding:
        """Rate and mark of the last settlement that became due."""
        return self._state(symbol).funding

    def funding_rate(self, symbol: str) -> int:
        """Return the rate (ppb) of the last settlement, here or before; 0 when there was none."""
        last = self.funding(symbol)
        trades = self._past.day(symbol).trades
        if last.due or not trades:
            return last.rate_ppb
        return self._past.funding_rate(symbol, open_time(FUNDING_INTERVAL, trades[-1].time))

    def open_interest(self, symbol: str) -> int:
        """Return the sum of all long positions, in lots; the shorts' sum is the same."""
        return self._state(symbol).open_interest

    def index_candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """Return the index's newest `limit` candles (1 to 1,000), ascending, the last contains
        `now` (µs).

        Volumes and counts are 0. Empty as a whole before the first index price. KeyError also for
        an unknown interval.
        """
        return self._candles_with_past(
            self._state(symbol).index_chart, symbol, interval, limit, now
        )

    def mark_candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """Return the candles of the mark, as `index_candles` does for the index."""
        return self._candles_with_past(self._state(symbol).mark_chart, symbol, interval, limit, now)

    def past_prices(self, symbol: str, interval: str, end: int, limit: int) -> list[Candle]:
        """Return the last candles of index and mark, up to `end` (µs), from before the first ones
        here."""
        rows = self._past.candles(symbol, interval)
        until = bisect_right(rows, end, key=moment)
        return [_price_alone(row) for row in rows[max(0, until - limit) : until]]

    def past_funding(self, symbol: str, end: int, limit: int) -> list[LastFunding]:
        """Return the settlements before the first one here, due up to `end` (µs), newest first."""
        rows = self._past.candles(symbol, FUNDING_INTERVAL)
        until = bisect_right(rows, end, key=moment)
        return [
            LastFunding(row.open_time, self._past.funding_rate(symbol, row.open_time), row.open)
            for row in reversed(rows[max(0, until - limit) : until])
        ]

    def index_minute(self, symbol: str) -> Candle | None:
        """Return the candle of the newest index price's minute; after each other price it is
        another object."""
        return self._state(symbol).index_chart.minute()

    def mark_minute(self, symbol: str) -> Candle | None:
        """Return the candle of the newest mark's minute; after each other price it is another
        object."""
        return self._state(symbol).mark_chart.minute()

    def open(self, symbol: str) -> None:
        """Add a contract that was listed."""
        self._states[symbol] = State()

    def trade(self, trade: ContractTrade) -> None:
        """Add a change of hands of positions, in the book or outside of it."""
        change = _longs(trade.maker) + _longs(trade.taker)
        if change:
            self._states[trade.symbol].open_interest += change * trade.quantity

    def mark(self, time: int, event: MarkSet) -> None:
        """Set new prices; a price of 0 is not known yet, and has no candle."""
        state = self._states[event.symbol]
        state.prices = Prices(event.index, event.mark, event.current, time, event.premium_ppb)
        if event.index > 0:
            state.index_chart.quote(time, event.index)
        if event.mark > 0:
            state.mark_chart.quote(time, event.mark)

    def fund(self, event: FundingDue) -> None:
        """Add a settlement that became due."""
        self._states[event.symbol].funding = LastFunding(event.due, event.rate_ppb, event.mark)

    def dump(self) -> list[StateRecord]:
        """Return every contract in the order of listing, for `restore`."""
        return [
            StateRecord(
                symbol,
                state.prices,
                state.funding,
                state.open_interest,
                state.index_chart.dump(),
                state.mark_chart.dump(),
            )
            for symbol, state in self._states.items()
        ]

    def restore(self, records: list[StateRecord]) -> None:
        """Replace everything by a dump."""
        self._states = {}
        for dumped in records:
            state = State()
            state.prices = dumped.prices
            state.funding = dumped.funding
            state.open_interest = dumped.open_interest
            state.index_chart.restore(dumped.index_chart)
            state.mark_chart.restore(dumped.mark_chart)
            self._states[dumped.symbol] = state

    def _candles_with_past(
        self, chart: Chart, symbol: str, interval: str, limit: int, now: int
    ) -> list[Candle]:
        assert 1 <= limit <= CANDLES_MAX, limit
        rows = chart.rows(interval, limit + 1)
        if len(rows) <= limit:  # the first of all may go on with what the past began
            rows = join(self.past_prices(symbol, interval, now, limit + 1), rows)
        return fill(rows, interval, now, limit)

    def _state(self, symbol: str) -> State:
        self._catch_up()
        return self._states[symbol]


def _price_alone(row: Candle) -> Candle:
    """Return a candle without its volumes and counts."""
    return Candle(row.open_time, row.open, row.high, row.low, row.close, 0, 0, 0, 0, 0)


def _longs(leg: Leg) -> int:
    """Return by how much one lot of a leg changes the sum of long positions."""
    if leg.position_side != LONG:
        return 0
    return 1 if leg.opens else -1
