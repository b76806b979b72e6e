"""The live candles of one symbol, in every interval."""

from __future__ import annotations

from collections import deque
from itertools import islice

import msgspec

from venue.candles import (
    CANDLES_MAX,
    INTERVALS,
    MINUTE_US,
    Candle,
    first,
    fold,
    merge,
    open_time,
    reopened,
)
from venue.node.market_data.wide_sums import Wide, narrowed, widened


class ChartRecord(msgspec.Struct, array_like=True):
    """A dumped chart: per interval (finest first), then the running minute, rows and wide sums."""

    rows: list[tuple[list[Candle], list[Wide]]]


class Chart:
    """Candles with trades (or quotes) in them, the newest 1,000 of each interval.

    Trades fold into the running minute only. A finished minute is merged into every interval, so
    the cost of a trade does not depend on how many intervals there are. `minute` is the running
    one, another object after each trade (or other price).
    """

    __slots__ = ("_minute_end", "_rows", "minute")

    def __init__(self) -> None:
        self.minute: Candle | None = None
        self._minute_end = 0
        self._rows: dict[str, deque[Candle]] = {
            interval: deque(maxlen=CANDLES_MAX) for interval in INTERVALS
        }

    def fold(
        self, time: int, price: int, quantity: int, notional: int, *, taker_bought: bool
    ) -> None:
        """Take in one trade, the newest so far."""
        minute = self.minute
        if minute is not None:
            if time < self._minute_end:
                self.minute = fold(minute, price, quantity, notional, taker_bought=taker_bought)
                return
            self._finish(minute)
        opened = open_time("1m", time)
        self.minute = first(opened, price, quantity, notional, taker_bought=taker_bought)
        self._minute_end = opened + MINUTE_US

    def quote(self, time: int, price: int) -> None:
        """Take in one price without a trade, the newest so far: volumes and counts stay 0."""
        minute = self.minute
        if minute is not None:
            if time < self._minute_end:
                if price != minute.close:
                    self.minute = merge(minute, _priced(minute.open_time, price))
                return
            self._finish(minute)
        opened = open_time("1m", time)
        self.minute = _priced(opened, price)
        self._minute_end = opened + MINUTE_US

    def rows(self, interval: str, limit: int) -> list[Candle]:
        """The newest candles with trades, at least `limit` of those that are kept, ascending.

        The unfinished one is the last. KeyError for an unknown interval.
        """
        rows = list(islice(reversed(self._rows[interval]), limit))
        rows.reverse()
        if self.minute is not None:
            _append(rows, reopened(self.minute, interval))
        return rows

    def full(self, interval: str) -> bool:
        """Whether older candles of an interval may have been let go."""
        return len(self._rows[interval]) == CANDLES_MAX

    def dump(self) -> ChartRecord:
        """Everything; `restore` takes it back."""
        minute = [] if self.minute is None else [self.minute]
        rows = [narrowed(self._rows[interval]) for interval in INTERVALS]
        return ChartRecord([*rows, narrowed(minute)])

    def restore(self, record: ChartRecord) -> None:
        """Become what was dumped."""
        *rows, minute = [widened(*part) for part in record.rows]
        for interval, part in zip(INTERVALS, rows, strict=True):
            self._rows[interval] = deque(part, maxlen=CANDLES_MAX)
        self.minute = minute[0] if minute else None
        self._minute_end = minute[0].open_time + MINUTE_US if minute else 0

    def _finish(self, minute: Candle) -> None:
        for interval, rows in self._rows.items():
            _append(rows, reopened(minute, interval))


def _priced(opened: int, price: int) -> Candle:
    return Candle(opened, price, price, price, price, 0, 0, 0, 0, 0)


def _append(rows: list[Candle] | deque[Candle], candle: Candle) -> None:
    """Append a candle, or merge it into the last one when both are of one interval."""
    if rows and rows[-1].open_time == candle.open_time:
        rows[-1] = merge(rows[-1], candle)
    else:
        rows.append(candle)
