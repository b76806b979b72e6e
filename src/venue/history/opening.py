"""The first rows of history when the journal's first commands cannot be projected any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from venue.core.book.book import Order
from venue.core.contract.records import Algo, Terms
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.spot.account import SpotOrder
from venue.history.kept_events import leaves_rows
from venue.history.sql import execute_for_each, first, transaction
from venue.history.store import Store
from venue.history.tables.contract import Conditional, ContractOrder
from venue.history.tables.spot import Opening, OrderRow
from venue.history.tables.table import TableRow, insert_statement, values
from venue.vocabulary import AlgoStatus

if TYPE_CHECKING:
    from apsw import Connection


def begin(store: Store, engine: Engine) -> None:
    """Empty a history and have it begin where an engine stands.

    Rows come from the next command on. Open orders are rows at once, as they change later; their
    earlier fills are in their sums alone. Agents' orders are left out, as their changes are.
    """
    store.clear()
    every = list(engine.contracts.collateral.holdings.values())
    holdings = [one for one in every if leaves_rows(one.account)]
    spot = [one for one in engine.spot.accounts.values() if leaves_rows(one.account)]
    rows: list[TableRow] = [_order(one) for own in spot for one in own.orders.values()]
    rows += [_contract_order(order) for holding in holdings for order in holding.orders.values()]
    rows += [_conditional(order) for holding in every for order in holding.algos.values()]
    rows.append(Opening(engine.sequence, engine.counters.order))
    with transaction(store.connection):
        _insert(store.connection, rows)
        store.connection.execute("UPDATE progress SET sequence = ?", (engine.sequence,))


def opening(connection: Connection) -> tuple[int, int]:
    """Return the command after which history begins, and the first order id from there; 0, 0:
    history is complete."""
    found: tuple[int, int] | None = first(connection, "SELECT sequence, order_id FROM opening")
    return found or (0, 0)


def _insert(connection: Connection, rows: Iterable[TableRow]) -> None:
    for row in rows:
        execute_for_each(connection, insert_statement(type(row)), [values(row)])


def _order(order: SpotOrder) -> OrderRow:
    return OrderRow(
        order.order_id, order.uid, order.market.symbol, order.side, order.type,
        order.time_in_force, order.quantity, order.price, order.client_id, order.time,
        order.quantity - order.remaining, order.quote, order.status, order.update_time,
    )  # fmt: skip


def _contract_order(order: Order[Terms]) -> ContractOrder:
    terms = order.terms
    position = terms.position()
    position_id = position.position_id if position is not None else 0
    executed = order.quantity - order.remaining - terms.trimmed
    return ContractOrder(
        order.order_id, order.uid, order.market.symbol, order.side, terms.position_side,
        order.type, order.time_in_force, order.quantity, order.price, order.client_id, terms.cause,
        terms.algo_id, position_id, order.time, executed, order.quote, terms.trimmed, order.status,
        order.update_time,
    )  # fmt: skip


def _conditional(order: Algo) -> Conditional:
    account: Account = order.holding.account
    position_id = order.position.position_id if order.position is not None else 0
    profit, loss = order.take_profit, order.stop_loss
    return Conditional(
        order.algo_id, account.uid, order.perp.symbol, order.side, order.position_side, order.type,
        order.quantity, order.trigger_price, order.price, order.source, order.client_id,
        int(order.rising), order.parent_id, position_id, profit.trigger_price, profit.source,
        loss.trigger_price, loss.source, order.callback_ppm, order.time,
        int(AlgoStatus.UNTRIGGERED), 0, 0, 0, 0, order.update_time,
    )  # fmt: skip
