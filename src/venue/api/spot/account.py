"""Account operations of the spot side: balances, bills, transfers."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import (
    BizType,
    CoinId,
    Cursor,
    Month,
    Page,
    Text,
    TimeMs,
    UpTo100,
    UpTo200,
    WalletName,
)
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class CommissionRates(Struct):
    """Fee rates as fractions."""

    maker: str
    taker: str


class BalanceView(Struct):
    """One asset of the spot wallet."""

    asset: str
    free: str
    locked: str


class AccountReply(Struct, rename="camel"):
    """The spot account; commissions are whole basis points, only assets held are listed."""

    maker_commission: int
    taker_commission: int
    commission_rates: CommissionRates
    can_trade: bool
    can_withdraw: bool
    can_deposit: bool
    brokered: bool
    require_self_trade_prevention: bool
    prevent_sor: bool
    update_time: int
    account_type: str
    balances: list[BalanceView]
    permissions: list[str]
    uid: int


class BillsRequest(Struct, rename="camel", kw_only=True):
    """Spot bills, newest first; `after` and `before` take bill ids or ms times."""

    coin_id: CoinId | None = None
    biz_type: BizType | None = None
    after: Cursor | None = None
    before: Cursor | None = None
    limit: UpTo100 = 10


class BillView(Struct, rename="camel"):
    """One movement of a wallet (section 2.5 of the interface)."""

    bill_id: str
    coin_id: int
    coin_name: str
    biz_type: str
    fill_size: str | None
    fill_value: str | None
    delta_amount: str
    after_amount: str
    fees: str
    c_time: str


class FundingBillsRequest(Struct, rename="camel", kw_only=True):
    """Bills of the funding wallet, newest first; pages count from 1."""

    coin_id: CoinId | None = None
    biz_type: BizType | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    page_index: Page = 1
    page_size: UpTo100 = 10


class FundingBills(Struct, rename="camel"):
    total: int
    page_size: int
    pages: int
    page: int
    has_next_page: bool
    items: list[BillView]


class TransferRecordsRequest(Struct, rename="camel", kw_only=True):
    """Transfers between own wallets, newest first; `after` and `before` are ms times."""

    coin_id: CoinId | None = None
    from_type: WalletName | None = None
    after: TimeMs | None = None
    before: TimeMs | None = None
    limit: UpTo100 = 100


class TransferRecord(Struct, rename="camel"):
    coin_name: str
    status: str
    to_type: str
    to_symbol: str
    from_type: str
    from_symbol: str
    amount: str
    trade_time: str


class TaxIncomeRequest(Struct, rename="camel", kw_only=True):
    """Spot bills of one calendar month (UTC), newest first; the current month by default."""

    coin: Text | None = None
    biz_type: BizType | None = None
    month: Month | None = None
    limit: UpTo200 = 10
    page: Page = 1


Transfers = list[TransferRecord]

READ = Under("/api/v3", Access.READ)
account = READ.get("/account/", (5, 5), Empty, AccountReply)
bills = READ.post("/account/bills", (5, 5), BillsRequest, list[BillView])
funding_bills = READ.post("/account/fundingBills", (5, 5), FundingBillsRequest, FundingBills)
transfer_records = READ.get("/account/transferRecords", (3, 3), TransferRecordsRequest, Transfers)
tax_income = READ.post("/tax/income", (5, 50), TaxIncomeRequest, list[BillView])

ROWS = rows(globals())
