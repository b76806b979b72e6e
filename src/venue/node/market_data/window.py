"""The rolling 24-hour window of a symbol, at a resolution of one second."""

from __future__ import annotations

from collections import deque
from typing import Final

from venue.candles import MINUTE_US, SECOND_US, Candle
from venue.node.market_data.ticker import Ticker, WindowRecord
from venue.node.market_data.wide_sums import Second, restore_wide_sums, split_wide_sums
from venue.times import US_PER_MS

WINDOW_S: Final = 86_400


class Window:
    """The trades of the last 86,400 seconds, with running sums and extremes.

    Second `s` is in the window at time t when s > t // 10^6 - 86,400. Times must not decrease from
    call to call: seconds that have left the window do not come back.
    """

    __slots__ = ("_count", "_highs", "_last", "_lows", "_notional", "_seconds", "_volume")

    def __init__(self) -> None:
        self._seconds: deque[Second] = deque()
        self._highs: deque[tuple[int, int]] = deque()  # prices fall: the first is the highest
        self._lows: deque[tuple[int, int]] = deque()  # prices rise: the first is the lowest
        self._last = 0
        self._volume = 0
        self._notional = 0
        self._count = 0

    def fold(self, time: int, price: int, quantity: int, notional: int) -> None:
        """Add one trade, the newest so far."""
        second = time // SECOND_US
        seconds = self._seconds
        if seconds and seconds[-1].second == second:
            bucket = seconds[-1]
            bucket.last = price
            bucket.volume += quantity
            bucket.notional += notional
            bucket.count += 1
            bucket.last_time = time
        else:
            self._expire(second)
            seconds.append(Second(second, price, price, quantity, notional, 1, time, time))
        self._sum(price, quantity, notional, 1)
        self._extreme(second, price, price)

    @staticmethod
    def of(minutes: list[Candle], end: int) -> Window:
        """Return a window of whole minutes, ascending. Each minute leaves it as a whole, with its
        first second, as if its first trade was made then. The last minute may end at `end` (µs)
        before it is over."""
        window = Window()
        for row in minutes:
            last = min(row.open_time + MINUTE_US - 1, end)
            second = row.open_time // SECOND_US
            window._seconds.append(
                Second(
                    second, row.open, row.close, row.volume, row.notional, row.count,
                    row.open_time, last,
                )
            )  # fmt: skip
            window._sum(row.close, row.volume, row.notional, row.count)
            window._extreme(second, row.high, row.low)
        return window

    def empty(self, now: int) -> bool:
        """Return whether there is no trade in the window that ends with `now`."""
        self._expire(now // SECOND_US)
        return not self._seconds

    def ticker(self, now: int) -> Ticker:
        """Return the statistics of the window that ends with `now`."""
        second = now // SECOND_US
        self._expire(second)
        last = self._last
        if not self._seconds:
            begin = (second - WINDOW_S + 1) * SECOND_US
            return Ticker(last, last, last, last, 0, 0, 0, begin, now)
        oldest = self._seconds[0]
        return Ticker(
            oldest.first,
            self._highs[0][1],
            self._lows[0][1],
            last,
            self._volume,
            self._notional,
            self._count,
            oldest.first_time,
            self._seconds[-1].last_time,
        )

    def until(self, now: int) -> int:
        """Return the time (µs, exclusive) up to which `ticker` stays as it is at `now`, its times
        in ms.

        A trade before that time still changes it.
        """
        self._expire(now // SECOND_US)
        if not self._seconds:
            return (now // US_PER_MS + 1) * US_PER_MS  # an empty window tells the time itself
        return (self._seconds[0].second + WINDOW_S) * SECOND_US

    def _sum(self, last: int, volume: int, notional: int, count: int) -> None:
        self._last = last
        self._volume += volume
        self._notional += notional
        self._count += count

    def _extreme(self, second: int, high: int, low: int) -> None:
        highs = self._highs
        while highs and highs[-1][1] <= high:
            highs.pop()
        highs.append((second, high))
        lows = self._lows
        while lows and lows[-1][1] >= low:
            lows.pop()
        lows.append((second, low))

    def dump(self) -> WindowRecord:
        """Return everything, for `restore`."""
        seconds, wide = split_wide_sums(self._seconds)
        return WindowRecord(self._last, seconds, wide, list(self._highs), list(self._lows))

    def restore(self, record: WindowRecord) -> None:
        """Replace everything by a dump."""
        seconds = restore_wide_sums(record.seconds, record.wide)
        self._seconds = deque(seconds)
        self._highs = deque(record.highs)
        self._lows = deque(record.lows)
        self._last = record.last
        self._volume = sum([bucket.volume for bucket in seconds])
        self._notional = sum([bucket.notional for bucket in seconds])
        self._count = sum([bucket.count for bucket in seconds])

    def _expire(self, now_second: int) -> None:
        """Drop the trades that are out of the window at this second."""
        bound = now_second - WINDOW_S
        seconds = self._seconds
        while seconds and seconds[0].second <= bound:
            bucket = seconds.popleft()
            self._volume -= bucket.volume
            self._notional -= bucket.notional
            self._count -= bucket.count
        for extremes in (self._highs, self._lows):
            while extremes and extremes[0][0] <= bound:
                extremes.popleft()
