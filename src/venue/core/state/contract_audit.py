"""The invariants of rule 10 on the contract side; see `audit`."""

from __future__ import annotations

from venue.core.book.book import Market, T, resting
from venue.core.contract.position import added_up, equity, is_fresh, maintenance_of
from venue.core.contract.records import UNKNOWN, Holding, Perpetual, Pool, Sums
from venue.core.engine import Engine
from venue.vocabulary import BUY, LONG


def problems(engine: Engine) -> list[str]:
    """Return the broken invariants, in words; empty when every one holds."""
    found: list[str] = []
    for perp in engine.contracts.markets.values():
        found += _perp_problems(perp)
    for holding in engine.contracts.collateral.holdings.values():
        found += _holding_problems(holding)
        found += _sums_problems(holding)
    for pool in engine.contracts.collateral.fund:
        judged = pool.shortfall < 0 and not pool.since  # otherwise known to be in danger
        judged = judged and all(_is_sellable(position.perp) for position in pool.positions)
        if equity(pool) < 0 and judged:
            name = engine.ledger.assets[pool.asset].name
            found.append(f"the insurance fund's equity in {name} is {equity(pool)}")
    for asset, dust in zip(engine.ledger.assets, engine.ledger.dust, strict=True):
        settling = any(perp.settlement is not None for perp in engine.contracts.markets.values())
        if dust < 0 and not settling:
            found.append(f"{asset.name}: dust is {dust}")
    return found


def _is_sellable(perp: Perpetual) -> bool:
    """Return whether the fund's position here can be sold; otherwise it waits, valued at the last
    mark."""
    return perp.current and not perp.doubt and not perp.shut()


def book_problems(market: Market[T]) -> list[str]:
    """Report a crossed book, and levels whose sums are wrong."""
    found: list[str] = []
    book = market.book
    if book.bid >= book.ask:
        found.append(f"{market.symbol}: the book is crossed")
    for half, price in ((book.bids, book.bid), (book.asks, book.best(BUY))):
        first = next(half.walk(), None)
        if price != (0 if first is None else first.price):
            found.append(f"{market.symbol}: {price} is not the best price of its side")
        for level in half.walk():
            if level.quantity != sum([order.remaining for order in level.orders()]):
                found.append(f"{market.symbol}: level {level.price} does not add up")
            places = [order.place for order in level.orders()]
            if places != sorted(places):
                found.append(f"{market.symbol}: the orders at {level.price} are not in their turn")
    return found


def _perp_problems(perp: Perpetual) -> list[str]:
    found = book_problems(perp.market)
    longs = shorts = 0
    for position in perp.positions.values():
        if position.side == LONG:
            longs += position.quantity
        else:
            shorts += position.quantity
        if position.quantity <= 0:
            found.append(f"position {position.position_id}: {position.quantity} lots")
        if position.closing > position.quantity:
            found.append(f"position {position.position_id}: closing orders are larger than it")
    if perp.ids.rows() != [(number,) for number in sorted(perp.positions)]:
        found.append(f"{perp.symbol}: the ids of its positions are not those of its positions")
    if longs != shorts:
        found.append(f"{perp.symbol}: {longs} lots long, {shorts} short")
    if longs != perp.open_interest:
        found.append(f"{perp.symbol}: open interest {perp.open_interest}, {longs} lots long")
    book = perp.market.book
    for orders in (resting(book.bids), resting(book.asks), list(book.parked.values())):
        for order in orders:
            if order.terms.holding.orders.get(order.order_id) is not order:
                found.append(f"contract order {order.order_id} rests but is not its owner's")
    return found


def _holding_problems(holding: Holding) -> list[str]:
    found: list[str] = []
    name = holding.account.name
    margins: dict[int, int] = {}
    counts: dict[int, int] = {}
    closing: dict[int, int] = {}
    for order in holding.orders.values():
        terms = order.terms
        perp = terms.perp
        counts[perp.ordinal] = counts.get(perp.ordinal, 0) + 1
        closes = terms.closes
        if closes is None:
            margins[perp.asset] = margins.get(perp.asset, 0) + terms.margin
        else:
            number = closes.position_id
            closing[number] = closing.get(number, 0) + order.remaining
        if not 0 < order.remaining <= order.quantity:
            found.append(f"order {order.order_id}: {order.remaining} of {order.quantity} remain")
    for cash in holding.account.contract:
        if cash.held != margins.get(cash.asset, 0):
            found.append(f"{name}: orders hold {cash.held} of asset {cash.asset}, need {margins}")
    counted = {ordinal: modes.open_orders for ordinal, modes in holding.modes.items()}
    if {ordinal: count for ordinal, count in counted.items() if count} != counts:
        found.append(f"{name}: open orders are counted as {counted}, not {counts}")
    for position in holding.positions.values():
        if position.closing != closing.get(position.position_id, 0):
            found.append(f"position {position.position_id}: closing {position.closing}")
        if position not in position.pool.positions:
            found.append(f"position {position.position_id} is not in its pool")
        if position not in holding.modes_in(position.perp).positions(position.side):
            found.append(f"position {position.position_id} is not known to its side")
    for modes in holding.modes.values():
        for side in (LONG, -LONG):
            pieces = [own for own in modes.positions(side) if own.separated]
            sums = sum([own.quantity for own in pieces]), sum([own.value for own in pieces])
            totals = modes.totals(side)
            if (totals.lots, totals.value) != sums:
                told = f"lots and value are {totals.lots} and {totals.value}, not {sums}"
                found.append(f"{name}: separated {told}")
    if list(holding.isolated) != list(holding.account.isolated):
        found.append(f"{name}: isolated pools are {list(holding.isolated)}")
    for position_id, pool in holding.isolated.items():
        if position_id not in holding.positions and pool.cash.collateral >= 0:
            found.append(f"{name}: pool {position_id} has no position")
    return found


def _sums_problems(holding: Holding) -> list[str]:
    """Report sums of a pool's positions that were kept through changes and are wrong now."""
    found: list[str] = []
    name = holding.account.name
    for pool in holding.pools():
        if pool.sums is None or not pool.positions or not is_fresh(pool.sums):
            continue
        kept, now = _as_numbers(pool.sums), _as_numbers(added_up(pool.positions))
        if pool.sums.maintenance != UNKNOWN:
            kept, now = (*kept, pool.sums.maintenance), (*now, _maintenance(pool))
        if kept != now:
            found.append(f"{name}: sums of pool {pool.position_id} are {kept}, not {now}")
    return found


def _as_numbers(sums: Sums) -> tuple[int, ...]:
    return sums.value, sums.cost, sums.initial, sums.free


def _maintenance(pool: Pool) -> int:
    return sum([maintenance_of(position) for position in pool.positions])
