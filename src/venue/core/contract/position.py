"""Positions and their arithmetic: open, reduce, realized profit (rules 5.1 to 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from venue.core.book.orders import Order
from venue.core.contract.margin import liquidation_price
from venue.core.ledger.accounts import Pool
from venue.core.units import PRICE_MAX

if TYPE_CHECKING:
    from venue.core.contract.account import Terms
    from venue.core.contract.conditional import Algo
    from venue.core.contract.perpetual import Perpetual

UNKNOWN: Final = -1


class Position:
    """One position: `quantity` lots, `value` its open value in atoms, `side` +1 long, -1 short.

    `base` is what a separated one stands on (rule 5.8): what its owner had on its side in other
    positions when lots were last added, in atoms at mark.
    `orders` are the closing orders on it, oldest first, `closing` the lots they still hold;
    `algos` the conditional orders that close it. `funded` is the due time of the last funding
    settlement it took part in, or that was due when it was opened. `rank` is its key in the ADL
    ranking, 0 outside it; `passed` the key and id of the last opposite position that was asked in
    vain to take it over (rule 7.5). The sums are its life's.
    """

    __slots__ = (
        "algos",
        "auto_margin",
        "base",
        "close_fee",
        "close_size",
        "close_value",
        "closing",
        "created",
        "created_sequence",
        "funded",
        "funding_fee",
        "leverage",
        "liquidate_fee",
        "open_fee",
        "open_order_id",
        "open_size",
        "open_value",
        "orders",
        "passed",
        "perp",
        "pool",
        "position_id",
        "quantity",
        "rank",
        "realized",
        "separated",
        "side",
        "updated",
        "updated_sequence",
        "value",
    )

    def __init__(
        self, position_id: int, perp: Perpetual, side: int, pool: Pool, leverage: int, time: int
    ) -> None:
        self.position_id = position_id
        self.perp = perp
        self.side = side
        self.pool = pool
        self.leverage = leverage
        self.separated = False
        self.open_order_id = 0
        self.auto_margin = False
        self.base = 0
        self.quantity = 0
        self.value = 0
        self.open_value = 0
        self.orders: dict[int, Order[Terms]] = {}
        self.closing = 0
        self.algos: dict[int, Algo] = {}
        self.funded = 0
        self.rank = 0
        self.passed = (0, 0)
        self.open_size = 0
        self.open_fee = 0
        self.close_size = 0
        self.close_value = 0
        self.close_fee = 0
        self.funding_fee = 0
        self.liquidate_fee = 0
        self.realized = 0
        self.created = time
        self.updated = time
        self.created_sequence = 0
        self.updated_sequence = 0

    def increase(self, lots: int, notional: int, fee: int) -> None:
        """Add lots at their notional."""
        assert lots > 0 <= notional, f"{lots} lots opened for {notional} atoms"
        self.quantity += lots
        self.value += notional
        self.open_size += lots
        self.open_value += notional
        self.open_fee += fee

    def reduce(self, lots: int, notional: int, fee: int) -> tuple[int, int]:
        """Take lots out at their notional: (open value taken out, profit without the fee).

        Open value leaves in proportion, rounded down; a full close takes all (rule 5.4).
        """
        assert 0 < lots <= self.quantity, f"{lots} lots closed of {self.quantity}"
        value = self.value if lots == self.quantity else self.value * lots // self.quantity
        realized = self.side * (notional - value)
        self.quantity -= lots
        self.value -= value
        assert self.value >= 0, f"an open value of {self.value} atoms"
        self.close_size += lots
        self.close_value += notional
        self.close_fee += fee
        self.realized += realized
        return value, realized

    def left(self) -> int:
        """Lots that no closing order holds yet (rule 5.1)."""
        return self.quantity - self.closing


def mark_of(position: Position) -> int:
    """The contract's mark; before there is one, the position's own average price."""
    mark = position.perp.mark
    if mark or not position.quantity:
        return mark
    return position.value // (position.quantity * position.perp.unit)


def notional(position: Position) -> int:
    """Its value at mark, in atoms, without sign."""
    perp = position.perp
    return (perp.mark or mark_of(position)) * (position.quantity * perp.unit)


def profit(position: Position) -> int:
    """Unrealized profit: s x (q x M - open value) (rule 5.3)."""
    return position.side * (notional(position) - position.value)


class Sums:
    """The sums of a pool's positions at the marks of their contracts, in atoms.

    `value` is the sum of s x q x M, `cost` that of s x open value; `initial` and `maintenance` are
    their margins, the latter UNKNOWN until it is asked for. `free` is what they add to the
    collateral as available money: the lower of value and cost, less initial margins. It was
    computed at the `mark` of `perp`, and for positions in several contracts at the marks of
    `others`.
    """

    __slots__ = ("cost", "free", "initial", "maintenance", "mark", "others", "perp", "value")

    def __init__(self, positions: list[Position]) -> None:
        self.perp: Perpetual = positions[0].perp
        self.others: tuple[tuple[Perpetual, int], ...] = ()
        self.add_up(positions)

    def add_up(self, positions: list[Position]) -> None:
        """Begin anew with these positions, at the marks of now."""
        self.value = 0
        self.cost = 0
        self.initial = 0
        self.maintenance = UNKNOWN
        perp = self.perp = positions[0].perp
        self.mark = perp.mark
        self.others = ()
        for position in positions:
            if position.perp is not perp:
                perp = position.perp
                self.others += ((perp, perp.mark),)
            # Compiled, products of large numbers are dear: even one with 1 or -1 is worth a branch.
            at_mark = (perp.mark or mark_of(position)) * (position.quantity * perp.unit)
            self.initial += -(-at_mark // position.leverage)
            if position.side > 0:
                self.value += at_mark
                self.cost += position.value
            else:
                self.value -= at_mark
                self.cost -= position.value
        self.free = (self.value if self.value < self.cost else self.cost) - self.initial

    def follow(self, position: Position, quantity: int, value: int, base: int) -> None:
        """Take in the change of a position that had so many lots and so much open value, and stood
        on so much, before.

        So a pool of a thousand positions is not added up a thousand times.
        """
        perp = position.perp
        mark = perp.mark
        if perp is not self.perp or mark != self.mark or self.others or not mark:
            if not mark or not self.fresh():
                self.mark = UNKNOWN
                return
            if not self.knows(perp):
                self.others += ((perp, mark),)
        unit = mark * perp.unit
        before = quantity * unit
        after = position.quantity * unit
        leverage = position.leverage
        margin = self.initial + (-before // leverage) - (-after // leverage)
        # Compiled, products of large numbers are dear: even one with 1 or -1 is worth a branch.
        if position.side > 0:
            worth = self.value + after - before
            cost = self.cost + position.value - value
        else:
            worth = self.value + before - after
            cost = self.cost + value - position.value
        self.value, self.cost, self.initial = worth, cost, margin
        self.free = (worth if worth < cost else cost) - margin
        if self.maintenance != UNKNOWN:
            tiers = perp.tiers
            self.maintenance += tiers.above(position.base, after) - tiers.above(base, before)

    def fresh(self) -> bool:
        """Whether no mark has moved since."""
        if self.perp.mark != self.mark:
            return False
        return not self.others or all(perp.mark == mark for perp, mark in self.others)

    def knows(self, perp: Perpetual) -> bool:
        """Whether positions in a contract are among them."""
        return perp is self.perp or any(other is perp for other, _ in self.others)


def sums_of(pool: Pool) -> Sums:
    """The sums of a pool's positions now; kept while neither they nor their marks change."""
    sums = pool.sums
    if sums is None:
        sums = pool.sums = Sums(pool.positions)
    elif not sums.fresh():
        sums.add_up(pool.positions)
    return sums


def equity(pool: Pool) -> int:
    """Collateral + sum of s x q x M over its positions (rule 5.3)."""
    return pool.collateral + sums_of(pool).value if pool.positions else pool.collateral


def available_in(pool: Pool) -> int:
    """The available money of a cross pool (rule 5.6), may be negative: wallet + min(0, unrealized
    profit) - initial margins - margins of open orders. Unrealized profit never counts."""
    sums = pool.sums
    if sums is None or sums.others or sums.perp.mark != sums.mark:
        if not pool.positions:
            return pool.collateral - pool.held
        sums = sums_of(pool)
    return pool.collateral + sums.free - pool.held


def certain(pool: Pool) -> bool:
    """Whether the sums of a pool alone tell that all its prices are known: they are those of now,
    of positions in one contract. Else `prices_in_doubt` can tell."""
    sums = pool.sums
    if sums is None:
        return not pool.positions
    perp = sums.perp
    fresh = perp.mark == sums.mark and not sums.others
    return fresh and not perp.doubt and not perp.market.halted


def liquidation_mark(position: Position) -> int:
    """The first mark of its contract that endangers its pool, in ticks (rule 5.9); 0: none.

    Both sides of a hedge in one pool move together: its price lies below the mark when the pool is
    net long, above it when it is net short.
    """
    pool, perp = position.pool, position.perp
    together = [
        (found.side, found.quantity, found.base) for found in pool.positions if found.perp is perp
    ]
    return endangering_mark(perp, mark_of(position), equity(pool) - maintenance(pool), together)


def endangering_mark(
    perp: Perpetual, mark: int, slack: int, together: list[tuple[int, int, int]]
) -> int:
    """The same for one pool's positions in a contract, each its side, its lots and what it stands
    on. `slack` is the pool's equity less its maintenance margin, in atoms."""
    tiers = perp.tiers
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
    return pool.collateral + sums_of(pool).cost if pool.positions else pool.collateral


def maintenance(pool: Pool) -> int:
    """The maintenance margins of its positions at mark (rule 5.8)."""
    if not pool.positions:
        return 0
    sums = sums_of(pool)
    if sums.maintenance == UNKNOWN:
        sums.maintenance = sum([maintenance_of(found) for found in pool.positions])
    return sums.maintenance


def maintenance_of(position: Position) -> int:
    """What a position adds to its owner's maintenance margin at mark (rule 5.8)."""
    return position.perp.tiers.above(position.base, notional(position))


def maintenance_after(position: Position, lots: int) -> int:
    """The maintenance margin of a position's pool once `lots` of it are closed."""
    tiers = position.perp.tiers
    value = mark_of(position) * position.perp.unit
    before = tiers.above(position.base, value * position.quantity)
    after = tiers.above(position.base, value * (position.quantity - lots))
    return maintenance(position.pool) - before + after
