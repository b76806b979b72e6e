"""The thirteen intervals and the folds of trades and candles."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venue.candles import (
    DAY_US,
    INTERVALS,
    MINUTE_US,
    Candle,
    coarsen,
    fill,
    first,
    join,
    merge,
    next_open,
    open_time,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = st.integers(-30 * 365 * DAY_US, 200 * 365 * DAY_US)


def us(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    time = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return (time - EPOCH) // timedelta(microseconds=1)


def row(opened: int, close: int, volume: int = 1) -> Candle:
    return Candle(opened, close, close, close, close, volume, close * volume, 1, 0, 0)


@pytest.mark.parametrize(
    ("interval", "opened", "following"),
    [
        ("1m", us(2028, 2, 29, 23, 59), us(2028, 3, 1)),
        ("5m", us(2028, 2, 29, 23, 55), us(2028, 3, 1)),
        ("15m", us(2028, 2, 29, 23, 45), us(2028, 3, 1)),
        ("30m", us(2028, 2, 29, 23, 30), us(2028, 3, 1)),
        ("1h", us(2028, 2, 29, 23), us(2028, 3, 1)),
        ("2h", us(2028, 2, 29, 22), us(2028, 3, 1)),
        ("4h", us(2028, 2, 29, 20), us(2028, 3, 1)),
        ("6h", us(2028, 2, 29, 18), us(2028, 3, 1)),
        ("8h", us(2028, 2, 29, 16), us(2028, 3, 1)),
        ("12h", us(2028, 2, 29, 12), us(2028, 3, 1)),
        ("1d", us(2028, 2, 29), us(2028, 3, 1)),
        ("1w", us(2028, 2, 28), us(2028, 3, 6)),
        ("1M", us(2028, 2, 1), us(2028, 3, 1)),
    ],
)
def test_intervals(interval: str, opened: int, following: int) -> None:
    time = us(2028, 2, 29, 23, 59, 30)
    assert open_time(interval, time) == opened
    assert next_open(interval, time) == following


def test_there_are_thirteen_and_case_matters() -> None:
    assert " ".join(INTERVALS) == "1m 5m 15m 30m 1h 2h 4h 6h 8h 12h 1d 1w 1M"
    for unknown in ("1H", "1D", "3m", ""):
        with pytest.raises(KeyError):
            open_time(unknown, 0)


@given(time=TIMES, interval=st.sampled_from(INTERVALS))
def test_an_interval_contains_its_times_and_only_those(time: int, interval: str) -> None:
    opened, end = open_time(interval, time), next_open(interval, time)
    assert opened <= time < end
    assert open_time(interval, opened) == open_time(interval, end - 1) == opened
    assert open_time(interval, end) == end
    assert opened % MINUTE_US == 0


@given(time=TIMES)
def test_weeks_start_on_monday_and_months_on_the_first(time: int) -> None:
    week = EPOCH + timedelta(microseconds=open_time("1w", time))
    assert (week.isoweekday(), week.hour, week.minute) == (1, 0, 0)
    month = EPOCH + timedelta(microseconds=open_time("1M", time))
    assert (month.day, month.hour, month.minute) == (1, 0, 0)
    assert (month.year, month.month) == (
        (EPOCH + timedelta(microseconds=time)).year,
        (EPOCH + timedelta(microseconds=time)).month,
    )


def test_the_year_turns() -> None:
    assert next_open("1M", us(2027, 12, 31, 23, 59)) == us(2028, 1, 1)
    assert open_time("1w", us(2028, 1, 1)) == us(2027, 12, 27)


def test_folding_trades() -> None:
    candle = first(0, 100, 2, 200, taker_bought=True)
    assert candle == Candle(0, 100, 100, 100, 100, 2, 200, 1, 2, 200)
    candle = with_trade(candle, 90, 1, 90, taker_bought=False)
    candle = with_trade(candle, 110, 3, 330, taker_bought=True)
    assert with_trade(candle, 95, 1, 95, taker_bought=False) == Candle(
        0, 100, 110, 90, 95, 7, 715, 4, 5, 530
    )


TRADES = st.lists(
    st.tuples(st.integers(1, 50), st.integers(1, 9), st.booleans()), min_size=2, max_size=12
)


@given(trades=TRADES, data=st.data())
def test_merging_two_stretches_is_folding_all(
    trades: list[tuple[int, int, bool]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(trades) - 1))
    assert merge(_folded(trades[:cut]), _folded(trades[cut:])) == _folded(trades)


def with_trade(
    candle: Candle, price: int, quantity: int, notional: int, *, taker_bought: bool
) -> Candle:
    return merge(candle, first(0, price, quantity, notional, taker_bought=taker_bought))


def _folded(trades: list[tuple[int, int, bool]]) -> Candle:
    price, quantity, bought = trades[0]
    candle = first(0, price, quantity, price * quantity, taker_bought=bought)
    for price, quantity, bought in trades[1:]:
        candle = with_trade(candle, price, quantity, price * quantity, taker_bought=bought)
    return candle


def test_coarsening_leaves_empty_intervals_out() -> None:
    minutes = [row(MINUTE_US, 5), row(4 * MINUTE_US, 7), row(11 * MINUTE_US, 6)]
    assert coarsen(minutes, "5m") == [
        Candle(0, 5, 7, 5, 7, 2, 12, 2, 0, 0),
        Candle(10 * MINUTE_US, 6, 6, 6, 6, 1, 6, 1, 0, 0),
    ]
    assert coarsen([], "5m") == []


def test_filling_is_flat_at_the_last_close() -> None:
    rows = [row(MINUTE_US, 5), row(4 * MINUTE_US, 7)]
    assert fill(rows, "1m", 6 * MINUTE_US + 1, 10) == [
        rows[0],
        Candle(2 * MINUTE_US, 5, 5, 5, 5, 0, 0, 0, 0, 0),
        Candle(3 * MINUTE_US, 5, 5, 5, 5, 0, 0, 0, 0, 0),
        rows[1],
        Candle(5 * MINUTE_US, 7, 7, 7, 7, 0, 0, 0, 0, 0),
        Candle(6 * MINUTE_US, 7, 7, 7, 7, 0, 0, 0, 0, 0),
    ]
    assert fill([], "1m", 0, 10) == []


def test_filling_ends_with_the_last_row_and_keeps_the_limit() -> None:
    rows = [row(MINUTE_US, 5), row(4 * MINUTE_US, 7)]
    assert fill(rows, "1m", 0, 1) == [rows[1]]
    assert [candle.open_time for candle in fill(rows, "1m", 9 * MINUTE_US, 3)] == [
        7 * MINUTE_US,
        8 * MINUTE_US,
        9 * MINUTE_US,
    ]


def test_filling_months() -> None:
    rows = [row(us(2027, 11, 1), 5)]
    filled = fill(rows, "1M", us(2028, 3, 15), 300)
    assert [candle.open_time for candle in filled] == [
        us(2027, 11, 1),
        us(2027, 12, 1),
        us(2028, 1, 1),
        us(2028, 2, 1),
        us(2028, 3, 1),
    ]
    assert [candle.volume for candle in filled] == [1, 0, 0, 0, 0]


def test_joining_merges_where_history_meets_life() -> None:
    history = [row(0, 5), row(MINUTE_US, 6)]
    assert join(history, []) == history
    assert join([], history) == history
    assert join(history, [row(2 * MINUTE_US, 9)]) == [*history, row(2 * MINUTE_US, 9)]
    live = [row(MINUTE_US, 9), row(2 * MINUTE_US, 8)]
    assert join(history, live) == [
        history[0],
        Candle(MINUTE_US, 6, 9, 6, 9, 2, 15, 2, 0, 0),
        live[1],
    ]
    assert join([*history, row(2 * MINUTE_US, 1)], live) == join(history, live)
