"""Every contract question the interface and the operator ask of history; the habits of `spot`.

Lists are newest first unless a docstring says otherwise. Times are µs; `start` and `end` are
inclusive.
An empty symbol stands for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Select, and_, func, select

from venue.core.book.book import OPEN
from venue.history.questions.conditional import ended_conditionals, newest_of, waited_for
from venue.history.questions.spot import from_to, in_order, of_both_sides, page_of
from venue.history.schema.contract import (
    CONDITIONAL_ORDERS,
    CONTRACT_FILLS,
    CONTRACT_ORDERS,
    INCOME,
    UPDATED,
)
from venue.history.tables.contract import (
    ConditionalRow,
    ConditionalsOf,
    ContractFillRow,
    ContractFillsOf,
    ContractOrderRow,
    ContractOrdersOf,
    IncomeOf,
    IncomeRow,
)
from venue.vocabulary import ALGO_UNTRIGGERED, CAUSES_OUTSIDE, FILLED, IOC, MARKET

LISTED: Final = (CONTRACT_ORDERS, CONDITIONAL_ORDERS)


def contract_order(connection: Connection, uid: int, order_id: int) -> ContractOrderRow | None:
    """An owner's order by its id; None when there is none, or it is another owner's.

    A trade outside the book stands in for its order: the part of the position reached last.
    """
    table = CONTRACT_ORDERS.c
    rows = _orders().where(table.order_id == order_id, table.uid == uid)
    found = connection.execute(rows).one_or_none()
    return _outside(connection, uid, order_id) if found is None else ContractOrderRow(*found)


def contract_order_by_client_id(
    connection: Connection, uid: int, client_id: str
) -> ContractOrderRow | None:
    """An owner's newest order with this (not empty) client order id, or None."""
    table = CONTRACT_ORDERS.c
    rows = _orders().where(table.uid == uid, table.client_id == client_id, table.client_id != "")
    found = connection.execute(rows.order_by(table.order_id.desc()).limit(1)).one_or_none()
    return None if found is None else ContractOrderRow(*found)


def contract_orders(
    connection: Connection, which: ContractOrdersOf, limit: int, page: int = 1
) -> list[ContractOrderRow]:
    """An owner's orders; pages count from 1. With those that have ended come conditional orders
    that ended without becoming one."""
    skipped = limit * (page - 1)
    within = _parts(which, [from_to(table.c.time, which.start, which.end) for table in LISTED])
    found = _page_of_orders(connection, newest_of(within, limit, skipped))
    if not which.touched or which.start is None or len(found) == limit:
        return found
    # A client at the end of these goes on with older orders that were updated since.
    here = skipped + len(found)
    if skipped and not found:
        counts = (select(func.count()).select_from(part.subquery()) for part in within)
        here = sum(int(connection.execute(count).scalar_one()) for count in counts)
    updated = [
        [table.c.time + 0 < which.start, table.c.update_time >= which.start] for table in LISTED
    ]
    updated[0].append(UPDATED)
    left, rest = limit - len(found), max(0, skipped - here)
    since = newest_of(_parts(which, updated), left, rest, by_time=False)
    return found + _page_of_orders(connection, since)


def _parts(
    which: ContractOrdersOf, where: Sequence[list[ColumnElement[bool]]]
) -> list[Select[Any]]:
    """The orders, and with those that have ended the conditional ones: each with its conditions."""
    parts = [_orders()]
    if which.ended:
        parts = [parts[0].where(CONTRACT_ORDERS.c.status.not_in(OPEN)), ended_conditionals()]
    found = []
    for part, table, conditions in zip(parts, LISTED, where, strict=False):
        columns = table.c
        symbols = _of_symbol(columns.symbol, which.symbol, which.among)
        found.append(part.where(columns.uid == which.uid, *symbols, *conditions))
    return found


def _page_of_orders(connection: Connection, rows: Select[Any]) -> list[ContractOrderRow]:
    return [ContractOrderRow(*row) for row in connection.execute(rows)]


def _outside(connection: Connection, uid: int, order_id: int) -> ContractOrderRow | None:
    """The trades outside the book of an owner's liquidation, whose id stands for an order's."""
    table = CONTRACT_FILLS.c
    rows = select(CONTRACT_FILLS).where(
        table.order_id == order_id, table.uid + 0 == uid, table.cause.in_(CAUSES_OUTSIDE)
    )
    rows = rows.order_by(table.time, table.trade_id)
    fills = [ContractFillRow(*row) for row in connection.execute(rows)]
    fills = [fill for fill in fills if fill.position_id == fills[-1].position_id]
    if not fills:
        return None
    first, last = fills[0], fills[-1]
    lots = sum(fill.quantity for fill in fills)
    return ContractOrderRow(
        order_id, uid, first.symbol, first.side, first.position_side, MARKET, IOC, lots, 0, "",
        first.cause, 0, first.position_id, first.time, lots, sum(fill.notional for fill in fills),
        0, FILLED, last.time, None, None, None,
    )  # fmt: skip


def contract_fills(
    connection: Connection, which: ContractFillsOf, limit: int
) -> list[ContractFillRow]:
    """An owner's fills; of a trade with itself, the maker's first. With `from_id` the oldest come
    first."""
    table = CONTRACT_FILLS.c
    symbols = _of_symbol(table.symbol, which.symbol, which.among)
    rows = select(CONTRACT_FILLS, of_both_sides(CONTRACT_FILLS)).where(*symbols)
    if which.order_id is None:
        rows = rows.where(table.uid == which.uid)
    else:
        # An order has few fills and one owner: the sum keeps the planner from the owner's index.
        rows = rows.where(table.order_id == which.order_id, table.uid + 0 == which.uid)
    rows = rows.where(*from_to(table.time, which.start, which.end))
    rows = in_order(rows, CONTRACT_FILLS, which.from_id)
    return [ContractFillRow(*row) for row in connection.execute(rows.limit(limit))]


def income(connection: Connection, which: IncomeOf, limit: int) -> list[IncomeRow]:
    """An owner's items. One more than is shown tells whether there is a next page."""
    table = INCOME.c
    rows = select(INCOME).where(table.uid == which.uid, *_of_symbol(table.symbol, which.symbol))
    if which.asset:
        rows = rows.where(table.asset == which.asset)
    if which.without:
        rows = rows.where(table.asset != which.without)
    if which.kind:
        rows = rows.where(table.kind == which.kind)
    rows = rows.where(*from_to(table.time, which.start, which.end))
    # Ids grow with time: the id alone says where to go on, the time is what the index ends in.
    if which.next_id is not None:
        rows = rows.where(table.bill_id < which.next_id)
    rows = rows.where(*from_to(table.time, None, which.next_time))
    rows = rows.order_by(table.time.desc(), table.bill_id.desc())
    return [IncomeRow(*row) for row in connection.execute(rows.limit(limit))]


def conditional_orders(
    connection: Connection, which: ConditionalsOf, limit: int, page: int = 1
) -> list[ConditionalRow]:
    """An owner's conditional orders that were triggered, refused, canceled or expired; pages count
    from 1."""
    table = CONDITIONAL_ORDERS.c
    symbols = _of_symbol(table.symbol, which.symbol, which.among)
    rows = _conditionals().where(table.uid == which.uid, table.status != ALGO_UNTRIGGERED, *symbols)
    if which.type is not None:
        rows = rows.where(table.type == which.type)
    rows = rows.where(*from_to(table.time, which.start, which.end))
    rows = rows.order_by(table.time.desc(), table.algo_id.desc())
    return [ConditionalRow(*row) for row in connection.execute(page_of(rows, limit, page))]


def conditional_order(
    connection: Connection, uid: int, algo_id: int, client_id: str = ""
) -> ConditionalRow | None:
    """An owner's conditional order by id, or (id 0) its newest with a client id; None: no such."""
    table = CONDITIONAL_ORDERS.c
    known = [table.algo_id == algo_id] if algo_id else [table.client_id == client_id]
    rows = _conditionals().where(table.uid == uid, *known)
    found = connection.execute(rows.order_by(table.algo_id.desc()).limit(1)).one_or_none()
    return None if found is None else ConditionalRow(*found)


def _orders() -> Select[Any]:
    """Orders with the triggers of the conditional orders that they came from."""
    table = CONDITIONAL_ORDERS.c
    come = and_(table.algo_id == CONTRACT_ORDERS.c.algo_id, CONTRACT_ORDERS.c.algo_id != 0)
    rows = select(CONTRACT_ORDERS, *waited_for())
    return rows.outerjoin_from(CONTRACT_ORDERS, CONDITIONAL_ORDERS, come)


def _conditionals() -> Select[Any]:
    """Conditional orders with the executed part of the orders that they became."""
    orders = CONTRACT_ORDERS.c
    own = CONDITIONAL_ORDERS.c.order_id
    become = and_(orders.order_id == own, own != 0)
    done = (func.coalesce(orders.executed, 0), func.coalesce(orders.quote, 0))
    rows = select(CONDITIONAL_ORDERS, *done)
    return rows.outerjoin_from(CONDITIONAL_ORDERS, CONTRACT_ORDERS, become)


def _of_symbol(
    column: Column[Any], symbol: str, among: tuple[str, ...] = ()
) -> list[ColumnElement[bool]]:
    if symbol:
        return [column == symbol]
    return [column.in_(among)] if among else []
