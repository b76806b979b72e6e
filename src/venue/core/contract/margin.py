"""Pure arithmetic of margin: initial, maintenance, bankruptcy, liquidation (rules 5, 7)."""

from __future__ import annotations

from venue.core.instruments import Tier
from venue.core.units import PPM, PRICE_MAX, ceil_div


class Tiers:
    """Maintenance tiers with their deductions, chosen so that the margin is continuous (rule 5.8).

    `caps` are notionals in atoms; `deductions` are in atoms x ppm, so that they are exact. `listed`
    are those of the contract.
    """

    __slots__ = ("caps", "deductions", "leverages", "listed", "rates")

    def __init__(self, tiers: list[Tier]) -> None:
        self.listed = tiers
        self.caps = [tier.notional_max for tier in tiers]
        self.rates = [tier.maintenance_ppm for tier in tiers]
        self.leverages = [tier.leverage_max for tier in tiers]
        self.deductions: list[int] = [0]
        for ordinal in range(1, len(tiers)):
            step = self.caps[ordinal - 1] * (self.rates[ordinal] - self.rates[ordinal - 1])
            self.deductions.append(self.deductions[ordinal - 1] + step)

    def at(self, notional: int) -> int:
        """Return the number of the tier of a notional, from 0; the last one has no end."""
        last = len(self.caps) - 1
        for ordinal in range(last):
            if notional <= self.caps[ordinal]:
                return ordinal
        return last

    def maintenance(self, notional: int) -> int:
        """MM(N) = N x rate - deduction, in atoms, rounded up (rules 1.2, 5.8)."""
        tier = self.at(notional)
        rate = self.rates[tier]
        # Compiled, a product is dear when a factor is beyond 2^30: millions go apart.
        millions = notional // PPM
        rest = (notional - millions * PPM) * rate - self.deductions[tier]
        return millions * rate - (-rest // PPM)

    def above(self, base: int, notional: int) -> int:
        """Return the margin that a notional adds to the margin of the `base` below it, in atoms."""
        if not base:
            return self.maintenance(notional)
        return self.maintenance(base + notional) - self.maintenance(base)


def initial(notional: int, leverage: int) -> int:
    """Initial margin of a notional: N / L, rounded up (rule 5.6)."""
    return ceil_div(notional, leverage)


def freed_margin(share: int, spare: int) -> int:
    """Return the money that closing a part of an isolated position moves out (rule 5.5): its share
    of the wallet, with the profit. The rest keeps at least its initial margin."""
    return max(0, min(share, spare))


def bankruptcy_price(side: int, size: int, mark: int, share: int, fee_ppm: int) -> int:
    """Return the price at which a position's share of its pool's equity is used up, fee included.

    `size` is lots x unit. Solves share + s x size x (p - mark) - fee x size x p = 0 for p (rule
    7.3), rounded in favour of the pool; 1 to PRICE_MAX ticks.
    """
    if side > 0:
        price = ceil_div((size * mark - share) * PPM, size * (PPM - fee_ppm))
    else:
        price = (size * mark + share) * PPM // (size * (PPM + fee_ppm))
    if price < 1:
        return 1
    return price if price < PRICE_MAX else PRICE_MAX


def liquidation_price(
    side: int, size: int, mark: int, slack: int, tiers: Tiers, base: int = 0
) -> int:
    """Return the first mark at which equity <= maintenance margin, when nothing but the mark
    changes (5.9).

    `slack` is the pool's equity at `mark` less the maintenance margin of its other positions,
    `base` is the value below the position in the tiers. In each tier slack + s x size x (p - mark)
    = size x p x rate - deduction is linear in p; the solution that lies in its own tier counts. 0
    when there is none.
    """
    last = len(tiers.caps) - 1
    for tier in range(last + 1):
        # The margin is rounded up: less than one atom above it is in danger too.
        constant = (slack - side * size * mark) * PPM + tiers.deductions[tier] - (PPM - 1)
        constant -= base * tiers.rates[tier] - tiers.maintenance(base) * PPM
        number = -side * constant
        divisor = size * (PPM - side * tiers.rates[tier])
        # The tier is that of the solution itself; rounded to a tick it may lie beyond its end.
        low = tiers.caps[tier - 1] - base if tier else 0
        if low * divisor < number * size and (
            tier == last or number * size <= (tiers.caps[tier] - base) * divisor
        ):
            price = number // divisor if side > 0 else ceil_div(number, divisor)
            return price if price < PRICE_MAX else 0
    return 0
