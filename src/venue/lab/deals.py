"""Splits a minute's candle into possible trades, and aggregates trades to a candle."""

from __future__ import annotations

from functools import reduce
from random import Random
from typing import Final

import msgspec

from venue.candles import Candle, first, merge

LEAST: Final = 4  # one at each of open, high, low and close
WEIGHT_MAX: Final = 100


class Deal(msgspec.Struct, frozen=True, gc=False):
    """One trade: price in ticks, lots, quote atoms, time in µs."""

    time: int
    price: int
    quantity: int
    notional: int
    taker_bought: bool


def made_of(candle: Candle, until: int, unit_atoms: int, dice: Random) -> list[Deal]:
    """Trades that a candle could consist of, before `until` (µs): its prices, and about its
    volume."""
    count = max(candle.count, LEAST)
    volume = max(candle.volume, count)
    quantities = _parts(volume, count, dice)
    times = sorted(dice.randrange(candle.open_time, until) for _ in range(count))
    deals = []
    before = candle.open
    for time, price, quantity in zip(times, _path(candle, count, dice), quantities, strict=True):
        bought = price > before if price != before else bool(dice.getrandbits(1))
        deals.append(Deal(time, price, quantity, price * quantity * unit_atoms, bought))
        before = price
    return deals


def folded(opened: int, deals: list[Deal]) -> Candle:
    """Return the candle of these trades."""
    return reduce(merge, [_candle(opened, deal) for deal in deals])


def _candle(opened: int, deal: Deal) -> Candle:
    return first(opened, deal.price, deal.quantity, deal.notional, taker_bought=deal.taker_bought)


def _path(candle: Candle, count: int, dice: Random) -> list[int]:
    """Prices from open to close that touch high and low."""
    middle = [dice.randint(candle.low, candle.high) for _ in range(count - LEAST)]
    for extreme in (candle.high, candle.low):
        middle.insert(dice.randint(0, len(middle)), extreme)
    return [candle.open, *middle, candle.close]


def _parts(volume: int, count: int, dice: Random) -> list[int]:
    """Split a volume into this many parts, none of them empty."""
    weights = [dice.randint(1, WEIGHT_MAX) for _ in range(count)]
    total = sum(weights)
    parts = [1 + (volume - count) * weight // total for weight in weights]
    parts[-1] += volume - sum(parts)
    return parts
