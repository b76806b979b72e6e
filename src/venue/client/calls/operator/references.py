"""Calls of venue.api.operator.references. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.references
from venue.client.sending import Money, Send


class OperatorReferencesCalls:
    """A method for each row."""

    _send: Send

    def references(self) -> list[venue.api.operator.references.ReferenceView]:
        """GET /_venue/index"""
        return self._send(venue.api.operator.references.references, {})

    def hold_index(
        self, *, symbol: str, price: Money, jump: bool | None = None
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/hold"""
        return self._send(
            venue.api.operator.references.hold_index,
            {"symbol": symbol, "price": price, "jump": jump},
        )

    def release_index(self, *, symbol: str) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/release"""
        return self._send(venue.api.operator.references.release_index, {"symbol": symbol})

    def crash(
        self, *, symbol: str, change: str, over: str | None = None
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/crash"""
        return self._send(
            venue.api.operator.references.crash, {"symbol": symbol, "change": change, "over": over}
        )
