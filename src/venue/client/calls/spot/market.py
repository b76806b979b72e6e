"""Calls of venue.api.spot.market. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.market_data
import venue.api.spot.market
from venue.api.operation import Empty
from venue.client.sending import Send


class SpotMarketCalls:
    """A method for each row."""

    _send: Send

    def ping(self) -> Empty:
        """GET /api/v3/ping"""
        return self._send(venue.api.spot.market.ping, {})

    def time(self) -> venue.api.market_data.TimeReply:
        """GET /api/v3/time"""
        return self._send(venue.api.spot.market.time, {})

    def coins(self) -> list[venue.api.spot.market.Coin]:
        """GET /api/v3/coins"""
        return self._send(venue.api.spot.market.coins, {})

    def exchange_info(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
        symbol_status: str | None = None,
    ) -> venue.api.spot.market.ExchangeInfo:
        """GET /api/v3/exchangeInfo"""
        return self._send(
            venue.api.spot.market.exchange_info,
            {"symbol": symbol, "symbols": symbols, "symbolStatus": symbol_status},
        )

    def trading_symbols(self) -> list[str]:
        """GET /api/v3/apiTradingSymbols"""
        return self._send(venue.api.spot.market.trading_symbols, {})

    def prices(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.Price | list[venue.api.spot.market.Price]:
        """GET /api/v3/market/ticker/price"""
        return self._send(venue.api.spot.market.prices, {"symbol": symbol, "symbols": symbols})

    def tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.TickerView | list[venue.api.spot.market.TickerView]:
        """GET /api/v3/market/ticker/24hr"""
        return self._send(venue.api.spot.market.tickers, {"symbol": symbol, "symbols": symbols})

    def book_tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.BookTicker | list[venue.api.spot.market.BookTicker]:
        """GET /api/v3/market/ticker/bookTicker"""
        return self._send(
            venue.api.spot.market.book_tickers, {"symbol": symbol, "symbols": symbols}
        )

    def trades(
        self, *, symbol: str, limit: int | None = None
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /api/v3/market/trades"""
        return self._send(venue.api.spot.market.trades, {"symbol": symbol, "limit": limit})

    def klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /api/v3/market/klines"""
        return self._send(
            venue.api.spot.market.klines,
            {
                "symbol": symbol,
                "interval": interval,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
            },
        )

    def depth(self, *, symbol: str, limit: str | None = None) -> venue.api.market_data.DepthReply:
        """GET /api/v3/market/depth"""
        return self._send(venue.api.spot.market.depth, {"symbol": symbol, "limit": limit})
