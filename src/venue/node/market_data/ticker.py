"""A symbol's statistics of 24 hours, and how their window is kept."""

from __future__ import annotations

import msgspec

from venue.node.market_data.wide_sums import Second, Wide


class Ticker(msgspec.Struct, frozen=True, gc=False):
    """24-hour statistics: prices in ticks, volume in lots, notional in quote atoms, times in µs.

    `open_time` and `close_time` are those of the first and last trade in the window. Without
    a trade in the window they are its bounds, and all prices are the last price there ever was,
    0 when there was none.
    """

    open: int
    high: int
    low: int
    last: int
    volume: int
    notional: int
    count: int
    open_time: int
    close_time: int


def join_tickers(earlier: Ticker, later: Ticker) -> Ticker:
    """Return two windows of the same time as one; all trades of `earlier` came before those of
    `later`."""
    if not earlier.count:
        return later if later.last else earlier
    if not later.count:
        return earlier
    return Ticker(
        earlier.open,
        max(earlier.high, later.high),
        min(earlier.low, later.low),
        later.last,
        earlier.volume + later.volume,
        earlier.notional + later.notional,
        earlier.count + later.count,
        earlier.open_time,
        later.close_time,
    )


class WindowRecord(msgspec.Struct, array_like=True):
    """A dumped window; the extremes are (second, price)."""

    last: int
    seconds: list[Second]
    wide: list[Wide]
    highs: list[tuple[int, int]]
    lows: list[tuple[int, int]]
