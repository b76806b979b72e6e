"""Market data against slow answers computed from all the engine's events."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from venue.core.book.book import Half, resting
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    CancelOrder,
    CancelOrders,
    Command,
    CreateOwner,
    Deposit,
    HaltInstrument,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
    Tick,
)
from venue.core.messages.events import Event, OrderClosed, OrderPlaced, Rejected, Trade
from venue.core.units import PPM
from venue.lab.backfill import Backfill, Start
from venue.lab.prehistory import ToldHistory
from venue.node.market_data.past import PastTrade
from venue.node.market_data.product import TRADES_MAX
from venue.node.market_data.records import Depth, Top
from venue.node.market_data.ticker import Ticker
from venue.node.market_data.views import EVENTS_MAX, PENDING_MAX, MarketData
from venue.vocabulary import OrderType, SelfTrade, Side, TimeInForce, Wallet

SYMBOLS = ("BTCUSDT", "ETHUSDT")
BEGIN = 1_764_500_123_456_789
MAKER, TAKER = 10_000_001, 10_000_002


class Venue:
    """A real engine whose applied commands go to market data, and are kept for slow answers."""

    def __init__(self, *, batch_max: int = 1, past: ToldHistory | None = None) -> None:
        self.engine = Engine()
        self.time = BEGIN
        self.applied: list[Applied] = []
        self.data = MarketData(past)
        self.batch: list[Applied] = []
        self.batch_max = batch_max
        for asset in ("BTC", "ETH", "USDT"):
            self.apply(RegisterAsset(asset, 0))
        for symbol in SYMBOLS:
            self.apply(ListInstrument(_instrument(symbol)))
        for name, self_trade in (("maker", SelfTrade.EXPIRE_MAKER), ("taker", SelfTrade.NONE)):
            self.apply(CreateOwner(name, self_trade))
        for uid in (MAKER, TAKER):
            for asset in ("BTC", "ETH", "USDT"):
                self.apply(Deposit(uid, Wallet.SPOT, asset, 2**60))

    def apply(self, command: Command) -> Applied:
        command.time = self.time
        events = self.engine.apply(command)
        applied = Applied(self.engine.sequence, self.time, command, events)
        self.applied.append(applied)
        self.batch.append(applied)
        if len(self.batch) >= self.batch_max:
            self.hand_over()
        return applied

    def hand_over(self) -> None:
        self.data.follow(self.batch)
        self.batch = []

    def trade(self, price: int, lots: int, *, bought: bool = True, symbol: str = "BTCUSDT") -> None:
        """Two commands: an order that rests and one that takes all of it."""
        sides = (Side.SELL, Side.BUY) if bought else (Side.BUY, Side.SELL)
        self.apply(place(MAKER, symbol, sides[0], price, lots))
        events = self.apply(place(TAKER, symbol, sides[1], price, lots)).events
        assert any(isinstance(event, Trade) for event in events), events

    def trades(self, symbol: str) -> list[tuple[int, Trade]]:
        return [
            (applied.time, event)
            for applied in self.applied
            for event in applied.events
            if isinstance(event, Trade) and event.symbol == symbol
        ]


def place(
    uid: int,
    symbol: str,
    side: Side,
    price: int,
    lots: int,
    time_in_force: TimeInForce = TimeInForce.GTC,
) -> PlaceOrder:
    kind = OrderType.LIMIT if price else OrderType.MARKET
    return PlaceOrder(uid, symbol, side, kind, time_in_force, lots, price)


def _instrument(symbol: str) -> Instrument:
    return Instrument(
        symbol,
        symbol.removesuffix("USDT"),
        "USDT",
        tick=1,
        price_scale=0,
        step=1,
        quantity_scale=0,
        quantity_min=1,
        quantity_max=10**17,
        market_quantity_max=10**17,
        maker_ppm=0,
        taker_ppm=0,
        buy_band_ppm=PPM,
        sell_band_ppm=PPM,
        market_band_ppm=PPM,
    )


# -- slow answers --------------------------------------------------------------------------------


def slow_levels(half: Half[None]) -> list[tuple[int, int]]:
    levels: dict[int, int] = {}
    for order in resting(half):
        levels[order.price] = levels.get(order.price, 0) + order.remaining
    return list(levels.items())


def slow_update_id(venue: Venue, symbol: str) -> int:
    changed = 0
    for applied in venue.applied:
        changed += any(
            isinstance(event, Trade)
            or (isinstance(event, OrderPlaced | OrderClosed) and event.resting > 0)
            for event in applied.events
            if getattr(event, "symbol", "") == symbol
        )
    return changed


def answers(data: MarketData, now: int) -> list[Any]:
    return [
        (
            data.spot.depth(symbol, 200),
            data.spot.top(symbol),
            data.spot.trades(symbol, TRADES_MAX),
            data.spot.ticker(symbol, now),
            [data.spot.candles(symbol, interval, 1_000, now) for interval in INTERVALS],
        )
        for symbol in SYMBOLS
    ]


# -- random sessions -----------------------------------------------------------------------------

SESSIONS = st.builds(
    lambda seed, length: session(Random(seed), length),
    st.integers(0, 2**32),
    st.integers(1, 150),
)
LATE = st.sampled_from([0, 1_000_000, MINUTE_US, DAY_US - 1_000_000, DAY_US, 40 * DAY_US])


def session(random: Random, length: int) -> list[tuple[int, Command]]:
    """Commands, each with the time (µs) that passes before it, dense enough to trade often."""
    pace = random.choice([300_000, 20_000_000, 3_600_000_000, DAY_US])
    steps: list[tuple[int, Command]] = []
    for _ in range(length):
        gap = random.choice([0, 0, pace, random.randrange(4 * pace)])
        if random.random() < 0.02:
            gap = random.choice([DAY_US - 1_000_000, DAY_US, 40 * DAY_US])
        steps.append((gap, _command(random)))
    return steps


def _command(random: Random) -> Command:
    kind = random.random()
    if kind < 0.03:
        return CancelOrders(random.choice([MAKER, TAKER]), random.choice(SYMBOLS))
    if kind < 0.10:
        return CancelOrder(random.choice([MAKER, TAKER]), 10**15 + random.randrange(60))
    if kind < 0.12:
        return Tick()
    price = 0 if kind < 0.2 else random.randint(60, 75)
    return place(
        random.choice([MAKER, TAKER]),
        random.choice([SYMBOLS[0], SYMBOLS[0], SYMBOLS[1]]),
        random.choice(list(Side)),
        price,
        random.randint(1, 20),
        random.choice([TimeInForce.GTC, *TimeInForce]) if price else TimeInForce.IOC,
    )


@settings(max_examples=60, deadline=None)
@given(steps=SESSIONS, batch_max=st.integers(1, 5), asked=st.integers(1, 10), late=LATE)
def test_every_answer_equals_the_slow_one(
    steps: list[tuple[int, Command]], batch_max: int, asked: int, late: int
) -> None:
    venue = Venue(batch_max=batch_max)
    for number, (gap, command) in enumerate(steps):
        venue.time += gap
        venue.apply(command)
        if number % asked == 0:
            venue.hand_over()
            _compare_quick(venue, venue.time)
    venue.hand_over()
    _compare_quick(venue, venue.time)
    _compare_quick(venue, venue.time + late)
    for symbol in SYMBOLS:
        trades = venue.trades(symbol)
        for interval in INTERVALS:
            assert venue.data.spot.candles(symbol, interval, 40, venue.time + late) == slow_candles(
                trades, [], interval, 40, venue.time + late
            )


def _compare_quick(venue: Venue, now: int) -> None:
    for symbol in SYMBOLS:
        market = venue.engine.market(symbol)
        assert market is not None
        bids, asks = slow_levels(market.book.bids), slow_levels(market.book.asks)
        update_id = slow_update_id(venue, symbol)
        assert venue.data.spot.depth(symbol, 200) == Depth(update_id, bids, asks)
        assert venue.data.spot.depth(symbol, 3) == Depth(update_id, bids[:3], asks[:3])
        best = (*(bids or [(0, 0)])[0], *(asks or [(0, 0)])[0])
        assert venue.data.spot.top(symbol) == Top(update_id, *best)
        trades = venue.trades(symbol)
        assert venue.data.spot.ticker(symbol, now) == slow_ticker(trades, now)
        assert venue.data.spot.trades(symbol, 1_000) == [
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
    venue = Venue()
    restarted = MarketData()
    for number, (gap, command) in enumerate(steps):
        if number == cut:
            restarted.restore(venue.data.dump())
        venue.time += gap
        venue.apply(command)
    if cut == len(steps):
        restarted.restore(venue.data.dump())
    # Some of what the dump holds comes again and is skipped.
    restarted.follow(venue.applied[-(len(steps) - cut + overlap) :])
    for late in (0, MINUTE_US, DAY_US - 1_000_000, DAY_US):
        assert answers(restarted, venue.time + late) == answers(venue.data, venue.time + late)
    assert restarted.dump() == venue.data.dump()


# -- single rules --------------------------------------------------------------------------------


def test_the_ticker_lets_go_at_the_second() -> None:
    venue = Venue()
    venue.trade(100, 1)
    first_time = venue.time
    venue.time += 5_000_000
    venue.trade(90, 2)
    last_second = (first_time // 1_000_000 + 86_400) * 1_000_000
    assert venue.data.spot.ticker("BTCUSDT", last_second - 1) == Ticker(
        100, 100, 90, 90, 3, 280, 2, first_time, venue.time
    )
    assert venue.data.spot.ticker("BTCUSDT", last_second) == Ticker(
        90, 90, 90, 90, 2, 180, 1, venue.time, venue.time
    )
    later = last_second + DAY_US
    assert venue.data.spot.ticker("BTCUSDT", later) == Ticker(
        90, 90, 90, 90, 0, 0, 0, later - DAY_US + 1_000_000, later
    )
    assert venue.data.spot.ticker("ETHUSDT", later).last == 0


def test_only_the_newest_thousand_trades_and_candles_are_kept() -> None:
    venue = Venue(batch_max=64)
    for number in range(TRADES_MAX + 50):
        venue.trade(100 + number % 7, 1 + number % 3, bought=number % 2 == 0)
        venue.time += MINUTE_US
    venue.hand_over()
    trades = venue.trades("BTCUSDT")
    kept = venue.data.spot.trades("BTCUSDT", TRADES_MAX)
    assert [trade.trade_id for trade in kept] == [trade.trade_id for _, trade in trades[-1_000:]]
    assert venue.data.spot.trades("BTCUSDT", 2) == kept[-2:]
    for interval in ("1m", "5m", "1d"):
        assert venue.data.spot.candles("BTCUSDT", interval, 1_000, venue.time) == slow_candles(
            trades, [], interval, 1_000, venue.time
        )


def test_live_trades_join_the_prehistory() -> None:
    history = Backfill(3, BEGIN, {"BTCUSDT": Start(100, 1, 50, 30_000)})
    past_told = ToldHistory({"BTCUSDT": "BTCUSDT"}, 0)
    venue = Venue(past=past_told)
    assert venue.data.spot.candles("BTCUSDT", "1m", 300, BEGIN) == []
    past_told.begin(3, history)
    for late in (0, 2 * MINUTE_US):
        for interval in INTERVALS:
            expected = slow_candles([], history("BTCUSDT", interval), interval, 300, BEGIN + late)
            assert len(expected) == 300
            assert venue.data.spot.candles("BTCUSDT", interval, 300, BEGIN + late) == expected
    venue.time += 7_000_000
    for price in (101, 98, 99):
        venue.trade(price, 2, bought=price > 99)
        venue.time += 50_000_000
    for interval in INTERVALS:
        rows = venue.data.spot.candles("BTCUSDT", interval, 1_000, venue.time)
        past = history("BTCUSDT", interval)
        assert rows == slow_candles(venue.trades("BTCUSDT"), past, interval, 1_000, venue.time)
        assert len(rows) >= 300
    assert (
        coarsen(venue.data.spot.candles("BTCUSDT", "1m", 1_000, venue.time), "1h")[-1]
        == (venue.data.spot.candles("BTCUSDT", "1h", 1, venue.time)[0])
    )
    assert venue.data.spot.candles("ETHUSDT", "1m", 300, venue.time) == []


def _told(venue: Venue, now: int) -> Ticker:
    """The statistics of a day out of its minutes: the first one counts as a whole."""
    begin = open_time("1m", (now // SECOND_US - 86_400 + 1) * SECOND_US)
    rows: list[Candle] = []
    end = now
    while not rows or rows[0].open_time > begin:
        rows = venue.data.spot.candles_until("BTCUSDT", "1m", 1_000, end) + rows
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
        venue.data.spot.trades("BTCUSDT", 1)[0].time,
    )


def test_the_ticker_and_the_trades_go_on_from_the_past() -> None:
    past = ToldHistory({"BTCUSDT": "BTCUSDT"}, 0)
    venue = Venue(past=past)
    nothing = venue.data.spot.ticker("BTCUSDT", BEGIN)
    assert (nothing.last, nothing.count, venue.data.spot.newest_trade("BTCUSDT")) == (0, 0, 0)
    past.begin(3, Backfill(3, BEGIN, {"BTCUSDT": Start(100, 1, 5_000, 30_000)}))
    spot = venue.data.spot
    before = spot.trades("BTCUSDT", TRADES_MAX)
    assert len(before) >= 1_000
    assert before[-1].time <= BEGIN < before[-1].time + MINUTE_US
    assert [trade.time for trade in before] == sorted(trade.time for trade in before)
    ids = [trade.trade_id for trade in before]
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert before[-1].price == spot.ticker("BTCUSDT", BEGIN).last == 100
    for late in (0, 1, 61_000_000, 12 * HOUR_US):
        told = _told(venue, BEGIN + late)
        assert spot.ticker("BTCUSDT", BEGIN + late) == told
        assert told.volume > 1_000_000
        assert spot.ticker_until("BTCUSDT", BEGIN + late) > BEGIN + late
    venue.time += 12 * HOUR_US + 5_000_000
    venue.trade(1_000, 7)
    now = spot.ticker("BTCUSDT", venue.time)
    assert now == _told(venue, venue.time)
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
    restarted.restore(venue.data.dump())
    assert restarted.spot.trades("BTCUSDT", TRADES_MAX) == own


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
    venue = Venue()
    for number in range(40):
        venue.trade(100, 2**60 // 100, bought=number % 2 == 0)
    venue.time += MINUTE_US
    venue.trade(1, 1)
    restarted = MarketData()
    restarted.restore(venue.data.dump())
    assert venue.data.spot.ticker("BTCUSDT", venue.time).notional > 2**64
    assert answers(restarted, venue.time) == answers(venue.data, venue.time)


def test_waiting_commands_are_bounded() -> None:
    venue = Venue()
    for _ in range(PENDING_MAX + 50):
        venue.apply(Tick())
        assert len(venue.data._pending) <= PENDING_MAX


def test_their_events_are_bounded() -> None:
    """Folding those of a settlement of many positions at once would keep orders waiting."""
    data = MarketData()
    for sequence in range(1, 40):
        events: list[Event] = [Rejected(0)] * 300
        data.follow([Applied(sequence, 0, Tick(), events)])
        assert sum(len(one.events) for one in data._pending) <= EVENTS_MAX
    assert len(data._pending) > 1


def test_refusals_change_no_update_id() -> None:
    venue = Venue()
    venue.trade(100, 1)
    assert venue.data.spot.depth("BTCUSDT", 15) == Depth(2, [], [])
    venue.apply(HaltInstrument("BTCUSDT", halted=True))
    refused = venue.apply(place(MAKER, "BTCUSDT", Side.BUY, 90, 1))
    assert isinstance(refused.events[0], Rejected)
    assert venue.data.spot.depth("BTCUSDT", 15).update_id == 2


def test_unknown_names_are_key_errors() -> None:
    data = Venue().data
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
