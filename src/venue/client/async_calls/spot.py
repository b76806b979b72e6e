"""Calls of the spot market. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
What is left out is not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.market_data
import venue.api.spot.account
import venue.api.spot.affiliates
import venue.api.spot.commissions
import venue.api.spot.content
import venue.api.spot.market
import venue.api.spot.orders
import venue.api.spot.withdrawals
from venue.api.operation import Empty
from venue.client import paging
from venue.client.sending import AsyncSend, Money


class SpotAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

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
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.Price | list[venue.api.spot.market.Price]:
        """GET /api/v3/market/ticker/price"""
        return await self._send(
            venue.api.spot.market.prices, {"symbol": symbol, "symbols": symbols}
        )

    async def tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.TickerView | list[venue.api.spot.market.TickerView]:
        """GET /api/v3/market/ticker/24hr"""
        return await self._send(
            venue.api.spot.market.tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def book_tickers(
        self, *, symbol: str | None = None, symbols: list[str] | None = None
    ) -> venue.api.spot.market.BookTicker | list[venue.api.spot.market.BookTicker]:
        """GET /api/v3/market/ticker/bookTicker"""
        return await self._send(
            venue.api.spot.market.book_tickers, {"symbol": symbol, "symbols": symbols}
        )

    async def trades(
        self, *, symbol: str, limit: int | None = None
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
        self, *, symbol: str, limit: str | None = None
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

    async def referrals(self, *, user_ids: list[int]) -> list[venue.api.spot.affiliates.Referral]:
        """GET /api/v3/agency/verifyReferrals"""
        return await self._send(venue.api.spot.affiliates.referrals, {"userIds": user_ids})

    async def eligibility(self, *, user_id: int) -> venue.api.spot.affiliates.Eligibility:
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
        self, *, user_id: int, start_time: str | None = None, end_time: str | None = None
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

    async def article(self, *, id: int) -> venue.api.spot.content.ArticleView:
        """GET /api/v3/content/articles/detail"""
        return await self._send(venue.api.spot.content.article, {"id": id})

    async def articles(
        self, *, page: int | None = None, page_size: int | None = None
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/list"""
        return await self._send(
            venue.api.spot.content.articles, {"page": page, "pageSize": page_size}
        )

    def each_articles(
        self, *, page: int | None = None, page_size: int | None = None
    ) -> AsyncIterator[venue.api.spot.content.ArticleHead]:
        """The items of all pages of `articles`."""
        return paging.each_async(
            self._send, venue.api.spot.content.articles, {"page": page, "pageSize": page_size}
        )

    async def articles_of_coin(
        self, *, coin: str, page: int | None = None, page_size: int | None = None
    ) -> venue.api.spot.content.Articles:
        """GET /api/v3/content/articles/listByCoin"""
        return await self._send(
            venue.api.spot.content.articles_of_coin,
            {"coin": coin, "page": page, "pageSize": page_size},
        )

    def each_articles_of_coin(
        self, *, coin: str, page: int | None = None, page_size: int | None = None
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
