"""Calls of venue.api.operator.references. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.references
from venue.client.sending import AsyncSend, Money


class OperatorReferencesAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def references(self) -> list[venue.api.operator.references.ReferenceView]:
        """GET /_venue/index"""
        return await self._send(venue.api.operator.references.references, {})

    async def hold_index(
        self, *, symbol: str, price: Money, jump: bool | None = None
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/hold"""
        return await self._send(
            venue.api.operator.references.hold_index,
            {"symbol": symbol, "price": price, "jump": jump},
        )

    async def release_index(self, *, symbol: str) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/release"""
        return await self._send(venue.api.operator.references.release_index, {"symbol": symbol})

    async def crash(
        self, *, symbol: str, change: str, over: str | None = None
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/crash"""
        return await self._send(
            venue.api.operator.references.crash, {"symbol": symbol, "change": change, "over": over}
        )
