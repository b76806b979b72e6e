"""Calls of venue.api.operator.explain. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.explain
from venue.client.sending import AsyncSend


class OperatorExplainAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def explain_order(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/order/{id}"""
        return await self._send(venue.api.operator.explain.explain_order, {"id": id})

    async def explain_refusal(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/refusal/{id}"""
        return await self._send(venue.api.operator.explain.explain_refusal, {"id": id})

    async def explain_bill(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/bill/{id}"""
        return await self._send(venue.api.operator.explain.explain_bill, {"id": id})

    async def explain_liquidation(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/liquidation/{id}"""
        return await self._send(venue.api.operator.explain.explain_liquidation, {"id": id})
