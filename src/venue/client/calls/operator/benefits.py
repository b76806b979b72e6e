"""Calls of venue.api.operator.benefits. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.benefits
from venue.client.sending import Money, Send


class OperatorBenefitsCalls:
    """A method for each row."""

    _send: Send

    def benefits(
        self, *, owner: str | None = None
    ) -> list[venue.api.operator.benefits.BenefitsView]:
        """GET /_venue/benefits"""
        return self._send(venue.api.operator.benefits.benefits, {"owner": owner})

    def give_gift(
        self, *, owner: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/give"""
        return self._send(
            venue.api.operator.benefits.give_gift,
            {"owner": owner, "asset": asset, "amount": amount, "reference": reference},
        )

    def take_gift(
        self, *, owner: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/take"""
        return self._send(
            venue.api.operator.benefits.take_gift,
            {"owner": owner, "asset": asset, "amount": amount, "reference": reference},
        )

    def discount(self) -> venue.api.operator.benefits.DiscountView:
        """GET /_venue/discount"""
        return self._send(venue.api.operator.benefits.discount, {})

    def set_discount(
        self, *, asset: str | None = None, holding: Money | None = None, rate: Money | None = None
    ) -> venue.api.operator.benefits.DiscountView:
        """POST /_venue/discount"""
        return self._send(
            venue.api.operator.benefits.set_discount,
            {"asset": asset, "holding": holding, "rate": rate},
        )

    def join_discount(self, *, owner: str, on: bool) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/owners/discount"""
        return self._send(venue.api.operator.benefits.join_discount, {"owner": owner, "on": on})

    def set_affiliate(
        self,
        *,
        owner: str,
        code: str,
        spot_rate: Money | None = None,
        contract_rate: Money | None = None,
    ) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/affiliates"""
        return self._send(
            venue.api.operator.benefits.set_affiliate,
            {"owner": owner, "code": code, "spotRate": spot_rate, "contractRate": contract_rate},
        )

    def invite(self, *, owner: str, code: str) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/affiliates/invite"""
        return self._send(venue.api.operator.benefits.invite, {"owner": owner, "code": code})
