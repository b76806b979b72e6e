"""Calls of venue.api.copying.follower. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.contract.account
import venue.api.copying.follower
import venue.api.copying.trader
from venue.client import paging
from venue.client.sending import AsyncSend


class CopyingFollowerAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def open_copies(
        self,
        *,
        symbol: str | None = None,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.copying.follower.OpenCopy]:
        """GET /capi/v3/copy/follower/openOrders"""
        return await self._send(
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
    ) -> AsyncIterator[venue.api.copying.follower.OpenCopy]:
        """The items of all pages of `open_copies`."""
        return paging.each_async(
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

    async def copy_settings(
        self, *, trader_id: int | None = None, trader_user_id: int | None = None
    ) -> list[venue.api.copying.follower.TraceSettings]:
        """GET /capi/v3/copy/follower/settings"""
        return await self._send(
            venue.api.copying.follower.copy_settings,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    async def set_copy_settings(
        self,
        *,
        setting_type: str,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        unified_trace_config: venue.api.copying.follower.TraceConfig | None = None,
        symbol_trace_configs: list[venue.api.copying.follower.TraceConfig] | None = None,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/settings"""
        return await self._send(
            venue.api.copying.follower.set_copy_settings,
            {
                "settingType": setting_type,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "unifiedTraceConfig": unified_trace_config,
                "symbolTraceConfigs": symbol_trace_configs,
            },
        )

    async def close_copy(
        self, *, symbol: str, copy_no: int
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/closePos"""
        return await self._send(
            venue.api.copying.follower.close_copy, {"symbol": symbol, "copyNo": copy_no}
        )

    async def stop_copying(
        self, *, trader_id: int | None = None, trader_user_id: int | None = None
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/stopCopy"""
        return await self._send(
            venue.api.copying.follower.stop_copying,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    async def ended_copies(
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
        return await self._send(
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

    async def my_traders(
        self, *, page: int | None = None, limit: int | None = None
    ) -> venue.api.copying.follower.MyTraders:
        """GET /capi/v3/copy/follower/myTraders"""
        return await self._send(
            venue.api.copying.follower.my_traders, {"page": page, "limit": limit}
        )

    def each_my_traders(
        self, *, page: int | None = None, limit: int | None = None
    ) -> AsyncIterator[venue.api.copying.follower.FollowedTrader]:
        """The items of all pages of `my_traders`."""
        return paging.each_async(
            self._send, venue.api.copying.follower.my_traders, {"page": page, "limit": limit}
        )
