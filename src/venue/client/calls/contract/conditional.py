"""Calls of venue.api.contract.conditional. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.contract.conditional
import venue.api.contract.orders
from venue.client import paging
from venue.client.sending import Money, Send


class ContractConditionalCalls:
    """A method for each row."""

    _send: Send

    def place_algo(
        self,
        *,
        symbol: str,
        side: str,
        position_side: str,
        type: str,
        quantity: Money,
        client_algo_id: str,
        trigger_price: Money | None = None,
        price: Money | None = None,
        preset_take_profit_price: Money | None = None,
        preset_stop_loss_price: Money | None = None,
        tp_working_type: str | None = None,
        sl_working_type: str | None = None,
        activate_price: Money | None = None,
        callback_rate: Money | None = None,
    ) -> venue.api.contract.orders.ContractOrderAck:
        """POST /capi/v3/algoOrder"""
        return self._send(
            venue.api.contract.conditional.place_algo,
            {
                "symbol": symbol,
                "side": side,
                "positionSide": position_side,
                "type": type,
                "quantity": quantity,
                "clientAlgoId": client_algo_id,
                "triggerPrice": trigger_price,
                "price": price,
                "presetTakeProfitPrice": preset_take_profit_price,
                "presetStopLossPrice": preset_stop_loss_price,
                "TpWorkingType": tp_working_type,
                "SlWorkingType": sl_working_type,
                "activatePrice": activate_price,
                "callbackRate": callback_rate,
            },
        )

    def place_exit(
        self,
        *,
        symbol: str,
        client_algo_id: str,
        plan_type: str,
        trigger_price: Money,
        position_side: str,
        execute_price: Money | None = None,
        quantity: Money | None = None,
        trigger_price_type: str | None = None,
    ) -> list[venue.api.contract.conditional.ExitAck]:
        """POST /capi/v3/placeTpSlOrder"""
        return self._send(
            venue.api.contract.conditional.place_exit,
            {
                "symbol": symbol,
                "clientAlgoId": client_algo_id,
                "planType": plan_type,
                "triggerPrice": trigger_price,
                "positionSide": position_side,
                "executePrice": execute_price,
                "quantity": quantity,
                "triggerPriceType": trigger_price_type,
            },
        )

    def change_exit(
        self,
        *,
        order_id: int,
        trigger_price: Money,
        execute_price: Money | None = None,
        trigger_price_type: str | None = None,
    ) -> venue.api.contract.conditional.ExitChanged:
        """POST /capi/v3/modifyTpSlOrder"""
        return self._send(
            venue.api.contract.conditional.change_exit,
            {
                "orderId": order_id,
                "triggerPrice": trigger_price,
                "executePrice": execute_price,
                "triggerPriceType": trigger_price_type,
            },
        )

    def cancel_algo(
        self, *, order_id: int | None = None, orig_client_order_id: str | None = None
    ) -> venue.api.contract.orders.ContractCanceled:
        """DELETE /capi/v3/algoOrder"""
        return self._send(
            venue.api.contract.conditional.cancel_algo,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    def cancel_algos(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.orders.ContractOrderCanceled]:
        """DELETE /capi/v3/algoOpenOrders"""
        return self._send(venue.api.contract.conditional.cancel_algos, {"symbol": symbol})

    def open_algos(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.OpenAlgo]:
        """GET /capi/v3/openAlgoOrders"""
        return self._send(
            venue.api.contract.conditional.open_algos,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )

    def each_open_algos(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Iterator[venue.api.contract.conditional.OpenAlgo]:
        """The items of all pages of `open_algos`."""
        return paging.each(
            self._send,
            venue.api.contract.conditional.open_algos,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )

    def all_algos(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> venue.api.contract.conditional.EndedAlgos:
        """GET /capi/v3/allAlgoOrders"""
        return self._send(
            venue.api.contract.conditional.all_algos,
            {"symbol": symbol, "startTime": start_time, "endTime": end_time, "limit": limit},
        )

    def open_trailing(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.OpenAlgo]:
        """GET /capi/v3/trailing/openOrders"""
        return self._send(
            venue.api.contract.conditional.open_trailing,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )

    def each_open_trailing(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Iterator[venue.api.contract.conditional.OpenAlgo]:
        """The items of all pages of `open_trailing`."""
        return paging.each(
            self._send,
            venue.api.contract.conditional.open_trailing,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )

    def trailing_history(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.EndedAlgo]:
        """GET /capi/v3/trailing/historyOrders"""
        return self._send(
            venue.api.contract.conditional.trailing_history,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )

    def each_trailing_history(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> Iterator[venue.api.contract.conditional.EndedAlgo]:
        """The items of all pages of `trailing_history`."""
        return paging.each(
            self._send,
            venue.api.contract.conditional.trailing_history,
            {
                "symbol": symbol,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "limit": limit,
            },
        )
