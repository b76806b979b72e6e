"""Index to mark price, and the premium (rules 6.1 to 6.3)."""

from __future__ import annotations

from typing import Final

from venue.core.book import Half
from venue.core.market import Market
from venue.core.perpetual import Perpetual, Source
from venue.core.units import PPB, PPM

SECOND_US: Final = 1_000_000
DAY_US: Final = 86_400 * SECOND_US
STALE_US: Final = 10 * SECOND_US  # how long a source's price counts, and a jump stays in doubt
SAMPLE_US: Final = 5 * SECOND_US
GAPS_MAX: Final = 30  # samples of 5 s: the moving average of 150 s
MARK_BAND_PPM: Final = 50_000  # the mark's greatest distance from the index
DAMPER_PPB: Final = 500_000  # 0.05 %
IMPACT_UNITS: Final = 200  # impact notional: this times the greatest leverage, in units of quote


def interval_us(perp: Perpetual) -> int:
    """The time between two funding settlements."""
    return DAY_US // len(perp.contract.funding_minutes)


def next_due(perp: Perpetual, time: int) -> int:
    """The first funding time after `time`."""
    day = time - time % DAY_US
    for minute in perp.contract.funding_minutes:
        due = day + minute * 60 * SECOND_US
        if due > time:
            return due
    return day + DAY_US + perp.contract.funding_minutes[0] * 60 * SECOND_US


def post(perp: Perpetual, name: str, price: int, time: int) -> None:
    """One source's price, current now."""
    source = perp.sources.get(name)
    if source is None:
        perp.sources[name] = Source(price, time)
    else:
        source.price = price
        source.time = time


def follow_spot(perp: Perpetual, spot: Market, time: int) -> None:
    """The venue's own spot market as a source: its mid, else its last trade (rule 6.1).

    A two-sided book is current; a last trade only as long as it is new.
    """
    price = spot.book.mid()
    two_sided = price > 0
    if not two_sided:
        price = spot.last_price
    ours, theirs = perp.market.instrument, spot.instrument
    number = price * theirs.tick * 10**ours.price_scale
    price = number // (ours.tick * 10**theirs.price_scale)
    source = perp.sources.get("spot")
    if price > 0 and (two_sided or source is None or source.price != price):
        post(perp, "spot", price, time)


def refresh(perp: Perpetual, time: int) -> bool:
    """Compute index and mark anew; whether anything that others see has changed."""
    before = (perp.index_price, perp.mark, perp.current)
    found = sorted(
        source.price
        for source in perp.sources.values()
        if source.price > 0 and time - source.time < STALE_US
    )
    perp.current = False
    if found:
        half = len(found) // 2
        index = found[half] if len(found) % 2 else (found[half - 1] + found[half]) // 2
        if not _in_doubt(perp, index, time):
            perp.index_price = index
            perp.current = True
            perp.mark = _mark(perp, time)
    return before != (perp.index_price, perp.mark, perp.current)


def _in_doubt(perp: Perpetual, index: int, time: int) -> bool:
    """Whether an index is too far from the last one to be believed before it has lasted."""
    if not perp.index_price or not _jumped(perp, index, perp.index_price):
        perp.suspect_time = 0
        return False
    if not perp.suspect_time or _jumped(perp, index, perp.suspect_price):
        perp.suspect_time = time
        perp.suspect_price = index
        return True
    if time - perp.suspect_time < STALE_US:
        return True
    perp.suspect_time = 0
    return False


def _jumped(perp: Perpetual, price: int, reference: int) -> bool:
    return abs(price - reference) * PPM > perp.contract.jump_ppm * reference


def _mark(perp: Perpetual, time: int) -> int:
    """The median of two funded and averaged index prices and the last trade (rule 6.2)."""
    index = perp.index_price
    left = next_due(perp, time) - time
    first = index + index * perp.last_rate_ppb * left // (PPB * interval_us(perp))
    second = index
    if perp.gaps:
        second += sum(perp.gaps) // len(perp.gaps)
    last = perp.market.last_price or index
    mark = sorted((first, second, last))[1]
    low = index - index * MARK_BAND_PPM // PPM
    high = index + index * MARK_BAND_PPM // PPM
    return max(1, low, min(mark, high))


def sample(perp: Perpetual, time: int) -> None:
    """Take the premium and the distance of mid and index, each five seconds (rules 6.2, 6.3)."""
    if not perp.current or time - perp.premium_time < SAMPLE_US:
        return
    perp.premium_time = time
    index = perp.index_price
    book = perp.market.book
    instrument = perp.market.instrument
    # Impact notional in ticks x lots: units of quote are 10^scales of tick x step.
    units = IMPACT_UNITS * perp.contract.leverage_max
    scale = 10 ** (instrument.price_scale + instrument.quantity_scale)
    impact = units * scale // (instrument.tick * instrument.step)
    bid = _impact_price(book.bids, impact)
    ask = _impact_price(book.asks, impact)
    mid = book.mid()
    if mid and bid and ask:  # two orders of nothing are no market
        perp.gaps.append(mid - index)
        if len(perp.gaps) > GAPS_MAX:
            perp.gaps.popleft()
    above = max(0, bid - index) if bid else 0
    below = max(0, index - ask) if ask else 0
    perp.premium_ppb = (above - below) * PPB // index
    perp.premium_sum += perp.premium_ppb
    perp.premium_count += 1


def _impact_price(half: Half, impact: int) -> int:
    """The average price of taking `impact` (ticks x lots) from one side; 0 when it is too thin."""
    left = impact
    lots = 0
    cost = 0
    for key in reversed(half.keys):
        price = key if key > 0 else -key
        there = half.levels[key].quantity
        if there * price >= left:
            taken = left // price
            if lots + taken == 0:
                return price
            return (cost + taken * price) // (lots + taken)
        lots += there
        cost += there * price
        left -= there * price
    return 0


def funding_rate(perp: Perpetual) -> int:
    """The rate of the running interval in ppb (rule 6.4): the average premium, drawn towards the
    interest by at most 0.05 %, within the contract's cap."""
    average = perp.premium_sum // perp.premium_count if perp.premium_count else 0
    interest = perp.contract.interest_ppb * interval_us(perp) // (8 * 3600 * SECOND_US)
    pull = max(-DAMPER_PPB, min(interest - average, DAMPER_PPB))
    cap = perp.contract.funding_cap_ppb
    return max(-cap, min(average + pull, cap))
