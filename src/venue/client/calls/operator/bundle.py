"""Calls of venue.api.operator.bundle. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.bundle
from venue.client.sending import Send


class OperatorBundleCalls:
    """A method for each row."""

    _send: Send

    def bundle(self) -> venue.api.operator.bundle.BundleView:
        """GET /_venue/bundle"""
        return self._send(venue.api.operator.bundle.bundle, {})

    def bundle_snapshot(
        self, *, sequence: int, offset: int | None = None
    ) -> venue.api.operator.bundle.SnapshotPiece:
        """GET /_venue/bundle/snapshot"""
        return self._send(
            venue.api.operator.bundle.bundle_snapshot, {"sequence": sequence, "offset": offset}
        )

    def bundle_commands(
        self, *, after: int, last: int
    ) -> list[venue.api.operator.bundle.CommandsPiece]:
        """GET /_venue/bundle/commands"""
        return self._send(venue.api.operator.bundle.bundle_commands, {"after": after, "last": last})
