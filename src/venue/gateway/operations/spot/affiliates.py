"""Operations of affiliates: the engine knows their invited owners, history their commissions."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.operation import Empty
from venue.api.spot.affiliates import (
    Eligibility,
    EligibilityRequest,
    InvitedOwner,
    InvitedOwners,
    InvitedRequest,
    Rebate,
    RebateRatio,
    Rebates,
    RebatesRequest,
    Referral,
    ReferralsRequest,
)
from venue.candles import DAY_US
from venue.core.ledger.benefits import Affiliate
from venue.gateway.door import Call
from venue.gateway.operations.spot.people import affiliate_of, invited_by, inviter_of, span
from venue.history.questions import affiliates as questions
from venue.history.questions import spot as spot_questions
from venue.history.tables.spot import (
    BillsOf,
)
from venue.texts import amount_text, rate_text
from venue.times import US_PER_MS
from venue.vocabulary import BILL_ORDER_FILL_FEE_INCOME, WALLET_SPOT

PAST_DAYS: Final = 365
GOLD_PPM: Final = 400_000
SILVER_PPM: Final = 200_000


async def invited_owners(call: Call, request: InvitedRequest) -> InvitedOwners:
    """Return the owners that the caller invited, with their activity since."""
    node = call.node
    affiliate = affiliate_of(call, -1051)
    begin, until = span(request.start_time, request.end_time, node.clock.now())
    if begin < node.clock.now() - (PAST_DAYS + 1) * DAY_US:
        raise errors.error(-1170, name="startTime", rule=f"at most {PAST_DAYS} days ago")
    found = [
        (invited, uid)
        for uid, invited in invited_by(node, call.uid)
        if begin <= invited <= until and request.uid in (None, uid)
    ]
    found.sort(reverse=True)
    size = request.page_size
    shown = found[(request.page - 1) * size : request.page * size]
    active = await node.ask(questions.activity, [uid for _, uid in shown]) if shown else []
    return InvitedOwners(
        [
            InvitedOwner(
                str(uid), invited // US_PER_MS, False, affiliate.code,
                was.first_deposit // US_PER_MS, was.first_trade // US_PER_MS,
                was.last_deposit // US_PER_MS, was.last_trade // US_PER_MS,
            )
            for (invited, uid), was in zip(shown, active, strict=True)
        ],
        -(-len(found) // size), size, len(found),
    )  # fmt: skip


def referrals(call: Call, request: ReferralsRequest) -> list[Referral]:
    """For each of these owners whether the caller invited it; not so for unknown ones."""
    affiliate_of(call, -1051)
    return [Referral(uid, inviter_of(call.node, uid) == call.uid) for uid in request.user_ids]


def eligibility(call: Call, request: EligibilityRequest) -> Eligibility:
    """Return whether an owner could still be invited by the caller."""
    affiliate_of(call, -4002)
    inviter = inviter_of(call.node, request.user_id)
    if inviter == 0 and request.user_id != call.uid:
        return Eligibility(True, "", True)
    # The caller must not learn whether another invited the owner or it does not exist.
    return Eligibility(False, "not to be invited", False)


def rebate_ratio(call: Call, _: Empty) -> RebateRatio:
    """Return the caller's shares."""
    affiliate = affiliate_of(call, -4002)
    spot, futures = rate_text(affiliate.spot_ppm), rate_text(affiliate.contract_ppm)
    return RebateRatio(_level(affiliate), spot, futures, "0", "0", spot, futures)


async def rebates(call: Call, request: RebatesRequest) -> Rebates:
    """Commissions that the caller was paid."""
    node = call.node
    affiliate_of(call, -4002)
    begin, until = span(request.start_time, request.end_time, node.clock.now())
    which = BillsOf(call.uid, WALLET_SPOT, kind=BILL_ORDER_FILL_FEE_INCOME, start=begin, end=until)
    size = request.page_size
    total, rows = await node.ask(spot_questions.bills_paged, which, request.page, size)
    return Rebates(
        [
            Rebate(
                str(row.bill_id), row.asset, amount_text(node.asset(row.asset), row.amount),
                row.time // US_PER_MS,
            )
            for row in rows
        ],
        total, request.page, size,
    )  # fmt: skip


def _level(affiliate: Affiliate) -> str:
    share = max(affiliate.spot_ppm, affiliate.contract_ppm)
    if share >= GOLD_PPM:
        return "GOLD"
    return "SILVER" if share >= SILVER_PPM else "BRONZE"
