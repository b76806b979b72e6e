"""Internal withdrawals: an affiliate sends money of its own to another owner (rule 9.6)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import ClientId, Decimal, Id, Kind, Page, Text, TimeMs, UpTo200
from venue.api.operation import Under, rows
from venue.vocabulary import Access

AccountName = Annotated[
    str,
    Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": ["SPOT", "FUND"]}),
]


class InternalWithdrawalRequest(Struct, rename="camel", kw_only=True):
    """Send money from the caller's spot (or funding) account to another owner's.

    The amount has at most 6 decimals. `clientTranId` is this venue's own parameter: for a day the
    same one with the same content is answered with the same id and has no second effect.
    """

    to_user_id: Id
    coin: Text
    amount: Decimal
    from_account_type: AccountName = "SPOT"
    to_account_type: AccountName = "SPOT"
    client_tran_id: ClientId | None = None


class InternalWithdrawalsRequest(
    Struct,
    kw_only=True,
    rename={
        "withdraw_id": "withdrawID",
        "start_time": "startTime",
        "end_time": "endTime",
        "from_account_type": "fromAccountType",
        "to_account_type": "toAccountType",
        "page_size": "pageSize",
    },
):
    """Withdrawals that the caller sent to other owners in the last 31 days, newest first.

    Without account types those of every type.
    """

    withdraw_id: Id | None = None
    coin: Text | None = None
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    from_account_type: AccountName | None = None
    to_account_type: AccountName | None = None
    page: Page = 1
    page_size: UpTo200 = 100


class InternalWithdrawal(Struct, rename="camel"):
    """One withdrawal. It is SUCCESS from the begin: one that cannot be sent is refused. Times in
    ms."""

    from_user_id: int
    to_user_id: int
    withdraw_id: str
    coin: str
    status: str
    amount: str
    create_time: int
    update_time: int


class InternalWithdrawals(Struct, rename="camel"):
    """A page of them."""

    items: list[InternalWithdrawal]
    total: int
    page_size: int
    page: int
    pages: int
    has_next_page: bool


_W = (100, 100)
_STATUS = "/getInternalWithdrawalStatus"
READ = Under("/api/v3/rebate/affiliate", Access.READ)
TRADE = Under("/api/v3/rebate/affiliate", Access.SPOT_TRADE)
internal_withdrawals = READ.get(_STATUS, _W, InternalWithdrawalsRequest, InternalWithdrawals)
internal_withdrawal = TRADE.post("/internalWithdrawal", _W, InternalWithdrawalRequest, str)

ROWS = rows(globals())
