"""Questions of affiliates: when those they invited came with money and traded."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from venue.history.rows.affiliates import Activity
from venue.history.schema.contract import CONTRACT_FILLS
from venue.history.schema.spot import BILLS, FILLS
from venue.vocabulary import BillKind


def activity(connection: Connection, uids: list[int]) -> list[Activity]:
    """Of each of these owners."""
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
