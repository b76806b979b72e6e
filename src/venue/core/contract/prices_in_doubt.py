"""Computes the money that must stay in a pool while a price of its positions is in doubt (rule
5.14).

A position whose price is in doubt, or whose contract is halted, may turn out to be worth anything.
Until its price is known, no owner may lose the money that covers it to another owner.
"""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Order
from venue.core.contract.margin import initial
from venue.core.contract.position import (
    available_in,
    certain,
    equity,
    free_above,
    maintenance,
    maintenance_of,
    mark_of,
)
from venue.core.contract.records import Modes, Perpetual, Pool, Position, Terms
from venue.core.ledger.ledger import fee_on
from venue.core.messages.contract_events import ContractOrderParked
from venue.core.messages.events import Rejected
from venue.core.units import PPM, ceil_div
from venue.vocabulary import BUY, CROSSED, Reject

NEAR_PPM: Final = 1_000  # how far from the mark such a pool may close positions at known prices


def unknown(perp: Perpetual) -> bool:
    """Return whether a position's price is in doubt, or its contract is halted so that nobody can
    close."""
    return perp.doubt or perp.shut()


def doubt_refused(perp: Perpetual) -> Rejected:
    """Return the refusal of an order whose contract's price is in doubt."""
    if perp.reopens:
        return Rejected(Reject.MARKET_HOURS, perp.reopens)
    return Rejected(Reject.PRICE_DOUBT)


def doubtful(pool: Pool) -> bool:
    """Return whether a position's price is in doubt: nothing may leave the pool meanwhile (rule
    5.14).

    Outside market hours, which last for days, only what the position may lose stays (rule 6.8).
    """
    return any(position.perp.doubt and not position.perp.reopens for position in pool.positions)


def spare(pool: Pool) -> int:
    """Return the part of a cross pool's available money that may leave it, may be negative."""
    return 0 if doubtful(pool) else free_above(pool, available_in(pool)) - possible_loss(pool)


def possible_loss(pool: Pool) -> int:
    """Return the possible loss of positions at unknown prices beyond initial margins, in atoms: all
    their worth, long and short of a contract against each other."""
    for position in pool.positions:
        if unknown(position.perp):
            return _loss_after_close(pool, None, 0)
    return 0


def _loss_after_close(pool: Pool, closed: Position | None, lots: int) -> int:
    """As `possible_loss`, after `lots` of one of the positions are closed."""
    net: dict[int, int] = {}
    margins = 0
    for position in pool.positions:
        perp = position.perp
        if unknown(perp):
            size = position.quantity - (lots if position is closed else 0)
            value = mark_of(position) * (size * perp.unit)
            net[perp.ordinal] = net.get(perp.ordinal, 0) + position.side * value
            margins += initial(value, position.leverage)
    return max(0, sum([abs(value) for value in net.values()]) - margins)


def spendable(position: Position, lots: int, share: int, fee_ppm: int) -> int:
    """Return the cost that closing `lots` may have, of the `share` that a known price would allow.

    It is at most the larger of two amounts. The first is what would remain if all positions at
    unknown prices were lost. The second depends on the position: at an unknown price, its lots'
    part of the pool, so that the rest is as well covered as before; at a known price, the cost of a
    close near the mark.
    """
    pool = position.pool
    if share <= 0 or not possible_loss(pool):
        return share
    rest = share - _loss_after_close(pool, position, lots)
    return min(share, max(rest, _part(position, lots, fee_ppm)))


def too_dear(position: Position, lots: int, cost: int, fee_ppm: int) -> bool:
    """Return whether a resting order that closes lots of a position may not trade, because its
    owner's loss would use money that its pool may lose at unknown prices."""
    return cost > _part(position, lots, fee_ppm)


def _part(position: Position, lots: int, fee_ppm: int) -> int:
    pool = position.pool
    if unknown(position.perp):
        own = maintenance_of(position)
        return equity(pool) * own * lots // (max(1, maintenance(pool)) * position.quantity)
    value = mark_of(position) * (lots * position.perp.unit)
    return value * NEAR_PPM // PPM + fee_on(value, fee_ppm)


def widens(modes: Modes, position: Position, lots: int) -> bool:
    """Return whether a close would leave an owner a larger net position in a contract without the
    money for the whole worth of that growth: at a price in doubt that is an opening. `lots` of a
    short are negative."""
    pool = position.pool
    if pool.position_id:  # an isolated position is a pool of its own
        return False
    net = modes.total_long.lots - modes.total_short.lots
    if not modes.separated:
        net = sum([one.side * one.quantity for one in modes.longs + modes.shorts])
    growth = abs(net - lots) - abs(net)
    if growth <= 0:
        return False
    return (
        available_in(pool) - possible_loss(pool) < growth * mark_of(position) * position.perp.unit
    )


def park(order: Order[Terms]) -> ContractOrderParked:
    """Remove an order that may not trade from its book; it stays open (rule 5.14)."""
    order.market.book.park(order)
    keep_back(order)
    return ContractOrderParked(
        order.order_id, order.uid, order.market.symbol, order.side, order.price, order.remaining
    )


def keep_back(order: Order[Terms]) -> None:
    """Remove the queue place of a parked order, so that its owner cannot choose when it can be hit.
    The order keeps its place when no order of its kind may trade: openings while the price of their
    contract is known to nobody, and all orders in a halt."""
    perp = order.terms.perp
    if not perp.shut() and not (order.terms.opens and perp.refuses_opening()):
        order.place = 0


class Doubts:
    """Decides which open orders may not trade now (rule 5.14). Each pool is examined once: `doubts`
    says whether a price of it is in doubt, `risks` its possible loss in atoms."""

    __slots__ = ("doubts", "risks")

    def __init__(self) -> None:
        self.doubts: dict[Pool, bool] = {}
        self.risks: dict[Pool, int] = {}

    def holds(self, order: Order[Terms]) -> bool:
        """Return whether an order may not trade with anybody, as a price is in doubt."""
        terms = order.terms
        closes = terms.closes
        if closes is None:
            return terms.perp.refuses_opening() or (
                not certain(terms.pool) and self._opening(order, terms)
            )
        if terms.perp.refuses_opening() and widens(
            terms.modes, closes, closes.side * order.remaining
        ):
            return True
        pool = closes.pool
        if certain(pool) or not self._risk(pool):
            return False
        mark = mark_of(closes)
        size = order.remaining * terms.perp.unit
        loss = (order.price - mark if order.side == BUY else mark - order.price) * size
        if loss <= 0:
            return False
        rate = terms.holding.maker_rate(terms.perp.market)
        return too_dear(closes, order.remaining, loss + fee_on(order.price * size, rate), rate)

    def _opening(self, order: Order[Terms], terms: Terms) -> bool:
        pool = terms.pool
        if terms.modes.margin_mode != CROSSED and self._doubtful(pool):
            return True
        kept = self._risk(pool)
        if not kept:
            return False
        # A fill takes more than the order holds where the mark has overtaken its price.
        perp = terms.perp
        size = order.remaining * perp.unit
        loss = (order.price - perp.mark if order.side == BUY else perp.mark - order.price) * size
        need = ceil_div(perp.mark * size, terms.modes.leverage(terms.position_side)) + max(0, loss)
        need += fee_on(order.price * size, terms.holding.maker_rate(perp.market))
        return available_in(pool) - max(0, need - terms.margin) < kept

    def _doubtful(self, pool: Pool) -> bool:
        found = self.doubts.get(pool)
        if found is None:
            found = self.doubts[pool] = doubtful(pool)
        return found

    def _risk(self, pool: Pool) -> int:
        risk = self.risks.get(pool)
        if risk is None:
            risk = self.risks[pool] = possible_loss(pool)
        return risk
