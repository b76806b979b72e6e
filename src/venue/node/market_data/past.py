"""A market's past before its first trade here, in the form that its sources tell it."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec import Struct

from venue.candles import Candle


class PastTrade(Struct, frozen=True, array_like=True, gc=False):
    """One trade as everybody sees it: price in ticks, lots, quote atoms, time in µs."""

    trade_id: int
    price: int
    quantity: int
    notional: int
    time: int
    is_buyer_maker: bool


class Day(Struct, frozen=True):
    """The minutes of a market's last day, at least, and its last trades; both oldest first.

    The last minute ends with the last trade. Trade ids rise, and lie below those given out here.
    """

    minutes: list[Candle]
    trades: list[PastTrade]


NO_DAY: Final = Day([], [])


class Past(Protocol):
    """The past of one product's symbols; empty for a symbol that has none, or while not known."""

    def candles(self, symbol: str, interval: str) -> list[Candle]:
        """Ascending and without gaps."""

    def day(self, symbol: str) -> Day:
        """The same at each call."""

    def funding_rate(self, symbol: str, due: int) -> int:
        """Of a settlement then due (µs), in ppb."""


class NoPast:
    """Of markets that begin here."""

    def candles(self, symbol: str, interval: str) -> list[Candle]:
        """None."""
        del symbol, interval
        return []

    def day(self, symbol: str) -> Day:
        """Nothing."""
        del symbol
        return NO_DAY

    def funding_rate(self, symbol: str, due: int) -> int:
        """None."""
        del symbol, due
        return 0
