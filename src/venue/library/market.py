"""One market of a venue in this process, with its public data."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, Protocol, TypeVar

from venue.api import market_data as told
from venue.api.contract import market as contract
from venue.api.operation import Operation
from venue.api.spot import market as spot
from venue.library.calls import check_count
from venue.library.chart import Chart
from venue.library.results import Book, Candle, Level, Ticker, Trade
from venue.library.tables import Table

R = TypeVar("R")
SPOT: Final = "spot"
CONTRACT: Final = "contract"
DEEP: Final = 15  # levels of the short book
DEEPEST: Final = 200  # and of the long one


class Asking(Protocol):
    """The function with which the venue's parts call operations."""

    def __call__(self, row: Operation[..., Any, R], owner: str, /, **values: object) -> R:
        """Return the reply to one operation; Refused, Misused."""


class Market:
    """A market by symbol and product. Returned by `Venue.market`."""

    __slots__ = ("_ask", "product", "symbol")

    def __init__(self, ask: Asking, symbol: str, product: str) -> None:
        self._ask = ask
        self.symbol = symbol
        self.product = product

    def _row(
        self, of_spot: Operation[..., Any, R], of_contract: Operation[..., Any, R]
    ) -> Operation[..., Any, R]:
        return of_spot if self.product == SPOT else of_contract

    def book(self, levels: int = DEEP) -> Book:
        """Return the best levels of each side: at most `levels` of them, from 1 to 200."""
        row = self._row(spot.depth, contract.contract_depth)
        check_count("levels", levels, 1, DEEPEST)
        limit = DEEP if levels <= DEEP else DEEPEST
        reply = self._ask(row, "", symbol=self.symbol, limit=limit)
        sides = [
            tuple(Level(Decimal(price), Decimal(quantity)) for price, quantity in side[:levels])
            for side in (reply.bids, reply.asks)
        ]
        return Book(self.symbol, reply.last_update_id, sides[0], sides[1])

    def ticker(self) -> Ticker:
        """Best prices and the last 24 hours."""
        if self.product == SPOT:
            found = self._ask(spot.tickers, "", symbol=self.symbol)
            assert isinstance(found, spot.TickerView)
            return _ticker(found, found.bid_price, found.ask_price)
        (last,) = self._ask(contract.contract_tickers, "", symbol=self.symbol)
        (best,) = self._ask(contract.contract_book_tickers, "", symbol=self.symbol)
        return _ticker(last, best.bid_price, best.ask_price)

    def trades(self, limit: int = 100) -> Table[Trade]:
        """Return the newest trades, at most 1,000."""
        row = self._row(spot.trades, contract.contract_trades)
        found = self._ask(row, "", symbol=self.symbol, limit=limit)
        return Table(Trade, [_trade(trade) for trade in found])

    def candles(self, interval: str = "1m", limit: int = 100) -> Table[Candle]:
        """Return the newest candles, at most 1,000, oldest first; the last is not finished."""
        values = {"symbol": self.symbol, "interval": interval, "limit": limit}
        if self.product == SPOT:
            found = self._ask(spot.klines, "", **values)
        else:
            found = self._ask(contract.contract_klines, "", **values)
        return Table(Candle, [_candle(candle) for candle in found])

    def chart(self, interval: str = "1m", limit: int = 120) -> Chart:
        """Return a picture of the newest candles, at most 1,000."""
        return Chart(f"{self.symbol} {self.product}, {interval}", self.candles(interval, limit))


def _ticker(found: spot.TickerView | contract.ContractTicker, bid: str, ask: str) -> Ticker:
    return Ticker(
        symbol=found.symbol,
        last=Decimal(found.last_price),
        bid=Decimal(bid),
        ask=Decimal(ask),
        open=Decimal(found.open_price),
        high=Decimal(found.high_price),
        low=Decimal(found.low_price),
        volume=Decimal(found.volume),
        value=Decimal(found.quote_volume),
    )


def _trade(trade: told.PublicTrade) -> Trade:
    return Trade(
        ts=trade.time,
        trade_id=trade.id,
        side="SELL" if trade.is_buyer_maker else "BUY",
        price=Decimal(trade.price),
        quantity=Decimal(trade.qty),
        value=Decimal(trade.quote_qty),
    )


def _candle(candle: told.CandleView) -> Candle:
    return Candle(
        ts=candle.open_time,
        close_ts=candle.close_time,
        open=Decimal(candle.open),
        high=Decimal(candle.high),
        low=Decimal(candle.low),
        close=Decimal(candle.close),
        volume=Decimal(candle.volume),
        value=Decimal(candle.quote_volume),
        trades=candle.count,
        taker_volume=Decimal(candle.taker_buy_volume),
        taker_value=Decimal(candle.taker_buy_quote_volume),
    )
