"""Every history question the interface asks: plain functions from a connection to rows.

Lists are newest first. Times are µs; `start` and `end` are inclusive; bounds named `after` or
`before` are strict. Absent conditions are None (texts: empty).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from venue.history.frames import unpack_frames
from venue.history.sql import PAGE, Where, count, execute, page_of, select
from venue.history.tables.spot import (
    BillRow,
    BillsOf,
    FillRow,
    FillsOf,
    OrderRow,
    OrdersOf,
    SpotFill,
    TransferRow,
    TransfersOf,
)
from venue.history.tables.table import Table, names
from venue.texts import from_fill

if TYPE_CHECKING:
    from apsw import Connection

PAGE_BYTES: Final = 1_000_000  # of frames; the one that passes it is the page's last


def order(connection: Connection, uid: int, order_id: int) -> OrderRow | None:
    """Return an owner's order by its id; None when there is none, or it is another owner's."""
    where = Where("order_id = ?", order_id).add("uid = ?", uid)
    return next(iter(select(connection, OrderRow, where)), None)


def order_by_client_id(connection: Connection, uid: int, client_id: str) -> OrderRow | None:
    """Return an owner's newest order with this (not empty) client order id, or None."""
    where = Where("uid = ?", uid).add("client_id = ? AND client_id <> ''", client_id)
    found = select(connection, OrderRow, where, "ORDER BY order_id DESC LIMIT 1")
    return next(iter(found), None)


def orders(connection: Connection, which: OrdersOf, limit: int, page: int = 1) -> list[OrderRow]:
    """Return an owner's orders in one symbol, whatever their status; pages count from 1."""
    where = Where("uid = ?", which.uid).add("symbol = ?", which.symbol)
    where.from_to("time", which.start, which.end)
    order = f"ORDER BY time DESC, order_id DESC {PAGE}"
    return select(connection, OrderRow, where, order, *page_of(limit, page))


def fills(connection: Connection, which: FillsOf, limit: int) -> list[FillRow]:
    """Return an owner's fills in one symbol; of a trade with itself, the maker's first. With
    `from_id` the oldest come first."""
    where = Where("uid = ?", which.uid).add("symbol = ?", which.symbol)
    where.add_given("order_id = ?", which.order_id).from_to("time", which.start, which.end)
    order = in_order(where, SpotFill, which.from_id)
    text = f"SELECT {names(SpotFill)}, {of_both_sides(SpotFill)} FROM fills {where} {order} LIMIT ?"
    return [
        FillRow(SpotFill(*row[:-1]), row[-1])
        for row in execute(connection, text, [*where.values, limit])
    ]


def in_order(where: Where, fills: Table, from_id: int | None) -> str:
    """Return the order of fills: newest first, or from an id on, oldest first; then conditions are
    added."""
    if from_id is None:
        return "ORDER BY time DESC, trade_id DESC, is_maker DESC"
    trade, takers = from_fill(from_id)
    where.add("trade_id >= ?", trade)
    if takers:
        where.add("(trade_id > ? OR is_maker = 0)", trade)
    # The index ends in time: the id is also told as the time of the first trade from there on.
    first = f"SELECT min(trade_id) FROM {fills.table} WHERE trade_id >= ?"
    where.add(f"time >= (SELECT min(time) FROM {fills.table} WHERE trade_id = ({first}))", trade)
    return "ORDER BY time, trade_id, is_maker DESC"


def of_both_sides(fills: Table) -> str:
    """Return the condition that a fill is the maker's, and the taker was the same owner."""
    own = fills.table
    return (
        f"{own}.is_maker = 1 AND EXISTS (SELECT 1 FROM {own} AS taker WHERE"
        f" taker.trade_id = {own}.trade_id AND taker.is_maker = 0 AND taker.uid = {own}.uid)"
    )


def bills(connection: Connection, which: BillsOf, limit: int, page: int = 1) -> list[BillRow]:
    """Bills of one wallet; pages count from 1. With `after_id` too, the newest come first."""
    order = f"ORDER BY time DESC, bill_id DESC {PAGE}"
    return select(connection, BillRow, _bills_where(which), order, *page_of(limit, page))


def bills_paged(
    connection: Connection, which: BillsOf, page: int, size: int
) -> tuple[int, list[BillRow]]:
    """Return how many bills there are in all, and one page of them."""
    return count(connection, BillRow, _bills_where(which)), bills(connection, which, size, page)


def transfers(connection: Connection, which: TransfersOf, limit: int) -> list[TransferRow]:
    """Return an owner's transfers between its wallets."""
    where = Where("uid = ?", which.uid).add_given("asset = ?", which.asset)
    where.add_given("source = ?", which.source)
    where.between("time", which.after_time, which.before_time)
    order = "ORDER BY time DESC, transfer_id DESC LIMIT ?"
    return select(connection, TransferRow, where, order, limit)


def frames(
    connection: Connection, channel: tuple[int, int, str], after: int, newest: int, limit: int
) -> list[tuple[int, bytes]]:
    """Frames of a channel (uid, product, name) with their numbers, after `after` up to `newest`.

    Oldest first; `limit` of them, or fewer when they are long.
    """
    stored = execute(
        connection,
        "SELECT number, sequence, payload FROM frames WHERE uid = ? AND product = ?"
        " AND channel = ? AND number > ? ORDER BY number LIMIT ?",
        [*channel, after, limit],
    )
    found: list[tuple[int, bytes]] = []
    size = 0
    for row in stored:
        for number, _, payload in unpack_frames(*row):
            if number <= after:
                continue
            if number > newest or len(found) == limit or size > PAGE_BYTES:
                return found
            found.append((number, payload))
            size += len(payload)
    return found


def _bills_where(which: BillsOf) -> Where:
    where = Where("uid = ?", which.uid).add("wallet = ?", which.wallet)
    where.add_given("asset = ?", which.asset).add_given("kind = ?", which.kind)
    where.between("bill_id", which.after_id, which.before_id)
    where.between("time", which.after_time, which.before_time)
    where.from_to("time", which.start, which.end)
    # The index ends in time: an id is also told as the time of the bill next to it, so that a
    # cursor deep in the past is found at once.
    next_to = "(SELECT time FROM bills WHERE bill_id = (SELECT {}(bill_id) FROM bills WHERE {}))"
    where.add_given("time >= " + next_to.format("min", "bill_id > ?"), which.after_id)
    where.add_given("time <= " + next_to.format("max", "bill_id < ?"), which.before_id)
    return where
