"""Calls of venue.api.spot.withdrawals. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import venue.api.spot.withdrawals
from venue.client import paging
from venue.client.sending import AsyncSend, Money


class SpotWithdrawalsAsyncCalls:
    """A method for each row."""

    _send: AsyncSend

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
