"""The pools that a plan's fills change, and whether resting owners can bear them (rule 3.12)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Order
from venue.core.contract.admission import order_margin
from venue.core.contract.fills import Fill
from venue.core.contract.planned_pool import Shadow, Stake, stake_of
from venue.core.contract.position import find_position
from venue.core.contract.prices_in_doubt import doubtful, possible_loss
from venue.core.contract.records import Perpetual, Pool, Position, Terms
from venue.core.ledger.ledger import fee_on
from venue.core.units import part_up
from venue.vocabulary import CROSSED

FEW: Final = 8  # positions of a pool up to which asking them again is cheaper than a memory


class Stakes:
    """The `pools` that the fills of a plan change, as the `fills` so far leave them.

    The taker's pools are included from its first own resting order on (`own`). A large pool is
    examined once, not once for each resting order: `doubts` says whether a price is in doubt,
    `risks` the possible loss in atoms. `by_owner` has the first `counted` fills, by the maker's
    owner.
    """

    __slots__ = ("by_owner", "counted", "doubts", "fills", "order", "own", "perp", "pools",
                 "risks")  # fmt: skip

    def __init__(self, order: Order[Terms], fills: list[Fill]) -> None:
        self.order = order
        self.perp: Perpetual = order.terms.perp
        self.fills = fills
        self.own = False
        self.pools: dict[Pool, Stake] = {}
        self.doubts: dict[Pool, bool] = {}
        self.risks: dict[Pool, int] = {}
        self.by_owner: dict[int, list[Fill]] = {}
        self.counted = 0

    # -- prices in doubt -------------------------------------------------------------------------

    def doubtful(self, pool: Pool) -> bool:
        """Return whether a large pool has a position in doubt, computed once for all its orders."""
        found = self.doubts.get(pool)
        if found is None:
            found = self.doubts[pool] = doubtful(pool)
        return found

    def possible_loss(self, pool: Pool) -> int:
        """Return the possible loss of a large pool at unknown prices, in atoms, computed once."""
        risk = self.risks.get(pool)
        if risk is None:
            risk = self.risks[pool] = possible_loss(pool)
        return risk

    # -- bearing a fill --------------------------------------------------------------------------

    def bears(self, fill: Fill, terms: Terms, *, loses: bool) -> bool:
        """Return whether a resting order's owner can afford a fill after the earlier ones; if so
        the fill is counted too.

        An opening order may use neither money that other orders hold nor money that does not exist:
        the available money stays above zero, or gets no lower. Only margin that the mark asks for
        because it has moved in the order's favour may be missing: the profit, which never counts as
        available, covers it. A closing order leaves the pool the maintenance margin of the rest.
        """
        own = self._count(fill.maker)
        tried: dict[Pool, Stake] = {}
        stake = self.trial(_paying_pool(terms), tried)
        before = stake.available() if terms.opens else stake.slack()
        if own:
            self.take(fill, tried)
        margin = stake.initial
        self._make(fill, terms, tried)
        if terms.opens:
            moved = 0
            if not loses and terms.modes.margin_mode == CROSSED:
                held = fill.released - fee_held(fill, terms)
                moved = max(0, stake.initial - margin - held)
            borne = stake.available() + moved >= min(0, before) and stake.standing() + moved >= 0
        else:
            slack = stake.slack()
            borne = slack >= 0 or (not loses and slack >= before)
        if borne:
            for pool, trial in tried.items():
                self.pools[pool] = trial.keep_trial()
        return borne

    def leaves(self, fill: Fill, terms: Terms, kept: int) -> bool:
        """Return whether a fill leaves `kept` available in the pool of a resting order that opens,
        after the earlier fills. The fill itself is not counted."""
        own = self._count(fill.maker)
        tried: dict[Pool, Stake] = {}
        if own:
            self.take(fill, tried)
        self._make(fill, terms, tried)
        return self.trial(terms.pool, tried).available() >= kept

    def take_all(self) -> None:
        """Update the taker's pools for all fills, and include its cross pool in any case."""
        self.trial(self.order.terms.pool, self.pools)
        for fill in self.fills:
            terms = fill.maker.terms
            if fill.lots:
                self.take(fill, self.pools)
            if fill.maker.uid != self.order.uid:
                continue
            if fill.lots:
                self._make(fill, terms, self.pools)
            elif terms.opens:
                self.let_go(terms)

    def let_go(self, terms: Terms) -> None:
        """Free what an ended opening order held: the money is available to its owner again."""
        self.trial(terms.pool, self.pools).held -= terms.margin

    def trial(self, pool: Pool, tried: dict[Pool, Stake]) -> Stake:
        """Return a copy of a pool's stake as planned so far."""
        stake = tried.get(pool)
        if stake is None:
            planned = self.pools.get(pool)
            stake = (
                stake_of(pool, self.perp, self.order.time) if planned is None else planned.trial()
            )
            tried[pool] = stake
        return stake

    def take(self, fill: Fill, stakes: dict[Pool, Stake]) -> None:
        """Count the taker's side of a fill."""
        self._leg(self.order, self.order.terms, fill.taker_margin, fill.taker_fee, fill, stakes)

    def _make(self, fill: Fill, terms: Terms, stakes: dict[Pool, Stake]) -> None:
        """Count the resting order's side of a fill; what it holds for the fill is freed."""
        if terms.opens:
            self.trial(terms.pool, stakes).held -= fill.released
        self._leg(fill.maker, terms, fill.maker_margin, fill.maker_fee, fill, stakes)

    def _leg(
        self, order: Order[Terms], terms: Terms, margin: int, fee: int, fill: Fill,
        stakes: dict[Pool, Stake],
    ) -> None:  # fmt: skip
        closes = terms.closes
        if closes is not None:
            stake = self.trial(closes.pool, stakes)
            stake.close(stake.shadow_at(closes), fill.lots, fill.amount, fee)
            return
        grown = grown_by(terms)
        cross = self.trial(terms.pool, stakes)
        if terms.modes.margin_mode == CROSSED:
            cross.open(shadow_of(cross, order, grown), fill.lots, fill.amount, fee)
            return
        cross.collateral -= margin
        if grown is not None:
            stake = self.trial(grown.pool, stakes)
            stake.collateral += margin
            stake.open(stake.shadow_at(grown), fill.lots, fill.amount, fee)

    def _count(self, maker: Order[Terms]) -> bool:
        """Count the earlier fills of a resting order's owner, and note whether it is also the
        taker."""
        own = maker.uid == self.order.uid
        if own and not self.own:
            self.own = True
            for earlier in self.fills:
                if earlier.lots:
                    self.take(earlier, self.pools)
        self._remember(maker)
        return own

    def _remember(self, maker: Order[Terms]) -> None:
        """Count the fills of a resting order's owner that were found easy, before the first that is
        not."""
        pool = maker.terms.pool
        if pool in self.pools:
            return
        self.pools[pool] = stake_of(pool, self.perp, self.order.time)
        for earlier in self._fills_of(maker.uid):
            self._make(earlier, earlier.maker.terms, self.pools)

    def _fills_of(self, uid: int) -> list[Fill]:
        """Return the fills that met an owner's resting orders."""
        for fill in self.fills[self.counted :]:
            if fill.lots:
                self.by_owner.setdefault(fill.maker.uid, []).append(fill)
        self.counted = len(self.fills)
        return self.by_owner.get(uid, [])


def grown_by(terms: Terms) -> Position | None:
    """Return the position that an opening order adds to; None when it will create one."""
    if terms.modes.separated:
        made = terms.made
        return made if made is not None and made.quantity else None
    return find_position(terms.modes, terms.position_side)


def shadow_of(cross: Stake, order: Order[Terms], grown: Position | None) -> Shadow:
    """Return the cross position that an order opens or adds to."""
    if grown is not None:
        return cross.shadow_at(grown)
    terms = order.terms
    side = terms.position_side
    modes = terms.modes
    # Ids of orders and positions come from one counter; a side stands for a combined one.
    number = order.order_id if modes.separated else side
    shadow = cross.new_shadow(number, side, modes.leverage(side))
    shadow.base = terms.perp.mark * (modes.totals(side).lots * terms.perp.unit)
    return shadow


def fee_held(fill: Fill, terms: Terms) -> int:
    """Return the money that a resting opening order holds for the fee of a fill, in atoms."""
    perp = terms.perp
    maker = fill.maker
    whole = maker.price * (maker.quantity * perp.unit)
    reserve = fee_on(whole, maker.fee_ppm)
    after = part_up(reserve, maker.remaining - fill.lots, maker.quantity)
    return part_up(reserve, maker.remaining, maker.quantity) - after


def maker_margin(fill: Fill, terms: Terms) -> int:
    """Return the margin that a resting order moves into its isolated position: its part of the
    hold, or all that the fill needs once the mark is worse than the order's price."""
    perp = terms.perp
    maker = fill.maker
    side = terms.position_side
    need = order_margin(
        side, fill.lots, maker.price, perp.mark, perp.unit, terms.modes.leverage(side),
        maker.fee_ppm,
    )  # fmt: skip
    if side * (maker.price - perp.mark) > 0:
        return need
    return min(need, fill.released)


def _paying_pool(terms: Terms) -> Pool:
    """Return the pool that pays for a fill: a closing order's own, otherwise the cross pool."""
    return terms.pool if terms.closes is None else terms.closes.pool
