"""Public data of a contract beside its trades: prices, funding, open interest, price candles."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from venue.candles import CANDLES_MAX, Candle, fill
from venue.core.messages.contract_events import ContractTrade, FundingDue, Leg, MarkSet
from venue.node.market_data.chart import Chart, ChartRecord
from venue.vocabulary import LONG


class Prices(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Index and mark price in ticks and average premium in ppb, as they were set at `time` (µs).

    All 0 before the first mark. `current` is false when the index is stale (rule 6.1).
    """

    index: int = 0
    mark: int = 0
    current: bool = False
    time: int = 0
    premium_ppb: int = 0


class Funding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The last settlement: due time in µs, rate in ppb, mark in ticks; all 0 before the first."""

    due: int = 0
    rate_ppb: int = 0
    mark: int = 0


class State:
    """The reference data of one contract; open interest in lots."""

    __slots__ = ("funding", "index_chart", "mark_chart", "open_interest", "prices")

    def __init__(self) -> None:
        self.prices = Prices()
        self.funding = Funding()
        self.open_interest = 0
        self.index_chart = Chart()
        self.mark_chart = Chart()


class StateRecord(msgspec.Struct, array_like=True):
    """One dumped contract."""

    symbol: str
    prices: Prices
    funding: Funding
    open_interest: int
    index_chart: ChartRecord
    mark_chart: ChartRecord


class ContractData:
    """The contracts by symbol; `catch_up` is called before every question.

    Each question raises KeyError for a symbol that is not listed.
    """

    def __init__(self, catch_up: Callable[[], None]) -> None:
        self._catch_up = catch_up
        self._states: dict[str, State] = {}

    def prices(self, symbol: str) -> Prices:
        """Index and mark now; the average premium is the forecast's."""
        return self._state(symbol).prices

    def funding(self, symbol: str) -> Funding:
        """Rate and mark of the last settlement that became due."""
        return self._state(symbol).funding

    def open_interest(self, symbol: str) -> int:
        """The sum of all long positions, in lots; the shorts' sum is the same."""
        return self._state(symbol).open_interest

    def index_candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """The index's newest `limit` candles (1 to 1,000), ascending, the last contains `now` (µs).

        Volumes and counts are 0. Empty as a whole before the first index price. KeyError also for
        an unknown interval.
        """
        return _filled(self._state(symbol).index_chart, interval, limit, now)

    def mark_candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """The mark's candles, as `index_candles`."""
        return _filled(self._state(symbol).mark_chart, interval, limit, now)

    def index_minute(self, symbol: str) -> Candle | None:
        """The candle of the newest index's minute; each other price makes another object of it."""
        return self._state(symbol).index_chart.minute

    def mark_minute(self, symbol: str) -> Candle | None:
        """The mark's, as `index_minute`."""
        return self._state(symbol).mark_chart.minute

    def open(self, symbol: str) -> None:
        """A contract was listed."""
        self._states[symbol] = State()

    def trade(self, trade: ContractTrade) -> None:
        """Positions changed hands, in the book or outside it."""
        change = _longs(trade.maker) + _longs(trade.taker)
        if change:
            self._states[trade.symbol].open_interest += change * trade.quantity

    def mark(self, time: int, event: MarkSet) -> None:
        """New prices; one that is not known yet (0) has no candle."""
        state = self._states[event.symbol]
        state.prices = Prices(event.index, event.mark, event.current, time, event.premium_ppb)
        if event.index > 0:
            state.index_chart.quote(time, event.index)
        if event.mark > 0:
            state.mark_chart.quote(time, event.mark)

    def fund(self, event: FundingDue) -> None:
        """A settlement became due."""
        self._states[event.symbol].funding = Funding(event.due, event.rate_ppb, event.mark)

    def dump(self) -> list[StateRecord]:
        """Every contract in the order of listing; `restore` takes it back."""
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
        """Become what was dumped."""
        self._states = {}
        for dumped in records:
            state = State()
            state.prices = dumped.prices
            state.funding = dumped.funding
            state.open_interest = dumped.open_interest
            state.index_chart.restore(dumped.index_chart)
            state.mark_chart.restore(dumped.mark_chart)
            self._states[dumped.symbol] = state

    def _state(self, symbol: str) -> State:
        self._catch_up()
        return self._states[symbol]


def _filled(chart: Chart, interval: str, limit: int, now: int) -> list[Candle]:
    assert 1 <= limit <= CANDLES_MAX, limit
    return fill(chart.rows(interval, limit), interval, now, limit)


def _longs(leg: Leg) -> int:
    """The change of the sum of long positions by each lot of a leg."""
    if leg.position_side != LONG:
        return 0
    return 1 if leg.opens else -1
