"""Computes the mark from the index, and the premium for funding (rules 6.1 to 6.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.records import Perpetual
from venue.core.contract.reference.index import (
    STALE_US,
    depth_cost,
    follow,
    is_disputed,
    posted_prices,
    value,
    watch_book,
)
from venue.core.contract.safe_terms import impact_notional
from venue.core.market_hours import opens_at
from venue.core.units import PPB, SECOND_US

SAMPLE_US: Final = 5 * SECOND_US
PREMIUMS_MAX: Final = 30  # samples of 5 s: the moving average of 150 s
CLAMP_PPB: Final = 500  # the mark's greatest premium, per ppm of maintenance: half of it
DAMPER_PPB: Final = 500_000  # 0.05 %


def refresh(perp: Perpetual, time: int, *, jump: bool = False) -> bool:
    """Compute index, mark and doubt; return whether anything visible has changed.

    The index follows its sources in steps. It takes their price at once when it has none yet, on a
    `jump`, and after 10 s without a source; in the last case nothing can be opened for 10 s more.
    Outside the market hours it has no source, except for its first price (rule 6.8).
    """
    if perp.settles():  # its mark is the price that was named
        return False
    before = (perp.index_price, perp.mark, perp.current)
    prices = posted_prices(perp, time)
    price = value(perp, prices, time)
    perp.reopens = opens_at(perp.contract.market_hours, time)
    perp.current = price > 0 and not perp.reopens
    if perp.current or (price and not perp.index_price):
        lost = perp.index_price > 0 and time - perp.seen_time >= STALE_US
        if jump or lost or not perp.index_price:
            perp.index_price = price
            perp.index_time = time
            perp.premiums.clear()  # they were taken around another price
            perp.wait_until = time + STALE_US if lost and not jump else 0
        else:
            follow(perp, price, time)
        perp.seen_time = time
        perp.mark = _mark(perp)
    perp.doubt = not perp.current or time < perp.wait_until or is_disputed(perp, prices, time)
    watch_book(perp, prices, time)
    return before != (perp.index_price, perp.mark, perp.current)


def _mark(perp: Perpetual) -> int:
    """Return the index plus the average premium of 150 s, each sample within half the smallest
    maintenance rate; samples not taken yet count 0 (rule 6.2)."""
    most = perp.least_ppm * CLAMP_PPB
    premiums = perp.premiums
    if premiums and (min(premiums) < -most or max(premiums) > most):
        # Each is brought within the clamp: one sample must not reach it alone.
        total = sum([max(-most, min(premium, most)) for premium in premiums])
    else:
        total = sum(premiums)
    # Rounded towards the index: a low price must not leave the clamp.
    shift = perp.index_price * abs(total) // (PREMIUMS_MAX * PPB)
    return max(1, perp.index_price + shift if total > 0 else perp.index_price - shift)


def sample(perp: Perpetual, time: int) -> None:
    """Sample the impact premium once in each five seconds of the clock, in ppb (rule 6.3)."""
    if not perp.current or time // SAMPLE_US <= perp.premium_time // SAMPLE_US:
        return
    perp.premium_time = time
    index = perp.index_price
    book = perp.market.book
    impact = impact_notional(perp.contract) // perp.unit  # ticks x lots
    cost, lots = depth_cost(book.bids, impact)
    premium = max(0, cost - index * lots) * PPB // (index * lots) if lots else 0
    cost, lots = depth_cost(book.asks, impact)
    premium -= max(0, index * lots - cost) * PPB // (index * lots) if lots else 0
    if (
        perp.refuses_opening() or perp.delisted is not None
    ):  # a lone closing order would be the price
        premium = 0
    perp.premiums.append(premium)
    if len(perp.premiums) > PREMIUMS_MAX:
        perp.premiums.popleft()
    perp.premium_ppb = premium
    # As far as it can count in a rate: one sample far away must not stand for many.
    most = perp.funding_cap_ppb + DAMPER_PPB
    perp.premium_sum += max(-most, min(premium, most))
    perp.premium_count += 1
