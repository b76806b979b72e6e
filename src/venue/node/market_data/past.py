"""A market's data from before its first trade here, in the form in which other rooms provide it."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec import Struct

from venue.candles import Candle


class PastTrade(Struct, frozen=True, array_like=True, gc=False):
    """One public trade: price in ticks, lots, quote atoms, time in µs."""

    trade_id: int
    price: int
    quantity: int
    notional: int
    time: int
    is_buyer_maker: bool


class Day(Struct, frozen=True):
    """At least the minutes of a market's last day, and its last trades; both oldest first.

    The last minute ends with the last trade. Trade ids ascend, and are below the ids assigned here.
    """

    minutes: list[Candle]
    trades: list[PastTrade]


NO_DAY: Final = Day([], [])


class Past(Protocol):
    """The past of one product's symbols; empty for a symbol without one, or before it is known."""

    def candles(self, symbol: str, interval: str) -> list[Candle]:
        """Return candles, ascending and without gaps."""

    def day(self, symbol: str) -> Day:
        """Return the same day at each call."""

    def funding_rate(self, symbol: str, due: int) -> int:
        """Return the rate of the settlement due at this time (µs), in ppb."""


class NoPast:
    """An empty past, for markets that start here."""

    def candles(self, symbol: str, interval: str) -> list[Candle]:
        """Return none."""
        del symbol, interval
        return []

    def day(self, symbol: str) -> Day:
        """Return an empty day."""
        del symbol
        return NO_DAY

    def funding_rate(self, symbol: str, due: int) -> int:
        """Return none."""
        del symbol, due
        return 0
