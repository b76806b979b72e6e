"""Checks open orders and positions against terms that a contract may get (rule 1.7)."""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.contract.collateral import Collateral
from venue.core.contract.margin import Tiers
from venue.core.contract.position import equity, maintenance, maintenance_of, notional
from venue.core.contract.records import Modes, Pool, Position, Terms
from venue.vocabulary import LONG, SHORT


class Judgement:
    """One owner's orders and positions in a contract under its new terms: positions that `take`
    the new tiers, those that `keep` former ones, and open orders that `end`."""

    __slots__ = ("end", "keep", "take")

    def __init__(self) -> None:
        self.end: list[Order[Terms]] = []
        self.keep: list[Position] = []
        self.take: list[Position] = []


def judge_positions(modes: Modes, tiers: Tiers) -> Judgement:
    """Check one owner's positions with other tiers against these, without its orders. Changes
    nothing."""
    found = Judgement()
    former = _by_pool(modes, tiers)
    values = {side: _notional_of(modes, side) for side in (LONG, SHORT)} if former else {}
    for together in former:
        others = [position for position in together if position.tiers is not tiers]
        if _bears(together, tiers, values):
            found.take += others
        else:
            found.keep += others
    return found


def judge(modes: Modes, tiers: Tiers, position_max: int) -> Judgement:
    """Check one owner's orders and positions against tiers and a largest position, which need not
    be those of the contract yet. Changes nothing."""
    found = judge_positions(modes, tiers)
    orders = _opening(modes)
    if found.keep:
        found.end = orders
        return found
    for side in (LONG, SHORT):
        own = [order for order in orders if order.terms.position_side == side]
        value = _notional_of(modes, side) + sum([_value(order) for order in own])
        size = sum([position.quantity for position in modes.positions(side)])
        size += sum([order.remaining for order in own])
        for order in own:
            if size <= position_max and modes.leverage(side) <= _leverage_max(tiers, value):
                break
            found.end.append(order)
            value -= _value(order)
            size -= order.remaining
    return found


def fits(modes: Modes) -> bool:
    """Return whether all positions of an owner have the present tiers, or may take them."""
    return not judge_positions(modes, modes.perp.tiers).keep


def take_tiers(positions: list[Position], collateral: Collateral) -> None:
    """Give positions the tiers of their contract. A position never returns to former tiers."""
    for position in positions:
        perp = position.perp
        if position.tiers is not perp.tiers:
            position.tiers = perp.tiers
            position.pool.sums = None
            collateral.touch(position.pool)
            perp.former.pop(position.position_id, None)


def outgrown(order: Order[Terms]) -> bool:
    """Return whether a resting order that opens may no longer open, because its owner's leverage is
    above what the present tiers allow, or a position of its owner does not fit them. Called during
    a change, for orders that it has not reached."""
    terms = order.terms
    perp, modes, side = terms.perp, terms.modes, terms.position_side
    lots = modes.opening_long if side == LONG else modes.opening_short
    if modes.separated:
        lots += modes.totals(side).lots
    else:
        lots += sum([position.quantity for position in modes.positions(side)])
    value = lots * max(order.price, perp.mark) * perp.unit
    return modes.leverage(side) > _leverage_max(perp.tiers, value) or not fits(modes)


def _notional_of(modes: Modes, side: int) -> int:
    """Return the notional of an owner's positions of one side, in atoms."""
    return sum([notional(position) for position in modes.positions(side)])


def _by_pool(modes: Modes, tiers: Tiers) -> list[list[Position]]:
    """Return an owner's positions in a contract, grouped by pool; only pools where one has other
    tiers."""
    pools: dict[Pool, list[Position]] = {}
    for position in modes.longs + modes.shorts:
        pools.setdefault(position.pool, []).append(position)
    return [
        together
        for together in pools.values()
        if any(position.tiers is not tiers for position in together)
    ]


def _bears(together: list[Position], tiers: Tiers, values: dict[int, int]) -> bool:
    """Return whether positions of one pool in one contract fit tiers: their leverage is allowed,
    and the pool is above the maintenance margin. `values` are the sides' notionals in atoms."""
    pool = together[0].pool
    needed = maintenance(pool)
    for position in together:
        value = notional(position)
        needed += tiers.above(position.base, value) - maintenance_of(position)
        largest = max(values[position.side], position.base + value)
        if position.leverage > _leverage_max(tiers, largest):
            return False
    return equity(pool) > needed


def _opening(modes: Modes) -> list[Order[Terms]]:
    """Return an owner's open orders in a contract that open something, newest first."""
    if not modes.open_orders:
        return []
    market = modes.perp.market
    held = modes.pool.holding.orders.values()
    orders = [order for order in held if order.market is market and order.terms.opens]
    return orders[::-1]


def _value(order: Order[Terms]) -> int:
    perp = order.terms.perp
    return max(order.price, perp.mark) * (order.remaining * perp.unit)


def _leverage_max(tiers: Tiers, value: int) -> int:
    return tiers.leverages[tiers.at(value)]
