"""Calls of venue.api.contract.demo. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.contract.account
import venue.api.contract.demo
import venue.api.contract.orders
from venue.client import paging
from venue.client.sending import AsyncSend, Money


class ContractDemoAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def demo_balance(self) -> list[venue.api.contract.account.ContractBalance]:
        """GET /capi/v3/sim/balance"""
        return await self._send(venue.api.contract.demo.demo_balance, {})

    async def demo_positions(self) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/sim/position/allPosition"""
        return await self._send(venue.api.contract.demo.demo_positions, {})

    async def demo_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderView]:
        """GET /capi/v3/sim/order/history"""
        return await self._send(
            venue.api.contract.demo.demo_order_history,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
            },
        )

    def each_demo_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> AsyncIterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `demo_order_history`."""
        return paging.each_async(
            self._send,
            venue.api.contract.demo.demo_order_history,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
            },
        )

    async def place_demo_order(
        self,
        *,
        symbol: str,
        side: str,
        position_side: str,
        type: str,
        quantity: Money,
        price: Money | None = None,
        time_in_force: str | None = None,
        new_client_order_id: str | None = None,
        tp_trigger_price: Money | None = None,
        sl_trigger_price: Money | None = None,
        tp_working_type: str | None = None,
        sl_working_type: str | None = None,
        position_id: int | None = None,
    ) -> venue.api.contract.orders.ContractOrderAck:
        """POST /capi/v3/sim/order"""
        return await self._send(
            venue.api.contract.demo.place_demo_order,
            {
                "symbol": symbol,
                "side": side,
                "positionSide": position_side,
                "type": type,
                "quantity": quantity,
                "price": price,
                "timeInForce": time_in_force,
                "newClientOrderId": new_client_order_id,
                "tpTriggerPrice": tp_trigger_price,
                "slTriggerPrice": sl_trigger_price,
                "TpWorkingType": tp_working_type,
                "SlWorkingType": sl_working_type,
                "positionId": position_id,
            },
        )
