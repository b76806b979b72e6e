"""Computes what it costs to move an index by 1 % in the present books (rule 6.7); stored
nowhere."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from venue.core.book.book import Market
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.index import LEVELS_MAX, posted_prices, spot_notional
from venue.core.ledger.ledger import fee_on
from venue.core.units import ceil_div
from venue.vocabulary import BUY, SELL

PART: Final = 100  # a hundredth


class IndexCost(Struct, frozen=True):
    """Amounts in atoms of the settle asset: the `notional` that a stranger would trade and rest,
    and the `cost`, which is the stranger's loss."""

    notional: int
    cost: int


def cost_of_moving(perp: Perpetual, time: int) -> IndexCost | None:
    """Return the cheaper way to move a contract's index up or down by 1 %; None when no order can
    move it.

    No order can without a spot book that trades, nor with a current posted price, which limits how
    far the book's price counts.
    """
    spot = perp.spot
    if spot is None or spot.halted or not perp.index_price or posted_prices(perp, time):
        return None
    ways = [_way(perp, spot, side) for side in (BUY, SELL)]
    return min(ways, key=lambda way: way.cost)


def gain_by_moving(perp: Perpetual) -> int:
    """1 % of the open interest at mark, in atoms, rounded up."""
    return ceil_div(perp.open_interest * perp.mark * perp.unit, PART)


def _way(perp: Perpetual, spot: Market[Any], side: int) -> IndexCost:
    """Return the cost of taking all offers up to the price that is 1 % away, and resting the index
    notional there for a counterparty that trades back.

    The stranger loses the price difference and the fee on what is taken, and the price difference
    on what rests. Beyond `LEVELS_MAX` levels the offers are not counted: then the true cost is
    higher.
    """
    theirs, ours = spot.instrument, perp.market.instrument
    number = ours.tick * 10**theirs.price_scale
    divisor = theirs.tick * 10**ours.price_scale
    # Prices are in hundredths of the spot book's ticks.
    index = perp.index_price * number * PART // divisor
    target = index + index // PART if side == BUY else index - index // PART
    half = spot.book.asks if side == BUY else spot.book.bids
    lots = worth = 0
    for level in half.best_levels(LEVELS_MAX):
        price = level.price
        if price * PART >= target if side == BUY else price * PART <= target:
            break
        lots += level.quantity
        worth += level.quantity * price
    away = worth * PART - index * lots if side == BUY else index * lots - worth * PART
    rested = spot_notional(perp, spot)
    unit = spot.unit_atoms
    cost = ceil_div(max(0, away) * unit, PART) + ceil_div(rested * unit, PART)
    cost += fee_on(worth * unit, spot.taker_ppm)
    return IndexCost((worth + rested) * unit, cost)
