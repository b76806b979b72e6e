"""Operations of affiliates: their invited owners, and the commissions for these (rule 9.1)."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Id, Page, TimeMs, Uids, UpTo100
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class InvitedRequest(Struct, rename="camel", kw_only=True):
    """Owners that the caller invited, newest first, within at most 90 days of the last year.

    Without times these are the last 90 days.
    """

    uid: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: Page = 1
    page_size: UpTo100 = 100


class InvitedOwner(Struct, rename="camel"):
    """One invited owner; times are ms, 0 where it never happened. No identity is checked."""

    uid: str
    register_time: int
    kyc_result: bool
    invite_code: str
    first_deposit: int
    first_trade: int
    last_deposit: int
    last_trade: int


class InvitedOwners(Struct, rename="camel"):
    """A page of invited owners."""

    channel_user_info_item_list: list[InvitedOwner]
    pages: int
    page_size: int
    total: int


class ReferralsRequest(Struct, rename="camel", kw_only=True):
    """Which of these owners the caller invited."""

    user_ids: Uids


class Referral(Struct, rename={"is_referral": "isRefferal"}):
    """Whether the caller invited this owner; the field is spelled so."""

    uid: int
    is_referral: bool


class EligibilityRequest(Struct, rename="camel", kw_only=True):
    """Whether an owner could still be invited."""

    user_id: Id


class Eligibility(Struct, rename="camel"):
    """`noReferralCode` tells of an owner that nobody invited; of all others it is not told."""

    eligible: bool
    reason: str
    no_referral_code: bool


class RebateRatio(
    Struct,
    rename={
        "direct_spot": "directSpotRebateRatio",
        "direct_futures": "directFuturesRebateRatio",
        "uninvited_spot": "noRefferralSpotRebateRatio",
        "uninvited_futures": "noRefferralFuturesRebateRatio",
        "invited_spot": "refferralSpotRebateRatio",
        "invited_futures": "refferralFuturesRebateRatio",
    },
):
    """The caller's shares of the fees of owners it invited, as fractions; of others it has none.

    The level follows from the greater share: GOLD from 0.4, SILVER from 0.2, otherwise BRONZE.
    """

    level: str
    direct_spot: str
    direct_futures: str
    uninvited_spot: str
    uninvited_futures: str
    invited_spot: str
    invited_futures: str


class RebatesRequest(Struct, rename="camel", kw_only=True):
    """Commissions that the caller was paid, newest first, at most 90 days at a time.

    No public description of this operation exists: it is paged as its siblings are.
    """

    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: Page = 1
    page_size: UpTo100 = 100


class Rebate(Struct, rename="camel"):
    """One commission: a bill of the spot wallet."""

    bill_id: str
    coin: str
    commission: str
    time: int


class Rebates(Struct, rename="camel"):
    """A page of commissions."""

    records: list[Rebate]
    total: int
    page: int
    page_size: int


AFFILIATE = Under("/api/v3/rebate/affiliate", Access.READ)
AGENCY = Under("/api/v3/agency", Access.READ)
REFERRAL = Under("/api/v3/apiReferral", Access.READ)
invited_owners = AFFILIATE.get("/getAffiliateUIDs", (20, 20), InvitedRequest, InvitedOwners)
referrals = AGENCY.get("/verifyReferrals", (20, 20), ReferralsRequest, list[Referral])
eligibility = REFERRAL.get("/checkUserEligibility", (5, 5), EligibilityRequest, Eligibility)
rebate_ratio = REFERRAL.get("/rebateRatio", (5, 5), Empty, RebateRatio)
rebates = REFERRAL.get("/rebate/recentRecord", (5, 5), RebatesRequest, Rebates)

ROWS = rows(globals())
