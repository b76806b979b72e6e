"""Candles: the thirteen intervals, and pure folds of trades and of candles into them.

Times are µs since 1970, UTC. Weeks begin on Monday 00:00, months on the calendar's first day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from operator import attrgetter
from typing import Final

import msgspec

SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US
HOUR_US: Final = 60 * MINUTE_US
DAY_US: Final = 24 * HOUR_US
WEEK_US: Final = 7 * DAY_US
MONTH: Final = "1M"
CANDLES_MAX: Final = 1_000  # rows one question may ask for

FIRST_MONDAY_US: Final = 4 * DAY_US  # 1970-01-05
FIRST_ORDINAL: Final = date(1970, 1, 1).toordinal()

# Length and a time at which one begins, of each interval of fixed length, finest first.
_FIXED: Final = {
    "1m": (MINUTE_US, 0),
    "5m": (5 * MINUTE_US, 0),
    "15m": (15 * MINUTE_US, 0),
    "30m": (30 * MINUTE_US, 0),
    "1h": (HOUR_US, 0),
    "2h": (2 * HOUR_US, 0),
    "4h": (4 * HOUR_US, 0),
    "6h": (6 * HOUR_US, 0),
    "8h": (8 * HOUR_US, 0),
    "12h": (12 * HOUR_US, 0),
    "1d": (DAY_US, 0),
    "1w": (WEEK_US, FIRST_MONDAY_US),
}
INTERVALS: Final = (*_FIXED, MONTH)  # finest first; case matters


class Candle(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Prices in ticks, volumes in lots, notionals in quote atoms, `open_time` in µs.

    `taker_volume` and `taker_notional` are the part in which the taker bought.
    """

    open_time: int
    open: int
    high: int
    low: int
    close: int
    volume: int
    notional: int
    count: int
    taker_volume: int
    taker_notional: int


moment = attrgetter("open_time")


def open_time(interval: str, time: int) -> int:
    """Return when the interval that contains `time` began; KeyError for an unknown interval."""
    if interval == MONTH:
        return _month(time // DAY_US, 0)
    length, origin = _FIXED[interval]
    return (time - origin) // length * length + origin


def next_open(interval: str, time: int) -> int:
    """Return when the interval after the one that contains `time` begins."""
    if interval == MONTH:
        return _month(time // DAY_US, 1)
    return open_time(interval, time) + _FIXED[interval][0]


def first(opened: int, price: int, quantity: int, notional: int, *, taker_bought: bool) -> Candle:
    """Return the candle, begun at `opened`, of one trade."""
    if taker_bought:
        return Candle(opened, price, price, price, price, quantity, notional, 1, quantity, notional)
    return Candle(opened, price, price, price, price, quantity, notional, 1, 0, 0)


def merge(earlier: Candle, later: Candle) -> Candle:
    """Return two stretches of one interval as one candle, begun when the earlier one was."""
    return Candle(
        earlier.open_time,
        earlier.open,
        earlier.high if earlier.high > later.high else later.high,
        earlier.low if earlier.low < later.low else later.low,
        later.close,
        earlier.volume + later.volume,
        earlier.notional + later.notional,
        earlier.count + later.count,
        earlier.taker_volume + later.taker_volume,
        earlier.taker_notional + later.taker_notional,
    )


def reopened(candle: Candle, interval: str) -> Candle:
    """Return the same candle as the beginning of the coarser interval that contains it."""
    opened = open_time(interval, candle.open_time)
    return candle if opened == candle.open_time else _moved(candle, opened)


def coarsen(rows: Iterable[Candle], interval: str) -> list[Candle]:
    """Ascending candles folded into a coarser interval; intervals without a row stay out."""
    coarse: list[Candle] = []
    end = None
    for row in rows:
        if end is not None and row.open_time < end:
            coarse[-1] = merge(coarse[-1], row)
        else:
            coarse.append(reopened(row, interval))
            end = next_open(interval, row.open_time)
    return coarse


def join(earlier: list[Candle], later: list[Candle]) -> list[Candle]:
    """Candles of history and the later ones, of one interval; where they meet, two are merged.

    Candles of the history after the first later candle are left out.
    """
    if not later:
        return earlier
    begin = later[0]
    cut = bisect_left(earlier, begin.open_time, key=moment)
    if cut < len(earlier) and earlier[cut].open_time == begin.open_time:
        return [*earlier[:cut], merge(earlier[cut], begin), *later[1:]]
    return earlier[:cut] + later


def fill(rows: list[Candle], interval: str, until: int, limit: int) -> list[Candle]:
    """Return the newest `limit` candles, without gaps, ending with the one that contains `until`.

    `rows` ascend; an interval without a row is flat at the last close with no volume. Nothing
    comes before the first row. When the last row lies after `until`, it is the end.
    """
    if not rows:
        return []
    filled: list[Candle] = []
    opens = _opens(interval, rows[0].open_time, max(until, rows[-1].open_time), limit)
    ordinal = bisect_right(rows, opens[0], key=moment) - 1
    row = rows[ordinal]
    for opened in opens:
        if ordinal + 1 < len(rows) and rows[ordinal + 1].open_time == opened:
            ordinal += 1
            row = rows[ordinal]
        filled.append(row if row.open_time == opened else _flat(opened, row.close))
    return filled


def bounds(interval: str, start: int | None, end: int, limit: int) -> tuple[int, int]:
    """Return when the first and the last of at most `limit` candles open: the first ones that open
    at `start` (µs) or later, or the last ones up to the one that contains `end`."""
    last = open_time(interval, end)
    if start is None:
        first = last
        for _ in range(limit - 1):
            first = open_time(interval, first - 1)
        return first, last
    first = open_time(interval, start)
    if first < start:
        first = next_open(interval, start)
    most = first
    for _ in range(limit - 1):
        most = next_open(interval, most)
    return first, min(last, most)


def _opens(interval: str, begin: int, until: int, limit: int) -> Sequence[int]:
    """Return the open times of the newest `limit` intervals from `begin` to the one of `until`."""
    assert limit > 0, limit
    last = open_time(interval, until)
    if interval != MONTH:
        length = _FIXED[interval][0]
        return range(max(begin, last - (limit - 1) * length), last + 1, length)
    opens = [last]
    while len(opens) < limit and opens[-1] > begin:
        opens.append(open_time(interval, opens[-1] - 1))
    return opens[::-1]


def _flat(opened: int, close: int) -> Candle:
    return Candle(opened, close, close, close, close, 0, 0, 0, 0, 0)


def _moved(candle: Candle, opened: int) -> Candle:
    return Candle(
        opened,
        candle.open,
        candle.high,
        candle.low,
        candle.close,
        candle.volume,
        candle.notional,
        candle.count,
        candle.taker_volume,
        candle.taker_notional,
    )


def _month(day: int, ahead: int) -> int:
    """Return when the month of a day (counted from 1970-01-01), or one `ahead` months later,
    began."""
    today = date.fromordinal(day + FIRST_ORDINAL)
    year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
    return (date(year, month + 1, 1).toordinal() - FIRST_ORDINAL) * DAY_US
