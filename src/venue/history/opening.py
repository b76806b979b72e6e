"""The first rows of history when the journal's first commands cannot be projected any more."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Table, insert, select, update

from venue.core.book.orders import Order
from venue.core.contract.account import Terms
from venue.core.contract.conditional import Algo
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.history.schema.contract import ALGO_ORDERS, CONTRACT_ORDERS
from venue.history.schema.spot import OPENING, ORDERS, PROGRESS
from venue.history.store import Store
from venue.vocabulary import AlgoStatus


def begin(store: Store, engine: Engine) -> None:
    """Empty a history and have it begin where an engine stands.

    Rows come from the next command on. Open orders are rows at once, as they change later; their
    earlier fills are in their sums alone.
    """
    store.clear()
    accounts = list(engine.ledger.accounts.values())
    holdings = [account.holding for account in accounts if account.holding is not None]
    with store.connection.begin():
        write = store.connection
        _insert(write, ORDERS, [_order(one) for own in accounts for one in own.orders.values()])
        orders = [order for holding in holdings for order in holding.orders.values()]
        _insert(write, CONTRACT_ORDERS, [_contract_order(order) for order in orders])
        algos = [algo for holding in holdings for algo in holding.algos.values()]
        _insert(write, ALGO_ORDERS, [_algo(algo) for algo in algos])
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


def _order(order: Order[None]) -> tuple[object, ...]:
    return (
        order.order_id, order.account.uid, order.market.symbol, order.side, order.type,
        order.time_in_force, order.quantity, order.price, order.client_id, order.time,
        order.quantity - order.remaining, order.quote, order.status, order.update_time,
    )  # fmt: skip


def _contract_order(order: Order[Terms]) -> tuple[object, ...]:
    terms = order.terms
    position = terms.position()
    position_id = position.position_id if position is not None else 0
    executed = order.quantity - order.remaining - terms.trimmed
    return (
        order.order_id, order.account.uid, order.market.symbol, order.side, terms.position_side,
        order.type, order.time_in_force, order.quantity, order.price, order.client_id, terms.cause,
        terms.algo_id, position_id, order.time, executed, order.quote, terms.trimmed, order.status,
        order.update_time,
    )  # fmt: skip


def _algo(algo: Algo) -> tuple[object, ...]:
    account: Account = algo.holding.account
    position_id = algo.position.position_id if algo.position is not None else 0
    profit, loss = algo.take_profit, algo.stop_loss
    return (
        algo.algo_id, account.uid, algo.perp.symbol, algo.side, algo.position_side, algo.type,
        algo.quantity, algo.trigger_price, algo.price, algo.source, algo.client_id,
        int(algo.rising), algo.parent_id, position_id, profit.trigger_price, profit.source,
        loss.trigger_price, loss.source, algo.callback_ppm, algo.time, int(AlgoStatus.UNTRIGGERED),
        0, 0, 0, 0, algo.update_time,
    )  # fmt: skip
