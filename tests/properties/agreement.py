"""Whether the ledger says what the judge's own sums say; the one place that looks at an engine."""

from __future__ import annotations

from properties.hearing import must
from properties.sums import SELVES, Owner
from venue.core.engine import Engine


def compare(engine: Engine, owner: Owner) -> None:
    """The ledger's pools are those of the items; orders hold as much as they need.

    A need is told up to a few atoms a lot: how it is shared among an order's fills is not fixed.
    """
    account = engine.ledger.accounts[owner.uid]
    pool = account.contract[0]
    must(pool.collateral == owner.pools[0], "collateral of", owner.uid, "is", pool.collateral)
    if owner.held != pool.held or owner.orders:
        low = high = 0
        for order in owner.orders.values():
            if order.rests and order.opens:
                own = order.holds()
                low += own - SELVES
                high += own + SELVES * (order.left + 1)
        must(low <= pool.held <= high, "orders of", owner.uid, "hold", pool.held, "not", high)
        owner.held = pool.held
    if len(owner.pools) == 1:
        return
    for number, collateral in owner.pools.items():
        if number:
            there = account.isolated[number].collateral if number in account.isolated else 0
            must(there == collateral, "pool", number, "is", there, "and not", collateral)


def in_doubt(engine: Engine) -> bool:
    """Whether a contract's price is not one to open positions at."""
    return any(perp.doubt or not perp.current for perp in engine.contracts.markets.values())


def compare_all(engine: Engine, owners: dict[int, Owner]) -> None:
    """Every owner, position and order is the ledger's; longs are as many as shorts."""
    net: dict[str, int] = {}
    for uid in engine.ledger.accounts:
        owner = owners[uid]
        compare(engine, owner)
        _compare_holding(engine, owner)
        for position in owner.positions.values():
            name = position.market.name
            net[name] = net.get(name, 0) + position.side * position.lots
            number = position.position_id
            closing = sum(
                [order.left for order in owner.orders.values() if order.closing == number]
            )
            must(closing <= position.lots, "of position", number, closing, "lots are to be closed")
    must(not any(net.values()), "longs and shorts differ", net)


def _compare_holding(engine: Engine, owner: Owner) -> None:
    holding = engine.holding(owner.uid)
    ours = {p.position_id: (p.side, p.lots, p.value, p.leverage) for p in owner.positions.values()}
    told = {
        number: (p.side, p.quantity, p.value, p.leverage) for number, p in holding.positions.items()
    }
    must(ours == told, "positions of", owner.uid, "are", told, "and not", ours)
    resting = {order.order_id: order.left for order in owner.orders.values()}
    there = {number: order.remaining for number, order in holding.orders.items()}
    must(resting == there, "open orders of", owner.uid, "are", there, "and not", resting)
