"""Tests of a bot, as the pytest plugin of the venue makes them: copy what you need.

`venue` is a venue as it began, in manual time; `venue_ccxt` makes stock ccxt clients of it.
`venue_world` is a world of its own; `wire` has the requests of clients and their answers.
You need not start a venue before: `pytest examples/test_my_bot.py`.
"""

import json
import time
from pathlib import Path

import ccxt
import pytest
from websockets.sync.client import connect

SCENARIO = str(Path(__file__).parent / "scenarios" / "lost_replies.toml")
MINUTES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]
SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"


class Bot:
    """A bot that orders once, however often it has to ask."""

    def __init__(self, exchange):
        self.exchange = exchange
        self.sent = 0

    def buy(self, symbol, amount, price=None, kind="limit"):
        self.sent += 1
        intent = {"clientOrderId": f"bot-{self.sent}"}
        for pause_s in (0, 0.01, 0.02, 0.05):
            time.sleep(pause_s)
            try:
                return self.exchange.create_order(symbol, kind, "buy", amount, price, intent)
            except ccxt.NetworkError:
                continue
        raise ccxt.NetworkError("given up")


@pytest.fixture
def alice(venue_ccxt):
    return venue_ccxt("alice")


@pytest.fixture
def bot(alice):
    return Bot(alice)


# -- orders of both products --------------------------------------------------------------------


def test_an_order_rests(bot, alice):
    order = bot.buy(SPOT, 0.01, 60000)
    assert alice.fetch_order(order["id"], SPOT)["status"] == "open"


def test_a_market_order_is_filled_by_the_book(bot, alice):
    before = alice.fetch_balance()["BTC"]["total"]
    bot.buy(SPOT, 0.01, kind="market")
    assert 0.0099 < alice.fetch_balance()["BTC"]["total"] - before <= 0.01


def test_a_partial_fill(bot, alice, venue_ccxt):
    ticker = alice.fetch_ticker(SPOT)
    price = (ticker["bid"] + ticker["ask"]) / 2  # between the quotes, where no other order is
    order = bot.buy(SPOT, 0.02, price)
    venue_ccxt("bob").create_order(SPOT, "limit", "sell", 0.005, order["price"] or price)
    assert alice.fetch_order(order["id"], SPOT)["filled"] == 0.005


def test_a_contract_position_opens_and_closes(alice):
    alice.set_leverage(10, SWAP, {"marginMode": "cross"})
    alice.create_order(SWAP, "market", "buy", 0.01)
    assert alice.fetch_positions([SWAP])[0]["contracts"] == 0.01
    alice.close_position(SWAP)
    assert alice.fetch_positions([SWAP]) == []


def test_too_little_money(venue_ccxt):
    with pytest.raises(ccxt.InsufficientFunds):
        Bot(venue_ccxt("carol")).buy(SPOT, 0.01, 60000)


# -- faults -------------------------------------------------------------------------------------


def test_a_lost_reply_is_one_order(venue, bot, alice):
    rule = venue.faults.add("drop_after", operation="place*", count=1)
    order = bot.buy(SPOT, 0.01, 60000)
    assert venue.faults.hits(rule) == 1
    assert [one["id"] for one in alice.fetch_open_orders(SPOT)] == [order["id"]]


def test_backing_off_after_429(venue, bot, alice):
    rule = venue.faults.add("status", status=429, retryAfter=1, operation="place*", first=2)
    bot.buy(SPOT, 0.01, 60000)
    assert venue.faults.hits(rule) == 2
    assert len(alice.fetch_open_orders(SPOT)) == 1


def test_giving_up_when_nothing_can_be_placed(venue, bot, alice):
    venue.faults.preset("submit-only-down")
    with pytest.raises(ccxt.NetworkError):
        bot.buy(SPOT, 0.01, 60000)
    venue.faults.clear()
    assert alice.fetch_open_orders(SPOT) == []


def test_a_stream_that_is_closed(venue):
    venue.faults.add("ws.disconnect", channel="trade*", count=1)
    with connect(f"{venue.sockets['spot']}/public", compression=None) as stream:
        stream.send(json.dumps({"method": "SUBSCRIBE", "params": ["BTCUSDT@trade"], "id": 1}))
        assert json.loads(stream.recv(10))
        Bot(venue.ccxt("alice")).buy(SPOT, 0.01, kind="market")
        assert [one for one in stream if "pong" in one] == []  # ends when the stream is closed


def test_a_refused_cancel(venue, bot, alice):
    order = bot.buy(SPOT, 0.01, 60000)
    venue.faults.add("error", code=-1054, operation="cancel*", count=1)
    with pytest.raises(ccxt.ExchangeError):
        alice.cancel_order(order["id"], SPOT)
    alice.cancel_order(order["id"], SPOT)
    assert alice.fetch_open_orders(SPOT) == []


def test_a_halt(venue, bot, alice):
    venue.operator("halt", symbol="BTCUSDT", reason="a rehearsal")
    with pytest.raises(ccxt.ExchangeError):
        bot.buy(SPOT, 0.01, 60000)
    venue.operator("resume", symbol="BTCUSDT")
    assert bot.buy(SPOT, 0.01, 60000)["id"]


# -- time ---------------------------------------------------------------------------------------


def test_two_fundings(venue_world):  # in a world without other traders: two minutes pass at once
    venue_world.operator("change_contract", symbol="BTCUSDT", fundingTimes=MINUTES)
    venue_world.ccxt("alice").create_order(SWAP, "market", "buy", 0.01)
    for _ in range(2):
        told = venue_world.clock.advance("1m")
        assert [one["kind"] for one in told["settled"]] == ["funding"]
    income = venue_world.ask("alice", "income", incomeType="position_funding")
    assert len(income["items"]) == 2


@pytest.mark.venue(scenario=SCENARIO)
def test_after_a_scenario(alice):
    assert len(alice.fetch_open_orders(SPOT)) == 1


def test_time_stands_until_it_is_moved(venue, alice):
    assert alice.fetch_time() == alice.fetch_time() == venue.clock.now()
    venue.clock.advance("5s")
    assert alice.fetch_time() == venue.clock.now()


def test_a_countdown_cancels_what_rests(venue, bot, alice):
    bot.buy(SPOT, 0.01, 60000)
    venue.ask("alice", "cancel_after", timeout=5)
    venue.clock.advance("6s")
    assert alice.fetch_open_orders(SPOT) == []


def test_the_book_that_is_shown_stands_still(venue, alice):
    shown = alice.fetch_order_book(SPOT)["bids"][0]
    venue.faults.add("stale", path="/api/v3/market/depth")
    alice.fetch_order_book(SPOT)
    alice.create_order(SPOT, "market", "sell", 1)
    assert alice.fetch_order_book(SPOT)["bids"][0] == shown
    venue.faults.clear()
    assert alice.fetch_order_book(SPOT)["bids"][0] != shown


# -- the market ---------------------------------------------------------------------------------


def test_a_liquidation(venue, alice):
    alice.set_leverage(50, SWAP, {"marginMode": "isolated"})
    alice.create_order(SWAP, "market", "buy", 0.01)
    mark = float(alice.fetch_positions([SWAP])[0]["entryPrice"])
    venue.index("BTCUSDT", str(round(mark * 0.9, 1)))
    venue.clock.advance("2s")
    assert alice.fetch_positions([SWAP]) == []
    assert len(venue.operator("liquidations", owner="alice")) == 1


def test_a_market_that_lives(venue, alice):
    before = alice.fetch_trades(SPOT, limit=1)[0]["id"]
    venue.clock.advance("3s")
    assert alice.fetch_trades(SPOT, limit=1)[0]["id"] != before


def test_going_back_to_a_position(venue, alice):
    alice.create_order(SWAP, "market", "buy", 0.01)
    venue.snapshot("long")
    for price in (60000, 70000):
        venue.index("BTCUSDT", str(price))
        alice.close_position(SWAP)
        assert alice.fetch_positions([SWAP]) == []
        venue.revert("long")
        assert alice.fetch_positions([SWAP])[0]["contracts"] == 0.01


def test_a_world_of_its_own(venue_world, wire):
    order = Bot(venue_world.ccxt("alice")).buy(SPOT, 0.01, 60000)
    venue_world.clock.advance("1m")
    assert [one["id"] for one in venue_world.ccxt("alice").fetch_open_orders(SPOT)] == [order["id"]]
    assert [one["status"] for one in wire.entries(operation="place_order")] == [200]
