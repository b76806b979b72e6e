"""Calls of venue.api.contract.market. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.contract.market
import venue.api.market_data
from venue.client.sending import Send


class ContractMarketCalls:
    """A method for each row."""

    _send: Send

    def contract_exchange_info(
        self, *, symbol: str | None = None
    ) -> venue.api.contract.market.ContractExchangeInfo:
        """GET /capi/v3/market/exchangeInfo"""
        return self._send(venue.api.contract.market.contract_exchange_info, {"symbol": symbol})

    def contract_time(self) -> venue.api.market_data.TimeReply:
        """GET /capi/v3/market/time"""
        return self._send(venue.api.contract.market.contract_time, {})

    def contract_trading_symbols(self) -> list[str]:
        """GET /capi/v3/market/apiTradingSymbols"""
        return self._send(venue.api.contract.market.contract_trading_symbols, {})

    def contract_depth(
        self, *, symbol: str, limit: str | None = None
    ) -> venue.api.market_data.DepthReply:
        """GET /capi/v3/market/depth"""
        return self._send(
            venue.api.contract.market.contract_depth, {"symbol": symbol, "limit": limit}
        )

    def contract_tickers(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.ContractTicker]:
        """GET /capi/v3/market/ticker/24hr"""
        return self._send(venue.api.contract.market.contract_tickers, {"symbol": symbol})

    def contract_book_tickers(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.ContractBookTicker]:
        """GET /capi/v3/market/ticker/bookTicker"""
        return self._send(venue.api.contract.market.contract_book_tickers, {"symbol": symbol})

    def contract_trades(
        self, *, symbol: str, limit: int | None = None
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /capi/v3/market/trades"""
        return self._send(
            venue.api.contract.market.contract_trades, {"symbol": symbol, "limit": limit}
        )

    def contract_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/klines"""
        return self._send(
            venue.api.contract.market.contract_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def index_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/indexPriceKlines"""
        return self._send(
            venue.api.contract.market.index_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def mark_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/markPriceKlines"""
        return self._send(
            venue.api.contract.market.mark_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def history_klines(
        self,
        *,
        symbol: str,
        interval: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        price_type: str | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/historyKlines"""
        return self._send(
            venue.api.contract.market.history_klines,
            {
                "symbol": symbol,
                "interval": interval,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "priceType": price_type,
            },
        )

    def symbol_price(
        self, *, symbol: str, price_type: str | None = None
    ) -> venue.api.contract.market.SymbolPrice:
        """GET /capi/v3/market/symbolPrice"""
        return self._send(
            venue.api.contract.market.symbol_price, {"symbol": symbol, "priceType": price_type}
        )

    def open_interest(self, *, symbol: str) -> venue.api.contract.market.OpenInterest:
        """GET /capi/v3/market/openInterest"""
        return self._send(venue.api.contract.market.open_interest, {"symbol": symbol})

    def premium_index(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.PremiumIndex]:
        """GET /capi/v3/market/premiumIndex"""
        return self._send(venue.api.contract.market.premium_index, {"symbol": symbol})

    def funding_rates(
        self,
        *,
        symbol: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.market.FundingRate]:
        """GET /capi/v3/market/fundingRate"""
        return self._send(
            venue.api.contract.market.funding_rates,
            {"symbol": symbol, "startTime": start_time, "endTime": end_time, "limit": limit},
        )
