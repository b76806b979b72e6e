"""Calls of venue.api.operator.fee_tiers. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.fee_tiers
from venue.client.sending import Send


class OperatorFeeTiersCalls:
    """A method for each row."""

    _send: Send

    def fee_tiers(self) -> list[venue.api.operator.fee_tiers.FeeTiersView]:
        """GET /_venue/fee-tiers"""
        return self._send(venue.api.operator.fee_tiers.fee_tiers, {})

    def set_fee_tiers(
        self, *, product: str, asset: str | None = None, tiers: list[str] | None = None
    ) -> list[venue.api.operator.fee_tiers.FeeTiersView]:
        """POST /_venue/fee-tiers"""
        return self._send(
            venue.api.operator.fee_tiers.set_fee_tiers,
            {"product": product, "asset": asset, "tiers": tiers},
        )

    def fee_tier(self, *, owner: str) -> list[venue.api.operator.fee_tiers.FeeTierView]:
        """GET /_venue/owners/fee-tier"""
        return self._send(venue.api.operator.fee_tiers.fee_tier, {"owner": owner})
