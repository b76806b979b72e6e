"""The character of the practice markets: spread, depth, returns and the memory of order signs.

Figures of the spot agents by themselves, in venue time; nothing here depends on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Final

from msgspec import Struct

from bench.table import Row, Section
from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.messages.events import Trade
from venue.core.spot.account import SpotMarket
from venue.core.units import FIRST_UID, PPM
from venue.lab import demo
from venue.lab.agents.spot import STEP_US, Agents
from venue.vocabulary import BUY

SECOND_US: Final = 1_000_000
START_US: Final = 1_700_000_000 * SECOND_US
STEPS: Final = SECOND_US // STEP_US
SECONDS: Final = 600
NEAR_PPM: Final = 1_000  # how far from the middle depth counts: 0.1 %
LAGS: Final = (1, 5)


class Statistics(Struct, frozen=True):
    """Of one market: the median spread (ppm of the middle), the median depth of both sides within
    0.1 % (units of quote), trades a minute; correlations from -1 to 1."""

    spread_ppm: float
    depth: float
    trades: float
    moved_ppm: float  # a second's return, mean of the absolute
    returns: tuple[float, ...]  # autocorrelation of a second's returns at LAGS
    signs: tuple[float, ...]  # of the takers' sides, in the order of trades, at LAGS


def run() -> Section:
    """Measure one seed's markets."""
    rows: list[Row] = []
    for symbol, found in measured(1, SECONDS).items():
        figures = {
            "spread": (found.spread_ppm / 100, "bp"),
            "depth within 0.1 %": (found.depth, "USDT"),
            "trades": (found.trades, "a minute"),
            "a second's move": (found.moved_ppm / 100, "bp"),
            **{
                f"{name}, lag {lag}": (value, "")
                for name, values in (
                    ("autocorrelation of returns", found.returns),
                    ("memory of order signs", found.signs),
                )
                for lag, value in zip(LAGS, values, strict=True)
            },
        }
        rows += [
            Row(what=f"{symbol} {name}", measured=value, unit=unit)
            for name, (value, unit) in figures.items()
        ]
    return Section(rows, [f"of the agents with seed 1, {SECONDS} s of venue time"])


def measured(seed: int, seconds: int) -> dict[str, Statistics]:
    """Each spot market's figures, from its opening on."""
    found = _Watched(seed)
    for _ in range(seconds):
        found.second()
    return {symbol: watch.statistics(seconds) for symbol, watch in found.watches.items()}


class _Watch:
    """The state of one market, second by second, and the sides of its takers."""

    def __init__(self, market: SpotMarket, scale: int) -> None:
        self._market = market
        self._scale = scale
        self.spreads: list[float] = []
        self.depths: list[float] = []
        self.middles: list[float] = []
        self.signs: list[float] = []

    def look(self) -> None:
        """Note the book as it is."""
        book = self._market.book
        if not book.twice_mid():
            return
        middle = book.twice_mid() / 2
        self.middles.append(middle)
        self.spreads.append((book.ask - book.bid) / middle * PPM)
        near = 0
        for half in (book.bids, book.asks):
            for level in half.walk():
                if abs(level.price - middle) * PPM > middle * NEAR_PPM:
                    break
                near += level.price * level.quantity
        self.depths.append(near * self._market.unit_atoms / 10**self._scale)

    def statistics(self, seconds: int) -> Statistics:
        """The figures of all seconds."""
        returns = [(after - before) / before * PPM for before, after in pairwise(self.middles)]
        return Statistics(
            spread_ppm=median(self.spreads),
            depth=median(self.depths),
            trades=len(self.signs) * 60 / seconds,
            moved_ppm=fmean([abs(one) for one in returns]),
            returns=tuple(correlation(returns, lag) for lag in LAGS),
            signs=tuple(correlation(self.signs, lag) for lag in LAGS),
        )


class _Watched:
    """The spot agents in an engine, without a process."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine()
        self.time = START_US
        self.watches: dict[str, _Watch] = {}
        uids = {account.name: FIRST_UID + number for number, account in enumerate(demo.ACCOUNTS)}
        self._apply(demo.genesis() + demo.funding(uids))
        self.agents = Agents(
            self.engine, seed, {symbol: start.price for symbol, start in demo.STARTS.items()}
        )
        self._apply(self.agents.founding())
        self._apply(self.agents.funding())
        for symbol, market in self.engine.spot.markets.items():
            scale = self.engine.ledger.assets[market.quote].scale
            self.watches[symbol] = _Watch(market, scale)

    def second(self) -> None:
        """The agents' steps of a second, then a look at the books."""
        for _ in range(STEPS):
            self.time += STEP_US
            self._apply(self.agents.step())
        for watch in self.watches.values():
            watch.look()

    def _apply(self, commands: list[Command]) -> None:
        for command in commands:
            command.time = self.time
            taken: dict[str, int] = {}
            for event in self.engine.apply(command):
                if isinstance(event, Trade):
                    taken[event.symbol] = 1 if event.taker_side == BUY else -1
            for symbol, sign in taken.items():  # one for each order that took
                self.watches[symbol].signs.append(sign)


def correlation(values: Sequence[float], lag: int) -> float:
    """The correlation of values with those `lag` places later; 0 when all values are alike."""
    mean = fmean(values)
    away = [value - mean for value in values]
    spread = sum([one * one for one in away])
    together = sum([one * other for one, other in zip(away, away[lag:], strict=False)])
    return together / spread if spread else 0.0
