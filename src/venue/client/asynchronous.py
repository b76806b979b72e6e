"""The client for asyncio. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
What is left out is not sent. Methods raise Refused, Unreachable and Misused.
"""

# ruff: noqa: A002
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from types import TracebackType
from typing import Any, TypeVar

import venue.api.contract.account
import venue.api.contract.conditional
import venue.api.contract.demo
import venue.api.contract.market
import venue.api.contract.orders
import venue.api.copying.follower
import venue.api.copying.trader
import venue.api.countdown
import venue.api.market_data
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
import venue.api.spot.account
import venue.api.spot.affiliates
import venue.api.spot.commissions
import venue.api.spot.content
import venue.api.spot.market
import venue.api.spot.orders
import venue.api.spot.withdrawals
from venue.api.operation import Empty, Operation
from venue.client import paging
from venue.client.books import Books, channel
from venue.client.http import RETRIES, TIMEOUT_S, Account, Http
from venue.client.streams import PATIENCE_S, QUIET_S, Stream

Money = str | int | Decimal
Q = TypeVar("Q")
R = TypeVar("R")


class AsyncClient:
    """A client of the venue at `url`, for one owner or operator. Use it in an `async
    with`. A call runs on a thread: one whose task is cancelled may have its effect all the same.

    Calls that change nothing are repeated up to `retries` times, and placements under their client
    id, which is given to each that has none. Without a key `act_as` names an owner of a practice
    venue on this machine.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8787",
        *,
        key: str = "",
        secret: str = "",
        passphrase: str = "",
        operator_token: str = "",
        act_as: str = "",
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        account = Account(
            key=key,
            secret=secret,
            passphrase=passphrase,
            operator_token=operator_token,
            act_as=act_as,
        )
        self._http = Http(url, account, timeout_s, retries)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    async def _send(self, row: Operation[Q, R], values: dict[str, Any]) -> R:
        return await asyncio.to_thread(self._http.send, row, values)

    def listen(
        self,
        *channels: str,
        product: str = "spot",
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Stream:
        """The frames of channels, as BTCUSDT@trade, or of private ones, as orders or
        orders?from=17. Misused."""
        return Stream(self._http, product, channels, quiet_s=quiet_s, patience_s=patience_s)

    def books(
        self,
        symbol: str,
        *,
        product: str = "spot",
        levels: int = 15,
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Books:
        """A market's book after each change, checked: 15 or 200 levels a side. Misused."""
        name = channel(symbol, levels)
        return Books(self.listen(name, product=product, quiet_s=quiet_s, patience_s=patience_s))

    async def ping(self) -> Empty:
        """GET /api/v3/ping"""
        return await self._send(venue.api.spot.market.ping, {})

    async def time(self) -> venue.api.market_data.TimeReply:
        """GET /api/v3/time"""
        return await self._send(venue.api.spot.market.time, {})

    async def coins(self) -> list[venue.api.spot.market.Coin]:
        """GET /api/v3/coins"""
        return await self._send(venue.api.spot.market.coins, {})

    async def exchange_info(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
        symbol_status: str | None = None,
    ) -> venue.api.spot.market.ExchangeInfo:
        """GET /api/v3/exchangeInfo"""
        return await self._send(
            venue.api.spot.market.exchange_info,
            {"symbol": symbol, "symbols": symbols, "symbolStatus": symbol_status},
        )

    async def trading_symbols(self) -> list[str]:
        """GET /api/v3/apiTradingSymbols"""
        return await self._send(venue.api.spot.market.trading_symbols, {})

    async def prices(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
    ) -> venue.api.spot.market.Price | list[venue.api.spot.market.Price]:
        """GET /api/v3/market/ticker/price"""
        return await self._send(
            venue.api.spot.market.prices, {"symbol": symbol, "symbols": symbols}
        )

    async def tickers(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
    ) -> venue.api.spot.market.TickerView | list[venue.api.spot.market.TickerView]:
        """GET /api/v3/market/ticker/24hr"""
        return await self._send(
            venue.api.spot.market.tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def book_tickers(
        self,
        *,
        symbol: str | None = None,
        symbols: list[str] | None = None,
    ) -> venue.api.spot.market.BookTicker | list[venue.api.spot.market.BookTicker]:
        """GET /api/v3/market/ticker/bookTicker"""
        return await self._send(
            venue.api.spot.market.book_tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def trades(
        self,
        *,
        symbol: str,
        limit: int | None = None,
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /api/v3/market/trades"""
        return await self._send(venue.api.spot.market.trades, {"symbol": symbol, "limit": limit})

    async def klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /api/v3/market/klines"""
        return await self._send(
            venue.api.spot.market.klines,
            {
                "symbol": symbol,
                "interval": interval,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
            },
        )

    async def depth(
        self,
        *,
        symbol: str,
        limit: str | None = None,
    ) -> venue.api.market_data.DepthReply:
        """GET /api/v3/market/depth"""
        return await self._send(venue.api.spot.market.depth, {"symbol": symbol, "limit": limit})

    async def account(self) -> venue.api.spot.account.AccountReply:
        """GET /api/v3/account/"""
        return await self._send(venue.api.spot.account.account, {})

    async def bills(
        self,
        *,
        coin_id: int | None = None,
        biz_type: str | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.spot.account.BillView]:
        """POST /api/v3/account/bills"""
        return await self._send(
            venue.api.spot.account.bills,
            {
                "coinId": coin_id,
                "bizType": biz_type,
                "after": after,
                "before": before,
                "limit": limit,
            },
        )

    def each_bills(
        self,
        *,
        coin_id: int | None = None,
        biz_type: str | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[venue.api.spot.account.BillView]:
        """The items of all pages of `bills`."""
        return paging.each_async(
            self._send,
            venue.api.spot.account.bills,
            {
                "coinId": coin_id,
                "bizType": biz_type,
                "after": after,
                "before": before,
                "limit": limit,
            },
        )

    async def funding_bills(
        self,
        *,
        coin_id: int | None = None,
        biz_type: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_index: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.account.FundingBills:
        """POST /api/v3/account/fundingBills"""
        return await self._send(
            venue.api.spot.account.funding_bills,
            {
                "coinId": coin_id,
                "bizType": biz_type,
                "startTime": start_time,
                "endTime": end_time,
                "pageIndex": page_index,
                "pageSize": page_size,
            },
        )

    def each_funding_bills(
        self,
        *,
        coin_id: int | None = None,
        biz_type: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_index: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.account.BillView]:
        """The items of all pages of `funding_bills`."""
        return paging.each_async(
            self._send,
            venue.api.spot.account.funding_bills,
            {
                "coinId": coin_id,
                "bizType": biz_type,
                "startTime": start_time,
                "endTime": end_time,
                "pageIndex": page_index,
                "pageSize": page_size,
            },
        )

    async def transfer_records(
        self,
        *,
        coin_id: int | None = None,
        from_type: str | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.spot.account.TransferRecord]:
        """GET /api/v3/account/transferRecords"""
        return await self._send(
            venue.api.spot.account.transfer_records,
            {
                "coinId": coin_id,
                "fromType": from_type,
                "after": after,
                "before": before,
                "limit": limit,
            },
        )

    async def tax_income(
        self,
        *,
        coin: str | None = None,
        biz_type: str | None = None,
        month: str | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.spot.account.BillView]:
        """POST /api/v3/tax/income"""
        return await self._send(
            venue.api.spot.account.tax_income,
            {"coin": coin, "bizType": biz_type, "month": month, "limit": limit, "page": page},
        )

    def each_tax_income(
        self,
        *,
        coin: str | None = None,
        biz_type: str | None = None,
        month: str | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> AsyncIterator[venue.api.spot.account.BillView]:
        """The items of all pages of `tax_income`."""
        return paging.each_async(
            self._send,
            venue.api.spot.account.tax_income,
            {"coin": coin, "bizType": biz_type, "month": month, "limit": limit, "page": page},
        )

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
        self,
        *,
        symbol: str,
        order_list: list[venue.api.spot.orders.BatchItem],
    ) -> venue.api.spot.orders.PlaceBatchReply:
        """POST /api/v3/order/batch"""
        return await self._send(
            venue.api.spot.orders.place_batch, {"symbol": symbol, "orderList": order_list}
        )

    async def cancel_order(
        self,
        *,
        order_id: int | None = None,
        orig_client_order_id: str | None = None,
    ) -> venue.api.spot.orders.Canceled:
        """DELETE /api/v3/order"""
        return await self._send(
            venue.api.spot.orders.cancel_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def cancel_open_orders(
        self,
        *,
        symbol: str,
    ) -> list[venue.api.spot.orders.Canceled]:
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
        self,
        *,
        order_id: int | None = None,
        orig_client_order_id: str | None = None,
    ) -> venue.api.spot.orders.OrderView:
        """GET /api/v3/order"""
        return await self._send(
            venue.api.spot.orders.order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def open_orders(
        self,
        *,
        symbol: str | None = None,
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
                "limit": limit,
            },
        )

    async def invited_owners(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.affiliates.InvitedOwners:
        """GET /api/v3/rebate/affiliate/getAffiliateUIDs"""
        return await self._send(
            venue.api.spot.affiliates.invited_owners,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "pageSize": page_size,
            },
        )

    def each_invited_owners(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.affiliates.InvitedOwner]:
        """The items of all pages of `invited_owners`."""
        return paging.each_async(
            self._send,
            venue.api.spot.affiliates.invited_owners,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "pageSize": page_size,
            },
        )

    async def referrals(
        self,
        *,
        user_ids: list[int],
    ) -> list[venue.api.spot.affiliates.Referral]:
        """GET /api/v3/agency/verifyReferrals"""
        return await self._send(venue.api.spot.affiliates.referrals, {"userIds": user_ids})

    async def eligibility(
        self,
        *,
        user_id: int,
    ) -> venue.api.spot.affiliates.Eligibility:
        """GET /api/v3/apiReferral/checkUserEligibility"""
        return await self._send(venue.api.spot.affiliates.eligibility, {"userId": user_id})

    async def rebate_ratio(self) -> venue.api.spot.affiliates.RebateRatio:
        """GET /api/v3/apiReferral/rebateRatio"""
        return await self._send(venue.api.spot.affiliates.rebate_ratio, {})

    async def rebates(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.affiliates.Rebates:
        """GET /api/v3/apiReferral/rebate/recentRecord"""
        return await self._send(
            venue.api.spot.affiliates.rebates,
            {"startTime": start_time, "endTime": end_time, "page": page, "pageSize": page_size},
        )

    def each_rebates(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.affiliates.Rebate]:
        """The items of all pages of `rebates`."""
        return paging.each_async(
            self._send,
            venue.api.spot.affiliates.rebates,
            {"startTime": start_time, "endTime": end_time, "page": page, "pageSize": page_size},
        )

    async def invited_trades(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.commissions.InvitedTradesPage:
        """GET /api/v3/rebate/affiliate/getChannelUserTradeAndAsset"""
        return await self._send(
            venue.api.spot.commissions.invited_trades,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "pageSize": page_size,
            },
        )

    def each_invited_trades(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.commissions.InvitedTrades]:
        """The items of all pages of `invited_trades`."""
        return paging.each_async(
            self._send,
            venue.api.spot.commissions.invited_trades,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "page": page,
                "pageSize": page_size,
            },
        )

    async def commissions(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        coin: str | None = None,
        product_type: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.commissions.CommissionsPage:
        """GET /api/v3/rebate/affiliate/getAffiliateCommission"""
        return await self._send(
            venue.api.spot.commissions.commissions,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "coin": coin,
                "productType": product_type,
                "page": page,
                "pageSize": page_size,
            },
        )

    def each_commissions(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        coin: str | None = None,
        product_type: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.commissions.Commission]:
        """The items of all pages of `commissions`."""
        return paging.each_async(
            self._send,
            venue.api.spot.commissions.commissions,
            {
                "uid": uid,
                "startTime": start_time,
                "endTime": end_time,
                "coin": coin,
                "productType": product_type,
                "page": page,
                "pageSize": page_size,
            },
        )

    async def sub_commissions(
        self,
        *,
        product_type: str,
        sub_uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_num: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.commissions.SubCommissionsPage:
        """GET /api/v3/rebate/affiliate/querySubChannelTransactions"""
        return await self._send(
            venue.api.spot.commissions.sub_commissions,
            {
                "productType": product_type,
                "subUid": sub_uid,
                "startTime": start_time,
                "endTime": end_time,
                "pageNum": page_num,
                "pageSize": page_size,
            },
        )

    def each_sub_commissions(
        self,
        *,
        product_type: str,
        sub_uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_num: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.commissions.SubCommission]:
        """The items of all pages of `sub_commissions`."""
        return paging.each_async(
            self._send,
            venue.api.spot.commissions.sub_commissions,
            {
                "productType": product_type,
                "subUid": sub_uid,
                "startTime": start_time,
                "endTime": end_time,
                "pageNum": page_num,
                "pageSize": page_size,
            },
        )

    async def post_sub_commissions(
        self,
        *,
        product_type: str,
        sub_uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_num: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.commissions.SubCommissionsPage:
        """POST /api/v3/rebate/affiliate/querySubChannelTransactions"""
        return await self._send(
            venue.api.spot.commissions.post_sub_commissions,
            {
                "productType": product_type,
                "subUid": sub_uid,
                "startTime": start_time,
                "endTime": end_time,
                "pageNum": page_num,
                "pageSize": page_size,
            },
        )

    def each_post_sub_commissions(
        self,
        *,
        product_type: str,
        sub_uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page_num: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.commissions.SubCommission]:
        """The items of all pages of `post_sub_commissions`."""
        return paging.each_async(
            self._send,
            venue.api.spot.commissions.post_sub_commissions,
            {
                "productType": product_type,
                "subUid": sub_uid,
                "startTime": start_time,
                "endTime": end_time,
                "pageNum": page_num,
                "pageSize": page_size,
            },
        )

    async def invited_assets(
        self,
        *,
        user_id: int,
        start_time: str | None = None,
        end_time: str | None = None,
    ) -> venue.api.spot.commissions.InvitedAssets:
        """GET /api/v3/agency/getAssert"""
        return await self._send(
            venue.api.spot.commissions.invited_assets,
            {"userId": user_id, "startTime": start_time, "endTime": end_time},
        )

    async def invited_deals(
        self,
        *,
        user_ids: list[int] | None = None,
        start_time: str | None = None,
        end_time: str | None = None,
    ) -> venue.api.spot.commissions.InvitedDealsList:
        """GET /api/v3/agency/getDealData"""
        return await self._send(
            venue.api.spot.commissions.invited_deals,
            {"userIds": user_ids, "startTime": start_time, "endTime": end_time},
        )

    async def internal_withdrawals(
        self,
        *,
        withdraw_id: int | None = None,
        coin: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        from_account_type: str | None = None,
        to_account_type: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.withdrawals.InternalWithdrawals:
        """GET /api/v3/rebate/affiliate/getInternalWithdrawalStatus"""
        return await self._send(
            venue.api.spot.withdrawals.internal_withdrawals,
            {
                "withdrawID": withdraw_id,
                "coin": coin,
                "startTime": start_time,
                "endTime": end_time,
                "fromAccountType": from_account_type,
                "toAccountType": to_account_type,
                "page": page,
                "pageSize": page_size,
            },
        )

    def each_internal_withdrawals(
        self,
        *,
        withdraw_id: int | None = None,
        coin: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        from_account_type: str | None = None,
        to_account_type: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.withdrawals.InternalWithdrawal]:
        """The items of all pages of `internal_withdrawals`."""
        return paging.each_async(
            self._send,
            venue.api.spot.withdrawals.internal_withdrawals,
            {
                "withdrawID": withdraw_id,
                "coin": coin,
                "startTime": start_time,
                "endTime": end_time,
                "fromAccountType": from_account_type,
                "toAccountType": to_account_type,
                "page": page,
                "pageSize": page_size,
            },
        )

    async def internal_withdrawal(
        self,
        *,
        to_user_id: int,
        coin: str,
        amount: Money,
        from_account_type: str | None = None,
        to_account_type: str | None = None,
        client_tran_id: str | None = None,
    ) -> str:
        """POST /api/v3/rebate/affiliate/internalWithdrawal"""
        return await self._send(
            venue.api.spot.withdrawals.internal_withdrawal,
            {
                "toUserId": to_user_id,
                "coin": coin,
                "amount": amount,
                "fromAccountType": from_account_type,
                "toAccountType": to_account_type,
                "clientTranId": client_tran_id,
            },
        )

    async def article(
        self,
        *,
        id: int,
    ) -> venue.api.spot.content.ArticleView:
        """GET /api/v3/content/articles/detail"""
        return await self._send(venue.api.spot.content.article, {"id": id})

    async def articles(
        self,
        *,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/list"""
        return await self._send(
            venue.api.spot.content.articles, {"page": page, "pageSize": page_size}
        )

    def each_articles(
        self,
        *,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.content.ArticleHead]:
        """The items of all pages of `articles`."""
        return paging.each_async(
            self._send, venue.api.spot.content.articles, {"page": page, "pageSize": page_size}
        )

    async def articles_of_coin(
        self,
        *,
        coin: str,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/listByCoin"""
        return await self._send(
            venue.api.spot.content.articles_of_coin,
            {"coin": coin, "page": page, "pageSize": page_size},
        )

    def each_articles_of_coin(
        self,
        *,
        coin: str,
        page: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[venue.api.spot.content.ArticleHead]:
        """The items of all pages of `articles_of_coin`."""
        return paging.each_async(
            self._send,
            venue.api.spot.content.articles_of_coin,
            {"coin": coin, "page": page, "pageSize": page_size},
        )

    async def banners(self) -> venue.api.spot.content.Banners:
        """GET /api/v3/content/banners/latest"""
        return await self._send(venue.api.spot.content.banners, {})

    async def contract_exchange_info(
        self,
        *,
        symbol: str | None = None,
    ) -> venue.api.contract.market.ContractExchangeInfo:
        """GET /capi/v3/market/exchangeInfo"""
        return await self._send(
            venue.api.contract.market.contract_exchange_info, {"symbol": symbol}
        )

    async def contract_time(self) -> venue.api.market_data.TimeReply:
        """GET /capi/v3/market/time"""
        return await self._send(venue.api.contract.market.contract_time, {})

    async def contract_trading_symbols(self) -> list[str]:
        """GET /capi/v3/market/apiTradingSymbols"""
        return await self._send(venue.api.contract.market.contract_trading_symbols, {})

    async def contract_depth(
        self,
        *,
        symbol: str,
        limit: str | None = None,
    ) -> venue.api.market_data.DepthReply:
        """GET /capi/v3/market/depth"""
        return await self._send(
            venue.api.contract.market.contract_depth, {"symbol": symbol, "limit": limit}
        )

    async def contract_tickers(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.market.ContractTicker]:
        """GET /capi/v3/market/ticker/24hr"""
        return await self._send(venue.api.contract.market.contract_tickers, {"symbol": symbol})

    async def contract_book_tickers(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.market.ContractBookTicker]:
        """GET /capi/v3/market/ticker/bookTicker"""
        return await self._send(venue.api.contract.market.contract_book_tickers, {"symbol": symbol})

    async def contract_trades(
        self,
        *,
        symbol: str,
        limit: int | None = None,
    ) -> list[venue.api.market_data.PublicTrade]:
        """GET /capi/v3/market/trades"""
        return await self._send(
            venue.api.contract.market.contract_trades, {"symbol": symbol, "limit": limit}
        )

    async def contract_klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/klines"""
        return await self._send(
            venue.api.contract.market.contract_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    async def index_klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/indexPriceKlines"""
        return await self._send(
            venue.api.contract.market.index_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    async def mark_klines(
        self,
        *,
        symbol: str,
        interval: str,
        limit: int | None = None,
    ) -> list[venue.api.market_data.CandleView]:
        """GET /capi/v3/market/markPriceKlines"""
        return await self._send(
            venue.api.contract.market.mark_klines,
            {"symbol": symbol, "interval": interval, "limit": limit},
        )

    async def history_klines(
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
        return await self._send(
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

    async def symbol_price(
        self,
        *,
        symbol: str,
        price_type: str | None = None,
    ) -> venue.api.contract.market.SymbolPrice:
        """GET /capi/v3/market/symbolPrice"""
        return await self._send(
            venue.api.contract.market.symbol_price, {"symbol": symbol, "priceType": price_type}
        )

    async def open_interest(
        self,
        *,
        symbol: str,
    ) -> venue.api.contract.market.OpenInterest:
        """GET /capi/v3/market/openInterest"""
        return await self._send(venue.api.contract.market.open_interest, {"symbol": symbol})

    async def premium_index(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.market.PremiumIndex]:
        """GET /capi/v3/market/premiumIndex"""
        return await self._send(venue.api.contract.market.premium_index, {"symbol": symbol})

    async def funding_rates(
        self,
        *,
        symbol: str,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.market.FundingRate]:
        """GET /capi/v3/market/fundingRate"""
        return await self._send(
            venue.api.contract.market.funding_rates,
            {"symbol": symbol, "startTime": start_time, "endTime": end_time, "limit": limit},
        )

    async def contract_balance(self) -> list[venue.api.contract.account.ContractBalance]:
        """GET /capi/v3/account/balance"""
        return await self._send(venue.api.contract.account.contract_balance, {})

    async def commission_rate(
        self,
        *,
        symbol: str,
    ) -> venue.api.contract.account.CommissionRate:
        """GET /capi/v3/account/commissionRate"""
        return await self._send(venue.api.contract.account.commission_rate, {"symbol": symbol})

    async def account_config(self) -> venue.api.contract.account.AccountConfig:
        """GET /capi/v3/account/accountConfig"""
        return await self._send(venue.api.contract.account.account_config, {})

    async def symbol_config(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.account.SymbolConfig]:
        """GET /capi/v3/account/symbolConfig"""
        return await self._send(venue.api.contract.account.symbol_config, {"symbol": symbol})

    async def positions(self) -> list[venue.api.contract.account.PositionView]:
        """GET /capi/v3/account/position/allPosition"""
        return await self._send(venue.api.contract.account.positions, {})

    async def position(
        self,
        *,
        symbol: str,
    ) -> list[venue.api.contract.account.PositionView]:
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
        self,
        *,
        symbol: str,
        margin_type: str,
        separated_type: str | None = None,
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
        self,
        *,
        isolated_position_id: int,
        amount: Money,
        type: int,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/positionMargin"""
        return await self._send(
            venue.api.contract.account.move_margin,
            {"isolatedPositionId": isolated_position_id, "amount": amount, "type": type},
        )

    async def set_auto_margin(
        self,
        *,
        position_id: int,
        auto_append_margin: bool,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/account/modifyAutoAppendMargin"""
        return await self._send(
            venue.api.contract.account.set_auto_margin,
            {"positionId": position_id, "autoAppendMargin": auto_append_margin},
        )

    async def place_contract_order(
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
        return await self._send(
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

    async def place_contract_batch(
        self,
        *,
        batch_orders: list[venue.api.contract.orders.PlaceContractOrderRequest],
    ) -> list[venue.api.contract.orders.ContractOrderAck]:
        """POST /capi/v3/batchOrders"""
        return await self._send(
            venue.api.contract.orders.place_contract_batch, {"batchOrders": batch_orders}
        )

    async def cancel_contract_order(
        self,
        *,
        order_id: int | None = None,
        orig_client_order_id: str | None = None,
    ) -> venue.api.contract.orders.ContractCanceled:
        """DELETE /capi/v3/order"""
        return await self._send(
            venue.api.contract.orders.cancel_contract_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def cancel_contract_batch(
        self,
        *,
        order_id_list: list[int] | None = None,
        orig_client_order_id_list: list[str] | None = None,
    ) -> (
        venue.api.contract.orders.ContractBatchCanceled
        | list[venue.api.contract.orders.ContractCanceled]
    ):
        """DELETE /capi/v3/batchOrders"""
        return await self._send(
            venue.api.contract.orders.cancel_contract_batch,
            {"orderIdList": order_id_list, "origClientOrderIdList": orig_client_order_id_list},
        )

    async def cancel_contract_open_orders(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderCanceled]:
        """DELETE /capi/v3/allOpenOrders"""
        return await self._send(
            venue.api.contract.orders.cancel_contract_open_orders, {"symbol": symbol}
        )

    async def close_positions(
        self,
        *,
        symbol: str | None = None,
        position_id: int | None = None,
    ) -> list[venue.api.contract.orders.ClosedPosition]:
        """POST /capi/v3/closePositions"""
        return await self._send(
            venue.api.contract.orders.close_positions, {"symbol": symbol, "positionId": position_id}
        )

    async def contract_order(
        self,
        *,
        order_id: int | None = None,
        orig_client_order_id: str | None = None,
    ) -> venue.api.contract.orders.ContractOrderView:
        """GET /capi/v3/order"""
        return await self._send(
            venue.api.contract.orders.contract_order,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def contract_open_orders(
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
        return await self._send(
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
    ) -> AsyncIterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `contract_open_orders`."""
        return paging.each_async(
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

    async def contract_order_history(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderView]:
        """GET /capi/v3/order/history"""
        return await self._send(
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
    ) -> AsyncIterator[venue.api.contract.orders.ContractOrderView]:
        """The items of all pages of `contract_order_history`."""
        return paging.each_async(
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

    async def user_trades(
        self,
        *,
        symbol: str | None = None,
        order_id: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.orders.UserTrade]:
        """GET /capi/v3/userTrades"""
        return await self._send(
            venue.api.contract.orders.user_trades,
            {
                "symbol": symbol,
                "orderId": order_id,
                "startTime": start_time,
                "endTime": end_time,
                "limit": limit,
            },
        )

    async def place_algo(
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
        return await self._send(
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

    async def place_exit(
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
        return await self._send(
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

    async def change_exit(
        self,
        *,
        order_id: int,
        trigger_price: Money,
        execute_price: Money | None = None,
        trigger_price_type: str | None = None,
    ) -> venue.api.contract.conditional.ExitChanged:
        """POST /capi/v3/modifyTpSlOrder"""
        return await self._send(
            venue.api.contract.conditional.change_exit,
            {
                "orderId": order_id,
                "triggerPrice": trigger_price,
                "executePrice": execute_price,
                "triggerPriceType": trigger_price_type,
            },
        )

    async def cancel_algo(
        self,
        *,
        order_id: int | None = None,
        orig_client_order_id: str | None = None,
    ) -> venue.api.contract.orders.ContractCanceled:
        """DELETE /capi/v3/algoOrder"""
        return await self._send(
            venue.api.contract.conditional.cancel_algo,
            {"orderId": order_id, "origClientOrderId": orig_client_order_id},
        )

    async def cancel_algos(
        self,
        *,
        symbol: str | None = None,
    ) -> list[venue.api.contract.orders.ContractOrderCanceled]:
        """DELETE /capi/v3/algoOpenOrders"""
        return await self._send(venue.api.contract.conditional.cancel_algos, {"symbol": symbol})

    async def open_algos(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.OpenAlgo]:
        """GET /capi/v3/openAlgoOrders"""
        return await self._send(
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
    ) -> AsyncIterator[venue.api.contract.conditional.OpenAlgo]:
        """The items of all pages of `open_algos`."""
        return paging.each_async(
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

    async def all_algos(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
    ) -> venue.api.contract.conditional.EndedAlgos:
        """GET /capi/v3/allAlgoOrders"""
        return await self._send(
            venue.api.contract.conditional.all_algos,
            {"symbol": symbol, "startTime": start_time, "endTime": end_time, "limit": limit},
        )

    async def open_trailing(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.OpenAlgo]:
        """GET /capi/v3/trailing/openOrders"""
        return await self._send(
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
    ) -> AsyncIterator[venue.api.contract.conditional.OpenAlgo]:
        """The items of all pages of `open_trailing`."""
        return paging.each_async(
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

    async def trailing_history(
        self,
        *,
        symbol: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.contract.conditional.EndedAlgo]:
        """GET /capi/v3/trailing/historyOrders"""
        return await self._send(
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
    ) -> AsyncIterator[venue.api.contract.conditional.EndedAlgo]:
        """The items of all pages of `trailing_history`."""
        return paging.each_async(
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

    async def cancel_after(
        self,
        *,
        timeout: int,
    ) -> venue.api.countdown.CancelAfterReply:
        """POST /api/v3/cancelAllAfter"""
        return await self._send(venue.api.countdown.cancel_after, {"timeout": timeout})

    async def contract_cancel_after(
        self,
        *,
        timeout: int,
    ) -> venue.api.countdown.CancelAfterReply:
        """POST /capi/v3/cancelAllAfter"""
        return await self._send(venue.api.countdown.contract_cancel_after, {"timeout": timeout})

    async def open_copies(
        self,
        *,
        symbol: str | None = None,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.copying.follower.OpenCopy]:
        """GET /capi/v3/copy/follower/openOrders"""
        return await self._send(
            venue.api.copying.follower.open_copies,
            {
                "symbol": symbol,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "limit": limit,
                "page": page,
            },
        )

    def each_open_copies(
        self,
        *,
        symbol: str | None = None,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> AsyncIterator[venue.api.copying.follower.OpenCopy]:
        """The items of all pages of `open_copies`."""
        return paging.each_async(
            self._send,
            venue.api.copying.follower.open_copies,
            {
                "symbol": symbol,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "limit": limit,
                "page": page,
            },
        )

    async def copy_settings(
        self,
        *,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
    ) -> list[venue.api.copying.follower.TraceSettings]:
        """GET /capi/v3/copy/follower/settings"""
        return await self._send(
            venue.api.copying.follower.copy_settings,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    async def set_copy_settings(
        self,
        *,
        setting_type: str,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
        unified_trace_config: venue.api.copying.follower.TraceConfig | None = None,
        symbol_trace_configs: list[venue.api.copying.follower.TraceConfig] | None = None,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/settings"""
        return await self._send(
            venue.api.copying.follower.set_copy_settings,
            {
                "settingType": setting_type,
                "traderId": trader_id,
                "traderUserId": trader_user_id,
                "unifiedTraceConfig": unified_trace_config,
                "symbolTraceConfigs": symbol_trace_configs,
            },
        )

    async def close_copy(
        self,
        *,
        symbol: str,
        copy_no: int,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/closePos"""
        return await self._send(
            venue.api.copying.follower.close_copy, {"symbol": symbol, "copyNo": copy_no}
        )

    async def stop_copying(
        self,
        *,
        trader_id: int | None = None,
        trader_user_id: int | None = None,
    ) -> venue.api.contract.account.Acknowledged:
        """POST /capi/v3/copy/follower/stopCopy"""
        return await self._send(
            venue.api.copying.follower.stop_copying,
            {"traderId": trader_id, "traderUserId": trader_user_id},
        )

    async def ended_copies(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> venue.api.copying.trader.EndedTracks:
        """GET /capi/v3/copy/follower/historyOrders"""
        return await self._send(
            venue.api.copying.follower.ended_copies,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    async def my_traders(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
    ) -> venue.api.copying.follower.MyTraders:
        """GET /capi/v3/copy/follower/myTraders"""
        return await self._send(
            venue.api.copying.follower.my_traders, {"page": page, "limit": limit}
        )

    def each_my_traders(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[venue.api.copying.follower.FollowedTrader]:
        """The items of all pages of `my_traders`."""
        return paging.each_async(
            self._send, venue.api.copying.follower.my_traders, {"page": page, "limit": limit}
        )

    async def open_tracks(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.copying.trader.TrackedPosition]:
        """GET /capi/v3/copy/trader/openOrders"""
        return await self._send(
            venue.api.copying.trader.open_tracks, {"symbol": symbol, "limit": limit, "page": page}
        )

    def each_open_tracks(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> AsyncIterator[venue.api.copying.trader.TrackedPosition]:
        """The items of all pages of `open_tracks`."""
        return paging.each_async(
            self._send,
            venue.api.copying.trader.open_tracks,
            {"symbol": symbol, "limit": limit, "page": page},
        )

    async def ended_tracks(
        self,
        *,
        symbol: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        next_key_id: int | None = None,
        next_key_time: int | None = None,
    ) -> venue.api.copying.trader.EndedTracks:
        """GET /capi/v3/copy/trader/historyOrders"""
        return await self._send(
            venue.api.copying.trader.ended_tracks,
            {
                "symbol": symbol,
                "limit": limit,
                "startTime": start_time,
                "endTime": end_time,
                "nextKeyId": next_key_id,
                "nextKeyTime": next_key_time,
            },
        )

    async def copied_pairs(self) -> list[str]:
        """GET /capi/v3/copy/trader/pairs"""
        return await self._send(venue.api.copying.trader.copied_pairs, {})

    async def health(
        self,
        *,
        state_hash: bool | None = None,
    ) -> venue.api.operator.venue.Health:
        """GET /_venue/health"""
        return await self._send(venue.api.operator.venue.health, {"stateHash": state_hash})

    async def owners(self) -> list[venue.api.operator.venue.OwnerView]:
        """GET /_venue/owners"""
        return await self._send(venue.api.operator.venue.owners, {})

    async def create_owner(
        self,
        *,
        name: str,
        self_trade_prevention: str | None = None,
    ) -> venue.api.operator.venue.OwnerView:
        """POST /_venue/owners"""
        return await self._send(
            venue.api.operator.venue.create_owner,
            {"name": name, "selfTradePrevention": self_trade_prevention},
        )

    async def freeze_owner(
        self,
        *,
        owner: str,
        frozen: bool,
    ) -> venue.api.operator.venue.OwnerView:
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

    async def keys(
        self,
        *,
        owner: str | None = None,
    ) -> list[venue.api.operator.venue.KeyView]:
        """GET /_venue/keys"""
        return await self._send(venue.api.operator.venue.keys, {"owner": owner})

    async def create_key(
        self,
        *,
        owner: str,
        permissions: list[str],
        label: str | None = None,
        ips: list[str] | None = None,
    ) -> venue.api.operator.venue.CreatedKey:
        """POST /_venue/keys"""
        return await self._send(
            venue.api.operator.venue.create_key,
            {"owner": owner, "permissions": permissions, "label": label, "ips": ips},
        )

    async def revoke_key(
        self,
        *,
        key: str,
    ) -> venue.api.operator.venue.KeyView:
        """POST /_venue/keys/revoke"""
        return await self._send(venue.api.operator.venue.revoke_key, {"key": key})

    async def deposit(
        self,
        *,
        owner: str,
        wallet: str,
        asset: str,
        amount: Money,
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/deposit"""
        return await self._send(
            venue.api.operator.venue.deposit,
            {"owner": owner, "wallet": wallet, "asset": asset, "amount": amount},
        )

    async def withdraw(
        self,
        *,
        owner: str,
        wallet: str,
        asset: str,
        amount: Money,
    ) -> venue.api.operator.venue.Moved:
        """POST /_venue/withdraw"""
        return await self._send(
            venue.api.operator.venue.withdraw,
            {"owner": owner, "wallet": wallet, "asset": asset, "amount": amount},
        )

    async def transfer(
        self,
        *,
        owner: str,
        source: str,
        target: str,
        asset: str,
        amount: Money,
    ) -> list[venue.api.operator.venue.Moved]:
        """POST /_venue/transfer"""
        return await self._send(
            venue.api.operator.venue.transfer,
            {"owner": owner, "from": source, "to": target, "asset": asset, "amount": amount},
        )

    async def assets(self) -> list[venue.api.operator.venue.AssetView]:
        """GET /_venue/assets"""
        return await self._send(venue.api.operator.venue.assets, {})

    async def register_asset(
        self,
        *,
        asset: str,
        scale: int,
    ) -> venue.api.operator.venue.AssetView:
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
        self,
        *,
        symbol: str,
        reason: str | None = None,
    ) -> venue.api.operator.venue.InstrumentView:
        """POST /_venue/instruments/halt"""
        return await self._send(venue.api.operator.venue.halt, {"symbol": symbol, "reason": reason})

    async def resume(
        self,
        *,
        symbol: str,
    ) -> venue.api.operator.venue.InstrumentView:
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
    ) -> venue.api.operator.venue.Settings:
        """POST /_venue/settings"""
        return await self._send(
            venue.api.operator.venue.change_settings,
            {
                "batchPlace": batch_place,
                "batchCancelWording": batch_cancel_wording,
                "contractBatchPlace": contract_batch_place,
                "contractBatchCancelEnvelope": contract_batch_cancel_envelope,
            },
        )

    async def contracts(self) -> list[venue.api.operator.contracts.ContractView]:
        """GET /_venue/contracts"""
        return await self._send(venue.api.operator.contracts.contracts, {})

    async def list_contract(
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
        return await self._send(
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

    async def change_contract(
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
        return await self._send(
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

    async def halt_contract(
        self,
        *,
        symbol: str,
        reason: str | None = None,
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/halt"""
        return await self._send(
            venue.api.operator.contracts.halt_contract, {"symbol": symbol, "reason": reason}
        )

    async def resume_contract(
        self,
        *,
        symbol: str,
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/contracts/resume"""
        return await self._send(venue.api.operator.contracts.resume_contract, {"symbol": symbol})

    async def post_index(
        self,
        *,
        symbol: str,
        price: Money,
        source: str | None = None,
        jump: bool | None = None,
    ) -> venue.api.operator.contracts.ContractView:
        """POST /_venue/index"""
        return await self._send(
            venue.api.operator.contracts.post_index,
            {"symbol": symbol, "price": price, "source": source, "jump": jump},
        )

    async def operator_positions(
        self,
        *,
        owner: str,
    ) -> list[venue.api.operator.contracts.OperatorPosition]:
        """GET /_venue/positions"""
        return await self._send(venue.api.operator.contracts.operator_positions, {"owner": owner})

    async def liquidations(
        self,
        *,
        owner: str | None = None,
        limit: int | None = None,
    ) -> list[venue.api.operator.contracts.LiquidationView]:
        """GET /_venue/liquidations"""
        return await self._send(
            venue.api.operator.contracts.liquidations, {"owner": owner, "limit": limit}
        )

    async def liquidation(
        self,
        *,
        id: int,
    ) -> venue.api.operator.contracts.LiquidationStoryView:
        """GET /_venue/liquidation"""
        return await self._send(venue.api.operator.contracts.liquidation, {"id": id})

    async def benefits(
        self,
        *,
        owner: str | None = None,
    ) -> list[venue.api.operator.benefits.BenefitsView]:
        """GET /_venue/benefits"""
        return await self._send(venue.api.operator.benefits.benefits, {"owner": owner})

    async def give_gift(
        self,
        *,
        owner: str,
        asset: str,
        amount: Money,
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/give"""
        return await self._send(
            venue.api.operator.benefits.give_gift,
            {"owner": owner, "asset": asset, "amount": amount},
        )

    async def take_gift(
        self,
        *,
        owner: str,
        asset: str,
        amount: Money,
    ) -> venue.api.operator.benefits.GiftChange:
        """POST /_venue/gifts/take"""
        return await self._send(
            venue.api.operator.benefits.take_gift,
            {"owner": owner, "asset": asset, "amount": amount},
        )

    async def discount(self) -> venue.api.operator.benefits.DiscountView:
        """GET /_venue/discount"""
        return await self._send(venue.api.operator.benefits.discount, {})

    async def set_discount(
        self,
        *,
        asset: str | None = None,
        holding: Money | None = None,
        rate: Money | None = None,
    ) -> venue.api.operator.benefits.DiscountView:
        """POST /_venue/discount"""
        return await self._send(
            venue.api.operator.benefits.set_discount,
            {"asset": asset, "holding": holding, "rate": rate},
        )

    async def join_discount(
        self,
        *,
        owner: str,
        on: bool,
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

    async def invite(
        self,
        *,
        owner: str,
        code: str,
    ) -> venue.api.operator.benefits.BenefitsView:
        """POST /_venue/affiliates/invite"""
        return await self._send(venue.api.operator.benefits.invite, {"owner": owner, "code": code})

    async def post_article(
        self,
        *,
        title: str,
        content: str,
        coins: list[str] | None = None,
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/articles"""
        return await self._send(
            venue.api.operator.content.post_article,
            {"title": title, "content": content, "coins": coins},
        )

    async def post_banner(
        self,
        *,
        title: str,
        image_url: str,
        link_url: str,
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/banners"""
        return await self._send(
            venue.api.operator.content.post_banner,
            {"title": title, "imageUrl": image_url, "linkUrl": link_url},
        )

    async def remove_content(
        self,
        *,
        id: int,
    ) -> venue.api.operator.content.ContentId:
        """POST /_venue/content/remove"""
        return await self._send(venue.api.operator.content.remove_content, {"id": id})

    async def fee_tiers(self) -> list[venue.api.operator.fee_tiers.FeeTiersView]:
        """GET /_venue/fee-tiers"""
        return await self._send(venue.api.operator.fee_tiers.fee_tiers, {})

    async def set_fee_tiers(
        self,
        *,
        product: str,
        asset: str | None = None,
        tiers: list[str] | None = None,
    ) -> list[venue.api.operator.fee_tiers.FeeTiersView]:
        """POST /_venue/fee-tiers"""
        return await self._send(
            venue.api.operator.fee_tiers.set_fee_tiers,
            {"product": product, "asset": asset, "tiers": tiers},
        )

    async def fee_tier(
        self,
        *,
        owner: str,
    ) -> list[venue.api.operator.fee_tiers.FeeTierView]:
        """GET /_venue/owners/fee-tier"""
        return await self._send(venue.api.operator.fee_tiers.fee_tier, {"owner": owner})

    async def leads(self) -> list[venue.api.operator.copying.LeadView]:
        """GET /_venue/leads"""
        return await self._send(venue.api.operator.copying.leads, {})

    async def set_lead(
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
        return await self._send(
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

    async def preview(
        self,
        *,
        owner: str,
        product: str,
        order: venue.api.operator.preview.PreviewOrder,
    ) -> venue.api.operator.preview.Preview:
        """POST /_venue/preview"""
        return await self._send(
            venue.api.operator.preview.preview, {"owner": owner, "product": product, "order": order}
        )

    async def faults(self) -> list[venue.api.operator.faults.FaultView]:
        """GET /_venue/faults"""
        return await self._send(venue.api.operator.faults.faults, {})

    async def add_fault(
        self,
        *,
        effect: venue.api.operator.faults.Effect,
        id: str | None = None,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """POST /_venue/faults"""
        return await self._send(
            venue.api.operator.faults.add_fault,
            {"effect": effect, "id": id, "match": match, "when": when, "enabled": enabled},
        )

    async def clear_faults(self) -> list[venue.api.operator.faults.FaultView]:
        """DELETE /_venue/faults"""
        return await self._send(venue.api.operator.faults.clear_faults, {})

    async def change_fault(
        self,
        *,
        id: str,
        match: venue.api.operator.faults.FaultMatch | None = None,
        when: venue.api.operator.faults.When | None = None,
        effect: venue.api.operator.faults.Effect | None = None,
        enabled: bool | None = None,
    ) -> venue.api.operator.faults.FaultView:
        """PATCH /_venue/faults/{id}"""
        return await self._send(
            venue.api.operator.faults.change_fault,
            {"id": id, "match": match, "when": when, "effect": effect, "enabled": enabled},
        )

    async def remove_fault(
        self,
        *,
        id: str,
    ) -> venue.api.operator.faults.FaultView:
        """DELETE /_venue/faults/{id}"""
        return await self._send(venue.api.operator.faults.remove_fault, {"id": id})

    async def try_fault(
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
        return await self._send(
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

    async def fault_presets(self) -> list[venue.api.operator.faults.Preset]:
        """GET /_venue/faults/presets"""
        return await self._send(venue.api.operator.faults.fault_presets, {})

    async def apply_fault_preset(
        self,
        *,
        name: str,
        rate: str | None = None,
    ) -> list[venue.api.operator.faults.FaultView]:
        """PUT /_venue/faults/presets/{name}"""
        return await self._send(
            venue.api.operator.faults.apply_fault_preset, {"name": name, "rate": rate}
        )

    async def clock(self) -> venue.api.operator.clock.ClockView:
        """GET /_venue/clock"""
        return await self._send(venue.api.operator.clock.clock, {})

    async def change_clock(
        self,
        *,
        mode: str,
        rate: Money | None = None,
        offset: str | None = None,
        at: str | None = None,
    ) -> venue.api.operator.clock.ClockView:
        """POST /_venue/clock"""
        return await self._send(
            venue.api.operator.clock.change_clock,
            {"mode": mode, "rate": rate, "offset": offset, "at": at},
        )

    async def advance_clock(
        self,
        *,
        by: str | None = None,
        to: str | None = None,
        to_next: str | None = None,
        dry_run: bool | None = None,
    ) -> venue.api.operator.clock.Advance:
        """POST /_venue/clock/advance"""
        return await self._send(
            venue.api.operator.clock.advance_clock,
            {"by": by, "to": to, "to_next": to_next, "dry_run": dry_run},
        )

    async def stop(self) -> venue.api.operator.clock.Stopping:
        """POST /_venue/stop"""
        return await self._send(venue.api.operator.clock.stop, {})

    async def references(self) -> list[venue.api.operator.references.ReferenceView]:
        """GET /_venue/index"""
        return await self._send(venue.api.operator.references.references, {})

    async def hold_index(
        self,
        *,
        symbol: str,
        price: Money,
        jump: bool | None = None,
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/hold"""
        return await self._send(
            venue.api.operator.references.hold_index,
            {"symbol": symbol, "price": price, "jump": jump},
        )

    async def release_index(
        self,
        *,
        symbol: str,
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/index/release"""
        return await self._send(venue.api.operator.references.release_index, {"symbol": symbol})

    async def crash(
        self,
        *,
        symbol: str,
        change: str,
        over: str | None = None,
    ) -> venue.api.operator.references.ReferenceView:
        """POST /_venue/crash"""
        return await self._send(
            venue.api.operator.references.crash, {"symbol": symbol, "change": change, "over": over}
        )

    async def snapshots(self) -> list[venue.api.operator.snapshots.SnapshotView]:
        """GET /_venue/snapshots"""
        return await self._send(venue.api.operator.snapshots.snapshots, {})

    async def keep_snapshot(
        self,
        *,
        name: str,
    ) -> venue.api.operator.snapshots.SnapshotView:
        """PUT /_venue/snapshots/{name}"""
        return await self._send(venue.api.operator.snapshots.keep_snapshot, {"name": name})

    async def delete_snapshot(
        self,
        *,
        name: str,
    ) -> venue.api.operator.snapshots.SnapshotView:
        """DELETE /_venue/snapshots/{name}"""
        return await self._send(venue.api.operator.snapshots.delete_snapshot, {"name": name})

    async def revert(
        self,
        *,
        name: str,
    ) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/snapshots/{name}/revert"""
        return await self._send(venue.api.operator.snapshots.revert, {"name": name})

    async def reset(self) -> venue.api.operator.snapshots.Reverted:
        """POST /_venue/reset"""
        return await self._send(venue.api.operator.snapshots.reset, {})

    async def worlds(self) -> list[venue.api.operator.worlds.WorldView]:
        """GET /_venue/worlds"""
        return await self._send(venue.api.operator.worlds.worlds, {})

    async def create_world(
        self,
        *,
        name: str,
        agents: bool | None = None,
    ) -> venue.api.operator.worlds.WorldView:
        """POST /_venue/worlds"""
        return await self._send(
            venue.api.operator.worlds.create_world, {"name": name, "agents": agents}
        )

    async def delete_world(
        self,
        *,
        name: str,
    ) -> venue.api.operator.worlds.WorldView:
        """DELETE /_venue/worlds/{name}"""
        return await self._send(venue.api.operator.worlds.delete_world, {"name": name})

    async def wire(
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
        return await self._send(
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

    async def explain_order(
        self,
        *,
        id: int,
    ) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/order/{id}"""
        return await self._send(venue.api.operator.explain.explain_order, {"id": id})

    async def explain_refusal(
        self,
        *,
        id: int,
    ) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/refusal/{id}"""
        return await self._send(venue.api.operator.explain.explain_refusal, {"id": id})

    async def explain_bill(
        self,
        *,
        id: int,
    ) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/bill/{id}"""
        return await self._send(venue.api.operator.explain.explain_bill, {"id": id})

    async def explain_liquidation(
        self,
        *,
        id: int,
    ) -> venue.api.operator.explain.Explanation:
        """GET /_venue/explain/liquidation/{id}"""
        return await self._send(venue.api.operator.explain.explain_liquidation, {"id": id})

    async def bundle(self) -> venue.api.operator.bundle.BundleView:
        """GET /_venue/bundle"""
        return await self._send(venue.api.operator.bundle.bundle, {})

    async def bundle_snapshot(
        self,
        *,
        sequence: int,
        offset: int | None = None,
    ) -> venue.api.operator.bundle.SnapshotPiece:
        """GET /_venue/bundle/snapshot"""
        return await self._send(
            venue.api.operator.bundle.bundle_snapshot, {"sequence": sequence, "offset": offset}
        )

    async def bundle_commands(
        self,
        *,
        after: int,
        last: int,
    ) -> list[venue.api.operator.bundle.CommandsPiece]:
        """GET /_venue/bundle/commands"""
        return await self._send(
            venue.api.operator.bundle.bundle_commands, {"after": after, "last": last}
        )
