"""Calls of venue.api.operator.copying. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.copying
from venue.client.sending import Money, Send


class OperatorCopyingCalls:
    """A method for each row."""

    _send: Send

    def leads(self) -> list[venue.api.operator.copying.LeadView]:
        """GET /_venue/leads"""
        return self._send(venue.api.operator.copying.leads, {})

    def set_lead(
        self,
        *,
        owner: str,
        asset: str | None = None,
        active: bool | None = None,
        profit_share: Money | None = None,
        third_party: str | None = None,
        third_party_share: Money | None = None,
        symbols: list[str] | None = None,
    ) -> venue.api.operator.copying.LeadView:
        """POST /_venue/leads"""
        return self._send(
            venue.api.operator.copying.set_lead,
            {
                "owner": owner,
                "asset": asset,
                "active": active,
                "profitShare": profit_share,
                "thirdParty": third_party,
                "thirdPartyShare": third_party_share,
                "symbols": symbols,
            },
        )
