"""Questions of affiliates about their commissions and invited owners (rule 9.1).

Trades are known of days whose commissions were paid. Values are in USDT: other assets count at the
last price of their market against it, and those without one count nothing.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Day, Id, Kind, Page, Text, TimeMs, Uids, UpTo100
from venue.api.operation import Under, rows
from venue.vocabulary import Access

ProductName = Annotated[
    str,
    Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": ["SPOT", "FUTURES"]}),
]


class InvitedTradesRequest(Struct, rename="camel", kw_only=True):
    """Deposits, withdrawals and trades of each owner that the caller invited, at most 90 days.

    Without times these are the last 90 days.
    """

    uid: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page: Page = 1
    page_size: UpTo100 = 100


class InvitedTrades(Struct, rename="camel"):
    """The sums of one invited owner, in USDT; `commission` is the sum paid to the caller."""

    uid: str
    deposit_amount: str
    withdrawal_amount: str
    spot_trading_amount: str
    futures_trading_amount: str
    commission: str


class InvitedTradesPage(Struct, rename="camel"):
    """A page of invited owners, the newest first."""

    records: list[InvitedTrades]
    pages: int
    page_size: int
    total: int


class CommissionsRequest(Struct, rename="camel", kw_only=True):
    """The caller's commissions for fees of at most 92 days, newest first.

    Without times these are the last 7 days.
    """

    uid: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    coin: Text | None = None
    product_type: ProductName = "SPOT"
    page: Page = 1
    page_size: UpTo100 = 100


class Commission(Struct, rename="camel"):
    """The commission for the fees that one owner paid on a day in one product and coin; amounts
    are in that coin.

    `date` is the begin of the day in ms, `rate` the share. A day's fees are not told by symbol, so
    `symbol` is empty. `sourceType` is 1: the owner was invited by the caller.
    """

    uid: int
    date: int
    coin: str
    product_type: str
    fee: str
    commission: str
    rate: str
    symbol: str
    taker_amount: str
    maker_amount: str
    source_type: int


class CommissionsPage(Struct, rename="camel"):
    """A page of commissions."""

    channel_commission_info_items: list[Commission]
    pages: int
    page_size: int
    total: int


class SubCommissionsRequest(Struct, rename="camel", kw_only=True):
    """Commissions of affiliates that the caller invited, for at most 90 days of fees.

    Without times these are the last 90 days.
    """

    product_type: ProductName
    sub_uid: Id | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page_num: Page = 1
    page_size: UpTo100 = 100


class SubCommission(Struct, rename="camel"):
    """The commission of one of those affiliates for one day's fees of one owner, in USDT.

    `date` is the begin of the day in ms.
    """

    sub_affiliate_uid: int
    product_type: str
    date: int
    trading_volume: str
    net_trading_fee: str
    paid_commission: str


class SubCommissionsPage(Struct):
    """A page of them, newest first."""

    records: list[SubCommission]
    total: int
    size: int
    current: int
    pages: int


class InvitedAssetsRequest(Struct, rename="camel", kw_only=True):
    """The assets of an owner that the caller invited, and its deposits within at most 90 days.

    Without days these are the last 30.
    """

    user_id: Id
    start_time: Day | None = None
    end_time: Day | None = None


class InvitedDeposit(Struct, rename="camel"):
    """One deposit; `time` in ms."""

    coin: str
    amount: str
    time: int


class InvitedAssets(Struct, rename="camel"):
    """Values in USDT: the amount available for contracts, and the wallets for funding, spot and
    contracts."""

    available_balance: str
    funding_total_usdt: str
    spot_pro_total_usdt: str
    unimargin_total_usdt: str
    deposit_total_amount: str
    deposit_list: list[InvitedDeposit]


class InvitedDealsRequest(Struct, rename="camel", kw_only=True):
    """Trades of owners that the caller invited, within at most 90 days; without uids, the newest
    100 of them. Without days these are the last 30."""

    user_ids: Uids | None = None
    start_time: Day | None = None
    end_time: Day | None = None


class InvitedDeals(Struct, rename="camel"):
    """The trades of one owner, in USDT, from one day to another. Both spot amounts are the same."""

    user_id: int
    spot_deal_amount_usdt: str
    futures_pro_deal_amount_usdt: str
    spot_pro_deal_amount_usdt_temp: str
    start_time: str
    end_time: str


class InvitedDealsList(Struct):
    """The trades of each owner that was asked for and that the caller invited."""

    data: list[InvitedDeals]


# Short names, so that each row stands on one line.
TradesRequest = InvitedTradesRequest
_W = (20, 20)
# Described as a POST, and sent as a GET by stock clients.
_SUBS = "/querySubChannelTransactions"
READ = Under("/api/v3/rebate/affiliate", Access.READ)
AGENCY = Under("/api/v3/agency", Access.READ)
invited_trades = READ.get("/getChannelUserTradeAndAsset", _W, TradesRequest, InvitedTradesPage)
commissions = READ.get("/getAffiliateCommission", _W, CommissionsRequest, CommissionsPage)
sub_commissions = READ.get(_SUBS, (10, 10), SubCommissionsRequest, SubCommissionsPage)
post_sub_commissions = READ.post(_SUBS, (10, 10), SubCommissionsRequest, SubCommissionsPage)
invited_assets = AGENCY.get("/getAssert", _W, InvitedAssetsRequest, InvitedAssets)
invited_deals = AGENCY.get("/getDealData", _W, InvitedDealsRequest, InvitedDealsList)

ROWS = rows(globals())
