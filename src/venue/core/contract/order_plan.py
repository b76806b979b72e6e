"""Plans the fills of a contract order without effect, then the plan is executed (rule 3.12).

Each fill is planned in the state that the fills before it leave: price, lots, and the fee and
margin of both sides with their rounding. A resting order that its owner cannot afford is no
liquidity: the plan skips it, and its execution ends it.
"""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.book.matching import FILLS_MAX, PLANNED_MAX, Match, within_band
from venue.core.contract.fills import Fill, closing_fill
from venue.core.contract.planned_pool import stake_of
from venue.core.contract.position import (
    available_in,
    certain,
    closed_now,
    equity,
    maintenance,
    maintenance_after,
    mark_of,
)
from venue.core.contract.prices_in_doubt import (
    Doubts,
    doubtful,
    possible_loss,
    too_dear,
    widens,
)
from venue.core.contract.records import Perpetual, Pool, Position, Terms
from venue.core.contract.reference.funding import due_funding
from venue.core.contract.stakes import FEW, Stakes, fee_held, maker_margin
from venue.core.contract.terms_fit import outgrown
from venue.core.ledger.ledger import fee_on
from venue.core.units import PPM, ceil_div, part_up
from venue.vocabulary import (
    BUY,
    CANCELED,
    CAUSE_LIQUIDATION,
    CAUSE_OPERATOR,
    CAUSE_USER,
    CROSSED,
    EXPIRE_MAKER,
    EXPIRED,
    LONG,
)


class Plan:
    """The fills of one order (`match`), and their sums in atoms. The plan supplies the rules of its
    own walk.

    `worst` is the price of the last fill. `parked` are orders that may not trade now and leave the
    book. `drawn` is the cost to their owners of fills that were found easy; other fills are checked
    with `stakes`, created on first use. `band_ppm` bounds a MARKET order from its first fill on;
    `most` bounds one that opens: the notional that its owner has margin for. An isolated position
    gets `margin`: `weight` is the sum of lots x the higher of price and mark, `losses` the sum of
    the losses against the mark by opening. `closed` are the lots, longs less shorts, that resting
    orders closed at a price in doubt, by their owner.
    """

    __slots__ = (
        "band_ppm", "closed", "doubt", "drawn", "fees", "isolated", "losses", "margin", "match",
        "most", "notional", "order", "parked", "perp", "rate", "stakes", "terms", "weight", "worst",
    )  # fmt: skip

    def __init__(self, order: Order[Terms], terms: Terms) -> None:
        own = terms.holding.account.self_trade
        prevention = EXPIRE_MAKER if terms.cause == CAUSE_LIQUIDATION else own
        room = FILLS_MAX if terms.cause == CAUSE_USER else PLANNED_MAX
        self.match: Match[Terms, Fill] = Match(order, prevention, room)
        self.order = order
        self.terms = terms
        self.perp: Perpetual = terms.perp
        perp = terms.perp
        self.doubt = closed_now(perp)
        self.rate = terms.holding.taker_rate(terms.perp.market)
        self.isolated = terms.opens and terms.modes.margin_mode != CROSSED
        self.band_ppm = 0
        self.most = 0
        self.notional = 0
        self.fees = 0
        self.margin = 0
        self.weight = 0
        self.losses = 0
        self.worst = 0
        self.drawn = 0
        self.closed: dict[int, int] = {}
        self.parked: list[Order[Terms]] = []
        self.stakes: Stakes | None = None

    def walk(self, limit: int, band_ppm: int = 0) -> Plan:
        """Plan the order up to the price `limit`; with a band no further than that from the first
        fill.

        The walk of a MARKET order that opens ends where its owner's money does, and the order is
        refused: an owner without money causes no work.
        """
        if band_ppm:
            self.band_ppm = band_ppm
            if self.terms.opens:
                self.most = self._means()
        self.match.walk(limit, self)
        return self

    def _means(self) -> int:
        """Return the greatest notional, in atoms, for which the owner of an opening order has
        margin."""
        leverage = self.terms.modes.leverage(self.terms.position_side)
        return available_in(self.terms.pool) * leverage

    def _limit_walk(self, lots: int, price: int) -> None:
        """Bound the walk of a MARKET order for the fills after `lots` more at this price."""
        match = self.match
        if match.lots == 0:  # the first ones
            match.narrow(within_band(self.order.side, price, self.band_ppm))
        if self.terms.opens:
            # The least notional that it needs margin for so far.
            worth = (match.lots + lots) * self.perp.unit * max(price, self.perp.mark)
            match.enough = worth > self.most

    def fault(self) -> bool:
        """Return whether the plan no longer fits the state; then nothing of it may be executed."""
        total = 0
        for fill in self.match.fills:
            maker, lots = fill.maker, fill.lots
            total += lots
            if maker.level is None or lots > maker.remaining:
                return True
            closes = maker.terms.closes
            if closes is not None and closes.quantity < lots:
                return True
        closes = self.terms.closes
        if closes is not None and closes.quantity < total:
            return True
        return total != self.match.lots or total > self.order.remaining

    # -- the taker's need ------------------------------------------------------------------------

    def can_pay(self, rest: int) -> bool:
        """Return whether the owner of an opening order can pay for all fills, and for `rest` atoms
        to hold for the remainder."""
        stakes = self.stakes
        if stakes is not None and stakes.own:
            return stakes.trial(self.terms.pool, stakes.pools).available() >= rest
        need = self.cost() + rest
        if need <= self.terms.whole_margin:  # that much was found to be available
            return True
        return available_in(self.terms.pool) >= need

    def cost(self) -> int:
        """Return the cost of the fills to an opening order's owner, in atoms (rule 5.6): margin at
        mark, loss against it, and fee. It is an upper bound when the owner already has a position.
        """
        if self.isolated:
            return self.margin
        perp = self.perp
        at_mark = perp.mark * (self.match.lots * perp.unit)
        side = self.terms.position_side
        cost = self.fees - (-at_mark // self.terms.modes.leverage(side))
        loss = self.notional - at_mark if side == LONG else at_mark - self.notional
        return cost + loss if loss > 0 else cost

    # -- what a close leaves ---------------------------------------------------------------------

    def kept_solvent(self, position: Position) -> Plan:
        """Drop the last fills of a closing order that its pool cannot afford to the atom.

        The limit of the walk is exact except for the rounding of each fill's fee. A pool keeps the
        maintenance margin of the lots that it still holds, and never owes.
        """
        stakes = self.stakes
        if stakes is not None and stakes.own:
            owes = stakes.trial(position.pool, stakes.pools).equity() < 0
            return Plan(self.order, self.terms) if owes else self
        if position.pool.position_id:
            borne = self._isolated_bears(position)
            while len(self.match.fills) > borne:
                self._drop_last()
            return self
        while self.match.lots and not self._leaves_enough(position):
            self._drop_last()
        return self

    def _isolated_bears(self, position: Position) -> int:
        """Return how many of the fills an isolated pool can afford.

        Money that a fill frees leaves the pool, so the gain of the first fills does not pay for the
        loss and the fees of later ones.
        """
        stake = stake_of(position.pool, self.perp, self.order.time)
        shadow = stake.shadow_at(position)
        had_less = equity(position.pool) < maintenance(position.pool)
        borne, enough = 0, True
        for number, fill in enumerate(self.match.fills, 1):
            if fill.lots:
                stake.close(shadow, fill.lots, fill.amount, fill.taker_fee)
                enough = stake.equity() >= (0 if had_less else stake.maintenance)
            if enough:
                borne = number
        return borne

    def _leaves_enough(self, position: Position) -> bool:
        at_mark = self.match.lots * mark_of(position) * self.perp.unit
        left = equity(position.pool) + min(0, due_funding(position, self.order.time)) - self.fees
        left += position.side * (self.notional - at_mark)
        had_less = equity(position.pool) < maintenance(position.pool)
        # A pool that has less already closes at the mark or better (`admission.solvent_price`).
        return left >= (0 if had_less else maintenance_after(position, self.match.lots))

    def _drop_last(self) -> None:
        self.match.bounded = False  # its pool bears no more
        fill = self.match.fills.pop()
        self.match.lots -= fill.lots
        self.notional -= fill.amount
        self.fees -= fill.taker_fee

    # -- one resting order -----------------------------------------------------------------------

    def end(self, maker: Order[Terms]) -> Fill:
        """Return the entry for a resting order that self-trade prevention ends."""
        return closing_fill(maker, EXPIRED)

    def meet(self, maker: Order[Terms], lots: int) -> Fill | None:
        """Plan a fill. None while a price is in doubt for the resting order, or when its owner
        cannot afford the fill. The taker's margin is rounded up once over all its fills."""
        terms = maker.terms
        perp = self.perp
        price = maker.price
        opens, closes = terms.opens, terms.closes
        isolated = opens and terms.modes.margin_mode != CROSSED
        kept = self._money_to_leave(terms.pool, isolated=isolated) if opens else 0
        if kept is None or (closes is not None and self.doubt and self._widens(maker, closes)):
            self._leave_out(maker)
            return None
        if perp.change is not None and opens and (perp.delisted is not None or outgrown(maker)):
            self.match.fills.append(closing_fill(maker, EXPIRED, CAUSE_OPERATOR))
            return None
        size = lots * perp.unit
        amount = price * size
        rate = min(terms.holding.maker_rate(perp.market), maker.fee_ppm)
        fill = Fill(maker, lots, amount, fee_on(amount, self.rate), fee_on(amount, rate))
        own = maker.uid == self.order.uid
        mark = mark_of(closes) if not perp.mark and closes is not None else perp.mark
        # An owner that buys above the mark or sells below it loses by the fill.
        loss = (price - mark if maker.side == BUY else mark - price) * size
        if opens:
            left = maker.remaining - lots
            fill.released = terms.margin - _part_margin(maker, left) if left else terms.margin
            if isolated:
                fill.maker_margin = maker_margin(fill, terms)
        elif loss > 0 and closes is not None:
            cost = loss + fill.maker_fee
            if self._possible_loss(closes.pool) and too_dear(closes, lots, cost, rate):
                self._leave_out(maker)
                return None
        if self.isolated:
            fill.taker_margin = self._margin_with(fill) - self.margin
        if kept and not self._make_stakes().leaves(fill, terms, kept):
            self._leave_out(maker)
            return None
        easy = not (own or isolated) and (
            self._loses_easily(fill, terms, loss) if loss > 0 else self._pays_easily(fill, terms)
        )
        if not easy and not self._make_stakes().bears(fill, terms, loses=loss > 0):
            self.match.fills.append(closing_fill(maker, CANCELED))
            if opens:
                self._make_stakes().let_go(terms)
            return None
        stakes = self.stakes
        if stakes is not None and stakes.own and not own:
            stakes.take(fill, stakes.pools)
        if self.isolated:
            self._open_isolated(fill)
        if closes is not None and self.doubt:
            self.closed[maker.uid] = self.closed.get(maker.uid, 0) + closes.side * lots
        self.notional += amount
        self.fees += fill.taker_fee
        self.worst = price
        if self.band_ppm:
            self._limit_walk(lots, price)
        return fill

    def _widens(self, maker: Order[Terms], closes: Position) -> bool:
        """Return whether a resting close, after its owner's earlier ones, increases the owner's
        exposure."""
        lots = self.closed.get(maker.uid, 0) + closes.side * maker.remaining
        return widens(maker.terms.modes, closes, lots)

    def _leave_out(self, maker: Order[Terms]) -> None:
        """Note that an order that may not trade now must leave the book. It stays in the book when
        only the best prices of the spot book show doubt, until the next tick decides."""
        if self.perp.refuses_opening() or not self.doubt:
            self.parked.append(maker)
            self.match.room -= 1

    def _money_to_leave(self, pool: Pool, *, isolated: bool) -> int | None:
        """Return the money that a fill must leave in the pool of a resting order that opens,
        because unknown prices of its positions may cost that much. None: the order may not trade
        until prices are known."""
        if self.doubt or (isolated and self._doubtful(pool)):
            return None
        kept = 0 if certain(pool) else self._possible_loss(pool)
        return None if kept and available_in(pool) < kept else kept

    def _doubtful(self, pool: Pool) -> bool:
        """Return whether a pool has a position in doubt."""
        return doubtful(pool) if len(pool.positions) <= FEW else self._make_stakes().doubtful(pool)

    def _possible_loss(self, pool: Pool) -> int:
        """Return what a pool may lose beyond initial margins in contracts that are in doubt or
        halted, in atoms; a large pool's is computed once."""
        return (
            possible_loss(pool)
            if len(pool.positions) <= FEW
            else self._make_stakes().possible_loss(pool)
        )

    def _make_stakes(self) -> Stakes:
        """Return the stakes; create them on first use."""
        if self.stakes is None:
            self.stakes = Stakes(self.order, self.match.fills)
        return self.stakes

    def _has_stake(self, pool: Pool) -> bool:
        """Return whether fills that were planned before touch the pool: its check counts them."""
        return self.stakes is not None and pool in self.stakes.pools

    def _loses_easily(self, fill: Fill, terms: Terms, loss: int) -> bool:
        """Return whether a resting order's owner clearly has enough for a fill that costs it `loss`
        against the mark: more than all fills that were found easy before, of any owner, cost."""
        perp = self.perp
        cost = loss + fill.maker_fee
        closes = terms.closes
        if closes is None:
            pool = terms.pool
            at_mark = perp.mark * (fill.lots * perp.unit)
            cost += ceil_div(at_mark, terms.modes.leverage(terms.position_side)) - fill.released
            room = available_in(pool)
        else:
            pool = closes.pool
            if pool.position_id:  # a close takes money out of it
                return False
            room = _room(pool)
        return self._draws(pool, room, cost)

    def _pays_easily(self, fill: Fill, terms: Terms) -> bool:
        """As `_loses_easily`, for a fill at the mark or better. Each fill rounds its fee up, so
        many small fills can cost more than the order reserved.

        The reserve is worth nothing once the owner's money is gone, by an earlier fill or while the
        order rested.
        """
        closes = terms.closes
        if closes is not None:
            if not self.drawn and (self.stakes is None or not self.stakes.pools):
                return True
            pool = closes.pool
            return _room(pool) >= self.drawn and not self._has_stake(pool)
        pool = terms.pool
        room = available_in(pool)
        # It must be sound even if all that was drawn before was its own.
        if room < self.drawn or self._has_stake(pool):
            return False
        if fill.lots == fill.maker.quantity:
            return True  # one fill of the whole rounds up as often as the order did
        spread = fill.maker.fee_ppm - terms.holding.maker_rate(self.perp.market)
        if fill.amount * spread >= 2 * PPM:  # the reserve is larger by more than two roundings
            return True
        if fill.maker_fee <= fee_held(fill, terms):
            return True
        return self._draws(pool, room, 1)

    def _draws(self, pool: Pool, room: int, cost: int) -> bool:
        """Add the cost that exceeds the order's reserve to `drawn`; return whether the pool still
        covers it.

        The money of the reserve may be gone, because an earlier fill used it.
        """
        drawn = self.drawn + cost if cost > 0 else self.drawn
        if room < drawn or self._has_stake(pool):
            return False
        self.drawn = drawn
        return True

    def _open_isolated(self, fill: Fill) -> None:
        """Add the margin that an isolated position of the taker gets from a fill."""
        price = fill.maker.price
        away = self.terms.position_side * (price - self.perp.mark)
        self.weight += fill.lots * max(price, self.perp.mark)
        self.losses += fill.lots * max(0, away)
        self.margin += fill.taker_margin

    def _margin_with(self, fill: Fill) -> int:
        """Return the margin that the taker's isolated position gets from all fills including this
        one."""
        perp = self.perp
        price = fill.maker.price
        side = self.terms.position_side
        weight = self.weight + fill.lots * max(price, perp.mark)
        losses = self.losses + fill.lots * max(0, side * (price - perp.mark))
        fees = self.fees + fill.taker_fee
        leverage = self.terms.modes.leverage(side)
        return ceil_div(weight * perp.unit, leverage) + losses * perp.unit + fees


def all_wait(order: Order[Terms], terms: Terms) -> bool:
    """Return whether none of the orders that an order crosses may trade now, so that they all leave
    the book."""
    front = next(order.market.book.opposite(order.side).within(order.price))
    if not Doubts().holds(front):
        return False
    plan = Plan(order, terms).walk(order.price)
    return plan.match.looked == len(plan.parked) and plan.match.room > 0


def _room(pool: Pool) -> int:
    """Return the money that closes may lose in a pool: its orders' fills may use up what they
    hold."""
    return equity(pool) - maintenance(pool) - pool.cash.held


def _part_margin(order: Order[Terms], lots: int) -> int:
    """Return the margin of the last `lots` of a resting order, in atoms: their part, rounded up."""
    terms = order.terms
    if not terms.opens or not lots:
        return 0
    return min(terms.margin, part_up(terms.whole_margin, lots, order.quantity))
