"""The first rows of history when the journal's first commands cannot be projected any more."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Table, insert, select, update

from venue.core.book.book import Order
from venue.core.contract.records import Algo, Terms
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.spot.account import SpotOrder
from venue.history.kept_events import leaves_rows
from venue.history.schema.contract import CONDITIONAL_ORDERS, CONTRACT_ORDERS
from venue.history.schema.spot import OPENING, ORDERS, PROGRESS
from venue.history.store import Store
from venue.vocabulary import AlgoStatus


def begin(store: Store, engine: Engine) -> None:
    """Empty a history and have it begin where an engine stands.

    Rows come from the next command on. Open orders are rows at once, as they change later; their
    earlier fills are in their sums alone. Agents' orders are left out, as their changes are.
    """
    store.clear()
    every = list(engine.contracts.collateral.holdings.values())
    holdings = [one for one in every if leaves_rows(one.account)]
    with store.connection.begin():
        write = store.connection
        spot = [one for one in engine.spot.accounts.values() if leaves_rows(one.account)]
        _insert(write, ORDERS, [_order(one) for own in spot for one in own.orders.values()])
        orders = [order for holding in holdings for order in holding.orders.values()]
        _insert(write, CONTRACT_ORDERS, [_contract_order(order) for order in orders])
        waiting = [order for holding in every for order in holding.algos.values()]
        _insert(write, CONDITIONAL_ORDERS, [_conditional(order) for order in waiting])
        first = {"sequence": engine.sequence, "order_id": engine.counters.order}
        write.execute(insert(OPENING).values(first))
        write.execute(update(PROGRESS).values(sequence=engine.sequence))


def opening(connection: Connection) -> tuple[int, int]:
    """The command after which history begins, and the first order id from there; 0, 0: history is
    complete."""
    row = connection.execute(select(OPENING.c.sequence, OPENING.c.order_id)).one_or_none()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def _insert(connection: Connection, table: Table, rows: Iterable[tuple[object, ...]]) -> None:
    names = table.columns.keys()
    values = [dict(zip(names, row, strict=True)) for row in rows]
    if values:
        connection.execute(insert(table), values)


def _order(order: SpotOrder) -> tuple[object, ...]:
    return (
        order.order_id, order.uid, order.market.symbol, order.side, order.type,
        order.time_in_force, order.quantity, order.price, order.client_id, order.time,
        order.quantity - order.remaining, order.quote, order.status, order.update_time,
    )  # fmt: skip


def _contract_order(order: Order[Terms]) -> tuple[object, ...]:
    terms = order.terms
    position = terms.position()
    position_id = position.position_id if position is not None else 0
    executed = order.quantity - order.remaining - terms.trimmed
    return (
        order.order_id, order.uid, order.market.symbol, order.side, terms.position_side,
        order.type, order.time_in_force, order.quantity, order.price, order.client_id, terms.cause,
        terms.algo_id, position_id, order.time, executed, order.quote, terms.trimmed, order.status,
        order.update_time,
    )  # fmt: skip


def _conditional(order: Algo) -> tuple[object, ...]:
    account: Account = order.holding.account
    position_id = order.position.position_id if order.position is not None else 0
    profit, loss = order.take_profit, order.stop_loss
    return (
        order.algo_id, account.uid, order.perp.symbol, order.side, order.position_side, order.type,
        order.quantity, order.trigger_price, order.price, order.source, order.client_id,
        int(order.rising), order.parent_id, position_id, profit.trigger_price, profit.source,
        loss.trigger_price, loss.source, order.callback_ppm, order.time,
        int(AlgoStatus.UNTRIGGERED), 0, 0, 0, 0, order.update_time,
    )  # fmt: skip
