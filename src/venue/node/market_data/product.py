"""The public market data of one product by symbol: depth, trades, tickers and candles."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Final

import msgspec

from venue.candles import CANDLES_MAX, Candle, fill, join
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.node.market_data.chart import Chart, ChartRecord
from venue.node.market_data.depth import Depth, Levels, Top
from venue.node.market_data.ticker import Ticker, Window, WindowRecord
from venue.vocabulary import Side

TRADES_MAX: Final = 1_000  # public trades kept per symbol
BUY: Final = int(Side.BUY)
SELL: Final = int(Side.SELL)

Prehistory = Callable[[str, str], list[Candle]]


class PublicTrade(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One trade as everybody sees it: price in ticks, lots, quote atoms, time in µs."""

    trade_id: int
    price: int
    quantity: int
    notional: int
    time: int
    is_buyer_maker: bool


class Market:
    """The market data of one symbol."""

    __slots__ = ("chart", "levels", "trades", "window")

    def __init__(self) -> None:
        self.levels = Levels()
        self.trades: deque[PublicTrade] = deque(maxlen=TRADES_MAX)
        self.window = Window()
        self.chart = Chart()


class MarketRecord(msgspec.Struct, array_like=True):
    """One dumped symbol."""

    symbol: str
    levels: Depth
    trades: list[PublicTrade]
    window: WindowRecord
    chart: ChartRecord


class Board:
    """The symbols of one product; `catch_up` is called before every question.

    Each question raises KeyError for a symbol that is not listed. `prehistory(symbol, interval)`
    gives the candles before the first trade, ascending and without gaps; empty when there are none.
    """

    def __init__(self, catch_up: Callable[[], None], prehistory: Prehistory | None = None) -> None:
        self._catch_up = catch_up
        self._prehistory = prehistory
        self._markets: dict[str, Market] = {}

    def depth(self, symbol: str, limit: int) -> Depth:
        """The best `limit` levels of each side, best first."""
        return self._market(symbol).levels.depth(limit)

    def update_id(self, symbol: str) -> int:
        """The update id of the book now: as long as it is the same, so is every depth and top."""
        self._catch_up()
        return self._markets[symbol].levels.update_id

    def top(self, symbol: str) -> Top:
        """Best bid and ask."""
        return self._market(symbol).levels.top()

    def trades(self, symbol: str, limit: int) -> list[PublicTrade]:
        """The newest `limit` trades (at most 1,000 are kept), newest last."""
        newest = list(islice(reversed(self._market(symbol).trades), limit))
        newest.reverse()
        return newest

    def newest_trade(self, symbol: str) -> int:
        """The id of the newest trade, 0 before the first; it grows with every trade."""
        trades = self._market(symbol).trades
        return trades[-1].trade_id if trades else 0

    def trades_after(self, symbol: str, trade_id: int) -> list[PublicTrade]:
        """The trades with a greater id (of those that are kept), newest last."""
        trades = reversed(self._market(symbol).trades)
        newer = list(takewhile(lambda trade: trade.trade_id > trade_id, trades))
        newer.reverse()
        return newer

    def ticker(self, symbol: str, now: int) -> Ticker:
        """24-hour statistics at `now` (µs), which must not decrease from question to question."""
        return self._market(symbol).window.ticker(now)

    def ticker_until(self, symbol: str, now: int) -> int:
        """Up to which time (µs, exclusive) `ticker` tells the same as at `now`, its times in ms.

        A trade before then changes it all the same; it changes the update id too.
        """
        return self._market(symbol).window.until(now)

    def candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """The newest `limit` candles (1 to 1,000), ascending, the last contains `now` (µs).

        Empty intervals are flat. Empty as a whole before the first trade when there is no
        prehistory. KeyError also for an unknown interval.
        """
        assert 1 <= limit <= CANDLES_MAX, limit
        rows = self._market(symbol).chart.rows(interval, limit + 1)
        # The first of all rows may go on with what the prehistory began.
        if self._prehistory is not None and len(rows) <= limit:
            rows = join(self._prehistory(symbol, interval), rows)
        return fill(rows, interval, now, limit)

    def minute(self, symbol: str) -> Candle | None:
        """The candle of the minute of the newest trade; each trade makes another object of it."""
        return self._market(symbol).chart.minute

    def open(self, symbol: str) -> None:
        """A symbol was listed."""
        self._markets[symbol] = Market()

    def change(self, sequence: int, symbol: str, side: int, price: int, lots: int) -> None:
        """The command `sequence` changed a level by `lots`; negative lots left the book."""
        self._markets[symbol].levels.add(sequence, side, price, lots)

    def trade(self, sequence: int, time: int, trade: Trade | ContractTrade) -> None:
        """The taker never rested: a trade takes its lots from the maker's level."""
        market = self._markets[trade.symbol]
        price, quantity, notional = trade.price, trade.quantity, trade.notional
        bought = trade.taker_side == BUY
        market.levels.add(sequence, SELL if bought else BUY, price, -quantity)
        market.trades.append(
            PublicTrade(trade.trade_id, price, quantity, notional, time, not bought)
        )
        market.window.fold(time, price, quantity, notional)
        market.chart.fold(time, price, quantity, notional, taker_bought=bought)

    def dump(self) -> list[MarketRecord]:
        """Every symbol in the order of listing, the prehistory aside; `restore` takes it back."""
        return [
            MarketRecord(
                symbol,
                market.levels.dump(),
                list(market.trades),
                market.window.dump(),
                market.chart.dump(),
            )
            for symbol, market in self._markets.items()
        ]

    def restore(self, records: list[MarketRecord]) -> None:
        """Become what was dumped."""
        self._markets = {}
        for dumped in records:
            market = Market()
            market.levels.restore(dumped.levels)
            market.trades.extend(dumped.trades)
            market.window.restore(dumped.window)
            market.chart.restore(dumped.chart)
            self._markets[dumped.symbol] = market

    def _market(self, symbol: str) -> Market:
        self._catch_up()
        return self._markets[symbol]
