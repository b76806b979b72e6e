"""Questions of affiliates: activity of invited owners, commissions, internal withdrawals."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Table, func, select

from venue.history.questions.spot import from_to, page_of
from venue.history.schema.affiliates import COMMISSIONS, INTERNAL_WITHDRAWALS
from venue.history.schema.contract import CONTRACT_FILLS, INCOME
from venue.history.schema.spot import BILLS, FILLS
from venue.history.tables.affiliates import (
    Activity,
    CommissionRow,
    CommissionsOf,
    Earned,
    MoneyRow,
    WithdrawalRow,
    WithdrawalsOf,
)
from venue.vocabulary import BillKind, Wallet

MONEY: Final = (BillKind.DEPOSIT.value, BillKind.WITHDRAW.value)
WALLETS: Final = (int(Wallet.SPOT), int(Wallet.FUNDING))
HALF_BITS: Final = 32


def activity(connection: Connection, uids: list[int]) -> list[Activity]:
    """The first and last deposits and fills of each of these owners."""
    return [_activity(connection, uid) for uid in uids]


def _activity(connection: Connection, uid: int) -> Activity:
    bills = BILLS.c
    deposits = select(func.min(bills.time), func.max(bills.time)).where(
        bills.uid == uid, bills.kind == BillKind.DEPOSIT.value
    )
    first_deposit, last_deposit = connection.execute(deposits).one()
    firsts: list[int] = []
    lasts: list[int] = []
    for table in (FILLS, CONTRACT_FILLS):
        times = select(func.min(table.c.time), func.max(table.c.time)).where(table.c.uid == uid)
        first, last = connection.execute(times).one()
        if first is not None:
            firsts.append(first)
            lasts.append(last)
    return Activity(
        first_deposit or 0, last_deposit or 0, min(firsts, default=0), max(lasts, default=0)
    )


# -- commissions -----------------------------------------------------------------------------------


def commissions(
    connection: Connection, which: CommissionsOf, page: int, size: int
) -> tuple[int, list[CommissionRow]]:
    """How many commissions there are in all, and one page of them, newest first."""
    table, where = COMMISSIONS.c, _commissions_where(which)
    rows = select(COMMISSIONS).where(*where).order_by(table.day.desc(), table.bill_id.desc())
    found = connection.execute(page_of(rows, size, page))
    return _count(connection, COMMISSIONS, where), [CommissionRow(*row) for row in found]


def earned(connection: Connection, which: CommissionsOf, uids: list[int]) -> list[Earned]:
    """The sums that an affiliate earned by these owners, and by which trade volume."""
    table = COMMISSIONS.c
    kinds = (table.uid, table.product, table.asset)
    summed = [half for one in (table.maker, table.taker, table.commission) for half in _halves(one)]
    rows = select(*kinds, *summed)
    rows = rows.where(*_commissions_where(which), table.uid.in_(uids)).group_by(*kinds)
    found: list[Earned] = []
    for row in connection.execute(rows.order_by(*kinds)):
        maker, taker, commission = [(row[n] << HALF_BITS) + row[n + 1] for n in (3, 5, 7)]
        found.append(Earned(row[0], row[1], row[2], maker + taker, commission))
    return found


def _halves(column: Column[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """The sums of a column's upper and lower 32 bits: that of the whole may leave 64 bits."""
    return func.sum(column.op(">>")(HALF_BITS)), func.sum(column.op("&")(2**HALF_BITS - 1))


def _commissions_where(which: CommissionsOf) -> list[ColumnElement[bool]]:
    table = COMMISSIONS.c
    where: list[Any] = [table.affiliate.in_(which.affiliates)]
    where += from_to(table.day, which.first_day, which.last_day)
    if which.uid is not None:
        where.append(table.uid == which.uid)
    if which.asset:
        where.append(table.asset == which.asset)
    if which.product is not None:
        where.append(table.product == which.product)
    return where


# -- money -----------------------------------------------------------------------------------------


def money(connection: Connection, uids: list[int], start: int, end: int) -> list[MoneyRow]:
    """Deposits and withdrawals of these owners in any wallet, oldest first for each owner."""
    return [row for uid in uids for row in _money(connection, uid, start, end)]


def _money(connection: Connection, uid: int, start: int, end: int) -> list[MoneyRow]:
    found: list[MoneyRow] = []
    for table in (BILLS, INCOME):
        own = table.c
        rows = select(own.uid, own.asset, own.amount, own.time)
        rows = rows.where(own.uid == uid, own.kind.in_(MONEY), *from_to(own.time, start, end))
        if table is BILLS:
            rows = rows.where(own.wallet.in_(WALLETS))  # so that the index serves it
        found += [MoneyRow(*row) for row in connection.execute(rows)]
    return sorted(found, key=lambda row: row.time)


def withdrawals(
    connection: Connection, which: WithdrawalsOf, page: int, size: int
) -> tuple[int, list[WithdrawalRow]]:
    """How many internal withdrawals there are in all, and one page of them, newest first."""
    table = INTERNAL_WITHDRAWALS.c
    where = [table.uid == which.uid, *from_to(table.time, which.start, which.end)]
    for column, value in (
        (table.withdraw_id, which.withdraw_id),
        (table.asset, which.asset or None),
        (table.source, which.source),
        (table.target, which.target),
    ):
        if value is not None:
            where.append(column == value)
    rows = select(INTERNAL_WITHDRAWALS).where(*where)
    rows = rows.order_by(table.time.desc(), table.withdraw_id.desc())
    found = [WithdrawalRow(*row) for row in connection.execute(page_of(rows, size, page))]
    return _count(connection, INTERNAL_WITHDRAWALS, where), found


def _count(connection: Connection, table: Table, where: list[ColumnElement[bool]]) -> int:
    return int(
        connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()
    )
