"""Calls of the operator. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
What is left out is not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

import venue.api.operator.benefits
import venue.api.operator.bundle
import venue.api.operator.clock
import venue.api.operator.content
import venue.api.operator.contracts
import venue.api.operator.copying
import venue.api.operator.explain
import venue.api.operator.faults
import venue.api.operator.fee_tiers
import venue.api.operator.preview
import venue.api.operator.references
import venue.api.operator.snapshots
import venue.api.operator.venue
import venue.api.operator.wire
import venue.api.operator.worlds
from venue.client.sending import Money, Send


class OperatorCalls:
    """A method for each row."""

    _send: Send

    def health(self, *, state_hash: bool | None = None) -> venue.api.operator.venue.Health:
        """GET /_venue/health"""
        return self._send(venue.api.operator.venue.health, {"stateHash": state_hash})

    def owners(self) -> list[venue.api.operator.venue.OwnerView]:
        """GET /_venue/owners"""
        return self._send(venue.api.operator.venue.owners, {})

    def create_owner(
        self, *, name: str, self_trade_prevention: str | None = None
    ) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners"""
        return self._send(
            venue.api.operator.venue.create_owner,
            {"name": name, "selfTradePrevention": self_trade_prevention},
        )

    def freeze_owner(self, *, owner: str, frozen: bool) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners/freeze"""
        return self._send(venue.api.operator.venue.freeze_owner, {"owner": owner, "frozen": frozen})

    def set_fees(
        self,
        *,
        owner: str,
        maker_fee_rate: Money | None = None,
        taker_fee_rate: Money | None = None,
        product: str | None = None,
    ) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners/fees"""
        return self._send(
            venue.api.operator.venue.set_fees,
            {
                "owner": owner,
                "makerFeeRate": maker_fee_rate,
                "takerFeeRate": taker_fee_rate,
                "product": product,
            },
        )

    def keys(self, *, owner: str | None = None) -> list[venue.api.operator.venue.KeyView]:
        """GET /_venue/keys"""
        return self._send(venue.api.operator.venue.keys, {"owner": owner})

    def create_key(
        self,
        *,
        owner: str,
        permissions: list[str],
        label: str | None = None,
        ips: list[str] | None = None,
    ) -> venue.api.operator.venue.CreatedKey:
        """POST /_venue/keys"""
        return self._send(
            venue.api.operator.venue.create_key,
            {"owner": owner, "permissions": permissions, "label": label, "ips": ips},
        )

    def revoke_key(self, *, key: str) -> venue.api.operator.venue.KeyView:
        """POST /_venue/keys/revoke"""
        return self._send(venue.api.operator.venue.revoke_key, {"key": key})

    def deposit(
        self, *, owner: str, wallet: str, asset: str, amount: Money
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/deposit"""
        return self._send(
            venue.api.operator.venue.deposit,
            {"owner": owner, "wallet": wallet, "asset": asset, "amount": amount},
        )

    def withdraw(
        self, *, owner: str, wallet: str, asset: str, amount: Money
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/withdraw"""
        return self._send(
            venue.api.operator.venue.withdraw,
            {"owner": owner, "wallet": wallet, "asset": asset, "amount": amount},
        )

    def transfer(
        self, *, owner: str, source: str, target: str, asset: str, amount: Money
    ) -> list[venue.api.operator.venue.Moved]:
        """POST /_venue/transfer"""
        return self._send(
            venue.api.operator.venue.transfer,
            {"owner": owner, "from": source, "to": target, "asset": asset, "amount": amount},
        )

    def assets(self) -> list[venue.api.operator.venue.AssetView]:
        """GET /_venue/assets"""
        return self._send(venue.api.operator.venue.assets, {})

    def register_asset(self, *, asset: str, scale: int) -> venue.api.operator.venue.AssetView:
        """POST /_venue/assets"""
        return self._send(venue.api.operator.venue.register_asset, {"asset": asset, "scale": scale})

    def instruments(self) -> list[venue.api.operator.venue.InstrumentView]:
        """GET /_venue/instruments"""
        return self._send(venue.api.operator.venue.instruments, {})

    def list_instrument(
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
        return self._send(
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

    def change_instrument(
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
        return self._send(
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

    def halt(
        self, *, symbol: str, reason: str | None = None
    ) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/halt"""
        return self._send(venue.api.operator.venue.halt, {"symbol": symbol, "reason": reason})

    def resume(self, *, symbol: str) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/resume"""
        return self._send(venue.api.operator.venue.resume, {"symbol": symbol})

    def settings(self) -> venue.api.operator.venue.Settings:
        """GET /_venue/settings"""
        return self._send(venue.api.operator.venue.settings, {})

    def change_settings(
        self,
        *,
        batch_place: bool | None = None,
        batch_cancel_wording: str | None = None,
        contract_batch_place: bool | None = None,
        contract_batch_cancel_envelope: str | None = None,
    ) -> venue.api.operator.venue.Settings:
        """POST /_venue/settings"""
        return self._send(
            venue.api.operator.venue.change_settings,
            {
                "batchPlace": batch_place,
                "batchCancelWording": batch_cancel_wording,
                "contractBatchPlace": contract_batch_place,
                "contractBatchCancelEnvelope": contract_batch_cancel_envelope,
            },
        )

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
        index_notional: int | None = None,
        index_step_rate: Money | None = None,
        funding_cap_rate: Money | None = None,
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
                "indexStepRate": index_step_rate,
                "fundingCapRate": funding_cap_rate,
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
        index_notional: int | None = None,
        index_step_rate: Money | None = None,
        funding_cap_rate: Money | None = None,
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
                "indexStepRate": index_step_rate,
                "fundingCapRate": funding_cap_rate,
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

    def benefits(
        self, *, owner: str | None = None
    ) -> list[venue.api.operator.benefits.BenefitsView]:
        """GET /_venue/benefits"""
        return self._send(venue.api.operator.benefits.benefits, {"owner": owner})

    def give_gift(
        self, *, owner: str, asset: str, amount: Money
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/give"""
        return self._send(
            venue.api.operator.benefits.give_gift,
            {"owner": owner, "asset": asset, "amount": amount},
        )

    def take_gift(
        self, *, owner: str, asset: str, amount: Money
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/take"""
        return self._send(
            venue.api.operator.benefits.take_gift,
            {"owner": owner, "asset": asset, "amount": amount},
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

    def post_article(
        self, *, title: str, content: str, coins: list[str] | None = None
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/articles"""
        return self._send(
            venue.api.operator.content.post_article,
            {"title": title, "content": content, "coins": coins},
        )

    def post_banner(
        self, *, title: str, image_url: str, link_url: str
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/banners"""
        return self._send(
            venue.api.operator.content.post_banner,
            {"title": title, "imageUrl": image_url, "linkUrl": link_url},
        )

    def remove_content(self, *, id: int) -> venue.api.operator.content.ContentId:
        """POST /_venue/content/remove"""
        return self._send(venue.api.operator.content.remove_content, {"id": id})

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

    def preview(
        self, *, owner: str, product: str, order: venue.api.operator.preview.PreviewOrder
    ) -> venue.api.operator.preview.Preview:
        """POST /_venue/preview"""
        return self._send(
            venue.api.operator.preview.preview, {"owner": owner, "product": product, "order": order}
        )

    def faults(self) -> list[venue.api.operator.faults.FaultView]:
        """GET /_venue/faults"""
        return self._send(venue.api.operator.faults.faults, {})

    def add_fault(
        self,
        *,
        effect: venue.api.operator.faults.Effect,
        id: str | None = None,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """POST /_venue/faults"""
        return self._send(
            venue.api.operator.faults.add_fault,
            {"effect": effect, "id": id, "match": match, "when": when, "enabled": enabled},
        )

    def clear_faults(self) -> list[venue.api.operator.faults.FaultView]:
        """DELETE /_venue/faults"""
        return self._send(venue.api.operator.faults.clear_faults, {})

    def change_fault(
        self,
        *,
        id: str,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        effect: venue.api.operator.faults.Effect | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """PATCH /_venue/faults/{id}"""
        return self._send(
            venue.api.operator.faults.change_fault,
            {"id": id, "match": match, "when": when, "effect": effect, "enabled": enabled},
        )

    def remove_fault(self, *, id: str) -> venue.api.operator.faults.FaultView:
        """DELETE /_venue/faults/{id}"""
        return self._send(venue.api.operator.faults.remove_fault, {"id": id})

    def try_fault(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        owner: str | None = None,
        key: str | None = None,
        symbol: str | None = None,
        side: str | None = None,
        channel: str | None = None,
    ) -> list[venue.api.operator.faults.Tried]:
        """POST /_venue/faults/try"""
        return self._send(
            venue.api.operator.faults.try_fault,
            {
                "method": method,
                "path": path,
                "owner": owner,
                "key": key,
                "symbol": symbol,
                "side": side,
                "channel": channel,
            },
        )

    def fault_presets(self) -> list[venue.api.operator.faults.Preset]:
        """GET /_venue/faults/presets"""
        return self._send(venue.api.operator.faults.fault_presets, {})

    def apply_fault_preset(
        self, *, name: str, rate: str | None = None
    ) -> list[venue.api.operator.faults.FaultView]:
        """PUT /_venue/faults/presets/{name}"""
        return self._send(
            venue.api.operator.faults.apply_fault_preset, {"name": name, "rate": rate}
        )

    def clock(self) -> venue.api.operator.clock.ClockView:
        """GET /_venue/clock"""
        return self._send(venue.api.operator.clock.clock, {})

    def change_clock(
        self,
        *,
        mode: str,
        rate: Money | None = None,
        offset: str | None = None,
        at: str | None = None,
    ) -> venue.api.operator.clock.ClockView:
        """POST /_venue/clock"""
        return self._send(
            venue.api.operator.clock.change_clock,
            {"mode": mode, "rate": rate, "offset": offset, "at": at},
        )

    def advance_clock(
        self,
        *,
        by: str | None = None,
        to: str | None = None,
        to_next: str | None = None,
        dry_run: bool | None = None,
    ) -> venue.api.operator.clock.Advance:
        """POST /_venue/clock/advance"""
        return self._send(
            venue.api.operator.clock.advance_clock,
            {"by": by, "to": to, "to_next": to_next, "dry_run": dry_run},
        )

    def stop(self) -> venue.api.operator.clock.Stopping:
        """POST /_venue/stop"""
        return self._send(venue.api.operator.clock.stop, {})

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

    def snapshots(self) -> list[venue.api.operator.snapshots.SnapshotView]:
        """GET /_venue/snapshots"""
        return self._send(venue.api.operator.snapshots.snapshots, {})

    def keep_snapshot(self, *, name: str) -> venue.api.operator.snapshots.SnapshotView:
        """PUT /_venue/snapshots/{name}"""
        return self._send(venue.api.operator.snapshots.keep_snapshot, {"name": name})

    def delete_snapshot(self, *, name: str) -> venue.api.operator.snapshots.SnapshotView:
        """DELETE /_venue/snapshots/{name}"""
        return self._send(venue.api.operator.snapshots.delete_snapshot, {"name": name})

    def revert(self, *, name: str) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/snapshots/{name}/revert"""
        return self._send(venue.api.operator.snapshots.revert, {"name": name})

    def reset(self) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/reset"""
        return self._send(venue.api.operator.snapshots.reset, {})

    def worlds(self) -> list[venue.api.operator.worlds.WorldView]:
        """GET /_venue/worlds"""
        return self._send(venue.api.operator.worlds.worlds, {})

    def create_world(
        self, *, name: str, agents: bool | None = None, from_: str | None = None
    ) -> venue.api.operator.worlds.WorldView:
        """POST /_venue/worlds"""
        return self._send(
            venue.api.operator.worlds.create_world, {"name": name, "agents": agents, "from": from_}
        )

    def delete_world(self, *, name: str) -> venue.api.operator.worlds.WorldView:
        """DELETE /_venue/worlds/{name}"""
        return self._send(venue.api.operator.worlds.delete_world, {"name": name})

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

    def explain_order(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/order/{id}"""
        return self._send(venue.api.operator.explain.explain_order, {"id": id})

    def explain_refusal(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/refusal/{id}"""
        return self._send(venue.api.operator.explain.explain_refusal, {"id": id})

    def explain_bill(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/bill/{id}"""
        return self._send(venue.api.operator.explain.explain_bill, {"id": id})

    def explain_liquidation(self, *, id: int) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/liquidation/{id}"""
        return self._send(venue.api.operator.explain.explain_liquidation, {"id": id})

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
