"""Every history question the interface asks: plain functions from a connection to rows.

Lists are newest first. Times are µs; `start` and `end` are inclusive; bounds named `after` or
`before` are strict. Absent conditions are None (texts: empty).
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, or_, select

from venue.history.frames import unpacked
from venue.history.schema.spot import BILLS, FILLS, FRAMES, ORDERS, ROW, TRANSFERS
from venue.history.tables.spot import (
    BillRow,
    BillsOf,
    FillRow,
    FillsOf,
    OrderRow,
    OrdersOf,
    TransferRow,
    TransfersOf,
)
from venue.texts import from_fill

PAGE_BYTES: Final = 1_000_000  # of frames; the one that passes it is the page's last


def order(connection: Connection, uid: int, order_id: int) -> OrderRow | None:
    """An owner's order by its id; None when there is none, or it is another owner's."""
    rows = select(ORDERS).where(ORDERS.c.order_id == order_id, ORDERS.c.uid == uid)
    found = connection.execute(rows).one_or_none()
    return None if found is None else OrderRow(*found)


def order_by_client_id(connection: Connection, uid: int, client_id: str) -> OrderRow | None:
    """An owner's newest order with this (not empty) client order id, or None."""
    owners = (ORDERS.c.uid == uid, ORDERS.c.client_id == client_id, ORDERS.c.client_id != "")
    rows = select(ORDERS).where(*owners).order_by(ORDERS.c.order_id.desc()).limit(1)
    found = connection.execute(rows).one_or_none()
    return None if found is None else OrderRow(*found)


def orders(connection: Connection, which: OrdersOf, limit: int, page: int = 1) -> list[OrderRow]:
    """An owner's orders in one symbol, whatever their status; pages count from 1."""
    table = ORDERS.c
    rows = select(ORDERS).where(table.uid == which.uid, table.symbol == which.symbol)
    rows = rows.where(*from_to(table.time, which.start, which.end))
    rows = rows.order_by(table.time.desc(), table.order_id.desc())
    return [OrderRow(*row) for row in connection.execute(page_of(rows, limit, page))]


def fills(connection: Connection, which: FillsOf, limit: int) -> list[FillRow]:
    """An owner's fills in one symbol; of a trade with itself, the maker's first. With `from_id`
    the oldest come first."""
    table = FILLS.c
    rows = select(FILLS, of_both_sides(FILLS))
    rows = rows.where(table.uid == which.uid, table.symbol == which.symbol)
    if which.order_id is not None:
        rows = rows.where(table.order_id == which.order_id)
    rows = rows.where(*from_to(table.time, which.start, which.end))
    rows = in_order(rows, FILLS, which.from_id)
    return [FillRow(*row) for row in connection.execute(rows.limit(limit))]


def in_order(rows: Select[Any], fills: Table, from_id: int | None) -> Select[Any]:
    """Fills newest first, or those from an id on, oldest first."""
    table = fills.c
    if from_id is None:
        return rows.order_by(table.time.desc(), table.trade_id.desc(), table.is_maker.desc())
    trade, takers = from_fill(from_id)
    rows = rows.where(table.trade_id >= trade)
    if takers:
        rows = rows.where(or_(table.trade_id > trade, table.is_maker == 0))
    # The index ends in time: the id is also told as the time of the first trade from there on.
    other = fills.alias()
    first = select(func.min(other.c.trade_id)).where(other.c.trade_id >= trade)
    since = select(func.min(other.c.time)).where(other.c.trade_id == first.scalar_subquery())
    rows = rows.where(table.time >= since.scalar_subquery())
    return rows.order_by(table.time, table.trade_id, table.is_maker.desc())


def of_both_sides(fills: Table) -> Any:
    """Whether a fill is the maker's, and the taker was the same owner."""
    taker = fills.alias()
    same = and_(taker.c.trade_id == fills.c.trade_id, taker.c.is_maker == 0)
    found = select(1).where(same, taker.c.uid == fills.c.uid).correlate(fills).exists()
    return and_(fills.c.is_maker == 1, found).label("both")


def bills(connection: Connection, which: BillsOf, limit: int, page: int = 1) -> list[BillRow]:
    """Bills of one wallet; pages count from 1. With `after_id` too, the newest come first."""
    rows = select(BILLS).where(*_bills_where(which))
    rows = rows.order_by(BILLS.c.time.desc(), BILLS.c.bill_id.desc())
    return [BillRow(*row) for row in connection.execute(page_of(rows, limit, page))]


def bills_paged(
    connection: Connection, which: BillsOf, page: int, size: int
) -> tuple[int, list[BillRow]]:
    """How many bills there are in all, and one page of them."""
    count = select(func.count()).select_from(BILLS).where(*_bills_where(which))
    return int(connection.execute(count).scalar_one()), bills(connection, which, size, page)


def transfers(connection: Connection, which: TransfersOf, limit: int) -> list[TransferRow]:
    """An owner's transfers between its wallets."""
    table = TRANSFERS.c
    rows = select(TRANSFERS).where(table.uid == which.uid)
    if which.asset:
        rows = rows.where(table.asset == which.asset)
    if which.source is not None:
        rows = rows.where(table.source == which.source)
    rows = rows.where(*_between(table.time, which.after_time, which.before_time))
    rows = rows.order_by(table.time.desc(), table.transfer_id.desc())
    return [TransferRow(*row) for row in connection.execute(rows.limit(limit))]


def frames(
    connection: Connection, channel: tuple[int, int, str], after: int, newest: int, limit: int
) -> list[tuple[int, bytes]]:
    """Frames of a channel (uid, product, name) with their numbers, after `after` up to `newest`.

    Oldest first; `limit` of them, or fewer when they are long.
    """
    uid, product, name = channel
    table = FRAMES.c
    rows = select(*ROW).where(table.uid == uid, table.product == product, table.channel == name)
    rows = rows.where(table.number > after).order_by(table.number)
    found: list[tuple[int, bytes]] = []
    size = 0
    with connection.execute(rows.limit(limit)) as stored:
        for row in stored:
            for number, _, payload in unpacked(*row):
                if number <= after:
                    continue
                if number > newest or len(found) == limit or size > PAGE_BYTES:
                    return found
                found.append((number, payload))
                size += len(payload)
    return found


def _bills_where(which: BillsOf) -> list[ColumnElement[bool]]:
    table = BILLS.c
    where = [table.uid == which.uid, table.wallet == which.wallet]
    if which.asset:
        where.append(table.asset == which.asset)
    if which.kind:
        where.append(table.kind == which.kind)
    where += _between(table.bill_id, which.after_id, which.before_id)
    where += _between(table.time, which.after_time, which.before_time)
    where += from_to(table.time, which.start, which.end)
    # The index ends in time: an id is also told as the time of the bill next to it, so that a
    # cursor deep in the past is found at once.
    if which.after_id is not None:
        newer = select(func.min(table.bill_id)).where(table.bill_id > which.after_id)
        where.append(table.time >= _time_of_bill(newer))
    if which.before_id is not None:
        older = select(func.max(table.bill_id)).where(table.bill_id < which.before_id)
        where.append(table.time <= _time_of_bill(older))
    return where


def _time_of_bill(bill_id: Select[Any]) -> Any:
    other = BILLS.alias()
    found = select(other.c.time).where(other.c.bill_id == bill_id.scalar_subquery())
    return found.scalar_subquery()


def from_to(column: Any, start: int | None, end: int | None) -> list[ColumnElement[bool]]:
    """The conditions that a column lies from `start` to `end`, both inclusive."""
    where = []
    if start is not None:
        where.append(column >= start)
    if end is not None:
        where.append(column <= end)
    return where


def _between(column: Any, after: int | None, before: int | None) -> list[ColumnElement[bool]]:
    where = []
    if after is not None:
        where.append(column > after)
    if before is not None:
        where.append(column < before)
    return where


def page_of(rows: Select[Any], limit: int, page: int) -> Select[Any]:
    """One page of rows; pages count from 1."""
    return rows.limit(limit).offset(limit * (page - 1))
