"""Calls of venue.api.operator.benefits. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.benefits
from venue.client.sending import AsyncSend, Money


class OperatorBenefitsAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def benefits(
        self, *, owner: str | None = None
    ) -> list[venue.api.operator.benefits.BenefitsView]:
        """GET /_venue/benefits"""
        return await self._send(venue.api.operator.benefits.benefits, {"owner": owner})

    async def give_gift(
        self, *, owner: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/give"""
        return await self._send(
            venue.api.operator.benefits.give_gift,
            {"owner": owner, "asset": asset, "amount": amount, "reference": reference},
        )

    async def take_gift(
        self, *, owner: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/take"""
        return await self._send(
            venue.api.operator.benefits.take_gift,
            {"owner": owner, "asset": asset, "amount": amount, "reference": reference},
        )

    async def discount(self) -> venue.api.operator.benefits.DiscountView:
        """GET /_venue/discount"""
        return await self._send(venue.api.operator.benefits.discount, {})

    async def set_discount(
        self, *, asset: str | None = None, holding: Money | None = None, rate: Money | None = None
    ) -> venue.api.operator.benefits.DiscountView:
        """POST /_venue/discount"""
        return await self._send(
            venue.api.operator.benefits.set_discount,
            {"asset": asset, "holding": holding, "rate": rate},
        )

    async def join_discount(
        self, *, owner: str, on: bool
    ) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/owners/discount"""
        return await self._send(
            venue.api.operator.benefits.join_discount, {"owner": owner, "on": on}
        )

    async def set_affiliate(
        self,
        *,
        owner: str,
        code: str,
        spot_rate: Money | None = None,
        contract_rate: Money | None = None,
    ) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/affiliates"""
        return await self._send(
            venue.api.operator.benefits.set_affiliate,
            {"owner": owner, "code": code, "spotRate": spot_rate, "contractRate": contract_rate},
        )

    async def invite(self, *, owner: str, code: str) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/affiliates/invite"""
        return await self._send(venue.api.operator.benefits.invite, {"owner": owner, "code": code})
