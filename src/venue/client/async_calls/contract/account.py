"""Calls of venue.api.contract.account. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.contract.account
from venue.client import paging
from venue.client.sending import AsyncSend, Money


class ContractAccountAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def contract_balance(self) -> list[venue.api.contract.account.ContractBalance]:
        """GET /capi/v3/account/balance"""
        return await self._send(venue.api.contract.account.contract_balance, {})

    async def commission_rate(self, *, symbol: str) -> venue.api.contract.account.CommissionRate:
        """GET /capi/v3/account/commissionRate"""
        return await self._send(venue.api.contract.account.commission_rate, {"symbol": symbol})

    async def account_config(self) -> venue.api.contract.account.AccountConfig:
        """GET /capi/v3/account/accountConfig"""
        return await self._send(venue.api.contract.account.account_config, {})

    async def symbol_config(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.account.SymbolConfig]:
        """GET /capi/v3/account/symbolConfig"""
        return await self._send(venue.api.contract.account.symbol_config, {"symbol": symbol})

    async def positions(self) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/account/position/allPosition"""
        return await self._send(venue.api.contract.account.positions, {})

    async def position(self, *, symbol: str) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/account/position/singlePosition"""
        return await self._send(venue.api.contract.account.position, {"symbol": symbol})

    async def income(
        self,
        *,
        asset: str | None = None,
        symbol: str | None = None,
        income_type: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> venue.api.contract.account.IncomePage:
        """POST /capi/v3/account/income"""
        return await self._send(
            venue.api.contract.account.income,
            {
                "asset": asset,
                "symbol": symbol,
                "incomeType": income_type,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    def each_income(
        self,
        *,
        asset: str | None = None,
        symbol: str | None = None,
        income_type: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> AsyncIterator[venue.api.contract.account.IncomeItem]:
        """The items of all pages of `income`."""
        return paging.each_async(
            self._send,
            venue.api.contract.account.income,
            {
                "asset": asset,
                "symbol": symbol,
                "incomeType": income_type,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    async def set_margin_type(
        self, *, symbol: str, margin_type: str, separated_type: str | None = None
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/marginType"""
        return await self._send(
            venue.api.contract.account.set_margin_type,
            {"symbol": symbol, "marginType": margin_type, "separatedType": separated_type},
        )

    async def set_leverage(
        self,
        *,
        symbol: str,
        margin_type: str | None = None,
        cross_leverage: int | None = None,
        isolated_long_leverage: int | None = None,
        isolated_short_leverage: int | None = None,
    ) -> venue.api.contract.account.LeverageReply:
        """POST /capi/v3/account/leverage"""
        return await self._send(
            venue.api.contract.account.set_leverage,
            {
                "symbol": symbol,
                "marginType": margin_type,
                "crossLeverage": cross_leverage,
                "isolatedLongLeverage": isolated_long_leverage,
                "isolatedShortLeverage": isolated_short_leverage,
            },
        )

    async def move_margin(
        self, *, isolated_position_id: int, amount: Money, type: int
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/positionMargin"""
        return await self._send(
            venue.api.contract.account.move_margin,
            {"isolatedPositionId": isolated_position_id, "amount": amount, "type": type},
        )

    async def set_auto_margin(
        self, *, position_id: int, auto_append_margin: bool
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/modifyAutoAppendMargin"""
        return await self._send(
            venue.api.contract.account.set_auto_margin,
            {"positionId": position_id, "autoAppendMargin": auto_append_margin},
        )
