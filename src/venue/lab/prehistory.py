"""Candles from before the venue's first trade, by symbol of either product."""

from __future__ import annotations

from venue.candles import Candle
from venue.lab import demo
from venue.lab.backfill import Backfill


class Prehistory:
    """None until the venue's epoch is known: a new venue learns it only when it has begun."""

    def __init__(self) -> None:
        self._backfill: Backfill | None = None

    def begin(self, seed: int, epoch: int) -> None:
        """Make candles that end at `epoch` (µs)."""
        self._backfill = Backfill(seed, epoch, demo.STARTS)

    def of_spot(self, symbol: str, interval: str) -> list[Candle]:
        """A spot market's, ascending."""
        return self._backfill(symbol, interval) if self._backfill is not None else []

    def of_contract(self, symbol: str, interval: str) -> list[Candle]:
        """A contract's: those of the spot market that it follows."""
        return self.of_spot(demo.FOLLOWED.get(symbol, ""), interval)
