"""Calls of venue.api.operator.snapshots. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.snapshots
from venue.client.sending import AsyncSend


class OperatorSnapshotsAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def snapshots(self) -> list[venue.api.operator.snapshots.SnapshotView]:
        """GET /_venue/snapshots"""
        return await self._send(venue.api.operator.snapshots.snapshots, {})

    async def keep_snapshot(self, *, name: str) -> venue.api.operator.snapshots.SnapshotView:
        """PUT /_venue/snapshots/{name}"""
        return await self._send(venue.api.operator.snapshots.keep_snapshot, {"name": name})

    async def delete_snapshot(self, *, name: str) -> venue.api.operator.snapshots.SnapshotView:
        """DELETE /_venue/snapshots/{name}"""
        return await self._send(venue.api.operator.snapshots.delete_snapshot, {"name": name})

    async def revert(self, *, name: str) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/snapshots/{name}/revert"""
        return await self._send(venue.api.operator.snapshots.revert, {"name": name})

    async def reset(self) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/reset"""
        return await self._send(venue.api.operator.snapshots.reset, {})
