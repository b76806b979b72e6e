"""Operations of affiliates: whom they invited from the engine, what they earned from history."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.operation import Empty
from venue.api.spot.affiliates import (
    UIDS_MAX,
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
from venue.core.benefits import RESERVED
from venue.core.ledger.benefits import Affiliate
from venue.gateway.context import Call, Venue
from venue.history.process.asked import affiliates as questions
from venue.history.process.asked import spot as spot_questions
from venue.history.rows.spot import (
    BillsOf,
)
from venue.vocabulary import BillKind, Wallet
from venue.wire import amount_text, rate_text

US_PER_MS: Final = 1000
MILLISECOND_US: Final = 999
DAY_US: Final = 86_400_000_000
SPAN_DAYS: Final = 90
PAST_DAYS: Final = 365
UID_DIGITS_MAX: Final = 18
GOLD_PPM: Final = 400_000
SILVER_PPM: Final = 200_000
SPOT: Final = int(Wallet.SPOT)
COMMISSION: Final = BillKind.ORDER_FILL_FEE_INCOME.value


async def invited_owners(call: Call, request: InvitedRequest) -> InvitedOwners:
    """Whom the caller invited, with what they have done since."""
    rooms = call.venue
    affiliate = _affiliate(call, -1051)
    begin, until = _days(request.start_time, request.end_time, rooms.clock.now())
    if begin < rooms.clock.now() - (PAST_DAYS + 1) * DAY_US:
        raise errors.error(-1170, name="startTime", rule=f"at most {PAST_DAYS} days ago")
    found = [
        (invited, uid)
        for uid, invited in _invited(rooms, call.uid)
        if begin <= invited <= until and request.uid in (None, uid)
    ]
    found.sort(reverse=True)
    size = request.page_size
    shown = found[(request.page - 1) * size : request.page * size]
    active = await rooms.ask(questions.activity, [uid for _, uid in shown]) if shown else []
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
    """Which of these owners the caller invited; unknown ones it did not."""
    _affiliate(call, -1051)
    texts = request.user_ids.split(",")
    if len(texts) > UIDS_MAX:
        raise errors.out_of_range("userIds", f"at most {UIDS_MAX} uids")
    for text in texts:
        if not (text.isascii() and text.isdigit() and len(text) <= UID_DIGITS_MAX):
            raise errors.invalid("userIds", "must be uids separated by commas")
    return [Referral(int(text), _inviter(call.venue, int(text)) == call.uid) for text in texts]


def eligibility(call: Call, request: EligibilityRequest) -> Eligibility:
    """Whether an owner could still be invited by the caller."""
    _affiliate(call, -4002)
    inviter = _inviter(call.venue, request.user_id)
    if inviter == 0 and request.user_id != call.uid:
        return Eligibility(True, "", True)
    # Whether it was invited by another or does not exist is nobody else's business.
    return Eligibility(False, "not to be invited", False)


def rebate_ratio(call: Call, _: Empty) -> RebateRatio:
    """The caller's shares."""
    affiliate = _affiliate(call, -4002)
    spot, futures = rate_text(affiliate.spot_ppm), rate_text(affiliate.contract_ppm)
    return RebateRatio(_level(affiliate), spot, futures, "0", "0", spot, futures)


async def rebates(call: Call, request: RebatesRequest) -> Rebates:
    """Commissions that the caller was paid."""
    rooms = call.venue
    _affiliate(call, -4002)
    begin, until = _days(request.start_time, request.end_time, rooms.clock.now())
    which = BillsOf(call.uid, SPOT, kind=COMMISSION, start=begin, end=until)
    size = request.page_size
    total, rows = await rooms.ask(spot_questions.bills_paged, which, request.page, size)
    return Rebates(
        [
            Rebate(
                str(row.bill_id), row.asset, amount_text(rooms.asset(row.asset), row.amount),
                row.time // US_PER_MS,
            )
            for row in rows
        ],
        total, request.page, size,
    )  # fmt: skip


def _affiliate(call: Call, code: int) -> Affiliate:
    """The caller as an affiliate; refused with `code` when it is none."""
    benefits = call.venue.engine.account(call.uid).benefits
    if benefits is None or benefits.affiliate is None:
        raise errors.error(code)
    return benefits.affiliate


def _inviter(rooms: Venue, uid: int) -> int:
    """Who invited an owner: 0 for nobody, -1 when there is no such owner."""
    account = rooms.engine.ledger.accounts.get(uid)
    if account is None or uid in RESERVED:
        return -1
    return account.benefits.inviter if account.benefits is not None else 0


def _invited(rooms: Venue, uid: int) -> list[tuple[int, int]]:
    """Uid and time (µs) of those whom an owner invited."""
    accounts = rooms.engine.ledger.accounts
    found: list[tuple[int, int]] = []
    for member in rooms.engine.rewards.members:
        benefits = accounts[member].benefits
        if benefits is not None and benefits.inviter == uid:
            found.append((member, benefits.invited))
    return found


def _level(affiliate: Affiliate) -> str:
    share = max(affiliate.spot_ppm, affiliate.contract_ppm)
    if share >= GOLD_PPM:
        return "GOLD"
    return "SILVER" if share >= SILVER_PPM else "BRONZE"


def _days(start: int | None, end: int | None, now: int) -> tuple[int, int]:
    """A span of at most 90 days in µs; the last ones, or beside the time that is given."""
    length = SPAN_DAYS * DAY_US
    if start is not None and end is not None:
        if start > end:
            raise errors.time_order()
        if (end - start) * US_PER_MS > length:
            raise errors.error(
                -1170, name="endTime", rule=f"at most {SPAN_DAYS} days after startTime"
            )  # fmt: skip
    until = end * US_PER_MS + MILLISECOND_US if end is not None else now
    if start is not None:
        begin = start * US_PER_MS
        return begin, until if end is not None else begin + length
    return until - length, until
