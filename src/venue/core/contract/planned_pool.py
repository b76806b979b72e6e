"""A pool as planned fills would leave it, computed on the side without changing the state.

The arithmetic is that of `fills`: the effect of opening or closing on collateral, margin and
equity.
"""

from __future__ import annotations

from venue.core.contract.margin import Tiers, freed_margin, initial
from venue.core.contract.position import maintenance, mark_of, sums_of
from venue.core.contract.records import Perpetual, Pool, Position
from venue.core.contract.reference.funding import due_funding
from venue.core.units import part_down


class Shadow:
    """A position that planned fills change: `quantity` lots, `value` its open value in atoms,
    `base` the value below it in the tiers (rule 5.8)."""

    __slots__ = ("base", "leverage", "mark", "quantity", "side", "tiers", "value")

    def __init__(self, side: int, leverage: int, mark: int, tiers: Tiers) -> None:
        self.side = side
        self.leverage = leverage
        self.tiers = tiers
        self.mark = mark
        self.quantity = 0
        self.value = 0
        self.base = 0

    def copy(self) -> Shadow:
        """Return a copy that can be changed separately."""
        made = Shadow(self.side, self.leverage, self.mark, self.tiers)
        made.quantity = self.quantity
        made.value = self.value
        made.base = self.base
        return made


class Stake:
    """One pool's sums in atoms, and the positions in one contract that planned fills change.

    A position that does not exist yet is identified by a number that the caller chooses. `below` is
    the stake that a trial is based on.
    """

    __slots__ = ("below", "collateral", "cost", "held", "initial", "isolated", "maintenance",
                 "perp", "shadows", "value")  # fmt: skip

    def __init__(self, perp: Perpetual, *, isolated: bool, below: Stake | None = None) -> None:
        self.perp = perp
        self.isolated = isolated
        self.below = below
        self.collateral = self.held = 0
        self.value = self.cost = self.initial = self.maintenance = 0
        self.shadows: dict[int, Shadow] = {}

    def trial(self) -> Stake:
        """Return a copy of the pool as planned so far, for trying a fill. It holds only the
        positions that it changes itself, so a try costs the same however many fills were planned
        before."""
        made = Stake(self.perp, isolated=self.isolated, below=self)
        made._assume(self)
        return made

    def keep_trial(self) -> Stake:
        """Keep the trial as planned: return the stake below with the trial's result, or this one if
        it was new."""
        below = self.below
        if below is None:
            return self
        below._assume(self)
        below.shadows.update(self.shadows)
        return below

    def shadow_at(self, position: Position) -> Shadow:
        """Return a position of the pool as planned so far."""
        shadow = self._find_shadow(position.position_id)
        if shadow is None:
            mark = mark_of(position)
            shadow = Shadow(position.side, position.leverage, mark, position.tiers)
            shadow.quantity = position.quantity
            shadow.value = position.value
            shadow.base = position.base
            self.shadows[position.position_id] = shadow
        return shadow

    def new_shadow(self, number: int, side: int, leverage: int) -> Shadow:
        """Return the position that a planned fill would create."""
        shadow = self._find_shadow(number)
        if shadow is None:
            perp = self.perp
            shadow = self.shadows[number] = Shadow(side, leverage, perp.mark, perp.tiers)
        return shadow

    def _find_shadow(self, number: int) -> Shadow | None:
        """Return a position that earlier fills or this one change; copy it from the stake below if
        needed."""
        shadow = self.shadows.get(number)
        if shadow is None and self.below is not None:
            earlier = self.below.shadows.get(number)
            if earlier is not None:
                shadow = self.shadows[number] = earlier.copy()
        return shadow

    def _assume(self, other: Stake) -> None:
        self.collateral, self.held = other.collateral, other.held
        self.value, self.cost = other.value, other.cost
        self.initial, self.maintenance = other.initial, other.maintenance

    # -- fills -----------------------------------------------------------------------------------

    def open(self, shadow: Shadow, lots: int, amount: int, fee: int) -> None:
        """Add lots at their notional `amount`."""
        self._turn(shadow, shadow.quantity + lots, shadow.value + amount)
        self.collateral -= (amount if shadow.side > 0 else -amount) + fee

    def close(self, shadow: Shadow, lots: int, amount: int, fee: int) -> None:
        """Remove lots at their notional `amount`; an isolated pool frees their margin."""
        size = shadow.quantity
        assert 0 < lots <= size, f"{lots} lots planned to close of {size}"
        wallet = self.collateral + self.cost
        out = shadow.value if lots == size else part_down(shadow.value, lots, size)
        self._turn(shadow, size - lots, shadow.value - out)
        self.collateral += (amount if shadow.side > 0 else -amount) - fee
        if self.isolated and shadow.quantity:
            net = shadow.side * (amount - out) - fee
            spare = self.collateral + self.cost - self.initial
            self.collateral -= freed_margin(part_down(wallet, lots, size) + net, spare)

    def _turn(self, shadow: Shadow, quantity: int, value: int) -> None:
        """Set a position's size to `quantity` lots, opened for `value`."""
        unit = shadow.mark * self.perp.unit
        before = shadow.quantity * unit
        after = quantity * unit
        # Compiled, a product with a negative number is dear: a side is a branch.
        if shadow.side > 0:
            self.value += after - before
            self.cost += value - shadow.value
        else:
            self.value += before - after
            self.cost += shadow.value - value
        leverage, tiers = shadow.leverage, shadow.tiers
        self.initial += initial(after, leverage) - initial(before, leverage)
        self.maintenance += tiers.above(shadow.base, after) - tiers.above(shadow.base, before)
        shadow.quantity = quantity
        shadow.value = value

    # -- what is left ----------------------------------------------------------------------------

    def available(self) -> int:
        """Return the pool's available money; may be negative (rule 5.6)."""
        return self.standing() - self.held

    def standing(self) -> int:
        """Return the pool's available money without deducting its open orders."""
        return self.collateral + self.cost + min(0, self.value - self.cost) - self.initial

    def equity(self) -> int:
        """Collateral and the worth of its positions at mark (rule 5.3)."""
        return self.collateral + self.value

    def slack(self) -> int:
        """Equity less maintenance margin."""
        return self.equity() - self.maintenance


def stake_of(pool: Pool, perp: Perpetual, time: int) -> Stake:
    """Return a pool before any fill; the funding that it owes is already deducted."""
    stake = Stake(perp, isolated=pool.position_id > 0)
    stake.collateral = pool.cash.collateral
    stake.held = pool.cash.held
    if not pool.positions:
        return stake
    sums = sums_of(pool)
    stake.value, stake.cost, stake.initial = sums.value, sums.cost, sums.initial
    stake.maintenance = maintenance(pool)
    if perp.settlement is not None or perp.due <= time:
        for position in pool.positions:
            if position.perp is perp:
                stake.collateral += min(0, due_funding(position, time))
    return stake
