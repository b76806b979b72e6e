"""Calls of venue.api.contract.orders. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.contract.orders
from venue.client import paging
from venue.client.sending import Money, Send


class ContractOrdersCalls:
    """A method for each row."""

    _send: Send

    def place_contract_order(
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
        """POST /capi/v3/order"""
        return self._send(
            venue.api.contract.orders.place_contract_order,
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

    def place_contract_batch(
        self, *, batch_orders: list[venue.api.contract.orders.PlaceContractOrderRequest]
    ) -> list[venue.api.contract.orders.ContractOrderAck]:
        """POST /capi/v3/batchOrders"""
        return self._send(
            venue.api.contract.orders.place_contract_batch, {"batchOrders": batch_orders}
        )

    def cancel_contract_order(
        self, *, order_id: int | None = None, orig_client_order_id: str | None = None
    ) -> venue.api.contract.orders.ContractCanceled:
        """DELETE /capi/v3/order"""
        return self._send(
            venue.api.contract.orders.cancel_contract_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    def cancel_contract_batch(
        self,
        *,
        order_id_list: list[int] | None = None,
        orig_client_order_id_list: list[str] | None = None,
    ) -> (
        venue.api.contract.orders.ContractBatchCanceled
        | list[venue.api.contract.orders.ContractCanceled]
    ):
        """DELETE /capi/v3/batchOrders"""
        return self._send(
            venue.api.contract.orders.cancel_contract_batch,
            {"orderIdList": order_id_list, "origClientOrderIdList": orig_client_order_id_list},
        )

    def cancel_contract_open_orders(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.orders.ContractOrderCanceled]:
        """DELETE /capi/v3/allOpenOrders"""
        return self._send(venue.api.contract.orders.cancel_contract_open_orders, {"symbol": symbol})

    def close_positions(
        self, *, symbol: str | None = None, position_id: int | None = None
    ) -> list[venue.api.contract.orders.ClosedPosition]:
        """POST /capi/v3/closePositions"""
        return self._send(
            venue.api.contract.orders.close_positions, {"symbol": symbol, "positionId": position_id}
        )

    def contract_order(
        self, *, order_id: int | None = None, orig_client_order_id: str | None = None
    ) -> venue.api.contract.orders.ContractOrderView:
        """GET /capi/v3/order"""
        return self._send(
            venue.api.contract.orders.contract_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    def contract_open_orders(
        self,
        *,
        symbol: str | None = None,
        order_id: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderView]:
        """GET /capi/v3/openOrders"""
        return self._send(
            venue.api.contract.orders.contract_open_orders,
            {
                "symbol": symbol,
                "orderId": order_id,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "page": page,
            },
        )

    def each_contract_open_orders(
        self,
        *,
        symbol: str | None = None,
        order_id: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> Iterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `contract_open_orders`."""
        return paging.each(
            self._send,
            venue.api.contract.orders.contract_open_orders,
            {
                "symbol": symbol,
                "orderId": order_id,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "page": page,
            },
        )

    def contract_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderView]:
        """GET /capi/v3/order/history"""
        return self._send(
            venue.api.contract.orders.contract_order_history,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
            },
        )

    def each_contract_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> Iterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `contract_order_history`."""
        return paging.each(
            self._send,
            venue.api.contract.orders.contract_order_history,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
            },
        )

    def user_trades(
        self,
        *,
        symbol: str | None = None,
        order_id: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        from_id: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.orders.UserTrade]:
        """GET /capi/v3/userTrades"""
        return self._send(
            venue.api.contract.orders.user_trades,
            {
                "symbol": symbol,
                "orderId": order_id,
                "startTime": start_time,
                "endTime": end_time,
                "fromId": from_id,
                "limit": limit,
            },
        )
