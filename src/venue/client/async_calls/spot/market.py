"""Calls of venue.api.spot.market. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.market_data
import venue.api.spot.market
from venue.api.operation import Empty
from venue.client.sending import AsyncSend


class SpotMarketAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def ping(self) -> Empty:
        """GET /api/v3/ping"""
        return await self._send(venue.api.spot.market.ping, {})

    async def time(self) -> venue.api.market_data.TimeReply:
        """GET /api/v3/time"""
        return await self._send(venue.api.spot.market.time, {})

    async def coins(self) -> list[venue.api.spot.market.Coin]:
        """GET /api/v3/coins"""
        return await self._send(venue.api.spot.market.coins, {})

    async def exchange_info(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
        symbol_status: str | None = None,
    ) -> venue.api.spot.market.ExchangeInfo:
        """GET /api/v3/exchangeInfo"""
        return await self._send(
            venue.api.spot.market.exchange_info,
            {"symbol": symbol, "symbols": symbols, "symbolStatus": symbol_status},
        )

    async def trading_symbols(self) -> list[str]:
        """GET /api/v3/apiTradingSymbols"""
        return await self._send(venue.api.spot.market.trading_symbols, {})

    async def prices(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.Price | list[venue.api.spot.market.Price]:
        """GET /api/v3/market/ticker/price"""
        return await self._send(
            venue.api.spot.market.prices, {"symbol": symbol, "symbols": symbols}
        )

    async def tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.TickerView | list[venue.api.spot.market.TickerView]:
        """GET /api/v3/market/ticker/24hr"""
        return await self._send(
            venue.api.spot.market.tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def book_tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.BookTicker | list[venue.api.spot.market.BookTicker]:
        """GET /api/v3/market/ticker/bookTicker"""
        return await self._send(
            venue.api.spot.market.book_tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def trades(
        self, *, symbol: str, limit: int | None = None
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /api/v3/market/trades"""
        return await self._send(venue.api.spot.market.trades, {"symbol": symbol, "limit": limit})

    async def klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /api/v3/market/klines"""
        return await self._send(
            venue.api.spot.market.klines,
            {
                "symbol": symbol,
                "interval": interval,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
            },
        )

    async def depth(
        self, *, symbol: str, limit: str | None = None
    ) -> venue.api.market_data.DepthReply:
        """GET /api/v3/market/depth"""
        return await self._send(venue.api.spot.market.depth, {"symbol": symbol, "limit": limit})
