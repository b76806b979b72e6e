"""Calls of venue.api.copying.follower. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.contract.account
import venue.api.copying.follower
import venue.api.copying.trader
from venue.client import paging
from venue.client.sending import Send


class CopyingFollowerCalls:
    """A method for each row."""

    _send: Send

    def open_copies(
        self,
        *,
        symbol: str | None = None,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.copying.follower.OpenCopy]:
        """GET /capi/v3/copy/follower/openOrders"""
        return self._send(
            venue.api.copying.follower.open_copies,
            {
                "symbol": symbol,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "limit": limit,
                "page": page,
            },
        )

    def each_open_copies(
        self,
        *,
        symbol: str | None = None,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> Iterator[venue.api.copying.follower.OpenCopy]:
        """The items of all pages of `open_copies`."""
        return paging.each(
            self._send,
            venue.api.copying.follower.open_copies,
            {
                "symbol": symbol,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "limit": limit,
                "page": page,
            },
        )

    def copy_settings(
        self, *, trader_id: int | None = None, trader_user_id: int | None = None
    ) -> list[venue.api.copying.follower.TraceSettings]:
        """GET /capi/v3/copy/follower/settings"""
        return self._send(
            venue.api.copying.follower.copy_settings,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    def set_copy_settings(
        self,
        *,
        setting_type: str,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        unified_trace_config: venue.api.copying.follower.TraceConfig | None = None,
        symbol_trace_configs: list[venue.api.copying.follower.TraceConfig] | None = None,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/settings"""
        return self._send(
            venue.api.copying.follower.set_copy_settings,
            {
                "settingType": setting_type,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "unifiedTraceConfig": unified_trace_config,
                "symbolTraceConfigs": symbol_trace_configs,
            },
        )

    def close_copy(self, *, symbol: str, copy_no: int) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/closePos"""
        return self._send(
            venue.api.copying.follower.close_copy, {"symbol": symbol, "copyNo": copy_no}
        )

    def stop_copying(
        self, *, trader_id: int | None = None, trader_user_id: int | None = None
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/stopCopy"""
        return self._send(
            venue.api.copying.follower.stop_copying,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    def ended_copies(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> venue.api.copying.trader.EndedTracks:
        """GET /capi/v3/copy/follower/historyOrders"""
        return self._send(
            venue.api.copying.follower.ended_copies,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    def my_traders(
        self, *, page: int | None = None, limit: int | None = None
    ) -> venue.api.copying.follower.MyTraders:
        """GET /capi/v3/copy/follower/myTraders"""
        return self._send(venue.api.copying.follower.my_traders, {"page": page, "limit": limit})

    def each_my_traders(
        self, *, page: int | None = None, limit: int | None = None
    ) -> Iterator[venue.api.copying.follower.FollowedTrader]:
        """The items of all pages of `my_traders`."""
        return paging.each(
            self._send, venue.api.copying.follower.my_traders, {"page": page, "limit": limit}
        )
