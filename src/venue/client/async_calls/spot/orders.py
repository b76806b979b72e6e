"""Calls of venue.api.spot.orders. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.spot.orders
from venue.client import paging
from venue.client.sending import AsyncSend, Money


class SpotOrdersAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

    async def place_order(
        self,
        *,
        symbol: str,
        side: str,
        type: str,
        quantity: Money,
        price: Money | None = None,
        time_in_force: str | None = None,
        new_client_order_id: str | None = None,
    ) -> venue.api.spot.orders.OrderAck:
        """POST /api/v3/order"""
        return await self._send(
            venue.api.spot.orders.place_order,
            {
                "symbol": symbol,
                "side": side,
                "type": type,
                "quantity": quantity,
                "price": price,
                "timeInForce": time_in_force,
                "newClientOrderId": new_client_order_id,
            },
        )

    async def place_batch(
        self, *, symbol: str, order_list: list[venue.api.spot.orders.BatchItem]
    ) -> venue.api.spot.orders.PlaceBatchReply:
        """POST /api/v3/order/batch"""
        return await self._send(
            venue.api.spot.orders.place_batch, {"symbol": symbol, "orderList": order_list}
        )

    async def cancel_order(
        self, *, order_id: int | None = None, orig_client_order_id: str | None = None
    ) -> venue.api.spot.orders.Canceled:
        """DELETE /api/v3/order"""
        return await self._send(
            venue.api.spot.orders.cancel_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def cancel_open_orders(self, *, symbol: str) -> list[venue.api.spot.orders.Canceled]:
        """DELETE /api/v3/openOrders"""
        return await self._send(venue.api.spot.orders.cancel_open_orders, {"symbol": symbol})

    async def cancel_batch(
        self,
        *,
        order_ids: list[int] | None = None,
        orig_client_order_ids: list[str] | None = None,
        symbol: str | None = None,
    ) -> venue.api.spot.orders.CancelBatchReply:
        """DELETE /api/v3/order/batch"""
        return await self._send(
            venue.api.spot.orders.cancel_batch,
            {"orderIds": order_ids, "origClientOrderIds": orig_client_order_ids, "symbol": symbol},
        )

    async def order(
        self, *, order_id: int | None = None, orig_client_order_id: str | None = None
    ) -> venue.api.spot.orders.OrderView:
        """GET /api/v3/order"""
        return await self._send(
            venue.api.spot.orders.order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def open_orders(
        self, *, symbol: str | None = None
    ) -> list[venue.api.spot.orders.OrderView]:
        """GET /api/v3/openOrders"""
        return await self._send(venue.api.spot.orders.open_orders, {"symbol": symbol})

    async def all_orders(
        self,
        *,
        symbol: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.spot.orders.OrderView]:
        """GET /api/v3/allOrders"""
        return await self._send(
            venue.api.spot.orders.all_orders,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "page": page,
            },
        )

    def each_all_orders(
        self,
        *,
        symbol: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> AsyncIterator[venue.api.spot.orders.OrderView]:
        """The items of all pages of `all_orders`."""
        return paging.each_async(
            self._send,
            venue.api.spot.orders.all_orders,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "page": page,
            },
        )

    async def my_trades(
        self,
        *,
        symbol: str,
        order_id: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        from_id: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.spot.orders.MyTrade]:
        """GET /api/v3/myTrades"""
        return await self._send(
            venue.api.spot.orders.my_trades,
            {
                "symbol": symbol,
                "orderId": order_id,
                "startTime": start_time,
                "endTime": end_time,
                "fromId": from_id,
                "limit": limit,
            },
        )
