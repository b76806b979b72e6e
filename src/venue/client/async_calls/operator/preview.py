"""Calls of venue.api.operator.preview. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.preview
from venue.client.sending import AsyncSend


class OperatorPreviewAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def preview(
        self, *, owner: str, product: str, order: venue.api.operator.preview.PreviewOrder
    ) -> venue.api.operator.preview.Preview:
        """POST /_venue/preview"""
        return await self._send(
            venue.api.operator.preview.preview, {"owner": owner, "product": product, "order": order}
        )
