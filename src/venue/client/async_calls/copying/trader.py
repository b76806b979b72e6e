"""Calls of venue.api.copying.trader. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.copying.trader
from venue.client import paging
from venue.client.sending import AsyncSend


class CopyingTraderAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def open_tracks(
        self, *, symbol: str | None = None, limit: int | None = None, page: int | None = None
    ) -> list[venue.api.copying.trader.TrackedPosition]:
        """GET /capi/v3/copy/trader/openOrders"""
        return await self._send(
            venue.api.copying.trader.open_tracks, {"symbol": symbol, "limit": limit, "page": page}
        )

    def each_open_tracks(
        self, *, symbol: str | None = None, limit: int | None = None, page: int | None = None
    ) -> AsyncIterator[venue.api.copying.trader.TrackedPosition]:
        """The items of all pages of `open_tracks`."""
        return paging.each_async(
            self._send,
            venue.api.copying.trader.open_tracks,
            {"symbol": symbol, "limit": limit, "page": page},
        )

    async def ended_tracks(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> venue.api.copying.trader.EndedTracks:
        """GET /capi/v3/copy/trader/historyOrders"""
        return await self._send(
            venue.api.copying.trader.ended_tracks,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    async def copied_pairs(self) -> list[str]:
        """GET /capi/v3/copy/trader/pairs"""
        return await self._send(venue.api.copying.trader.copied_pairs, {})
