"""Whether history agrees with itself and with the engine: for `venue verify`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, func, or_, select

from venue.core.engine import Engine
from venue.history.tables import BILLS, FILLS, ORDERS, PROGRESS
from venue.terms import OrderStatus, Wallet

PROBLEMS_MAX: Final = 100  # of each kind; a broken file should not fill the screen
ROWS_AT_ONCE: Final = 10_000
CHAIN: Final = (BILLS.c.uid, BILLS.c.wallet, BILLS.c.asset)
OPEN: Final = (int(OrderStatus.NEW), int(OrderStatus.PARTIALLY_FILLED))


def check(connection: Connection, engine: Engine) -> list[str]:
    """What is wrong, as readable texts; empty when all is well.

    Bills chain per owner, wallet and asset and end at the engine's balances; open orders are the
    engine's; fills sum to their orders; each trade has two fills.
    """
    reached = connection.execute(select(PROGRESS.c.sequence)).scalar_one()
    if reached != engine.sequence:
        return [f"history reaches command {reached}, the engine {engine.sequence}"]
    problems: list[str] = []
    for look in (_bills, _balances, _open_orders, _fills_of_orders, _trades):
        found = look(connection, engine)
        problems += found[:PROBLEMS_MAX]
        if len(found) > PROBLEMS_MAX:
            problems.append(f"... and {len(found) - PROBLEMS_MAX} more like the last")
    return problems


def _bills(connection: Connection, engine: Engine) -> list[str]:
    problems: list[str] = []
    chains: dict[tuple[int, int, str], int] = {}
    columns = (BILLS.c.bill_id, *CHAIN, BILLS.c.amount, BILLS.c.after)
    rows = connection.execute(select(*columns).order_by(BILLS.c.bill_id))
    for bill_id, uid, wallet, asset, amount, after in rows.yield_per(ROWS_AT_ONCE):
        chain = (uid, wallet, asset)
        before = chains.get(chain, 0)
        if before + amount != after:
            problems.append(
                f"bill {bill_id} of {_name(*chain)}: {before} + {amount} is not {after}"
            )
        chains[chain] = after
    return problems


def _balances(connection: Connection, engine: Engine) -> list[str]:
    newest = select(func.max(BILLS.c.bill_id)).group_by(*CHAIN)
    rows = connection.execute(
        select(*CHAIN, BILLS.c.after).where(BILLS.c.bill_id.in_(newest)).order_by(BILLS.c.bill_id)
    )
    billed = {(uid, wallet, asset): after for uid, wallet, asset, after in rows}
    problems: list[str] = []
    for account in engine.ledger.accounts.values():
        for wallet in Wallet:
            for index, asset in enumerate(engine.ledger.assets):
                chain = (account.uid, int(wallet), asset.name)
                after = billed.pop(chain, 0)
                balance = account.total(wallet, index)
                if after != balance:
                    problems.append(
                        f"{_name(*chain)}: the last bill says {after}, the engine {balance}"
                    )
    return problems + [f"bills of {_name(*chain)}, unknown to the engine" for chain in billed]


def _open_orders(connection: Connection, engine: Engine) -> list[str]:
    columns = (ORDERS.c.order_id, ORDERS.c.uid, ORDERS.c.executed, ORDERS.c.quote, ORDERS.c.status)
    rows = connection.execute(
        select(*columns).where(ORDERS.c.status.in_(OPEN)).order_by(ORDERS.c.order_id)
    )
    stored = {row[0]: tuple(row[1:]) for row in rows}
    problems: list[str] = []
    for account in engine.ledger.accounts.values():
        for order in account.orders.values():
            known = (account.uid, order.quantity - order.remaining, order.quote, order.status)
            row = stored.pop(order.order_id, None)
            if row != known:
                problems.append(
                    f"order {order.order_id} (uid, executed, quote, status):"
                    f" the engine says {known}, history {row}"
                )
    return problems + [
        f"order {order_id} is open in history, not in the engine" for order_id in stored
    ]


def _fills_of_orders(connection: Connection, engine: Engine) -> list[str]:
    sums = (
        select(
            FILLS.c.order_id,
            func.sum(FILLS.c.quantity).label("quantity"),
            func.sum(FILLS.c.notional).label("notional"),
        )
        .group_by(FILLS.c.order_id)
        .subquery()
    )
    filled = func.coalesce(sums.c.quantity, 0)
    notional = func.coalesce(sums.c.notional, 0)
    rows = connection.execute(
        select(ORDERS.c.order_id, ORDERS.c.executed, ORDERS.c.quote, filled, notional)
        .outerjoin_from(ORDERS, sums, ORDERS.c.order_id == sums.c.order_id)
        .where(or_(ORDERS.c.executed != filled, ORDERS.c.quote != notional))
        .order_by(ORDERS.c.order_id)
    )
    problems = [
        f"order {order_id}: executed {executed} lots for {quote}, its fills say {lots} for {paid}"
        for order_id, executed, quote, lots, paid in rows
    ]
    orphans = connection.execute(
        select(sums.c.order_id)
        .where(sums.c.order_id.not_in(select(ORDERS.c.order_id)))
        .order_by(sums.c.order_id)
    )
    return problems + [f"fills of order {order_id}, which is missing" for (order_id,) in orphans]


def _trades(connection: Connection, engine: Engine) -> list[str]:
    rows = connection.execute(
        select(FILLS.c.trade_id, func.count())
        .group_by(FILLS.c.trade_id)
        .having(func.count() != 2)
        .order_by(FILLS.c.trade_id)
    )
    return [f"trade {trade_id} has {count} fills, not 2" for trade_id, count in rows]


def _name(uid: int, wallet: int, asset: str) -> str:
    return f"owner {uid}, {Wallet(wallet).name.lower()} wallet, {asset}"
