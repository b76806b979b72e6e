"""Market data of contracts from hand-made events, against slow answers and hand-made ones."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract_data_walk import FeedWalk, beside, public, quotes, slow_quotes, slow_update_id
from support.contract_feed import (
    BEGIN,
    BTC,
    CLOSES_LONG,
    CLOSES_SHORT,
    ETH,
    OPENS_LONG,
    OPENS_SHORT,
    SYMBOLS,
    UNIT,
    Feed,
    closed,
    instrument,
    mark,
    placed,
    reduced,
    traded,
)
from support.slow import slow_candles, slow_ticker
from venue.candles import DAY_US, INTERVALS, MINUTE_US, Candle, open_time
from venue.core.messages.contract_events import (
    ContractTrade,
    FundingDue,
    Leg,
    MarkSet,
)
from venue.core.messages.events import InstrumentListed, OrderPlaced
from venue.node.market_data.past import PastTrade
from venue.node.market_data.records import Depth, LastFunding, Prices, Top
from venue.node.market_data.ticker import Ticker
from venue.node.market_data.views import MarketData
from venue.vocabulary import BUY, SELL, Cause, OrderType, TimeInForce

# -- single rules --------------------------------------------------------------------------------


def test_every_event_of_the_book_moves_its_level() -> None:
    feed = Feed()
    board = feed.data.contract
    assert board.depth(BTC, 15) == Depth(0, [], [])
    assert board.top(BTC) == Top(0, 0, 0, 0, 0)
    feed.say(placed(BUY, 100, 5), placed(BUY, 100, 2))
    feed.say(placed(SELL, 103, 9))
    assert board.depth(BTC, 15) == Depth(2, [(100, 7)], [(103, 9)])
    feed.say(placed(BUY, 101, 0), closed(BUY, 101, 0))  # it never rested
    assert board.depth(BTC, 15).update_id == 2
    feed.say(reduced(SELL, 103, 4))
    assert board.depth(BTC, 15) == Depth(3, [(100, 7)], [(103, 5)])
    # One command: a seller takes seven lots and rests with one.
    feed.say(
        placed(SELL, 100, 1),
        traded(SELL, 100, 7, taker=OPENS_SHORT, maker=OPENS_LONG),
        mark(99, 98),
    )
    assert board.depth(BTC, 15) == Depth(4, [], [(100, 1), (103, 5)])
    assert board.top(BTC) == Top(4, 0, 0, 100, 1)
    feed.say(closed(SELL, 103, 5))
    assert board.depth(BTC, 15) == Depth(5, [], [(100, 1)])
    assert board.depth(ETH, 15) == Depth(0, [], [])


def test_trades_fill_the_tape_the_ticker_and_the_candles() -> None:
    feed = Feed()
    feed.say(placed(SELL, 103, 9))
    feed.time += 61_000_000
    first = feed.time
    feed.say(
        placed(BUY, 103, 0), traded(BUY, 103, 4, taker=OPENS_LONG, maker=OPENS_SHORT, trade_id=8)
    )
    feed.time += 1_000_000
    feed.say(placed(BUY, 99, 2))
    feed.say(
        placed(SELL, 99, 0),
        traded(SELL, 99, 2, taker=CLOSES_LONG, maker=CLOSES_SHORT, trade_id=9, cause=Cause.CLOSE),
    )
    board = feed.data.contract
    assert board.trades(BTC, 10) == [
        PastTrade(8, 103, 4, 412 * UNIT, first, False),
        PastTrade(9, 99, 2, 198 * UNIT, feed.time, True),
    ]
    assert board.ticker(BTC, feed.time) == Ticker(
        103, 103, 99, 99, 6, 610 * UNIT, 2, first, feed.time
    )
    row = Candle(BEGIN + MINUTE_US, 103, 103, 99, 99, 6, 610 * UNIT, 2, 4, 412 * UNIT)
    assert board.candles(BTC, "1m", 10, feed.time) == [row]
    assert feed.data.contract_data.open_interest(BTC) == 2


def test_a_symbol_is_two_markets() -> None:
    feed = Feed()
    with pytest.raises(KeyError):
        feed.data.spot.depth(BTC, 15)
    feed.say(InstrumentListed(instrument(BTC)))
    feed.say(placed(BUY, 100, 5))
    feed.say(OrderPlaced(1, 10, BTC, SELL, OrderType.LIMIT, TimeInForce.GTC, 3, 90, "", 3))
    assert feed.data.contract.depth(BTC, 15) == Depth(1, [(100, 5)], [])
    assert feed.data.spot.depth(BTC, 15) == Depth(1, [], [(90, 3)])
    with pytest.raises(KeyError):
        feed.data.spot.depth(ETH, 15)


@pytest.mark.parametrize("cause", [Cause.LIQUIDATION, Cause.UNWIND, Cause.TRIGGER])
def test_every_trade_in_the_book_is_public(cause: Cause) -> None:
    feed = Feed()
    feed.say(placed(BUY, 100, 5))
    feed.say(traded(SELL, 100, 5, taker=CLOSES_LONG, maker=OPENS_LONG, cause=cause))
    assert feed.data.contract.depth(BTC, 15) == Depth(2, [], [])
    assert len(feed.data.contract.trades(BTC, 10)) == 1


def test_trades_outside_the_book_touch_open_interest_only() -> None:
    feed = Feed()
    feed.say(placed(BUY, 100, 9))
    feed.say(traded(SELL, 100, 5, taker=OPENS_SHORT, maker=OPENS_LONG))
    before = public(feed.data, BTC, feed.time)
    feed.say(traded(SELL, 80, 3, taker=CLOSES_LONG, maker=OPENS_LONG, cause=Cause.TAKEOVER))
    assert feed.data.contract_data.open_interest(BTC) == 5
    feed.say(traded(SELL, 80, 2, taker=CLOSES_LONG, maker=CLOSES_SHORT, cause=Cause.DELEVERAGE))
    assert feed.data.contract_data.open_interest(BTC) == 3
    assert public(feed.data, BTC, feed.time) == before


@pytest.mark.parametrize(
    ("taker", "maker", "change"),
    [
        (OPENS_LONG, OPENS_SHORT, 4),
        (OPENS_SHORT, OPENS_LONG, 4),
        (CLOSES_LONG, CLOSES_SHORT, -4),
        (CLOSES_SHORT, CLOSES_LONG, -4),
        (OPENS_LONG, CLOSES_LONG, 0),
        (CLOSES_LONG, OPENS_LONG, 0),
        (OPENS_SHORT, CLOSES_SHORT, 0),
        (CLOSES_SHORT, OPENS_SHORT, 0),
    ],
)
def test_open_interest_is_the_sum_of_longs(taker: Leg, maker: Leg, change: int) -> None:
    feed = Feed()
    feed.say(placed(SELL, 100, 14))
    feed.say(traded(BUY, 100, 10, taker=OPENS_LONG, maker=OPENS_SHORT))
    feed.say(traded(BUY, 100, 4, taker=taker, maker=maker))
    assert feed.data.contract_data.open_interest(BTC) == 10 + change
    assert feed.data.contract_data.open_interest(ETH) == 0


def test_prices_are_the_last_ones_set() -> None:
    feed = Feed()
    data = feed.data.contract_data
    assert data.prices(BTC) == Prices(0, 0, False, 0, 0)
    feed.say(MarkSet(BTC, 1_000, 1_003, True, 2_500_000, 77))
    assert data.prices(BTC) == Prices(1_000, 1_003, True, BEGIN, 2_500_000)
    feed.time += 10_000_000
    feed.say(MarkSet(BTC, 1_000, 1_003, False, -40, 77))
    assert data.prices(BTC) == Prices(1_000, 1_003, False, BEGIN + 10_000_000, -40)
    assert data.prices(ETH).mark == 0
    assert data.open_interest(BTC) == 0


def test_funding_is_the_last_one_due() -> None:
    feed = Feed()
    data = feed.data.contract_data
    assert data.funding(BTC) == LastFunding(0, 0, 0)
    feed.say(FundingDue(BTC, BEGIN - 5, -100_000, 1_003, 1_000))
    assert data.funding(BTC) == LastFunding(BEGIN - 5, -100_000, 1_003)
    assert data.funding(ETH) == LastFunding(0, 0, 0)


def test_index_and_mark_have_candles_without_volume() -> None:
    feed = Feed()
    data = feed.data.contract_data
    feed.say(mark(0, 0, current=False))  # nothing is known yet
    assert data.mark_candles(BTC, "1m", 10, feed.time) == []
    for index, price in ((100, 101), (90, 99), (95, 104)):
        feed.say(mark(index, price))
        feed.time += 20_000_000
    feed.time += 2 * MINUTE_US
    feed.say(mark(97, 97))
    assert data.index_candles(BTC, "1m", 10, feed.time) == [
        quotes(BEGIN, 100, 90, 95),
        quotes(BEGIN + MINUTE_US, 95),
        quotes(BEGIN + 2 * MINUTE_US, 95),
        quotes(BEGIN + 3 * MINUTE_US, 97),
    ]
    assert data.mark_candles(BTC, "1m", 3, feed.time + MINUTE_US) == [
        quotes(BEGIN + 2 * MINUTE_US, 104),
        quotes(BEGIN + 3 * MINUTE_US, 97),
        quotes(BEGIN + 4 * MINUTE_US, 97),
    ]
    opened = open_time("1M", BEGIN)
    assert data.index_candles(BTC, "1M", 10, feed.time) == [quotes(opened, 100, 90, 95, 97)]
    assert data.mark_candles(ETH, "1m", 10, feed.time) == []
    assert feed.data.contract.candles(BTC, "1m", 10, feed.time) == []


def test_unknown_names_are_key_errors() -> None:
    data = Feed().data
    for ask in (
        lambda: data.contract.depth("NONE", 15),
        lambda: data.contract_data.prices("NONE"),
        lambda: data.contract_data.funding("NONE"),
        lambda: data.contract_data.open_interest("NONE"),
        lambda: data.contract_data.index_candles("NONE", "1m", 10, BEGIN),
        lambda: data.contract_data.mark_candles(BTC, "3m", 10, BEGIN),
    ):
        with pytest.raises(KeyError):
            ask()


def test_a_dump_from_before_contracts_can_be_restored() -> None:
    feed = Feed()
    feed.say(InstrumentListed(instrument(BTC)))
    sequence, spot, *_ = msgspec.msgpack.decode(feed.data.dump())
    restarted = MarketData()
    restarted.restore(msgspec.msgpack.encode([sequence, spot]))
    assert restarted.spot.depth(BTC, 15) == Depth(0, [], [])
    with pytest.raises(KeyError):
        restarted.contract.depth(BTC, 15)


# -- random sessions -----------------------------------------------------------------------------


def compare(walk: FeedWalk, symbol: str, now: int) -> None:
    """Every answer with the slow one."""
    feed = walk.feed
    board, view = feed.data.contract, feed.data.contract_data
    bids, asks = walk.levels(symbol, BUY), walk.levels(symbol, SELL)
    assert board.depth(symbol, 200) == Depth(slow_update_id(feed, symbol), bids, asks)
    events = feed.all(symbol)
    trades = [
        (time, event)
        for time, event in events
        if isinstance(event, ContractTrade) and event.cause < Cause.TAKEOVER
    ]
    assert [trade.trade_id for trade in board.trades(symbol, 1_000)] == [
        trade.trade_id for _, trade in trades
    ]
    assert board.ticker(symbol, now) == slow_ticker(trades, now)
    marks = [(time, event) for time, event in events if isinstance(event, MarkSet)]
    for interval in INTERVALS:
        assert board.candles(symbol, interval, 40, now) == slow_candles(
            trades, [], interval, 40, now
        )
        indexes = [(time, event.index) for time, event in marks]
        assert view.index_candles(symbol, interval, 40, now) == slow_quotes(
            indexes, interval, 40, now
        )
        prices = [(time, event.mark) for time, event in marks]
        assert view.mark_candles(symbol, interval, 40, now) == slow_quotes(
            prices, interval, 40, now
        )
    assert view.open_interest(symbol) == walk.longs[symbol]
    if marks:
        time, last = marks[-1]
        assert view.prices(symbol) == Prices(
            last.index, last.mark, last.current, time, last.premium_ppb
        )
    dues = [event for _, event in events if isinstance(event, FundingDue)]
    if dues:
        assert view.funding(symbol) == LastFunding(dues[-1].due, dues[-1].rate_ppb, dues[-1].mark)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    length=st.integers(1, 150),
    late=st.sampled_from([0, MINUTE_US, DAY_US, 40 * DAY_US]),
    data=st.data(),
)
def test_every_answer_equals_the_slow_one_and_survives_a_restart(
    seed: int, length: int, late: int, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, length - 1))
    walk = FeedWalk(Random(seed))
    feed = walk.feed
    restarted = MarketData()
    for number in range(length):
        if number == cut:
            restarted.restore(feed.data.dump())
        walk.step()
    restarted.follow(feed.applied[cut:])  # the first of them is in the dump and is skipped
    for symbol in SYMBOLS:
        compare(walk, symbol, feed.time)
        compare(walk, symbol, feed.time + late)
        for now in (feed.time + late, feed.time + late + DAY_US):
            assert public(restarted, symbol, now) == public(feed.data, symbol, now)
            assert beside(restarted, symbol, now) == beside(feed.data, symbol, now)
    assert restarted.dump() == feed.data.dump()
