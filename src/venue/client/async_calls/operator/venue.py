"""Calls of venue.api.operator.venue. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.venue
from venue.client.sending import AsyncSend, Money


class OperatorVenueAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def health(self, *, state_hash: bool | None = None) -> venue.api.operator.venue.Health:
        """GET /_venue/health"""
        return await self._send(venue.api.operator.venue.health, {"stateHash": state_hash})

    async def owners(self) -> list[venue.api.operator.venue.OwnerView]:
        """GET /_venue/owners"""
        return await self._send(venue.api.operator.venue.owners, {})

    async def create_owner(
        self, *, name: str, self_trade_prevention: str | None = None
    ) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners"""
        return await self._send(
            venue.api.operator.venue.create_owner,
            {"name": name, "selfTradePrevention": self_trade_prevention},
        )

    async def freeze_owner(self, *, owner: str, frozen: bool) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners/freeze"""
        return await self._send(
            venue.api.operator.venue.freeze_owner, {"owner": owner, "frozen": frozen}
        )

    async def set_fees(
        self,
        *,
        owner: str,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        product: str | None = None,
    ) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners/fees"""
        return await self._send(
            venue.api.operator.venue.set_fees,
            {
                "owner": owner,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "product": product,
            },
        )

    async def keys(self, *, owner: str | None = None) -> list[venue.api.operator.venue.KeyView]:
        """GET /_venue/keys"""
        return await self._send(venue.api.operator.venue.keys, {"owner": owner})

    async def create_key(
        self,
        *,
        owner: str,
        permissions: list[str],
        label: str | None = None,
        ips: list[str] | None = None,
        expires: int | None = None,
    ) -> venue.api.operator.venue.CreatedKey:
        """POST /_venue/keys"""
        return await self._send(
            venue.api.operator.venue.create_key,
            {
                "owner": owner,
                "permissions": permissions,
                "label": label,
                "ips": ips,
                "expires": expires,
            },
        )

    async def revoke_key(self, *, key: str) -> venue.api.operator.venue.KeyView:
        """POST /_venue/keys/revoke"""
        return await self._send(venue.api.operator.venue.revoke_key, {"key": key})

    async def deposit(
        self, *, owner: str, wallet: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/deposit"""
        return await self._send(
            venue.api.operator.venue.deposit,
            {
                "owner": owner,
                "wallet": wallet,
                "asset": asset,
                "amount": amount,
                "reference": reference,
            },
        )

    async def withdraw(
        self, *, owner: str, wallet: str, asset: str, amount: Money, reference: str | None = None
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/withdraw"""
        return await self._send(
            venue.api.operator.venue.withdraw,
            {
                "owner": owner,
                "wallet": wallet,
                "asset": asset,
                "amount": amount,
                "reference": reference,
            },
        )

    async def transfer(
        self,
        *,
        owner: str,
        source: str,
        target: str,
        asset: str,
        amount: Money,
        reference: str | None = None,
    ) -> list[venue.api.operator.venue.Moved]:
        """POST /_venue/transfer"""
        return await self._send(
            venue.api.operator.venue.transfer,
            {
                "owner": owner,
                "from": source,
                "to": target,
                "asset": asset,
                "amount": amount,
                "reference": reference,
            },
        )

    async def assets(self) -> list[venue.api.operator.venue.AssetView]:
        """GET /_venue/assets"""
        return await self._send(venue.api.operator.venue.assets, {})

    async def register_asset(self, *, asset: str, scale: int) -> venue.api.operator.venue.AssetView:
        """POST /_venue/assets"""
        return await self._send(
            venue.api.operator.venue.register_asset, {"asset": asset, "scale": scale}
        )

    async def instruments(self) -> list[venue.api.operator.venue.InstrumentView]:
        """GET /_venue/instruments"""
        return await self._send(venue.api.operator.venue.instruments, {})

    async def list_instrument(
        self,
        *,
        base_asset: str,
        quote_asset: str,
        tick_size: Money,
        step_size: Money,
        min_trade_amount: Money,
        max_trade_amount: Money,
        market_limit_size: Money,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        buy_limit_price_ratio: Money | None = None,
        sell_limit_price_ratio: Money | None = None,
        market_price_ratio: Money | None = None,
    ) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments"""
        return await self._send(
            venue.api.operator.venue.list_instrument,
            {
                "baseAsset": base_asset,
                "quoteAsset": quote_asset,
                "tickSize": tick_size,
                "stepSize": step_size,
                "minTradeAmount": min_trade_amount,
                "maxTradeAmount": max_trade_amount,
                "marketLimitSize": market_limit_size,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "buyLimitPriceRatio": buy_limit_price_ratio,
                "sellLimitPriceRatio": sell_limit_price_ratio,
                "marketPriceRatio": market_price_ratio,
            },
        )

    async def change_instrument(
        self,
        *,
        symbol: str,
        min_trade_amount: Money | None = None,
        max_trade_amount: Money | None = None,
        market_limit_size: Money | None = None,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        buy_limit_price_ratio: Money | None = None,
        sell_limit_price_ratio: Money | None = None,
        market_price_ratio: Money | None = None,
    ) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/change"""
        return await self._send(
            venue.api.operator.venue.change_instrument,
            {
                "symbol": symbol,
                "minTradeAmount": min_trade_amount,
                "maxTradeAmount": max_trade_amount,
                "marketLimitSize": market_limit_size,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "buyLimitPriceRatio": buy_limit_price_ratio,
                "sellLimitPriceRatio": sell_limit_price_ratio,
                "marketPriceRatio": market_price_ratio,
            },
        )

    async def halt(
        self, *, symbol: str, reason: str | None = None
    ) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/halt"""
        return await self._send(venue.api.operator.venue.halt, {"symbol": symbol, "reason": reason})

    async def resume(self, *, symbol: str) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/resume"""
        return await self._send(venue.api.operator.venue.resume, {"symbol": symbol})

    async def settings(self) -> venue.api.operator.venue.Settings:
        """GET /_venue/settings"""
        return await self._send(venue.api.operator.venue.settings, {})

    async def change_settings(
        self,
        *,
        batch_place: bool | None = None,
        batch_cancel_wording: str | None = None,
        contract_batch_place: bool | None = None,
        contract_batch_cancel_envelope: str | None = None,
        api_closed: list[str] | None = None,
    ) -> venue.api.operator.venue.Settings:
        """POST /_venue/settings"""
        return await self._send(
            venue.api.operator.venue.change_settings,
            {
                "batchPlace": batch_place,
                "batchCancelWording": batch_cancel_wording,
                "contractBatchPlace": contract_batch_place,
                "contractBatchCancelEnvelope": contract_batch_cancel_envelope,
                "apiClosed": api_closed,
            },
        )
