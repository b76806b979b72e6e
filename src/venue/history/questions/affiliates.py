"""Questions of affiliates: activity of invited owners, commissions, internal withdrawals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from venue.history.sql import PAGE, Where, count, execute, first, page_of, select
from venue.history.tables.affiliates import (
    Activity,
    CommissionRow,
    CommissionsOf,
    EarnedSums,
    MoneyRow,
    WithdrawalRow,
    WithdrawalsOf,
)
from venue.history.tables.contract import ContractFill, IncomeRow
from venue.history.tables.spot import BillRow, SpotFill
from venue.vocabulary import BillKind, Wallet

if TYPE_CHECKING:
    from apsw import Connection

MONEY: Final = (BillKind.DEPOSIT.value, BillKind.WITHDRAW.value)
WALLETS: Final = (int(Wallet.SPOT), int(Wallet.FUNDING))
HALF_BITS: Final = 32
LOW: Final = 2**HALF_BITS - 1
# The sums of the upper and lower 32 bits of columns: that of the whole may leave 64 bits.
SUMS: Final = ", ".join(
    f"sum({one} >> {HALF_BITS}), sum({one} & {LOW})" for one in ("maker", "taker", "commission")
)


def activity(connection: Connection, uids: list[int]) -> list[Activity]:
    """Return the first and last deposits and fills of each of these owners."""
    return [_activity(connection, uid) for uid in uids]


def _activity(connection: Connection, uid: int) -> Activity:
    deposits = "SELECT min(time), max(time) FROM bills WHERE uid = ? AND kind = ?"
    first_deposit, last_deposit = first(connection, deposits, (uid, BillKind.DEPOSIT.value))
    firsts: list[int] = []
    lasts: list[int] = []
    for table in (SpotFill, ContractFill):
        trades = f"SELECT min(time), max(time) FROM {table.table} WHERE uid = ?"
        earliest, latest = first(connection, trades, (uid,))
        if earliest is not None:
            firsts.append(earliest)
            lasts.append(latest)
    return Activity(
        first_deposit or 0, last_deposit or 0, min(firsts, default=0), max(lasts, default=0)
    )


# -- commissions -----------------------------------------------------------------------------------


def commissions(
    connection: Connection, which: CommissionsOf, page: int, size: int
) -> tuple[int, list[CommissionRow]]:
    """Return how many commissions there are in all, and one page of them, newest first."""
    where, order = _commissions_where(which), f"ORDER BY day DESC, bill_id DESC {PAGE}"
    found = select(connection, CommissionRow, where, order, *page_of(size, page))
    return count(connection, CommissionRow, where), found


def earned_sums(connection: Connection, which: CommissionsOf, uids: list[int]) -> list[EarnedSums]:
    """Return the sums that an affiliate earned by these owners, and by which trade volume."""
    kinds = "uid, product, asset"
    where = _commissions_where(which).among("uid", uids)
    text = f"SELECT {kinds}, {SUMS} FROM commissions {where} GROUP BY {kinds} ORDER BY {kinds}"
    found: list[EarnedSums] = []
    for uid, product, asset, *halves in execute(connection, text, where.values):
        maker, taker, commission = [(halves[n] << HALF_BITS) + halves[n + 1] for n in (0, 2, 4)]
        found.append(EarnedSums(uid, product, asset, maker + taker, commission))
    return found


def _commissions_where(which: CommissionsOf) -> Where:
    where = Where().among("affiliate", which.affiliates)
    where.from_to("day", which.first_day, which.last_day)
    where.add_given("uid = ?", which.uid).add_given("asset = ?", which.asset)
    return where.add_given("product = ?", which.product)


# -- money -----------------------------------------------------------------------------------------


def money(connection: Connection, uids: list[int], start: int, end: int) -> list[MoneyRow]:
    """Deposits and withdrawals of these owners in any wallet, oldest first for each owner."""
    return [row for uid in uids for row in _money(connection, uid, start, end)]


def _money(connection: Connection, uid: int, start: int, end: int) -> list[MoneyRow]:
    found: list[MoneyRow] = []
    for table in (BillRow, IncomeRow):
        where = Where("uid = ?", uid).among("kind", MONEY).from_to("time", start, end)
        if table is BillRow:
            where.among("wallet", WALLETS)  # so that the index serves it
        text = f"SELECT uid, asset, amount, time FROM {table.table} {where}"
        found += [MoneyRow(*row) for row in execute(connection, text, where.values)]
    return sorted(found, key=lambda row: row.time)


def withdrawals(
    connection: Connection, which: WithdrawalsOf, page: int, size: int
) -> tuple[int, list[WithdrawalRow]]:
    """Return how many internal withdrawals there are in all, and one page of them, newest first."""
    where = Where("uid = ?", which.uid).from_to("time", which.start, which.end)
    where.add_given("withdraw_id = ?", which.withdraw_id).add_given("asset = ?", which.asset)
    where.add_given("source = ?", which.source).add_given("target = ?", which.target)
    order = f"ORDER BY time DESC, withdraw_id DESC {PAGE}"
    found = select(connection, WithdrawalRow, where, order, *page_of(size, page))
    return count(connection, WithdrawalRow, where), found
