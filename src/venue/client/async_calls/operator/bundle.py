"""Calls of venue.api.operator.bundle. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.bundle
from venue.client.sending import AsyncSend


class OperatorBundleAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def bundle(self) -> venue.api.operator.bundle.BundleView:
        """GET /_venue/bundle"""
        return await self._send(venue.api.operator.bundle.bundle, {})

    async def bundle_snapshot(
        self, *, sequence: int, offset: int | None = None
    ) -> venue.api.operator.bundle.SnapshotPiece:
        """GET /_venue/bundle/snapshot"""
        return await self._send(
            venue.api.operator.bundle.bundle_snapshot, {"sequence": sequence, "offset": offset}
        )

    async def bundle_commands(
        self, *, after: int, last: int
    ) -> list[venue.api.operator.bundle.CommandsPiece]:
        """GET /_venue/bundle/commands"""
        return await self._send(
            venue.api.operator.bundle.bundle_commands, {"after": after, "last": last}
        )
