"""Calls of venue.api.spot.affiliates. Written by tools/clients.py; do not edit."""

from __future__ import annotations

from collections.abc import Iterator

import venue.api.spot.affiliates
from venue.client import paging
from venue.client.sending import Send


class SpotAffiliatesCalls:
    """A method for each row."""

    _send: Send

    def invited_owners(
        self,
        *,
        uid: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.affiliates.InvitedOwners:
        """GET /api/v3/rebate/affiliate/getAffiliateUIDs"""
        return self._send(
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
    ) -> Iterator[venue.api.spot.affiliates.InvitedOwner]:
        """The items of all pages of `invited_owners`."""
        return paging.each(
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

    def referrals(self, *, user_ids: list[int]) -> list[venue.api.spot.affiliates.Referral]:
        """GET /api/v3/agency/verifyReferrals"""
        return self._send(venue.api.spot.affiliates.referrals, {"userIds": user_ids})

    def eligibility(self, *, user_id: int) -> venue.api.spot.affiliates.Eligibility:
        """GET /api/v3/apiReferral/checkUserEligibility"""
        return self._send(venue.api.spot.affiliates.eligibility, {"userId": user_id})

    def rebate_ratio(self) -> venue.api.spot.affiliates.RebateRatio:
        """GET /api/v3/apiReferral/rebateRatio"""
        return self._send(venue.api.spot.affiliates.rebate_ratio, {})

    def rebates(
        self,
        *,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
    ) -> venue.api.spot.affiliates.Rebates:
        """GET /api/v3/apiReferral/rebate/recentRecord"""
        return self._send(
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
    ) -> Iterator[venue.api.spot.affiliates.Rebate]:
        """The items of all pages of `rebates`."""
        return paging.each(
            self._send,
            venue.api.spot.affiliates.rebates,
            {"startTime": start_time, "endTime": end_time, "page": page, "pageSize": page_size},
        )
