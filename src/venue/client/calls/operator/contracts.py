"""Calls of venue.api.operator.contracts. Written by tools/clients.py; do not edit."""

from __future__ import annotations

import venue.api.operator.contracts
from venue.client.sending import Money, Send


class OperatorContractsCalls:
    """A method for each row."""

    _send: Send

    def contracts(self) -> list[venue.api.operator.contracts.ContractView]:
        """GET /_venue/contracts"""
        return self._send(venue.api.operator.contracts.contracts, {})

    def list_contract(
        self,
        *,
        base_asset: str,
        quote_asset: str,
        tick_size: Money,
        step_size: Money,
        min_order_size: Money,
        max_order_size: Money,
        market_open_limit_size: Money,
        max_position_size: Money,
        max_open_interest: Money,
        max_leverage: int,
        tiers: list[str],
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        liquidation_fee_rate: Money | None = None,
        buy_limit_price_ratio: Money | None = None,
        sell_limit_price_ratio: Money | None = None,
        market_price_ratio: Money | None = None,
        index_sources: list[str] | None = None,
        funding_times: list[str] | None = None,
        adl_policy: str | None = None,
        index_notional: Money | None = None,
        impact_notional: Money | None = None,
        index_step_rate: Money | None = None,
        funding_cap_rate: Money | None = None,
        max_owner_share: Money | None = None,
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts"""
        return self._send(
            venue.api.operator.contracts.list_contract,
            {
                "baseAsset": base_asset,
                "quoteAsset": quote_asset,
                "tickSize": tick_size,
                "stepSize": step_size,
                "minOrderSize": min_order_size,
                "maxOrderSize": max_order_size,
                "marketOpenLimitSize": market_open_limit_size,
                "maxPositionSize": max_position_size,
                "maxOpenInterest": max_open_interest,
                "maxLeverage": max_leverage,
                "tiers": tiers,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "liquidationFeeRate": liquidation_fee_rate,
                "buyLimitPriceRatio": buy_limit_price_ratio,
                "sellLimitPriceRatio": sell_limit_price_ratio,
                "marketPriceRatio": market_price_ratio,
                "indexSources": index_sources,
                "fundingTimes": funding_times,
                "adlPolicy": adl_policy,
                "indexNotional": index_notional,
                "impactNotional": impact_notional,
                "indexStepRate": index_step_rate,
                "fundingCapRate": funding_cap_rate,
                "maxOwnerShare": max_owner_share,
            },
        )

    def change_contract(
        self,
        *,
        symbol: str,
        min_order_size: Money | None = None,
        max_order_size: Money | None = None,
        market_open_limit_size: Money | None = None,
        max_position_size: Money | None = None,
        max_open_interest: Money | None = None,
        max_leverage: int | None = None,
        tiers: list[str] | None = None,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        liquidation_fee_rate: Money | None = None,
        buy_limit_price_ratio: Money | None = None,
        sell_limit_price_ratio: Money | None = None,
        market_price_ratio: Money | None = None,
        index_sources: list[str] | None = None,
        funding_times: list[str] | None = None,
        adl_policy: str | None = None,
        index_notional: Money | None = None,
        impact_notional: Money | None = None,
        index_step_rate: Money | None = None,
        funding_cap_rate: Money | None = None,
        max_owner_share: Money | None = None,
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/change"""
        return self._send(
            venue.api.operator.contracts.change_contract,
            {
                "symbol": symbol,
                "minOrderSize": min_order_size,
                "maxOrderSize": max_order_size,
                "marketOpenLimitSize": market_open_limit_size,
                "maxPositionSize": max_position_size,
                "maxOpenInterest": max_open_interest,
                "maxLeverage": max_leverage,
                "tiers": tiers,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "liquidationFeeRate": liquidation_fee_rate,
                "buyLimitPriceRatio": buy_limit_price_ratio,
                "sellLimitPriceRatio": sell_limit_price_ratio,
                "marketPriceRatio": market_price_ratio,
                "indexSources": index_sources,
                "fundingTimes": funding_times,
                "adlPolicy": adl_policy,
                "indexNotional": index_notional,
                "impactNotional": impact_notional,
                "indexStepRate": index_step_rate,
                "fundingCapRate": funding_cap_rate,
                "maxOwnerShare": max_owner_share,
            },
        )

    def preview_change(
        self,
        *,
        symbol: str,
        min_order_size: Money | None = None,
        max_order_size: Money | None = None,
        market_open_limit_size: Money | None = None,
        max_position_size: Money | None = None,
        max_open_interest: Money | None = None,
        max_leverage: int | None = None,
        tiers: list[str] | None = None,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        liquidation_fee_rate: Money | None = None,
        buy_limit_price_ratio: Money | None = None,
        sell_limit_price_ratio: Money | None = None,
        market_price_ratio: Money | None = None,
        index_sources: list[str] | None = None,
        funding_times: list[str] | None = None,
        adl_policy: str | None = None,
        index_notional: Money | None = None,
        impact_notional: Money | None = None,
        index_step_rate: Money | None = None,
        funding_cap_rate: Money | None = None,
        max_owner_share: Money | None = None,
    ) -> venue.api.operator.contracts.ChangePreview:
        """POST /_venue/contracts/change/preview"""
        return self._send(
            venue.api.operator.contracts.preview_change,
            {
                "symbol": symbol,
                "minOrderSize": min_order_size,
                "maxOrderSize": max_order_size,
                "marketOpenLimitSize": market_open_limit_size,
                "maxPositionSize": max_position_size,
                "maxOpenInterest": max_open_interest,
                "maxLeverage": max_leverage,
                "tiers": tiers,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "liquidationFeeRate": liquidation_fee_rate,
                "buyLimitPriceRatio": buy_limit_price_ratio,
                "sellLimitPriceRatio": sell_limit_price_ratio,
                "marketPriceRatio": market_price_ratio,
                "indexSources": index_sources,
                "fundingTimes": funding_times,
                "adlPolicy": adl_policy,
                "indexNotional": index_notional,
                "impactNotional": impact_notional,
                "indexStepRate": index_step_rate,
                "fundingCapRate": funding_cap_rate,
                "maxOwnerShare": max_owner_share,
            },
        )

    def halt_contract(
        self, *, symbol: str, reason: str | None = None
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/halt"""
        return self._send(
            venue.api.operator.contracts.halt_contract, {"symbol": symbol, "reason": reason}
        )

    def resume_contract(self, *, symbol: str) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/resume"""
        return self._send(venue.api.operator.contracts.resume_contract, {"symbol": symbol})

    def delist_contract(self, *, symbol: str) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/delist"""
        return self._send(venue.api.operator.contracts.delist_contract, {"symbol": symbol})

    def settle_contract(
        self, *, symbol: str, price: Money
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/settle"""
        return self._send(
            venue.api.operator.contracts.settle_contract, {"symbol": symbol, "price": price}
        )

    def post_index(
        self, *, symbol: str, price: Money, source: str | None = None, jump: bool | None = None
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/index"""
        return self._send(
            venue.api.operator.contracts.post_index,
            {"symbol": symbol, "price": price, "source": source, "jump": jump},
        )

    def operator_positions(
        self, *, owner: str
    ) -> list[venue.api.operator.contracts.OperatorPosition]:
        """GET /_venue/positions"""
        return self._send(venue.api.operator.contracts.operator_positions, {"owner": owner})

    def liquidations(
        self, *, owner: str | None = None, limit: int | None = None
    ) -> list[venue.api.operator.contracts.LiquidationView]:
        """GET /_venue/liquidations"""
        return self._send(
            venue.api.operator.contracts.liquidations, {"owner": owner, "limit": limit}
        )

    def liquidation(self, *, id: int) -> venue.api.operator.contracts.LiquidationStoryView:
        """GET /_venue/liquidation"""
        return self._send(venue.api.operator.contracts.liquidation, {"id": id})
