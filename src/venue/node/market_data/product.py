"""The public market data of one product by symbol: depth, trades, tickers and candles."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Final

from venue.candles import CANDLES_MAX, Candle, fill, join, moment
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.node.market_data.chart import Chart
from venue.node.market_data.depth import Levels
from venue.node.market_data.past import NO_DAY, Day, NoPast, Past, PastTrade
from venue.node.market_data.records import BoardRecord, Depth, Top
from venue.node.market_data.ticker import Ticker, join_tickers
from venue.node.market_data.window import Window
from venue.vocabulary import BUY, SELL

TRADES_MAX: Final = 1_000  # public trades kept per symbol


class MarketView:
    """One symbol. `day` is the day before its first trade, `past` the window of statistics over
    that day; both are made when first asked for."""

    __slots__ = ("chart", "day", "levels", "past", "trades", "window")

    def __init__(self) -> None:
        self.day = NO_DAY
        self.past = Window()
        self.levels = Levels()
        self.trades: deque[PastTrade] = deque(maxlen=TRADES_MAX)
        self.window = Window()
        self.chart = Chart()


class Board:
    """The symbols of one product; every question calls `catch_up` first.

    Each question raises KeyError for a symbol that is not listed. `past` provides the trades,
    tickers and candles from before the first trade.
    """

    def __init__(self, catch_up: Callable[[], None], past: Past | None = None) -> None:
        self._catch_up = catch_up
        self._past: Past = past or NoPast()
        self._markets: dict[str, MarketView] = {}

    def depth(self, symbol: str, limit: int) -> Depth:
        """Return the best `limit` levels of each side, best first."""
        return self._market(symbol).levels.depth(limit)

    def update_id(self, symbol: str) -> int:
        """Return the update id of the book now: while it stays the same, every depth and top does
        too."""
        self._catch_up()
        return self._markets[symbol].levels.update_id

    def top(self, symbol: str) -> Top:
        """Best bid and ask."""
        return self._market(symbol).levels.top()

    def trades(self, symbol: str, limit: int) -> list[PastTrade]:
        """Return the newest `limit` trades, newest last. The board stores 1,000 at most."""
        market = self._market(symbol)
        newest = list(islice(reversed(market.trades), limit))
        newest.reverse()
        missing = limit - len(newest)
        if missing and len(newest) < TRADES_MAX:
            newest = self._day(market, symbol).trades[-missing:] + newest
        return newest

    def newest_trade(self, symbol: str) -> int:
        """Return the id of the newest trade, 0 before the first; it grows with every trade."""
        market = self._market(symbol)
        trades = market.trades or self._day(market, symbol).trades
        return trades[-1].trade_id if trades else 0

    def trades_after(self, symbol: str, trade_id: int) -> list[PastTrade]:
        """Return the stored trades with a greater id, newest last."""
        market = self._market(symbol)
        newer = list(takewhile(lambda trade: trade.trade_id > trade_id, reversed(market.trades)))
        newer.reverse()
        if len(newer) == len(market.trades) < TRADES_MAX:
            before = self._day(market, symbol).trades
            newer = [trade for trade in before if trade.trade_id > trade_id] + newer
        return newer

    def ticker(self, symbol: str, now: int) -> Ticker:
        """24-hour statistics at `now` (µs), which must not decrease from question to question."""
        market = self._market(symbol)
        if self._day(market, symbol) is NO_DAY:
            return market.window.ticker(now)
        return join_tickers(market.past.ticker(now), market.window.ticker(now))

    def ticker_until(self, symbol: str, now: int) -> int:
        """Return the time (µs, exclusive) up to which `ticker` stays as it is at `now`, its times
        in ms.

        A trade before that time still changes it, and changes the update id too.
        """
        market = self._market(symbol)
        until = market.window.until(now)
        if self._day(market, symbol) is NO_DAY or market.past.empty(now):
            return until
        return market.past.until(now)

    def candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """Return the newest `limit` candles (1 to 1,000), ascending, the last contains `now` (µs).

        Empty intervals are flat. Empty as a whole before the first trade when there is no
        prehistory. KeyError also for an unknown interval.
        """
        assert 1 <= limit <= CANDLES_MAX, limit
        rows = self._market(symbol).chart.rows(interval, limit + 1)
        # The first of all rows may go on with what the past began.
        if len(rows) <= limit:
            rows = join(self._past.candles(symbol, interval), rows)
        return fill(rows, interval, now, limit)

    def candles_until(self, symbol: str, interval: str, limit: int, end: int) -> list[Candle]:
        """Return candles as `candles` does, up to the one that contains `end` (µs), which is not
        after now."""
        chart = self._market(symbol).chart
        rows = chart.rows(interval, CANDLES_MAX)
        if not chart.full(interval):
            rows = join(self._past.candles(symbol, interval), rows)
        return fill(rows[: bisect_right(rows, end, key=moment)], interval, end, limit)

    def minute(self, symbol: str) -> Candle | None:
        """Return the candle of the newest trade's minute; after each trade it is another object."""
        return self._market(symbol).chart.minute()

    def open(self, symbol: str) -> None:
        """Add a symbol that was listed."""
        self._markets[symbol] = MarketView()

    def change(self, sequence: int, symbol: str, side: int, price: int, lots: int) -> None:
        """Change a level by `lots` for the command `sequence`; negative lots are removed from the
        book."""
        self._markets[symbol].levels.add(sequence, side, price, lots)

    def trade(self, sequence: int, time: int, trade: Trade | ContractTrade) -> None:
        """Add a trade. The taker never rested: the lots leave the maker's level."""
        market = self._markets[trade.symbol]
        price, quantity, notional = trade.price, trade.quantity, trade.notional
        bought = trade.taker_side == BUY
        market.levels.add(sequence, SELL if bought else BUY, price, -quantity)
        market.trades.append(PastTrade(trade.trade_id, price, quantity, notional, time, not bought))
        market.window.fold(time, price, quantity, notional)
        market.chart.fold(time, price, quantity, notional, taker_bought=bought)

    def dump(self) -> list[BoardRecord]:
        """Return every symbol in the order of listing, for `restore`; the data before the first
        trade is left out."""
        return [
            BoardRecord(
                symbol,
                market.levels.dump(),
                list(market.trades),
                market.window.dump(),
                market.chart.dump(),
            )
            for symbol, market in self._markets.items()
        ]

    def restore(self, records: list[BoardRecord]) -> None:
        """Replace everything by a dump."""
        self._markets = {}
        for dumped in records:
            market = MarketView()
            market.levels.restore(dumped.levels)
            market.trades.extend(dumped.trades)
            market.window.restore(dumped.window)
            market.chart.restore(dumped.chart)
            self._markets[dumped.symbol] = market

    def _day(self, market: MarketView, symbol: str) -> Day:
        """Return a market's day before its first trade; empty while it is not known."""
        if market.day is NO_DAY:
            market.day = self._past.day(symbol)
            if market.day is not NO_DAY:
                market.past = Window.of(market.day.minutes, market.day.trades[-1].time)
        return market.day

    def _market(self, symbol: str) -> MarketView:
        self._catch_up()
        return self._markets[symbol]
