"""The index of a contract: the prices of its sources, and how fast it follows them (rule 6.1)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Half, Market, T
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.records import Source
from venue.core.units import AMOUNT_MAX, PPM, PRICE_MAX, SECOND_US

STALE_US: Final = 10 * SECOND_US  # how long a posted price and a sample of a book count
LASTING_US: Final = 5 * SECOND_US  # how long a book that was too thin must fill to count again
SPACING_US: Final = SECOND_US // 2  # ticks that follow each other at once make one sample
LEVELS_MAX: Final = 10_000  # of one side, looked at for a notional
SPOT_SOURCE: Final = "spot"  # the venue's own spot market of the same symbol


def price_most(perp: Perpetual) -> int:
    """The highest price at which the largest position's worth can still be counted, in ticks."""
    return min(PRICE_MAX, AMOUNT_MAX // (perp.contract.position_max * perp.unit))


def taken(half: Half[T], notional: int) -> tuple[int, int]:
    """The cost of taking `notional` (ticks x lots) from one side: ticks x lots, and the lots.

    At least one lot; both 0 when the side is too thin, or holds it in more than `LEVELS_MAX`.
    """
    left = notional
    cost = 0
    lots = 0
    for count, level in enumerate(half.walk()):
        if count == LEVELS_MAX:
            break
        price = level.price
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
    """One source's price, current now; 0 says that it has none."""
    source = perp.sources.get(name)
    if source is None:
        perp.sources[name] = Source(price, time)
    else:
        source.price = price
        source.time = time


def follow_spot(perp: Perpetual, spot: Market[T], time: int) -> None:
    """Take a sample of the spot book; its price is the median of those of the last 10 s.

    It is current while more than half of them fill the notional. A book that was not must have
    filled it for 5 s to be current again: one quote in an empty book is no market.
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


def value(perp: Perpetual, time: int) -> int:
    """The price of the sources: the spot book's while that is current, otherwise the median of the
    current posted prices; 0 when no source is current."""
    spot = perp.sources.get(SPOT_SOURCE)
    if spot is not None and _live(spot, time):
        return spot.price
    return _median(sorted([found.price for found in perp.sources.values() if _live(found, time)]))


def follow(perp: Perpetual, price: int, time: int) -> None:
    """Move the index towards `price`, at most the contract's step for the time since its last move.

    That is at most a second's worth, and never less than a tick a second: a low price must not
    freeze.
    """
    index = perp.index_price
    elapsed = min(time - perp.index_time, SECOND_US)
    most = index * perp.contract.index_step_ppm * elapsed // (PPM * SECOND_US)
    if most == 0 and elapsed == SECOND_US:
        most = 1
    moved = max(index - most, min(price, index + most))
    if moved != index:
        perp.index_price = moved
        perp.index_time = time


def apart(perp: Perpetual, price: int) -> bool:
    """Whether the index is further from its sources than half of the smallest initial margin."""
    return abs(price - perp.index_price) * 2 * perp.contract.leverage_max > perp.index_price


def _live(source: Source, time: int) -> bool:
    return source.price > 0 and time - source.time < STALE_US


def _median(prices: list[int]) -> int:
    """Of ascending prices; the middle of two is rounded down, that of none is 0."""
    if not prices:
        return 0
    half = len(prices) // 2
    return prices[half] if len(prices) % 2 else (prices[half - 1] + prices[half]) // 2


def _depth_price(perp: Perpetual, spot: Market[T]) -> int:
    """The middle of the average prices to buy and to sell the index notional, in contract ticks.

    Rounded to the nearest tick; 0 when a side cannot fill it, or nobody can trade.
    """
    if spot.halted:
        return 0
    theirs, ours = spot.instrument, perp.market.instrument
    units = perp.contract.index_notional * 10 ** (theirs.price_scale + theirs.quantity_scale)
    notional = max(1, units // (theirs.tick * theirs.step))
    bid_cost, bid_lots = taken(spot.book.bids, notional)
    ask_cost, ask_lots = taken(spot.book.asks, notional)
    if not bid_lots or not ask_lots:
        return 0
    number = bid_cost * ask_lots + ask_cost * bid_lots
    number *= theirs.tick * 10**ours.price_scale
    divisor = 2 * bid_lots * ask_lots * ours.tick * 10**theirs.price_scale
    price = (2 * number + divisor) // (2 * divisor)
    return price if price <= price_most(perp) else 0
