"""Calls of venue.api.spot.account. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.spot.account
from venue.client import paging
from venue.client.sending import Send


class SpotAccountCalls:
    """A method for each row."""

    _send: Send

    def account(self) -> venue.api.spot.account.AccountReply:
        """GET /api/v3/account/"""
        return self._send(venue.api.spot.account.account, {})

    def bills(
        self,
        *,
        coin_id: int | None = None,
        biz_type: str | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.spot.account.BillView]:
        """POST /api/v3/account/bills"""
        return self._send(
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
    ) -> Iterator[venue.api.spot.account.BillView]:
        """The items of all pages of `bills`."""
        return paging.each(
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

    def funding_bills(
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
        return self._send(
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
    ) -> Iterator[venue.api.spot.account.BillView]:
        """The items of all pages of `funding_bills`."""
        return paging.each(
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

    def transfer_records(
        self,
        *,
        coin_id: int | None = None,
        from_type: str | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[venue.api.spot.account.TransferRecord]:
        """GET /api/v3/account/transferRecords"""
        return self._send(
            venue.api.spot.account.transfer_records,
            {
                "coinId": coin_id,
                "fromType": from_type,
                "after": after,
                "before": before,
                "limit": limit,
            },
        )

    def tax_income(
        self,
        *,
        coin: str | None = None,
        biz_type: str | None = None,
        month: str | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> list[venue.api.spot.account.BillView]:
        """POST /api/v3/tax/income"""
        return self._send(
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
    ) -> Iterator[venue.api.spot.account.BillView]:
        """The items of all pages of `tax_income`."""
        return paging.each(
            self._send,
            venue.api.spot.account.tax_income,
            {"coin": coin, "bizType": biz_type, "month": month, "limit": limit, "page": page},
        )
