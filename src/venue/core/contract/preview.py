"""Previews a contract order: plans it and shows the plan instead of executing it."""

from __future__ import annotations

from venue.core.book.book import OPEN, Order
from venue.core.book.matching import expected_status
from venue.core.contract.order_plan import Plan
from venue.core.contract.orders import Contracts, ShownPlan
from venue.core.contract.planned_pool import Shadow, Stake
from venue.core.contract.position import endangering_mark
from venue.core.contract.records import Pool, Terms
from venue.core.contract.stakes import Stakes, grown_by, shadow_of
from venue.core.ledger.accounts import Cash
from venue.core.messages.commands import PlaceContractOrder
from venue.core.messages.events import Event
from venue.core.units import ceil_div
from venue.vocabulary import CROSSED, NEW

UNTOLD = -1  # a liquidation price that the plan does not tell


class ContractOutlook:
    """The effects that an accepted order would have. `fills` are price, lots and fee, oldest first.

    Money is in atoms: `held` for the `rests` lots that stay in the book, `margin` moved into an
    isolated position by the fills, `available` left in the cross pool. The position is that of the
    order's side afterwards: `size` lots, opened for `value`, and the first mark that endangers it
    (0: none). `ended` are resting orders that the order would end.
    """

    __slots__ = ("available", "ended", "fee", "fills", "held", "liquidation", "margin", "rests",
                 "size", "status", "value")  # fmt: skip

    def __init__(self, status: int) -> None:
        self.status = status
        self.fills: list[tuple[int, int, int]] = []
        self.ended: list[int] = []
        self.fee = 0
        self.rests = 0
        self.held = 0
        self.margin = 0
        self.available = 0
        self.size = 0
        self.value = 0
        self.liquidation = 0


def preview(contracts: Contracts, command: PlaceContractOrder) -> ContractOutlook | list[Event]:
    """Return the effects that an order would have now, or the events if it is refused or repeated.

    Nothing is executed. The preview does not follow the consequences of the trades: conditional
    orders that they trigger, liquidations. Funding that is due now and that the owner would receive
    is not counted.
    """
    shown = ShownPlan()
    said = contracts.place(command, shown)
    order = shown.order
    if order is None:
        return said
    terms = order.terms
    plan = shown.plan if shown.plan is not None else Plan(order, terms)
    outlook = ContractOutlook(NEW)
    taken: dict[int, int] = {}
    for fill in plan.match.fills:
        maker = fill.maker
        taken[maker.order_id] = fill.lots or maker.remaining
        if fill.lots:
            outlook.fills.append((maker.price, fill.lots, fill.taker_fee))
        else:
            outlook.ended.append(maker.order_id)
    for maker in plan.parked:
        taken[maker.order_id] = maker.remaining
    if shown.plan is not None:
        outlook.status = expected_status(plan.match, taken)
    left = order.quantity - plan.match.lots
    if outlook.status in OPEN:
        outlook.rests = left
        if terms.opens:
            outlook.held = ceil_div(terms.whole_margin * left, order.quantity)
    outlook.fee = plan.fees
    outlook.margin = plan.margin
    _position(outlook, order, plan)
    return outlook


def _position(outlook: ContractOutlook, order: Order[Terms], plan: Plan) -> None:
    """The owner's position and money after the fills."""
    terms = order.terms
    stakes = Stakes(order, plan.match.fills)
    stakes.take_all()
    cross = stakes.pools[terms.pool]
    if plan.match.lots:
        stake, pool, shadow = _changed_position(order, plan, stakes.pools)
        outlook.size, outlook.value = shadow.quantity, shadow.value
        if shadow.quantity:
            outlook.liquidation = _danger(stake, pool, shadow, terms)
        if not terms.opens and pool.position_id:
            cross.collateral += _freed_margin(stake, pool, plan, shadow)
    outlook.available = cross.available() - outlook.held


def _changed_position(
    order: Order[Terms], plan: Plan, stakes: dict[Pool, Stake]
) -> tuple[Stake, Pool, Shadow]:
    """Return the position that the fills change, in its pool as they leave it."""
    terms = order.terms
    cross = terms.pool
    position = grown_by(terms) if terms.closes is None else terms.closes
    if terms.opens and terms.modes.margin_mode == CROSSED:
        return stakes[cross], cross, shadow_of(stakes[cross], order, position)
    if position is not None:
        stake = stakes[position.pool]
        return stake, position.pool, stake.shadow_at(position)
    stake = Stake(terms.perp, isolated=True)
    stake.collateral = plan.margin
    shadow = shadow_of(stake, order, None)
    for fill in plan.match.fills:
        if fill.lots:
            stake.open(shadow, fill.lots, fill.amount, fill.taker_fee)
    # Its pool does not exist yet: one without positions stands for it.
    return stake, Pool(terms.holding, Cash(terms.perp.asset), order.order_id), shadow


def _danger(stake: Stake, pool: Pool, shadow: Shadow, terms: Terms) -> int:
    """Return the first mark that endangers the pool; `UNTOLD` when a close moves the base of the
    owner's other separated positions."""
    if not terms.opens and terms.modes.separated and not pool.position_id:
        return UNTOLD
    perp = terms.perp
    for position in pool.positions:
        if position.perp is perp:
            stake.shadow_at(position)
    held = [found for found in stake.shadows.values() if found.quantity]
    tiers, slack = shadow.tiers, stake.slack()
    if terms.opens and perp.tiers_differ():  # all take the tiers of now (rule 1.7)
        tiers = perp.tiers
        for found in held:
            value = found.mark * (found.quantity * perp.unit)
            slack -= tiers.above(found.base, value) - found.tiers.above(found.base, value)
    together = [(found.side, found.quantity, found.base) for found in held]
    return endangering_mark(perp, tiers, shadow.mark, slack, together)


def _freed_margin(stake: Stake, pool: Pool, plan: Plan, shadow: Shadow) -> int:
    """Return the money that closing moves from an isolated pool to the cross pool (rule 5.5)."""
    if not shadow.quantity:
        return max(0, stake.collateral)
    return pool.cash.collateral + shadow.side * plan.notional - plan.fees - stake.collateral
