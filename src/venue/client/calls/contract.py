"""Calls of contracts. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
What is left out is not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.contract.account
import venue.api.contract.conditional
import venue.api.contract.demo
import venue.api.contract.market
import venue.api.contract.orders
import venue.api.market_data
from venue.client import paging
from venue.client.sending import Money, Send


class ContractCalls:
    """A method for each row."""

    _send: Send

    def contract_exchange_info(
        self, *, symbol: str | None = None
    ) -> venue.api.contract.market.ContractExchangeInfo:
        """GET /capi/v3/market/exchangeInfo"""
        return self._send(venue.api.contract.market.contract_exchange_info, {"symbol": symbol})

    def contract_time(self) -> venue.api.market_data.TimeReply:
        """GET /capi/v3/market/time"""
        return self._send(venue.api.contract.market.contract_time, {})

    def contract_trading_symbols(self) -> list[str]:
        """GET /capi/v3/market/apiTradingSymbols"""
        return self._send(venue.api.contract.market.contract_trading_symbols, {})

    def contract_depth(
        self, *, symbol: str, limit: str | None = None
    ) -> venue.api.market_data.DepthReply:
        """GET /capi/v3/market/depth"""
        return self._send(
            venue.api.contract.market.contract_depth, {"symbol": symbol, "limit": limit}
        )

    def contract_tickers(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.ContractTicker]:
        """GET /capi/v3/market/ticker/24hr"""
        return self._send(venue.api.contract.market.contract_tickers, {"symbol": symbol})

    def contract_book_tickers(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.ContractBookTicker]:
        """GET /capi/v3/market/ticker/bookTicker"""
        return self._send(venue.api.contract.market.contract_book_tickers, {"symbol": symbol})

    def contract_trades(
        self, *, symbol: str, limit: int | None = None
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /capi/v3/market/trades"""
        return self._send(
            venue.api.contract.market.contract_trades, {"symbol": symbol, "limit": limit}
        )

    def contract_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/klines"""
        return self._send(
            venue.api.contract.market.contract_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def index_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/indexPriceKlines"""
        return self._send(
            venue.api.contract.market.index_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def mark_klines(
        self, *, symbol: str, interval: str, limit: int | None = None
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/markPriceKlines"""
        return self._send(
            venue.api.contract.market.mark_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    def history_klines(
        self,
        *,
        symbol: str,
        interval: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        price_type: str | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/historyKlines"""
        return self._send(
            venue.api.contract.market.history_klines,
            {
                "symbol": symbol,
                "interval": interval,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
                "priceType": price_type,
            },
        )

    def symbol_price(
        self, *, symbol: str, price_type: str | None = None
    ) -> venue.api.contract.market.SymbolPrice:
        """GET /capi/v3/market/symbolPrice"""
        return self._send(
            venue.api.contract.market.symbol_price, {"symbol": symbol, "priceType": price_type}
        )

    def open_interest(self, *, symbol: str) -> venue.api.contract.market.OpenInterest:
        """GET /capi/v3/market/openInterest"""
        return self._send(venue.api.contract.market.open_interest, {"symbol": symbol})

    def premium_index(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.market.PremiumIndex]:
        """GET /capi/v3/market/premiumIndex"""
        return self._send(venue.api.contract.market.premium_index, {"symbol": symbol})

    def funding_rates(
        self,
        *,
        symbol: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.market.FundingRate]:
        """GET /capi/v3/market/fundingRate"""
        return self._send(
            venue.api.contract.market.funding_rates,
            {"symbol": symbol, "startTime": start_time, "endTime": end_time, "limit": limit},
        )

    def contract_balance(self) -> list[venue.api.contract.account.ContractBalance]:
        """GET /capi/v3/account/balance"""
        return self._send(venue.api.contract.account.contract_balance, {})

    def commission_rate(self, *, symbol: str) -> venue.api.contract.account.CommissionRate:
        """GET /capi/v3/account/commissionRate"""
        return self._send(venue.api.contract.account.commission_rate, {"symbol": symbol})

    def account_config(self) -> venue.api.contract.account.AccountConfig:
        """GET /capi/v3/account/accountConfig"""
        return self._send(venue.api.contract.account.account_config, {})

    def symbol_config(
        self, *, symbol: str | None = None
    ) -> list[venue.api.contract.account.SymbolConfig]:
        """GET /capi/v3/account/symbolConfig"""
        return self._send(venue.api.contract.account.symbol_config, {"symbol": symbol})

    def positions(self) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/account/position/allPosition"""
        return self._send(venue.api.contract.account.positions, {})

    def position(self, *, symbol: str) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/account/position/singlePosition"""
        return self._send(venue.api.contract.account.position, {"symbol": symbol})

    def income(
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
        return self._send(
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
    ) -> Iterator[venue.api.contract.account.IncomeItem]:
        """The items of all pages of `income`."""
        return paging.each(
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

    def set_margin_type(
        self, *, symbol: str, margin_type: str, separated_type: str | None = None
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/marginType"""
        return self._send(
            venue.api.contract.account.set_margin_type,
            {"symbol": symbol, "marginType": margin_type, "separatedType": separated_type},
        )

    def set_leverage(
        self,
        *,
        symbol: str,
        margin_type: str | None = None,
        cross_leverage: int | None = None,
        isolated_long_leverage: int | None = None,
        isolated_short_leverage: int | None = None,
    ) -> venue.api.contract.account.LeverageReply:
        """POST /capi/v3/account/leverage"""
        return self._send(
            venue.api.contract.account.set_leverage,
            {
                "symbol": symbol,
                "marginType": margin_type,
                "crossLeverage": cross_leverage,
                "isolatedLongLeverage": isolated_long_leverage,
                "isolatedShortLeverage": isolated_short_leverage,
            },
        )

    def move_margin(
        self, *, isolated_position_id: int, amount: Money, type: int
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/positionMargin"""
        return self._send(
            venue.api.contract.account.move_margin,
            {"isolatedPositionId": isolated_position_id, "amount": amount, "type": type},
        )

    def set_auto_margin(
        self, *, position_id: int, auto_append_margin: bool
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/modifyAutoAppendMargin"""
        return self._send(
            venue.api.contract.account.set_auto_margin,
            {"positionId": position_id, "autoAppendMargin": auto_append_margin},
        )

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
                "limit": limit,
            },
        )

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

    def demo_balance(self) -> list[venue.api.contract.account.ContractBalance]:
        """GET /capi/v3/sim/balance"""
        return self._send(venue.api.contract.demo.demo_balance, {})

    def demo_positions(self) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/sim/position/allPosition"""
        return self._send(venue.api.contract.demo.demo_positions, {})

    def demo_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderView]:
        """GET /capi/v3/sim/order/history"""
        return self._send(
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
    ) -> Iterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `demo_order_history`."""
        return paging.each(
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

    def place_demo_order(
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
        return self._send(
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
