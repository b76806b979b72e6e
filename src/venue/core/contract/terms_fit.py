"""Open orders and positions as they stand under terms that a contract may get (rule 1.7)."""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.contract.margin import Tiers
from venue.core.contract.position import equity, maintenance, maintenance_of, notional
from venue.core.contract.records import Modes, Position, Terms
from venue.vocabulary import LONG, SHORT


class Judgement:
    """One owner's orders and positions in a contract under its new terms: positions that `take`
    the new tiers, those that `keep` former ones, and open orders that `end`."""

    __slots__ = ("end", "keep", "take")

    def __init__(self) -> None:
        self.end: list[Order[Terms]] = []
        self.keep: list[Position] = []
        self.take: list[Position] = []


def judge(modes: Modes, tiers: Tiers, position_max: int) -> Judgement:
    """How one owner's orders and positions stand under tiers and a largest position, which need
    not be those of the contract yet. Nothing is changed."""
    found = Judgement()
    perp = modes.perp
    values = {LONG: 0, SHORT: 0}
    lots = {LONG: 0, SHORT: 0}
    for position in modes.longs + modes.shorts:
        values[position.side] += notional(position)
        lots[position.side] += position.quantity
    for pool in {position.pool: None for position in modes.longs + modes.shorts}:
        together = [position for position in pool.positions if position.perp is perp]
        if _bears(together, tiers, values):
            found.take += together
        else:
            found.keep += together
    orders = _opening(modes)
    if found.keep:
        found.end = orders
        return found
    for side in (LONG, SHORT):
        own = [order for order in orders if order.terms.position_side == side]
        value = values[side] + sum([_value(order) for order in own])
        size = lots[side] + sum([order.remaining for order in own])
        for order in own:
            if size <= position_max and modes.leverage(side) <= _allowed(tiers, value):
                break
            found.end.append(order)
            value -= _value(order)
            size -= order.remaining
    return found


def outgrown(order: Order[Terms]) -> bool:
    """Whether a resting order that opens can no longer open, because its owner's leverage is above
    what the tiers of now allow. Asked while a change is under way, of orders that it has not
    reached."""
    terms = order.terms
    perp, modes, side = terms.perp, terms.modes, terms.position_side
    lots = modes.opening_long if side == LONG else modes.opening_short
    if modes.separated:
        lots += modes.lots(side)
    else:
        lots += sum([position.quantity for position in modes.positions(side)])
    value = lots * max(order.price, perp.mark) * perp.unit
    return modes.leverage(side) > _allowed(perp.tiers, value)


def _bears(together: list[Position], tiers: Tiers, values: dict[int, int]) -> bool:
    """Whether positions of one pool in one contract fit tiers: their leverage is allowed, and the
    pool stands above the maintenance margin. `values` are the sides' notionals in atoms."""
    pool = together[0].pool
    needed = maintenance(pool)
    for position in together:
        value = notional(position)
        needed += tiers.above(position.base, value) - maintenance_of(position)
        largest = max(values[position.side], position.base + value)
        if position.leverage > _allowed(tiers, largest):
            return False
    return equity(pool) > needed


def _opening(modes: Modes) -> list[Order[Terms]]:
    """An owner's open orders in a contract that open something, newest first."""
    if not modes.open_orders:
        return []
    market = modes.perp.market
    held = modes.pool.holding.orders.values()
    orders = [order for order in held if order.market is market and order.terms.opens]
    return orders[::-1]


def _value(order: Order[Terms]) -> int:
    perp = order.terms.perp
    return max(order.price, perp.mark) * (order.remaining * perp.unit)


def _allowed(tiers: Tiers, value: int) -> int:
    return tiers.leverages[tiers.at(value)]
