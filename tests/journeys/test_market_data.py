"""Market data against slow answers computed from all the engine's events."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.market_data_walk import (
    BEGIN,
    LATE,
    MAKER,
    SESSIONS,
    SYMBOLS,
    MarketWalk,
    answers,
    place,
    slow_levels,
    slow_update_id,
)
from support.slow import slow_candles, slow_ticker
from venue.candles import (
    DAY_US,
    HOUR_US,
    INTERVALS,
    MINUTE_US,
    SECOND_US,
    Candle,
    coarsen,
    open_time,
)
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    Command,
    HaltInstrument,
    Tick,
)
from venue.core.messages.events import Event, Rejected
from venue.lab.backfill import Backfill, Start
from venue.lab.prehistory import GeneratedHistory
from venue.node.market_data.past import PastTrade
from venue.node.market_data.product import TRADES_MAX
from venue.node.market_data.records import Depth, Top
from venue.node.market_data.ticker import Ticker
from venue.node.market_data.views import EVENTS_MAX, PENDING_MAX, MarketData
from venue.vocabulary import Side

# -- random sessions -----------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(steps=SESSIONS, batch_max=st.integers(1, 5), asked=st.integers(1, 10), late=LATE)
def test_every_answer_equals_the_slow_one(
    steps: list[tuple[int, Command]], batch_max: int, asked: int, late: int
) -> None:
    walk = MarketWalk(batch_max=batch_max)
    for number, (gap, command) in enumerate(steps):
        walk.time += gap
        walk.apply(command)
        if number % asked == 0:
            walk.hand_over()
            _compare_quick(walk, walk.time)
    walk.hand_over()
    _compare_quick(walk, walk.time)
    _compare_quick(walk, walk.time + late)
    for symbol in SYMBOLS:
        trades = walk.trades(symbol)
        for interval in INTERVALS:
            assert walk.data.spot.candles(symbol, interval, 40, walk.time + late) == slow_candles(
                trades, [], interval, 40, walk.time + late
            )


def _compare_quick(walk: MarketWalk, now: int) -> None:
    for symbol in SYMBOLS:
        market = walk.engine.market(symbol)
        assert market is not None
        bids, asks = slow_levels(market.book.bids), slow_levels(market.book.asks)
        update_id = slow_update_id(walk, symbol)
        assert walk.data.spot.depth(symbol, 200) == Depth(update_id, bids, asks)
        assert walk.data.spot.depth(symbol, 3) == Depth(update_id, bids[:3], asks[:3])
        best = (*(bids or [(0, 0)])[0], *(asks or [(0, 0)])[0])
        assert walk.data.spot.top(symbol) == Top(update_id, *best)
        trades = walk.trades(symbol)
        assert walk.data.spot.ticker(symbol, now) == slow_ticker(trades, now)
        assert walk.data.spot.trades(symbol, 1_000) == [
            PastTrade(
                trade.trade_id,
                trade.price,
                trade.quantity,
                trade.notional,
                time,
                trade.taker_side == Side.SELL,
            )
            for time, trade in trades
        ]


@settings(max_examples=40, deadline=None)
@given(steps=SESSIONS, data=st.data())
def test_a_restart_changes_no_answer(steps: list[tuple[int, Command]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(steps)))
    overlap = data.draw(st.integers(1, cut + 1))
    walk = MarketWalk()
    restarted = MarketData()
    for number, (gap, command) in enumerate(steps):
        if number == cut:
            restarted.restore(walk.data.dump())
        walk.time += gap
        walk.apply(command)
    if cut == len(steps):
        restarted.restore(walk.data.dump())
    # Some of what the dump holds comes again and is skipped.
    restarted.follow(walk.applied[-(len(steps) - cut + overlap) :])
    for late in (0, MINUTE_US, DAY_US - 1_000_000, DAY_US):
        assert answers(restarted, walk.time + late) == answers(walk.data, walk.time + late)
    assert restarted.dump() == walk.data.dump()


# -- single rules --------------------------------------------------------------------------------


def test_the_ticker_lets_go_at_the_second() -> None:
    walk = MarketWalk()
    walk.trade(100, 1)
    first_time = walk.time
    walk.time += 5_000_000
    walk.trade(90, 2)
    last_second = (first_time // 1_000_000 + 86_400) * 1_000_000
    assert walk.data.spot.ticker("BTCUSDT", last_second - 1) == Ticker(
        100, 100, 90, 90, 3, 280, 2, first_time, walk.time
    )
    assert walk.data.spot.ticker("BTCUSDT", last_second) == Ticker(
        90, 90, 90, 90, 2, 180, 1, walk.time, walk.time
    )
    later = last_second + DAY_US
    assert walk.data.spot.ticker("BTCUSDT", later) == Ticker(
        90, 90, 90, 90, 0, 0, 0, later - DAY_US + 1_000_000, later
    )
    assert walk.data.spot.ticker("ETHUSDT", later).last == 0


def test_only_the_newest_thousand_trades_and_candles_are_kept() -> None:
    walk = MarketWalk(batch_max=64)
    for number in range(TRADES_MAX + 50):
        walk.trade(100 + number % 7, 1 + number % 3, bought=number % 2 == 0)
        walk.time += MINUTE_US
    walk.hand_over()
    trades = walk.trades("BTCUSDT")
    kept = walk.data.spot.trades("BTCUSDT", TRADES_MAX)
    assert [trade.trade_id for trade in kept] == [trade.trade_id for _, trade in trades[-1_000:]]
    assert walk.data.spot.trades("BTCUSDT", 2) == kept[-2:]
    for interval in ("1m", "5m", "1d"):
        assert walk.data.spot.candles("BTCUSDT", interval, 1_000, walk.time) == slow_candles(
            trades, [], interval, 1_000, walk.time
        )


def test_live_trades_join_the_prehistory() -> None:
    history = Backfill(3, BEGIN, {"BTCUSDT": Start(100, 1, 50, 30_000)})
    past_told = GeneratedHistory({"BTCUSDT": "BTCUSDT"}, 0)
    walk = MarketWalk(past=past_told)
    assert walk.data.spot.candles("BTCUSDT", "1m", 300, BEGIN) == []
    past_told.begin(3, history)
    for late in (0, 2 * MINUTE_US):
        for interval in INTERVALS:
            expected = slow_candles([], history("BTCUSDT", interval), interval, 300, BEGIN + late)
            assert len(expected) == 300
            assert walk.data.spot.candles("BTCUSDT", interval, 300, BEGIN + late) == expected
    walk.time += 7_000_000
    for price in (101, 98, 99):
        walk.trade(price, 2, bought=price > 99)
        walk.time += 50_000_000
    for interval in INTERVALS:
        rows = walk.data.spot.candles("BTCUSDT", interval, 1_000, walk.time)
        past = history("BTCUSDT", interval)
        assert rows == slow_candles(walk.trades("BTCUSDT"), past, interval, 1_000, walk.time)
        assert len(rows) >= 300
    assert (
        coarsen(walk.data.spot.candles("BTCUSDT", "1m", 1_000, walk.time), "1h")[-1]
        == (walk.data.spot.candles("BTCUSDT", "1h", 1, walk.time)[0])
    )
    assert walk.data.spot.candles("ETHUSDT", "1m", 300, walk.time) == []


def _told(walk: MarketWalk, now: int) -> Ticker:
    """The statistics of a day out of its minutes: the first one that begins in it counts."""
    begin = (now // SECOND_US - 86_400 + 1) * SECOND_US
    rows: list[Candle] = []
    end = now
    while not rows or rows[0].open_time > begin:
        rows = walk.data.spot.candles_until("BTCUSDT", "1m", 1_000, end) + rows
        end = rows[0].open_time - 1
    day = [row for row in rows if row.open_time >= begin]
    return Ticker(
        day[0].open,
        max(row.high for row in day),
        min(row.low for row in day),
        day[-1].close,
        sum(row.volume for row in day),
        sum(row.notional for row in day),
        sum(row.count for row in day),
        day[0].open_time,
        walk.data.spot.trades("BTCUSDT", 1)[0].time,
    )


def test_the_ticker_and_the_trades_go_on_from_the_past() -> None:
    past = GeneratedHistory({"BTCUSDT": "BTCUSDT"}, 0)
    walk = MarketWalk(past=past)
    nothing = walk.data.spot.ticker("BTCUSDT", BEGIN)
    assert (nothing.last, nothing.count, walk.data.spot.newest_trade("BTCUSDT")) == (0, 0, 0)
    past.begin(3, Backfill(3, BEGIN, {"BTCUSDT": Start(100, 1, 5_000, 30_000)}))
    spot = walk.data.spot
    before = spot.trades("BTCUSDT", TRADES_MAX)
    assert len(before) >= 1_000
    assert before[-1].time <= BEGIN < before[-1].time + MINUTE_US
    assert [trade.time for trade in before] == sorted(trade.time for trade in before)
    ids = [trade.trade_id for trade in before]
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert before[-1].price == spot.ticker("BTCUSDT", BEGIN).last == 100
    for late in (0, 1, 61_000_000, 12 * HOUR_US):
        told = _told(walk, BEGIN + late)
        assert spot.ticker("BTCUSDT", BEGIN + late) == told
        assert told.volume > 1_000_000
        assert spot.ticker_until("BTCUSDT", BEGIN + late) > BEGIN + late
    walk.time += 12 * HOUR_US + 5_000_000
    walk.trade(1_000, 7)
    now = spot.ticker("BTCUSDT", walk.time)
    assert now == _told(walk, walk.time)
    assert (now.high, now.last) == (1_000, 1_000)
    own = spot.trades("BTCUSDT", TRADES_MAX)
    assert own[:-1] == before[-len(own) + 1 :]
    assert spot.newest_trade("BTCUSDT") == own[-1].trade_id > ids[-1]
    assert spot.trades_after("BTCUSDT", ids[-3]) == own[-3:]
    assert spot.trades_after("BTCUSDT", ids[-1]) == own[-1:]
    assert spot.trades("BTCUSDT", 2) == own[-2:]
    # Earlier trades no longer count after a day, the ones made here half a day later.
    day = BEGIN + 24 * HOUR_US + MINUTE_US
    assert spot.ticker("BTCUSDT", day).volume == 7
    assert spot.ticker("BTCUSDT", day + 12 * HOUR_US).count == 0
    assert spot.ticker("BTCUSDT", day + 12 * HOUR_US).last == 1_000
    restarted = MarketData(past)
    restarted.restore(walk.data.dump())
    assert restarted.spot.trades("BTCUSDT", TRADES_MAX) == own


def test_no_minute_of_the_past_begins_before_the_day() -> None:
    past = GeneratedHistory({"BTCUSDT": "BTCUSDT"}, 0)
    walk = MarketWalk(past=past)
    past.begin(3, Backfill(3, BEGIN, {"BTCUSDT": Start(100, 1, 5_000, 30_000)}))
    for late in range(0, 2 * MINUTE_US, 7_000_000):
        now = BEGIN + late
        told = walk.data.spot.ticker("BTCUSDT", now)
        assert told == _told(walk, now)
        assert now - 24 * HOUR_US < told.open_time


def test_the_minutes_of_the_past_are_made_of_its_trades() -> None:
    history = Backfill(5, BEGIN, {"BTCUSDT": Start(6_400_000, 10, 1_500, 25_000)})
    deals = history.deals("BTCUSDT")
    minutes = {row.open_time: row for row in history("BTCUSDT", "1m")}
    assert history.minutes("BTCUSDT") == history("BTCUSDT", "1m")[-1_442:]
    for opened in sorted({open_time("1m", deal.time) for deal in deals}):
        row = minutes[opened]
        own = [deal for deal in deals if open_time("1m", deal.time) == opened]
        assert (own[0].price, own[-1].price) == (row.open, row.close)
        assert {row.high, row.low} <= {deal.price for deal in own}
        assert all(row.low <= deal.price <= row.high for deal in own)
        assert all(deal.notional == deal.price * deal.quantity * 10 > 0 for deal in own)
        assert sum(deal.quantity for deal in own) == row.volume
        assert sum(deal.quantity for deal in own if deal.taker_bought) == row.taker_volume


def test_sums_beyond_64_bits_survive_a_restart() -> None:
    walk = MarketWalk()
    for number in range(40):
        walk.trade(100, 2**60 // 100, bought=number % 2 == 0)
    walk.time += MINUTE_US
    walk.trade(1, 1)
    restarted = MarketData()
    restarted.restore(walk.data.dump())
    assert walk.data.spot.ticker("BTCUSDT", walk.time).notional > 2**64
    assert answers(restarted, walk.time) == answers(walk.data, walk.time)


def test_waiting_commands_are_bounded() -> None:
    walk = MarketWalk()
    for _ in range(PENDING_MAX + 50):
        walk.apply(Tick())
        assert len(walk.data._pending) <= PENDING_MAX


def test_their_events_are_bounded() -> None:
    """Folding those of a settlement of many positions at once would keep orders waiting."""
    data = MarketData()
    for sequence in range(1, 40):
        events: list[Event] = [Rejected(0)] * 300
        data.follow([Applied(sequence, 0, Tick(), events)])
        assert sum(len(one.events) for one in data._pending) <= EVENTS_MAX
    assert len(data._pending) > 1


def test_refusals_change_no_update_id() -> None:
    walk = MarketWalk()
    walk.trade(100, 1)
    assert walk.data.spot.depth("BTCUSDT", 15) == Depth(2, [], [])
    walk.apply(HaltInstrument("BTCUSDT", halted=True))
    refused = walk.apply(place(MAKER, "BTCUSDT", Side.BUY, 90, 1))
    assert isinstance(refused.events[0], Rejected)
    assert walk.data.spot.depth("BTCUSDT", 15).update_id == 2


def test_unknown_names_are_key_errors() -> None:
    data = MarketWalk().data
    for ask in (
        lambda: data.spot.depth("NONE", 15),
        lambda: data.spot.top("NONE"),
        lambda: data.spot.trades("NONE", 10),
        lambda: data.spot.ticker("NONE", BEGIN),
        lambda: data.spot.candles("NONE", "1m", 10, BEGIN),
        lambda: data.spot.candles("BTCUSDT", "3m", 10, BEGIN),
    ):
        with pytest.raises(KeyError):
            ask()
