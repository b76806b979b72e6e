"""Tests whether a contract is safe: inequalities that its terms and price must satisfy (rule 1.6).

They compare what one second may take from a pool with what a pool in danger still has: the
maintenance margin of the first tier, the smallest. Listings, changes and the running contract use
this test.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct, structs

from venue.core.instruments import SHARE_MAX_PPM, Contract
from venue.core.units import AMOUNT_MAX, PPB, PPM, PRICE_MAX, ceil_div

TICK_PARTS: Final = 5  # one tick is at most a fifth of the maintenance margin
STEP_PPM: Final = 750_000  # a second's step is at most 0.75 of it, and so is a funding settlement
FEE_PPM: Final = 500_000  # a taker's or maker's fee is at most half of it
GAP_PPM: Final = 20_000  # the maintenance rate bears so large a jump when a market opens again
PRICES: Final = 4  # the highest price of a contract is at least four times its lowest
# Parts of the greatest notional of the first tier.
INDEX_PART: Final = 200  # the index notional by default
IMPACT_PART: Final = 100  # the impact notional by default
NOTIONAL_PART: Final = 1_000  # both are at least so much
RATE_DIGITS: Final = 6  # of a rate in ppm

Notional = tuple[str, str, int]  # a setting, its name in words, atoms


class Breach(Struct, frozen=True):
    """An inequality that fails: `value`, called `what`, must be at most `most`, which is `why`.

    Both have so many `digits` after the point: six of a rate in ppm, none of a price in ticks, an
    amount as many as its asset. `field` is the setting that breaks it.
    """

    field: str
    what: str
    value: int
    most: int
    why: str
    digits: int = RATE_DIGITS

    def inequality(self) -> str:
        """In words, with its numbers."""
        value, most = (_decimal(number, self.digits) for number in (self.value, self.most))
        return f"{self.what}, {value}, must be at most {most}, {self.why}"


def breach_of_terms(contract: Contract, unit: int, scale: int) -> Breach | None:
    """Return the first inequality that a contract's terms fail, whatever its price; None: they are
    safe, or `contract_fault` refuses them.

    `unit` is one tick x lot in atoms of the settle asset, which has `scale` decimals.
    """
    rate = contract.tiers[0].maintenance_ppm if contract.tiers else 0
    if rate <= 0 or not 0 < unit <= AMOUNT_MAX:
        return None
    half = f"half of the maintenance rate {_decimal(rate)} of the first tier"
    most = rate * FEE_PPM // PPM
    instrument = contract.instrument
    for field, ppm in (("taker_ppm", instrument.taker_ppm), ("maker_ppm", instrument.maker_ppm)):
        if ppm > most:
            return Breach(field, "the fee rate", ppm, most, half)
    part = f"0.75 x the maintenance rate {_decimal(rate)} of the first tier"
    cap = ceil_div(contract.funding_cap_ppb, PPB // PPM)
    if contract.funding_cap_ppb > funding_cap_most(contract):
        return Breach("funding_cap_ppb", "the funding cap", cap, rate * STEP_PPM // PPM, part)
    most = index_step_most(contract)
    if contract.index_step_ppm > most:
        return Breach("index_step_ppm", "a second's step", contract.index_step_ppm, most, part)
    if contract.share_ppm > SHARE_MAX_PPM:
        what = "the share of the open interest for one owner"
        why = "so that two owners who hedge each other leave half of it to others"
        return Breach("share_ppm", what, contract.share_ppm, SHARE_MAX_PPM, why)
    if contract.market_hours and rate < GAP_PPM:
        what = "the jump of the index that a position must bear when its market opens again"
        why = "the maintenance rate of the first tier"
        return Breach("market_hours", what, GAP_PPM, rate, why)
    least = PRICES * price_least(contract)
    highest = price_most(contract, unit)
    if least > highest:
        words = "four times the lowest price, in ticks, of which one is a fifth of its margin"
        why = "the highest price at which the largest position can be counted"
        return Breach("position_max", words, least, highest, why, 0)
    return _breach_of_notionals(contract, unit, scale)


def _breach_of_notionals(contract: Contract, unit: int, scale: int) -> Breach | None:
    """Return the inequality that a notional breaks: it must count beside the positions of the
    contract, exceed a single order, and not exceed the largest position."""
    first, last = contract.tiers[0].notional_max, contract.tiers[-1].notional_max
    order = contract.instrument.quantity_min * unit * PRICES * price_least(contract)
    part = ceil_div(first, NOTIONAL_PART)
    for field, name, atoms in _notionals(contract):
        if part > atoms:
            what = "a thousandth of the first tier's greatest notional"
            return Breach(field, what, part, atoms, name, scale)
        if atoms > last:
            why = "the last tier's greatest notional"
            return Breach(field, name, atoms, last, why, scale)
        if order > atoms:
            what = "the smallest order at four times the lowest price"
            return Breach(field, what, order, atoms, name, scale)
    return None


def with_rate(contract: Contract, least_ppm: int) -> Contract:
    """Return the contract with the lower maintenance rate that some of its positions keep (rule
    1.7)."""
    tiers = contract.tiers
    if not tiers or tiers[0].maintenance_ppm <= least_ppm:
        return contract
    first = structs.replace(tiers[0], maintenance_ppm=least_ppm)
    return structs.replace(contract, tiers=[first, *tiers[1:]])


def breach_of_price(contract: Contract, mark: int, unit: int, scale: int) -> Breach | None:
    """Return the inequality that a contract fails at its mark, in ticks; 0: it has no mark, and
    fails none. `unit` and `scale` are as in `breach_of_terms`."""
    if mark > price_highest(contract, unit):
        field, name, atoms = min(_notionals(contract), key=_atoms)
        order = contract.instrument.quantity_min * mark * unit
        what = f"the smallest order at {mark} ticks"
        return Breach(field, what, order, atoms, name, scale)
    if not 0 < mark < price_least(contract):
        return None
    rate = contract.tiers[0].maintenance_ppm
    why = f"a fifth of the maintenance rate {_decimal(rate)} of the first tier"
    tick = ceil_div(PPM, mark)
    return Breach("tick", f"one tick of {mark}", tick, rate // TICK_PARTS, why)


def price_least(contract: Contract) -> int:
    """Return the lowest mark, in ticks, at which one tick is at most a fifth of the maintenance
    margin."""
    return ceil_div(TICK_PARTS * PPM, contract.tiers[0].maintenance_ppm)


def price_highest(contract: Contract, unit: int) -> int:
    """Return the highest mark, in ticks, at which the smallest order is within the index notional
    and within the impact notional."""
    _, _, least = min(_notionals(contract), key=_atoms)
    return least // (contract.instrument.quantity_min * unit)


def index_notional(contract: Contract) -> int:
    """Return the notional that each side of the spot book must fill, in atoms (rule 6.1)."""
    return contract.index_notional or _part(contract, INDEX_PART)


def impact_notional(contract: Contract) -> int:
    """Return the notional whose prices are the premium, in atoms (rule 6.3)."""
    return contract.impact_notional or _part(contract, IMPACT_PART)


def _notionals(contract: Contract) -> tuple[Notional, Notional]:
    return (
        ("index_notional", "the index notional", index_notional(contract)),
        ("impact_notional", "the impact notional", impact_notional(contract)),
    )


def _atoms(notional: Notional) -> int:
    return notional[2]


def _part(contract: Contract, part: int) -> int:
    return max(1, contract.tiers[0].notional_max // part)


def price_most(contract: Contract, unit: int) -> int:
    """Return the highest price at which the largest position's worth can still be counted, in
    ticks."""
    return min(PRICE_MAX, AMOUNT_MAX // (contract.position_max * unit))


def position_most(contract: Contract) -> int:
    """Return the most lots that an owner may hold or ask for on one side, in all its positions.

    Its share is of the greatest open interest, not of what is open now, and at least the smallest
    order.
    """
    share = contract.open_interest_max * contract.share_ppm // PPM
    return min(contract.position_max, max(share, contract.instrument.quantity_min))


def fee_most(contract: Contract) -> int:
    """Return the cap of a contract's maker and taker fees in ppm: half of the first tier's
    maintenance rate; PPM without tiers."""
    return contract.tiers[0].maintenance_ppm * FEE_PPM // PPM if contract.tiers else PPM


def funding_cap_most(contract: Contract) -> int:
    """Return the greatest funding cap in ppb, so that one settlement cannot take all that keeps a
    position (rule 6.4). PPB without tiers."""
    if not contract.tiers:
        return PPB
    return contract.tiers[0].maintenance_ppm * STEP_PPM * (PPB // PPM) // PPM


def index_step_most(contract: Contract) -> int:
    """Return the greatest step of the index a second, in ppm: it passes no pool from above its
    maintenance margin to below zero (rule 6.1). PPM without tiers."""
    return contract.tiers[0].maintenance_ppm * STEP_PPM // PPM if contract.tiers else PPM


def _decimal(number: int, digits: int = RATE_DIGITS) -> str:
    text = str(number).zfill(digits + 1)
    cut = len(text) - digits
    return f"{text[:cut]}.{text[cut:]}".rstrip("0").rstrip(".")
