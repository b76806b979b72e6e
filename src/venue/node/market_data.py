"""Market data folded from events: depth, trades, tickers and candles of every symbol."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Final

import msgspec

from venue.candles import CANDLES_MAX, Candle, fill, join
from venue.core.applied import Applied
from venue.core.events import InstrumentListed, OrderClosed, OrderPlaced, Trade
from venue.node.chart import Chart, ChartRecord
from venue.node.depth import Depth, Levels, Top
from venue.node.ticker import Ticker, Window, WindowRecord
from venue.terms import Side

TRADES_MAX: Final = 1_000  # public trades kept per symbol
PENDING_MAX: Final = 256  # applied commands that may wait for the next fold
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
    """What is known of one symbol."""

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


class Record(msgspec.Struct, array_like=True):
    """The dumped view: the last sequence in it, and its symbols in the order of listing."""

    sequence: int
    markets: list[MarketRecord]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record)


class MarketData:
    """A view folded from applied commands; every question first folds what is still waiting.

    Each question raises KeyError for a symbol that is not listed. `prehistory(symbol, interval)`
    gives the candles before the first trade, ascending and without gaps; empty when there are none.
    """

    def __init__(self, prehistory: Prehistory | None = None) -> None:
        self._prehistory = prehistory
        self._pending: list[Applied] = []
        self._sequence = 0
        self._markets: dict[str, Market] = {}

    def follow(self, batch: list[Applied]) -> None:
        """Take a batch, in order of sequence; commands that are in the view already are skipped."""
        self._pending.extend(batch)
        if len(self._pending) > PENDING_MAX:
            self._fold()

    def depth(self, symbol: str, limit: int) -> Depth:
        """The best `limit` levels of each side, best first."""
        return self._market(symbol).levels.depth(limit)

    def top(self, symbol: str) -> Top:
        """Best bid and ask."""
        return self._market(symbol).levels.top()

    def trades(self, symbol: str, limit: int) -> list[PublicTrade]:
        """The newest `limit` trades (at most 1,000 are kept), newest last."""
        trades = self._market(symbol).trades
        return list(islice(trades, max(0, len(trades) - limit), None))

    def ticker(self, symbol: str, now: int) -> Ticker:
        """24-hour statistics at `now` (µs), which must not decrease from question to question."""
        return self._market(symbol).window.ticker(now)

    def candles(self, symbol: str, interval: str, limit: int, now: int) -> list[Candle]:
        """The newest `limit` candles (1 to 1,000), ascending, the last contains `now` (µs).

        Empty intervals are flat. Empty as a whole before the first trade when there is no
        prehistory. KeyError also for an unknown interval.
        """
        assert 1 <= limit <= CANDLES_MAX, limit
        rows = self._market(symbol).chart.rows(interval)
        if self._prehistory is not None:
            rows = join(self._prehistory(symbol, interval), rows)
        return fill(rows, interval, now, limit)

    def dump(self) -> bytes:
        """Everything folded so far, the prehistory aside, as msgpack."""
        self._fold()
        markets = [
            MarketRecord(
                symbol,
                market.levels.dump(),
                list(market.trades),
                market.window.dump(),
                market.chart.dump(),
            )
            for symbol, market in self._markets.items()
        ]
        return _encoder.encode(Record(self._sequence, markets))

    def restore(self, data: bytes) -> None:
        """Become what was dumped; msgspec.ValidationError when `data` is no dump."""
        record = _decoder.decode(data)
        self._pending = []
        self._sequence = record.sequence
        self._markets = {}
        for dumped in record.markets:
            market = Market()
            market.levels.restore(dumped.levels)
            market.trades.extend(dumped.trades)
            market.window.restore(dumped.window)
            market.chart.restore(dumped.chart)
            self._markets[dumped.symbol] = market

    def _market(self, symbol: str) -> Market:
        if self._pending:
            self._fold()
        return self._markets[symbol]

    def _fold(self) -> None:
        for applied in self._pending:
            if applied.sequence > self._sequence:
                self._sequence = applied.sequence
                self._fold_one(applied)
        self._pending.clear()

    def _fold_one(self, applied: Applied) -> None:
        sequence = applied.sequence
        for event in applied.events:
            if isinstance(event, Trade):
                self._fold_trade(sequence, applied.time, event)
            elif isinstance(event, OrderPlaced):
                if event.resting:
                    levels = self._markets[event.symbol].levels
                    levels.add(sequence, event.side, event.price, event.resting)
            elif isinstance(event, OrderClosed):
                if event.resting:
                    levels = self._markets[event.symbol].levels
                    levels.add(sequence, event.side, event.price, -event.resting)
            elif isinstance(event, InstrumentListed):
                self._markets[event.instrument.symbol] = Market()

    def _fold_trade(self, sequence: int, time: int, trade: Trade) -> None:
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
