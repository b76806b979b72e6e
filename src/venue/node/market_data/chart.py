"""The live candles of one symbol, in every interval."""

from __future__ import annotations

from collections import deque
from itertools import islice

from venue.candles import (
    CANDLES_MAX,
    INTERVALS,
    MINUTE_US,
    Candle,
    merge,
    open_time,
    reopened,
)
from venue.node.market_data.records import ChartRecord
from venue.node.market_data.wide_sums import restore_wide_sums, split_wide_sums


class Minute:
    """The current minute. Its candle is made when somebody asks for it, as trades are more frequent
    than questions."""

    __slots__ = (
        "_candle", "close", "count", "high", "low", "notional", "open", "open_time",
        "taker_notional", "taker_volume", "volume",
    )  # fmt: skip

    def __init__(self, candle: Candle) -> None:
        self._candle: Candle | None = candle
        self.open_time = candle.open_time
        self.open = candle.open
        self.high = candle.high
        self.low = candle.low
        self.close = candle.close
        self.volume = candle.volume
        self.notional = candle.notional
        self.count = candle.count
        self.taker_volume = candle.taker_volume
        self.taker_notional = candle.taker_notional

    def price(self, price: int) -> None:
        """Add the newest price."""
        self._candle = None
        self.close = price
        if price > self.high:
            self.high = price
        if price < self.low:
            self.low = price

    def trade(self, price: int, quantity: int, notional: int, *, taker_bought: bool) -> None:
        """Add the newest trade."""
        self.price(price)
        self.volume += quantity
        self.notional += notional
        self.count += 1
        if taker_bought:
            self.taker_volume += quantity
            self.taker_notional += notional

    def candle(self) -> Candle:
        """Return the candle so far: the same object until the next trade or price."""
        if self._candle is None:
            self._candle = Candle(
                self.open_time, self.open, self.high, self.low, self.close, self.volume,
                self.notional, self.count, self.taker_volume, self.taker_notional,
            )  # fmt: skip
        return self._candle


class Chart:
    """The newest 1,000 candles of each interval, of those with trades or quotes.

    Trades change the current minute only. A finished minute is merged into every interval, so the
    cost of a trade does not depend on the number of intervals.
    """

    __slots__ = ("_minute", "_minute_end", "_rows")

    def __init__(self) -> None:
        self._minute: Minute | None = None
        self._minute_end = 0
        self._rows: dict[str, deque[Candle]] = {
            interval: deque(maxlen=CANDLES_MAX) for interval in INTERVALS
        }

    def fold(
        self, time: int, price: int, quantity: int, notional: int, *, taker_bought: bool
    ) -> None:
        """Add one trade, the newest so far."""
        minute = self._minute
        if minute is None or time >= self._minute_end:
            minute = self._begin(time, price)
        minute.trade(price, quantity, notional, taker_bought=taker_bought)

    def quote(self, time: int, price: int) -> None:
        """Add one price without a trade, the newest so far: volumes and counts stay 0."""
        minute = self._minute
        if minute is None or time >= self._minute_end:
            self._begin(time, price)
        elif price != minute.close:
            minute.price(price)

    def minute(self) -> Candle | None:
        """Return the running minute's candle: another object after each trade (or other price)."""
        return None if self._minute is None else self._minute.candle()

    def rows(self, interval: str, limit: int) -> list[Candle]:
        """Return at least the newest `limit` stored candles with trades, ascending.

        The last one is unfinished. KeyError for an unknown interval.
        """
        rows = list(islice(reversed(self._rows[interval]), limit))
        rows.reverse()
        if self._minute is not None:
            _append(rows, reopened(self._minute.candle(), interval))
        return rows

    def full(self, interval: str) -> bool:
        """Return whether older candles of an interval may have been dropped."""
        return len(self._rows[interval]) == CANDLES_MAX

    def dump(self) -> ChartRecord:
        """Return everything, for `restore`."""
        minute = [] if self._minute is None else [self._minute.candle()]
        rows = [split_wide_sums(self._rows[interval]) for interval in INTERVALS]
        return ChartRecord([*rows, split_wide_sums(minute)])

    def restore(self, record: ChartRecord) -> None:
        """Replace everything by a dump."""
        *rows, minute = [restore_wide_sums(*part) for part in record.rows]
        for interval, part in zip(INTERVALS, rows, strict=True):
            self._rows[interval] = deque(part, maxlen=CANDLES_MAX)
        self._minute = Minute(minute[0]) if minute else None
        self._minute_end = minute[0].open_time + MINUTE_US if minute else 0

    def _begin(self, time: int, price: int) -> Minute:
        """Merge the finished minute into every interval, and start the one that contains `time`."""
        if self._minute is not None:
            candle = self._minute.candle()
            for interval, rows in self._rows.items():
                _append(rows, reopened(candle, interval))
        opened = open_time("1m", time)
        minute = Minute(Candle(opened, price, price, price, price, 0, 0, 0, 0, 0))
        self._minute, self._minute_end = minute, opened + MINUTE_US
        return minute


def _append(rows: list[Candle] | deque[Candle], candle: Candle) -> None:
    """Append a candle, or merge it into the last one when both are of one interval."""
    if rows and rows[-1].open_time == candle.open_time:
        rows[-1] = merge(rows[-1], candle)
    else:
        rows.append(candle)
