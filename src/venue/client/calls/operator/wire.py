"""Calls of venue.api.operator.wire. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.wire
from venue.client.sending import Send


class OperatorWireCalls:
    """A method for each row."""

    _send: Send

    def wire(
        self,
        *,
        owner: str | None = None,
        kind: str | None = None,
        operation: str | None = None,
        status: str | None = None,
        faulty: bool | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.operator.wire.WireEntry]:
        """GET /_venue/wire"""
        return self._send(
            venue.api.operator.wire.wire,
            {
                "owner": owner,
                "kind": kind,
                "operation": operation,
                "status": status,
                "faulty": faulty,
                "after": after,
                "limit": limit,
            },
        )
