"""Calls of venue.api.spot.commissions. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.spot.commissions
from venue.client import paging
from venue.client.sending import Send


class SpotCommissionsCalls:
    """A method for each row."""

    _send: Send

    def invited_trades(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.commissions.InvitedTradesPage:
        """GET /api/v3/rebate/affiliate/getChannelUserTradeAndAsset"""
        return self._send(
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
    ) -> Iterator[venue.api.spot.commissions.InvitedTrades]:
        """The items of all pages of `invited_trades`."""
        return paging.each(
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

    def commissions(
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
        return self._send(
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
    ) -> Iterator[venue.api.spot.commissions.Commission]:
        """The items of all pages of `commissions`."""
        return paging.each(
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

    def sub_commissions(
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
        return self._send(
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
    ) -> Iterator[venue.api.spot.commissions.SubCommission]:
        """The items of all pages of `sub_commissions`."""
        return paging.each(
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

    def post_sub_commissions(
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
        return self._send(
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
    ) -> Iterator[venue.api.spot.commissions.SubCommission]:
        """The items of all pages of `post_sub_commissions`."""
        return paging.each(
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

    def invited_assets(
        self, *, user_id: int, start_time: str | None = None, end_time: str | None = None
    ) -> venue.api.spot.commissions.InvitedAssets:
        """GET /api/v3/agency/getAssert"""
        return self._send(
            venue.api.spot.commissions.invited_assets,
            {"userId": user_id, "startTime": start_time, "endTime": end_time},
        )

    def invited_deals(
        self,
        *,
        user_ids: list[int] | None = None,
        start_time: str | None = None,
        end_time: str | None = None,
    ) -> venue.api.spot.commissions.InvitedDealsList:
        """GET /api/v3/agency/getDealData"""
        return self._send(
            venue.api.spot.commissions.invited_deals,
            {"userIds": user_ids, "startTime": start_time, "endTime": end_time},
        )
