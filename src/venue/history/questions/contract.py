"""Every contract question the interface and the operator ask of history; conventions as in `spot`.

Lists are newest first unless a docstring says otherwise. Times are µs; `start` and `end` are
inclusive.
An empty symbol stands for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from venue.core.book.book import OPEN
from venue.history.questions.conditional import HAVE_ENDED, ORDERS, OrdersPart, newest_of
from venue.history.questions.spot import in_order, of_both_sides
from venue.history.sql import PAGE, Where, execute, first, page_of, scalar, select
from venue.history.tables.contract import (
    Conditional,
    ConditionalRow,
    ConditionalsOf,
    ContractFill,
    ContractFillRow,
    ContractFillsOf,
    ContractOrder,
    ContractOrderRow,
    ContractOrdersOf,
    IncomeOf,
    IncomeRow,
)
from venue.history.tables.table import names
from venue.vocabulary import ALGO_UNTRIGGERED, CAUSES_OUTSIDE, FILLED, IOC, MARKET

if TYPE_CHECKING:
    from apsw import Connection

# Conditional orders with the executed part of the orders that they became.
CONDITIONALS: Final = (
    f"SELECT {names(Conditional)}, coalesce(contract_orders.executed, 0),"
    " coalesce(contract_orders.quote, 0) FROM algo_orders LEFT JOIN contract_orders"
    " ON contract_orders.order_id = algo_orders.order_id AND algo_orders.order_id <> 0"
)
# Orders that changed after they were placed: finds those that are older than a list reaches back.
UPDATED: Final = "contract_orders.update_time > contract_orders.time"


def contract_order(connection: Connection, uid: int, order_id: int) -> ContractOrderRow | None:
    """Return an owner's order by its id; None when there is none, or it is another owner's.

    A trade outside the book stands in for its order: the part of the position reached last.
    """
    own = f"{ORDERS} WHERE contract_orders.order_id = ? AND contract_orders.uid = ?"
    found = first(connection, own, (order_id, uid))
    return _outside(connection, uid, order_id) if found is None else _order(found)


def contract_order_by_client_id(
    connection: Connection, uid: int, client_id: str
) -> ContractOrderRow | None:
    """Return an owner's newest order with this (not empty) client order id, or None."""
    found = first(
        connection,
        f"{ORDERS} WHERE contract_orders.uid = ? AND contract_orders.client_id = ?"
        " AND contract_orders.client_id <> '' ORDER BY contract_orders.order_id DESC LIMIT 1",
        (uid, client_id),
    )
    return None if found is None else _order(found)


def contract_orders(
    connection: Connection, which: ContractOrdersOf, limit: int, page: int = 1
) -> list[ContractOrderRow]:
    """Return an owner's orders; pages count from 1. With those that have ended come conditional
    orders that ended without becoming one."""
    skipped = limit * (page - 1)
    within = _parts(which)
    for part in within:
        part.where.from_to(f"{part.table.table}.time", which.start, which.end)
    found = _orders(connection, newest_of(within, limit, skipped))
    if not which.touched or which.start is None or len(found) == limit:
        return found
    # A client at the end of these goes on with older orders that were updated since.
    here = skipped + len(found)
    if skipped and not found:
        texts = [(f"SELECT count(*) FROM ({part.text})", part.where.values) for part in within]
        here = sum(scalar(connection, text, values) for text, values in texts)
    updated = _parts(which)
    for part in updated:
        name = part.table.table
        part.where.add(f"{name}.time + 0 < ?", which.start)
        part.where.add(f"{name}.update_time >= ?", which.start)
    updated[0].where.add(UPDATED)
    left, rest = limit - len(found), max(0, skipped - here)
    return found + _orders(connection, newest_of(updated, left, rest, by_time=False))


def _parts(which: ContractOrdersOf) -> list[OrdersPart]:
    """Return the orders, and with those that have ended the conditional ones."""
    parts = [OrdersPart(ContractOrder, Where())]
    if which.ended:
        parts[0].where.add(f"contract_orders.status NOT IN {OPEN}")
        parts.append(OrdersPart(Conditional, Where(HAVE_ENDED)))
    for part in parts:
        name = part.table.table
        part.where.add(f"{name}.uid = ?", which.uid)
        _of_symbol(part.where, f"{name}.symbol", which.symbol, which.among)
    return parts


def _orders(
    connection: Connection, statement: tuple[str, Sequence[object]]
) -> list[ContractOrderRow]:
    return [_order(row) for row in execute(connection, *statement)]


def _order(found: tuple[Any, ...]) -> ContractOrderRow:
    return ContractOrderRow(ContractOrder(*found[:-3]), *found[-3:])


def _outside(connection: Connection, uid: int, order_id: int) -> ContractOrderRow | None:
    """Return the trades outside the book of an owner's liquidation, whose id stands for an
    order's."""
    where = Where("order_id = ? AND uid + 0 = ?", order_id, uid).among("cause", CAUSES_OUTSIDE)
    fills = select(connection, ContractFill, where, "ORDER BY time, trade_id")
    fills = [fill for fill in fills if fill.position_id == fills[-1].position_id]
    if not fills:
        return None
    first, last = fills[0], fills[-1]
    lots = sum(fill.quantity for fill in fills)
    order = ContractOrder(
        order_id, uid, first.symbol, first.side, first.position_side, MARKET, IOC, lots, 0, "",
        first.cause, 0, first.position_id, first.time, lots, sum(fill.notional for fill in fills),
        0, FILLED, last.time,
    )  # fmt: skip
    return ContractOrderRow(order, None, None, None)


def contract_fills(
    connection: Connection, which: ContractFillsOf, limit: int
) -> list[ContractFillRow]:
    """Return an owner's fills; of a trade with itself, the maker's first. With `from_id` the oldest
    come first."""
    where = _of_symbol(Where(), "symbol", which.symbol, which.among)
    if which.order_id is None:
        where.add("uid = ?", which.uid)
    else:
        # An order has few fills and one owner: the sum keeps the planner from the owner's index.
        where.add("order_id = ? AND uid + 0 = ?", which.order_id, which.uid)
    where.from_to("time", which.start, which.end)
    order = in_order(where, ContractFill, which.from_id)
    columns = f"{names(ContractFill)}, {of_both_sides(ContractFill)}"
    text = f"SELECT {columns} FROM contract_fills {where} {order} LIMIT ?"
    return [
        ContractFillRow(ContractFill(*row[:-1]), row[-1])
        for row in execute(connection, text, [*where.values, limit])
    ]


def income(connection: Connection, which: IncomeOf, limit: int) -> list[IncomeRow]:
    """Return an owner's items. One more than is shown tells whether there is a next page."""
    where = Where("uid = ?", which.uid).add_given("symbol = ?", which.symbol)
    where.add_given("asset = ?", which.asset).add_given("asset <> ?", which.without)
    where.add_given("kind = ?", which.kind).from_to("time", which.start, which.end)
    # Ids grow with time: the id alone says where to go on, the time is what the index ends in.
    where.add_given("bill_id < ?", which.next_id).add_given("time <= ?", which.next_time)
    return select(connection, IncomeRow, where, "ORDER BY time DESC, bill_id DESC LIMIT ?", limit)


def conditional_orders(
    connection: Connection, which: ConditionalsOf, limit: int, page: int = 1
) -> list[ConditionalRow]:
    """Return an owner's conditional orders that were triggered, refused, canceled or expired; pages
    count from 1."""
    where = Where("algo_orders.uid = ?", which.uid)
    where.add("algo_orders.status <> ?", ALGO_UNTRIGGERED)
    _of_symbol(where, "algo_orders.symbol", which.symbol, which.among)
    where.add_given("algo_orders.type = ?", which.type)
    where.from_to("algo_orders.time", which.start, which.end)
    order = f"ORDER BY algo_orders.time DESC, algo_orders.algo_id DESC {PAGE}"
    values: list[Any] = [*where.values, *page_of(limit, page)]
    found = execute(connection, f"{CONDITIONALS} {where} {order}", values)
    return [_conditional(row) for row in found]


def conditional_order(
    connection: Connection, uid: int, algo_id: int, client_id: str = ""
) -> ConditionalRow | None:
    """Return an owner's conditional order by id, or (id 0) its newest with a client id; None: no
    such."""
    where = Where("algo_orders.uid = ?", uid)
    if algo_id:
        where.add("algo_orders.algo_id = ?", algo_id)
    else:
        where.add("algo_orders.client_id = ?", client_id)
    newest = f"{CONDITIONALS} {where} ORDER BY algo_orders.algo_id DESC LIMIT 1"
    found = first(connection, newest, where.values)
    return None if found is None else _conditional(found)


def _conditional(found: tuple[Any, ...]) -> ConditionalRow:
    return ConditionalRow(Conditional(*found[:-2]), *found[-2:])


def _of_symbol(where: Where, column: str, symbol: str, among: tuple[str, ...]) -> Where:
    if symbol:
        return where.add(f"{column} = ?", symbol)
    return where.among(column, among) if among else where
