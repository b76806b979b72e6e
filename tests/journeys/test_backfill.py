"""The candle history before a venue's first trade."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest

from support.waits import WAIT_S
from venue.candles import (
    INTERVALS,
    MINUTE_US,
    Candle,
    coarsen,
    next_open,
    open_time,
)
from venue.lab.backfill import KEPT_MAX, Backfill, Start

EPOCH = 1_764_500_123_456_789  # a Sunday, 10:55:23
STARTS = {
    "BTCUSDT": Start(
        price=6_400_000, unit_atoms=1_000, volume_per_minute=50_000, volatility_ppm=25_000
    ),
    "TINY": Start(price=1, unit_atoms=1, volume_per_minute=0, volatility_ppm=500_000),
}
DIGEST = """
import hashlib, msgspec
from venue.candles import INTERVALS
from venue.lab.backfill import KEPT_MAX, Backfill, Start
backfill = Backfill(7, 1_764_500_123_456_789, {"BTCUSDT": Start(6_400_000, 1_000, 50_000, 25_000)})
rows = [backfill("BTCUSDT", interval) for interval in INTERVALS]
print(hashlib.sha256(msgspec.json.encode(rows)).hexdigest())
"""


@pytest.fixture(scope="module", params=list(STARTS))
def rows(request: pytest.FixtureRequest) -> dict[str, list[Candle]]:
    backfill = Backfill(7, EPOCH, STARTS)
    return {interval: backfill(request.param, interval) for interval in INTERVALS}


@pytest.mark.parametrize("interval", INTERVALS)
def test_enough_rows_without_gaps_up_to_the_epoch(
    rows: dict[str, list[Candle]], interval: str
) -> None:
    part = rows[interval]
    assert 300 <= len(part) <= KEPT_MAX
    assert part[-1].open_time == open_time(interval, EPOCH)
    for row, following in pairwise(part):
        assert following.open_time == next_open(interval, row.open_time)
        assert following.open == row.close


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_candle_is_possible(rows: dict[str, list[Candle]], interval: str) -> None:
    for row in rows[interval]:
        assert 0 < row.low <= min(row.open, row.close) <= max(row.open, row.close) <= row.high
        assert 0 < row.count <= row.volume
        assert 0 <= row.taker_volume <= row.volume
        assert 0 <= row.taker_notional <= row.notional
        assert all(type(value) is int for value in (row.open, row.volume, row.notional))


@pytest.mark.parametrize("symbol", STARTS)
def test_the_history_ends_at_the_start_price_and_trades_inside_its_range(symbol: str) -> None:
    backfill = Backfill(7, EPOCH, STARTS)
    start = STARTS[symbol]
    for interval in INTERVALS:
        part = backfill(symbol, interval)
        assert part[-1].close == start.price
        for row in part:
            unit = start.unit_atoms * row.volume
            assert row.low * unit <= row.notional <= row.high * unit


@pytest.mark.parametrize(
    ("finer", "coarser"),
    [
        ("1m", "5m"),
        ("1m", "1h"),
        ("1m", "12h"),
        ("5m", "1d"),
        ("15m", "30m"),
        ("30m", "1h"),
        ("1h", "4h"),
        ("1h", "1d"),
        ("1h", "1w"),
        ("4h", "8h"),
        ("12h", "1M"),
        ("1d", "1w"),
        ("1d", "1M"),
    ],
)
def test_a_coarser_candle_is_the_fold_of_the_finer_ones(
    rows: dict[str, list[Candle]], finer: str, coarser: str
) -> None:
    # The first one may lack the finer candles before the finer rows begin.
    folded = coarsen(rows[finer], coarser)[1:]
    assert folded
    assert folded == rows[coarser][-len(folded) :]


def test_nothing_lies_after_the_epochs_minute() -> None:
    for epoch in (EPOCH, EPOCH // MINUTE_US * MINUTE_US, 0, open_time("1M", EPOCH)):
        backfill = Backfill(7, epoch, STARTS)
        assert backfill("BTCUSDT", "1m")[-1].open_time == epoch // MINUTE_US * MINUTE_US
        for interval in INTERVALS:
            assert len(backfill("BTCUSDT", interval)) >= 300
            assert backfill("BTCUSDT", interval)[-1].open_time == open_time(interval, epoch)


def test_seed_and_symbol_make_the_difference() -> None:
    starts = {"A": STARTS["BTCUSDT"], "B": STARTS["BTCUSDT"]}
    backfill = Backfill(7, EPOCH, starts)
    assert backfill("A", "1h") == Backfill(7, EPOCH, starts)("A", "1h")
    assert backfill("A", "1h") != backfill("B", "1h")
    assert backfill("A", "1h") != Backfill(8, EPOCH, starts)("A", "1h")


def test_a_symbol_without_a_start_has_no_history() -> None:
    backfill = Backfill(7, EPOCH, STARTS)
    assert backfill("NONE", "1m") == []
    with pytest.raises(KeyError):
        backfill("BTCUSDT", "3m")


def test_the_same_rows_in_every_process() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=WAIT_S,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
