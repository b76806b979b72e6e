"""The markets' data before the venue's first trade, by symbol of either product."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Final

from venue.candles import Candle
from venue.core.units import FIRST_ID
from venue.lab import demo
from venue.lab.backfill import Backfill
from venue.node.market_data.past import NO_DAY, Day, PastTrade

IDS_EACH: Final = 1_000_000  # trade ids of one market's past, all below the first that is given out
RATES_KEPT: Final = 16_384  # of some 100 bytes: the past of ten contracts
RATE_PPB: Final = 100_000  # the middle of funding rates
RATE_REACH_PPB: Final = 60_000  # the greatest distance from it


@lru_cache(maxsize=RATES_KEPT)
def rate_of(seed: int, symbol: str, due: int) -> int:
    """Return a pseudo-random funding rate (ppb). One takes 10 µs, and a question asks for 1,000."""
    dice = Random(f"{seed} {symbol} {due}")  # noqa: S311 - a story, not a secret
    return RATE_PPB + dice.randint(-RATE_REACH_PPB, RATE_REACH_PPB)


class Prehistory:
    """The past of all markets; empty until the venue's epoch is known, which a new venue sets at
    its start."""

    def __init__(self) -> None:
        markets = {instrument.symbol: instrument.symbol for instrument in demo.INSTRUMENTS}
        self.spot = GeneratedHistory(markets, 0)
        # A contract has the past of the spot market that it follows.
        self.contract = GeneratedHistory(demo.FOLLOWED, len(markets))

    def begin(self, seed: int, epoch: int) -> None:
        """Set the epoch (µs), at which the past ends."""
        backfill = Backfill(seed, epoch, demo.STARTS)
        self.spot.begin(seed, backfill)
        self.contract.begin(seed, backfill)


class GeneratedHistory:
    """The past of one product's symbols, each generated for the market that it follows."""

    def __init__(self, followed: dict[str, str], number: int) -> None:
        self._followed = followed
        # The end of the ids of a symbol's trades, different for each symbol.
        self._ends = {
            symbol: FIRST_ID - IDS_EACH * place for place, symbol in enumerate(followed, number)
        }
        self._seed = 0
        self._backfill: Backfill | None = None
        self._days: dict[str, Day] = {}

    def begin(self, seed: int, backfill: Backfill) -> None:
        """Set the generator of the past."""
        self._seed = seed
        self._backfill = backfill

    def candles(self, symbol: str, interval: str) -> list[Candle]:
        """Return the candles of a symbol, ascending, without gaps, up to the epoch."""
        if self._backfill is None:
            return []
        return self._backfill(self._followed.get(symbol, ""), interval)

    def day(self, symbol: str) -> Day:
        """Return the minutes of the last day and the last trades, oldest first."""
        known = self._days.get(symbol)
        if known is not None:
            return known
        backfill = self._backfill
        deals = backfill.deals(self._followed.get(symbol, "")) if backfill is not None else []
        if backfill is None or not deals:
            return NO_DAY
        begin = self._ends[symbol] - len(deals)
        trades = [
            PastTrade(
                begin + place, deal.price, deal.quantity, deal.notional, deal.time,
                not deal.taker_bought,
            )
            for place, deal in enumerate(deals)
        ]  # fmt: skip
        day = self._days[symbol] = Day(backfill.minutes(self._followed[symbol]), trades)
        return day

    def funding_rate(self, symbol: str, due: int) -> int:
        """Return the funding rate (ppb) of a settlement before the epoch."""
        return rate_of(self._seed, symbol, due)
