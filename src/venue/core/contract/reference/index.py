"""The index of a contract: its sources' prices, and how fast the index follows them (rule 6.1)."""

from __future__ import annotations

from typing import Any, Final

from venue.core.book.book import NO_ASK, Half, Market, T
from venue.core.contract import safe_terms
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.records import Source
from venue.core.units import PPM, PRICE_MAX, SECOND_US, ceil_div

STALE_US: Final = 10 * SECOND_US  # how long a posted price and a sample of a book count
LASTING_US: Final = 5 * SECOND_US  # how long a book that was too thin must fill to count again
SPACING_US: Final = SECOND_US // 2  # ticks that follow each other at once make one sample
LEVELS_MAX: Final = 10_000  # of one side, looked at for a notional
DEPTH_PPM: Final = 100_000  # levels further than this from the best one of their side do not count
HALF_SPREAD_PPM: Final = 2_500  # a price further than this from a side says nothing by itself
AGREED_PPM: Final = 5_000  # how far from the posted price a spot book's price still counts
SPOT_SOURCE: Final = "spot"  # the venue's own spot market of the same symbol


def price_most(perp: Perpetual) -> int:
    """Return the highest price at which the largest position's worth still fits the integers, in
    ticks."""
    return safe_terms.price_most(perp.contract, perp.unit)


def depth_cost(half: Half[T], notional: int, reach: int = PRICE_MAX) -> tuple[int, int]:
    """Return the cost of buying or selling `notional` (ticks x lots) from one side: ticks x lots,
    and the lots.

    At least one lot. Both are 0 when the side has too little within `reach` ticks of its best
    price, or needs more than `LEVELS_MAX` levels for it.
    """
    left = notional
    cost = 0
    lots = 0
    best = 0
    for count, level in enumerate(half.walk()):
        price = level.price
        best = best or price
        if count == LEVELS_MAX or abs(best - price) > reach:
            break
        there = level.quantity
        if there * price >= left:
            last = left // price
            if lots + last == 0:
                last = 1
            return cost + last * price, lots + last
        lots += there
        cost += there * price
        left -= there * price
    return 0, 0


def post(perp: Perpetual, name: str, price: int, time: int) -> None:
    """Store one source's price as current; 0: the source has no price."""
    source = perp.sources.get(name)
    if source is None:
        perp.sources[name] = Source(price, time)
    else:
        source.price = price
        source.time = time


def follow_spot(perp: Perpetual, spot: Market[Any], time: int) -> None:
    """Sample the spot book; the source's price is the median of the samples of the last 10 s.

    It is current while more than half of them fill the notional. A book that was not current must
    have filled it for 5 s to be current again: one quote in an empty book is no market.
    """
    source = perp.sources.get(SPOT_SOURCE)
    if source is None:
        source = perp.sources[SPOT_SOURCE] = Source(0, 0)
    samples = source.samples
    if samples and time - samples[-1][0] < SPACING_US:
        return
    samples.append((time, _depth_price(perp, spot)))
    while samples and (samples[0][1] == 0 or time - samples[0][0] >= STALE_US):
        samples.popleft()
    filled = sorted([price for _, price in samples if price])
    known = not perp.index_price or _live(source, time)
    if known or (samples and time - samples[0][0] >= LASTING_US):
        source.price = _median(filled) if 2 * len(filled) > len(samples) else 0
    else:
        source.price = 0
    source.time = time


def posted_prices(perp: Perpetual, time: int) -> list[int]:
    """Return the current posted prices, ascending."""
    found = [
        source.price
        for name, source in perp.sources.items()
        if name != SPOT_SOURCE and _live(source, time)
    ]
    if len(found) > 1:
        found.sort()
    return found


def value(perp: Perpetual, prices: list[int], time: int) -> int:
    """Return the price of the sources, with the posted `prices`; 0 when none is current.

    It is the spot book's price while that is current and, when there is a current posted price, is
    within 0.5 % and half of the smallest initial margin of that. Otherwise it is the posted price.
    """
    said = _median(prices)
    spot = perp.sources.get(SPOT_SOURCE)
    if spot is None or not _live(spot, time):
        return said
    away = abs(spot.price - said)
    agrees = away * PPM <= said * AGREED_PPM and away * 2 * perp.leverage_most <= said
    return spot.price if agrees or not said else said


def newest(perp: Perpetual, prices: list[int], time: int) -> tuple[int, int]:
    """Return the lowest and the highest price that sources give now, before any median over time;
    both 0 while the last sample of the only source is empty.

    Of the posted `prices` it uses the middle one, or the two in the middle.
    """
    lowest = highest = 0
    if prices:
        lowest, highest = prices[(len(prices) - 1) // 2], prices[len(prices) // 2]
    source = perp.sources.get(SPOT_SOURCE)
    if source is not None and source.samples and time - source.samples[-1][0] < STALE_US:
        sample = source.samples[-1][1]
        if sample:
            lowest, highest = min(lowest or sample, sample), max(highest, sample)
    return lowest, highest


def is_disputed(perp: Perpetual, prices: list[int], time: int) -> bool:
    """Return whether the newest prices contradict the index, or there are none."""
    lowest, highest = newest(perp, prices, time)
    if not lowest or apart(perp, lowest):
        return True
    return highest != lowest and apart(perp, highest)


def watch_book(perp: Perpetual, prices: list[int], time: int) -> None:
    """Set the prices of the spot book, in its ticks, beyond which an order finds the contract in
    doubt before the next tick does. They are set only while the book is a current source."""
    perp.spot_lowest, perp.spot_highest, perp.spot_alone = 0, NO_ASK, False
    spot = perp.spot
    source = perp.sources.get(SPOT_SOURCE)
    if spot is None or source is None or not _live(source, time) or not perp.index_price:
        return
    theirs, ours = spot.instrument, perp.market.instrument
    most = perp.index_price // (2 * perp.leverage_most)
    number = ours.tick * 10**theirs.price_scale
    divisor = theirs.tick * 10**ours.price_scale
    perp.spot_lowest = ceil_div((perp.index_price - most) * number, divisor)
    perp.spot_highest = (perp.index_price + most) * number // divisor
    perp.spot_alone = not prices


def follow(perp: Perpetual, price: int, time: int) -> None:
    """Move the index towards `price`, at most the contract's step for the time since its last move.

    That time counts as at most a second, and the index moves at least a tick a second, so that a
    low price does not freeze.
    """
    index = perp.index_price
    elapsed = min(time - perp.index_time, SECOND_US)
    most = index * perp.index_step_ppm * elapsed // (PPM * SECOND_US)
    if most == 0 and elapsed == SECOND_US:
        most = 1
    moved = max(index - most, min(price, index + most))
    if moved != index:
        perp.index_price = moved
        perp.index_time = time


def apart(perp: Perpetual, price: int) -> bool:
    """Return whether the index differs from its sources by more than half of the smallest initial
    margin."""
    return abs(price - perp.index_price) * 2 * perp.leverage_most > perp.index_price


def _live(source: Source, time: int) -> bool:
    return source.price > 0 and time - source.time < STALE_US


def _median(prices: list[int]) -> int:
    """Return the median of ascending prices; the middle of two is rounded down, that of none is
    0."""
    if not prices:
        return 0
    half = len(prices) // 2
    return prices[half] if len(prices) % 2 else (prices[half - 1] + prices[half]) // 2


def _depth_price(perp: Perpetual, spot: Market[Any]) -> int:
    """Return the price of the spot book in contract ticks; 0 when a side cannot fill the index
    notional near its best price, or nobody can trade.

    It is the middle of the average prices to buy and to sell that notional, rounded to the nearest
    tick. If either is further than 0.25 % from it, they show only that nobody sells for less or
    buys for more: then the index stays where it is, moved into the range between the two if needed.
    """
    if spot.halted:
        return 0
    theirs, ours = spot.instrument, perp.market.instrument
    notional = spot_notional(perp, spot)
    book = spot.book
    bid_cost, bid_lots = depth_cost(book.bids, notional, book.bid * DEPTH_PPM // PPM)
    ask_cost, ask_lots = depth_cost(book.asks, notional, book.ask * DEPTH_PPM // PPM)
    if not bid_lots or not ask_lots:
        return 0
    number = theirs.tick * 10**ours.price_scale
    divisor = ours.tick * 10**theirs.price_scale
    price = _nearest(
        (bid_cost * ask_lots + ask_cost * bid_lots) * number, 2 * bid_lots * ask_lots * divisor
    )
    sold = _nearest(bid_cost * number, bid_lots * divisor)
    bought = _nearest(ask_cost * number, ask_lots * divisor)
    if perp.index_price and sold * (PPM + HALF_SPREAD_PPM) < bought * (PPM - HALF_SPREAD_PPM):
        price = max(sold, min(perp.index_price, bought))
    return price if price <= price_most(perp) else 0


def spot_notional(perp: Perpetual, spot: Market[Any]) -> int:
    """Return the index notional in ticks x lots of the spot book."""
    return max(1, safe_terms.index_notional(perp.contract) // spot.unit_atoms)


def _nearest(number: int, divisor: int) -> int:
    """Return the quotient, rounded to the nearest integer."""
    return (2 * number + divisor) // (2 * divisor)
