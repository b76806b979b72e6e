"""Generates trades and candles for the time before a venue starts: seeded and consistent.

A random walk goes backwards from the reference price: minutes, before them hours, before them days,
with the layers joined at midnight UTC. Every coarser candle is aggregated from these. The newest
minutes are aggregated from trades.
"""

from __future__ import annotations

from math import isqrt
from random import Random
from typing import Final

import msgspec

from venue.candles import (
    DAY_US,
    HOUR_US,
    INTERVALS,
    MINUTE_US,
    Candle,
    coarsen,
    open_time,
)
from venue.lab.deals import Deal, folded, made_of

MINUTE_LAYER_US: Final = 21 * DAY_US  # before the epoch's day
HOUR_LAYER_US: Final = 480 * DAY_US  # before the minute layer
MONTHS: Final = 26 * 12  # full months before the epoch's

FRACTION_BITS: Final = 32  # the walk runs in 2^-32 ticks: rounding must not pull it downwards
PULL_DAYS: Final = 300  # a distance from the reference fades over that many days
REACH: Final = 20  # the walk stays between reference / 20 and reference x 20
TRADES_PER_MINUTE: Final = 20
DAY_MINUTES_US: Final = DAY_US + 2 * MINUTE_US  # the reach of a rolling day
DEALS_MIN: Final = 1_000  # single trades: those of the newest minutes
KEPT_MAX: Final = 4_320  # candles of each interval: three days of minutes

VOLATILITY_MAX_PPM: Final = 500_000  # a day's; steps and wicks stay well below the price itself
BILLION: Final = 10**9  # a candle's deviation is in parts of it

# Noise is the sum of four uniform 16-bit numbers: its mean and its standard deviation.
NOISE_MEAN: Final = 2 * 65_535
NOISE_DEVIATION: Final = 37_837
ACTIVITY_MEAN: Final = 63_000  # of one more such number plus the size of the noise

# The finer interval that each interval is folded from, before the layer of its own that some have.
SOURCES: Final = {
    "5m": "1m",
    "15m": "5m",
    "30m": "15m",
    "1h": "30m",
    "2h": "1h",
    "4h": "2h",
    "6h": "2h",
    "8h": "4h",
    "12h": "6h",
    "1d": "12h",
    "1w": "1d",
    "1M": "1d",
}


class Start(msgspec.Struct, frozen=True):
    """A market at the epoch: price in ticks, quote atoms in one tick x lot, lots per minute."""

    price: int
    unit_atoms: int
    volume_per_minute: int
    volatility_ppm: int  # standard deviation of a day's price change


class Recent(msgspec.Struct):
    """A market's last day before the epoch: its minutes, and the walk that continues before
    them."""

    walk: Walk
    begin: int
    minutes: list[Candle]
    deals: list[Deal]


class Backfill:
    """The markets before `epoch` (µs) with the symbols in `starts`; equal seeds give equal data.

    Called with a symbol and an interval it returns 300 to 4,320 candles, ascending and without
    gaps, each opened at the one before's close. The last contains the epoch's minute and closes at
    the start price. Empty for a symbol without a start; KeyError for an unknown interval. The first
    call for a symbol computes all its intervals, which takes a quarter of a second; its last day
    takes a hundredth of that.
    """

    def __init__(self, seed: int, epoch: int, starts: dict[str, Start]) -> None:
        self._seed = seed
        self.epoch = epoch
        self._minute = epoch // MINUTE_US * MINUTE_US
        self._starts = starts
        self._recent: dict[str, Recent] = {}
        self._rows: dict[str, dict[str, list[Candle]]] = {}

    def __call__(self, symbol: str, interval: str) -> list[Candle]:
        rows = self._rows.get(symbol)
        if rows is None:
            rows = self._history(symbol)
            self._rows[symbol] = rows
        return rows[interval]

    def minutes(self, symbol: str) -> list[Candle]:
        """Return the minutes of the last day, ascending; a few more than a day has."""
        recent = self._day(symbol)
        return recent.minutes if recent is not None else []

    def deals(self, symbol: str) -> list[Deal]:
        """Return the last trades, at least 1,000, oldest first; the newest minutes are aggregated
        from them."""
        recent = self._day(symbol)
        return recent.deals if recent is not None else []

    def _day(self, symbol: str) -> Recent | None:
        found = self._recent.get(symbol)
        start = self._starts.get(symbol)
        if found is not None or start is None:
            return found
        walk = Walk(Random(f"{self._seed} {symbol}"), start)  # noqa: S311 - a story, not a secret
        end = self._minute + MINUTE_US
        begin = end - DAY_MINUTES_US
        minutes = walk.back(end, begin, MINUTE_US)
        dice = Random(f"{self._seed} {symbol} deals")  # noqa: S311 - a story, not a secret
        deals: list[Deal] = []
        for number in reversed(range(len(minutes))):
            if len(deals) >= DEALS_MIN:
                break
            row = minutes[number]
            until = min(row.open_time + MINUTE_US, self.epoch + 1)
            own = made_of(row, until, start.unit_atoms, dice)
            minutes[number] = folded(row.open_time, own)
            deals = own + deals
        found = self._recent[symbol] = Recent(walk, begin, minutes, deals)
        return found

    def _history(self, symbol: str) -> dict[str, list[Candle]]:
        recent = self._day(symbol)
        if recent is None:
            return {interval: [] for interval in INTERVALS}
        layers = self._layers(recent)
        rows = {"1m": layers["1m"]}
        for interval, source in SOURCES.items():
            rows[interval] = layers.get(interval, []) + coarsen(rows[source], interval)
        return {interval: part[-KEPT_MAX:] for interval, part in rows.items()}

    def _layers(self, recent: Recent) -> dict[str, list[Candle]]:
        """Return the three base layers, each ending where the finer one begins."""
        walk = recent.walk
        minutes = open_time("1d", self._minute) - MINUTE_LAYER_US
        hours = minutes - HOUR_LAYER_US
        days = open_time("1M", self._minute)
        for _ in range(MONTHS):
            days = open_time("1M", days - 1)
        return {
            "1m": walk.back(recent.begin, minutes, MINUTE_US) + recent.minutes,
            "1h": walk.back(minutes, hours, HOUR_US),
            "1d": walk.back(hours, days, DAY_US),
        }


class Walk:
    """A price that moves backwards in time from the start price, pulled towards it."""

    __slots__ = ("_price", "_random", "_start")

    def __init__(self, random: Random, start: Start) -> None:
        assert start.price > 0, start
        assert 0 <= start.volatility_ppm <= VOLATILITY_MAX_PPM, start
        self._random = random
        self._start = start
        self._price = start.price << FRACTION_BITS

    def back(self, end: int, begin: int, length: int) -> list[Candle]:
        """Return the candles of `length` µs from `begin` up to `end`, the present time of the
        walk."""
        layer = Layer(self._start, length)
        bits = self._random.getrandbits
        home = self._start.price << FRACTION_BITS
        lowest = max(home // REACH, 1 << FRACTION_BITS)
        highest = home * REACH
        pull = PULL_DAYS * DAY_US // length
        price = self._price
        close = price >> FRACTION_BITS
        rows: list[Candle] = []
        for opened in range(end - length, begin - 1, -length):
            dice = bits(128)
            noise = (dice & 0xFFFF) + (dice >> 16 & 0xFFFF) - NOISE_MEAN
            noise += (dice >> 32 & 0xFFFF) + (dice >> 48 & 0xFFFF)
            price += price * layer.deviation * noise // (NOISE_DEVIATION * BILLION)
            price += (home - price) // pull
            price = min(max(price, lowest), highest)
            before = price >> FRACTION_BITS
            rows.append(layer.candle(opened, before, close, noise, dice >> 64))
            close = before
        self._price = price
        rows.reverse()
        return rows


class Layer:
    """The values that all candles of one base layer share."""

    __slots__ = ("_trades", "_unit_atoms", "_volume", "deviation")

    def __init__(self, start: Start, length: int) -> None:
        minutes = length // MINUTE_US
        self._unit_atoms = start.unit_atoms
        self._volume = start.volume_per_minute * minutes
        self._trades = TRADES_PER_MINUTE * minutes
        # A day's deviation over the root of the candles in a day, in billionths of the price.
        root = isqrt(DAY_US * 10**6 // length)
        self.deviation = start.volatility_ppm * 10**6 // root

    def candle(self, opened: int, before: int, close: int, noise: int, dice: int) -> Candle:
        """Return a candle from `before` to `close`; `dice` are 64 random bits for its other values.

        Wicks reach up to one deviation; the larger the move, the more is traded; the taker buys a
        quarter to three quarters of it. All is traded at one mean price between low and high.
        """
        top, bottom = (before, close) if before > close else (close, before)
        high = top + (top * self.deviation * (dice & 0xFFFF) // BILLION >> 16)
        low = bottom - (bottom * self.deviation * (dice >> 16 & 0xFFFF) // BILLION >> 16)
        activity = (noise if noise > 0 else -noise) + (dice >> 32 & 0xFFFF)
        volume = self._volume * activity // ACTIVITY_MEAN or 1
        count = min(volume, self._trades * activity // ACTIVITY_MEAN or 1)
        taker_volume = volume * (0x4000 + (dice >> 49)) >> 16
        mean_atoms = (high + low + before + close) // 4 * self._unit_atoms
        return Candle(
            opened,
            before,
            high,
            low,
            close,
            volume,
            volume * mean_atoms,
            count,
            taker_volume,
            taker_volume * mean_atoms,
        )
