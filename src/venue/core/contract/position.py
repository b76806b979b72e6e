"""Computes values and margins of positions, alone and in their pools (rules 5.1 to 5.9)."""

from __future__ import annotations

from venue.core.contract.margin import Tiers, liquidation_price
from venue.core.contract.records import UNKNOWN, Holding, Modes, Perpetual, Pool, Position, Sums
from venue.core.units import PRICE_MAX, part_down


def closed_now(perp: Perpetual) -> bool:
    """Return whether nothing may be opened in a contract, found by the last tick or by a check
    now."""
    return perp.in_doubt() or perp.outside()


def mark_of(position: Position) -> int:
    """Return the contract's mark; before there is one, the position's own average price."""
    mark = position.perp.mark
    if mark or not position.quantity:
        return mark
    return position.value // (position.quantity * position.perp.unit)


def notional(position: Position) -> int:
    """Return the position's value at mark, in atoms, without sign."""
    perp = position.perp
    return (perp.mark or mark_of(position)) * (position.quantity * perp.unit)


def profit(position: Position) -> int:
    """Unrealized profit: s x (q x M - open value) (rule 5.3)."""
    return position.side * (notional(position) - position.value)


def added_up(positions: list[Position]) -> Sums:
    """Return the sums of a pool's positions, at the present marks."""
    sums = Sums(positions[0].perp)
    add_up(sums, positions)
    return sums


def add_up(sums: Sums, positions: list[Position]) -> None:
    """Compute the sums from these positions, at the present marks."""
    sums.value = 0
    sums.cost = 0
    sums.initial = 0
    sums.maintenance = UNKNOWN
    perp = sums.perp = positions[0].perp
    sums.mark = perp.mark
    sums.others = ()
    for position in positions:
        if position.perp is not perp:
            perp = position.perp
            sums.others += ((perp, perp.mark),)
        # Compiled, products of large numbers are dear: even one with 1 or -1 is worth a branch.
        at_mark = (perp.mark or mark_of(position)) * (position.quantity * perp.unit)
        sums.initial += -(-at_mark // position.leverage)
        if position.side > 0:
            sums.value += at_mark
            sums.cost += position.value
        else:
            sums.value -= at_mark
            sums.cost -= position.value
    sums.free = (sums.value if sums.value < sums.cost else sums.cost) - sums.initial


def follow(sums: Sums, position: Position, quantity: int, value: int, base: int) -> None:
    """Update the sums for the change of one position; `quantity`, `value` and `base` are those
    before it.

    So a pool of a thousand positions is not summed a thousand times.
    """
    perp = position.perp
    mark = perp.mark
    if perp is not sums.perp or mark != sums.mark or sums.others or not mark:
        if not mark or not is_fresh(sums):
            sums.mark = UNKNOWN
            return
        if not _knows(sums, perp):
            sums.others += ((perp, mark),)
    unit = mark * perp.unit
    before = quantity * unit
    after = position.quantity * unit
    leverage = position.leverage
    margin = sums.initial + (-before // leverage) - (-after // leverage)
    # Compiled, products of large numbers are dear: even one with 1 or -1 is worth a branch.
    if position.side > 0:
        worth = sums.value + after - before
        cost = sums.cost + position.value - value
    else:
        worth = sums.value + before - after
        cost = sums.cost + value - position.value
    sums.value, sums.cost, sums.initial = worth, cost, margin
    sums.free = (worth if worth < cost else cost) - margin
    if sums.maintenance != UNKNOWN:
        tiers = position.tiers
        sums.maintenance += tiers.above(position.base, after) - tiers.above(base, before)


def is_fresh(sums: Sums) -> bool:
    """Return whether no mark has moved since the sums were computed."""
    if sums.perp.mark != sums.mark:
        return False
    return not sums.others or all(perp.mark == mark for perp, mark in sums.others)


def _knows(sums: Sums, perp: Perpetual) -> bool:
    """Return whether the sums include positions in a contract."""
    return perp is sums.perp or any(other is perp for other, _ in sums.others)


def sums_of(pool: Pool) -> Sums:
    """Return the present sums of a pool's positions; they are reused while neither positions nor
    marks change."""
    sums = pool.sums
    if sums is None:
        sums = pool.sums = added_up(pool.positions)
    elif not is_fresh(sums):
        add_up(sums, pool.positions)
    return sums


def equity(pool: Pool) -> int:
    """Collateral + sum of s x q x M over its positions (rule 5.3)."""
    return pool.cash.collateral + sums_of(pool).value if pool.positions else pool.cash.collateral


def available_in(pool: Pool) -> int:
    """Return the available money of a cross pool (rule 5.6); may be negative: wallet + min(0,
    unrealized profit) - initial margins - margins of open orders. Unrealized profit never counts.
    """
    sums = pool.sums
    if sums is None or sums.others or sums.perp.mark != sums.mark:
        if not pool.positions:
            return pool.cash.collateral - pool.cash.held
        sums = sums_of(pool)
    return pool.cash.collateral + sums.free - pool.cash.held


def free_above(pool: Pool, free: int) -> int:
    """Return the part of `free` atoms that can leave a pool and keep it above its maintenance
    margin (rule 5.6): a mark may carry a position into a tier whose margin is above its initial
    one."""
    return min(free, equity(pool) - maintenance(pool) - 1) if pool.positions else free


def certain(pool: Pool) -> bool:
    """Return whether the sums of a pool alone show that all its prices are known: the sums are
    current, and of positions in one contract. If they do not show it, ask `prices_in_doubt`."""
    sums = pool.sums
    if sums is None:
        return not pool.positions
    perp = sums.perp
    fresh = perp.mark == sums.mark and not sums.others
    return fresh and not perp.doubt and not perp.shut()


def liquidation_mark(position: Position) -> int:
    """Return the first mark of its contract that endangers its pool, in ticks (rule 5.9); 0: none.

    Both sides of a hedge in one pool move together: its price lies below the mark when the pool is
    net long, above it when it is net short.
    """
    pool, perp = position.pool, position.perp
    together = [
        (found.side, found.quantity, found.base) for found in pool.positions if found.perp is perp
    ]
    slack = equity(pool) - maintenance(pool)
    return endangering_mark(perp, position.tiers, mark_of(position), slack, together)


def endangering_mark(
    perp: Perpetual, tiers: Tiers, mark: int, slack: int, together: list[tuple[int, int, int]]
) -> int:
    """Return the first mark that endangers one pool's positions in a contract, each given as side,
    lots and base. `slack` is the pool's equity less its maintenance margin, in atoms."""
    held = sum([tiers.above(base, mark * lots * perp.unit) for _, lots, base in together])
    if len(together) == 1:
        side, lots, base = together[0]
        return liquidation_price(side, lots * perp.unit, mark, slack + held, tiers, base)
    net = sum([side * lots for side, lots, _ in together]) * perp.unit
    safe, beyond = mark, 0 if net > 0 else PRICE_MAX
    if net == 0 or slack <= 0:
        return 0 if net == 0 else mark
    # Slack is concave in the mark, so there is one boundary between a safe end and a lost one.
    while abs(beyond - safe) > 1:
        middle = (safe + beyond) // 2
        needed = [tiers.above(base, middle * lots * perp.unit) for _, lots, base in together]
        if slack + net * (middle - mark) + held - sum(needed) > 0:
            safe = middle
        else:
            beyond = middle
    return beyond if beyond < PRICE_MAX else 0


def wallet(pool: Pool) -> int:
    """Collateral + signed open values: deposits + realized profit - fees + funding (rule 5.3)."""
    return pool.cash.collateral + sums_of(pool).cost if pool.positions else pool.cash.collateral


def wallets(holding: Holding, asset: int) -> int:
    """Return an owner's contract money in one settle asset, without unrealized profit, in atoms."""
    return sum([wallet(pool) for pool in holding.pools_in(asset)])


def maintenance(pool: Pool) -> int:
    """Return the sum of the positions' maintenance margins at mark (rule 5.8)."""
    if not pool.positions:
        return 0
    sums = sums_of(pool)
    if sums.maintenance == UNKNOWN:
        sums.maintenance = sum([maintenance_of(found) for found in pool.positions])
    return sums.maintenance


def maintenance_of(position: Position) -> int:
    """Return the maintenance margin that a position adds to its owner's at mark (rule 5.8)."""
    return position.tiers.above(position.base, notional(position))


def maintenance_after(position: Position, lots: int) -> int:
    """Return the maintenance margin of a position's pool after `lots` of it are closed."""
    tiers = position.tiers
    value = mark_of(position) * position.perp.unit
    before = tiers.above(position.base, value * position.quantity)
    after = tiers.above(position.base, value * (position.quantity - lots))
    return maintenance(position.pool) - before + after


def increase(position: Position, lots: int, notional: int, fee: int) -> None:
    """Add lots at their notional."""
    assert lots > 0 <= notional, f"{lots} lots opened for {notional} atoms"
    position.quantity += lots
    position.value += notional
    position.open_size += lots
    position.open_value += notional
    position.open_fee += fee


def reduce(position: Position, lots: int, notional: int, fee: int) -> tuple[int, int]:
    """Remove lots at their notional; return (open value removed, profit without the fee).

    Open value leaves in proportion, rounded down; a full close removes all (rule 5.4).
    """
    assert 0 < lots <= position.quantity, f"{lots} lots closed of {position.quantity}"
    whole = lots == position.quantity
    value = position.value if whole else part_down(position.value, lots, position.quantity)
    realized = position.side * (notional - value)
    position.quantity -= lots
    position.value -= value
    assert position.value >= 0, f"an open value of {position.value} atoms"
    position.close_size += lots
    position.close_value += notional
    position.close_fee += fee
    position.realized += realized
    return value, realized


def find_position(modes: Modes, side: int) -> Position | None:
    """Return an owner's combined position of one side of a contract; None when there is none."""
    for position in modes.positions(side):
        if not position.separated:
            return position
    return None
