"""A stock ccxt client meets living markets: quotes, trades, candle history, other traders."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from support.server import Server
from support.stock import Stock, number

SYMBOLS = ("BTC/USDT", "ETH/USDT", "SOL/USDT")
ASSETS = ("BTC", "ETH", "SOL", "USDT")
TIMEFRAMES = ("1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M")
SPREAD_MAX = Decimal("0.01")  # of the price
POLLS_MAX = 20_000
ROUNDS = 12


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("agents")) as server:
        yield server


@pytest.fixture(scope="module")
def public(server: Server) -> Iterator[Stock]:
    """Once every market has had a trade, which takes the agents a moment."""
    with Stock(server, None) as stock:
        for _ in range(POLLS_MAX):
            if all(ticker["last"] for ticker in stock("fetch_tickers").values()):
                break
        yield stock


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_books_are_full_and_plausible(public: Stock, symbol: str) -> None:
    for limit in (None, 200):
        book = public("fetch_order_book", symbol, limit)
        bids = [number(price) for price, _ in book["bids"]]
        asks = [number(price) for price, _ in book["asks"]]
        assert len(bids) >= 3
        assert len(asks) >= 3
        assert bids == sorted(dict.fromkeys(bids), reverse=True)
        assert asks == sorted(dict.fromkeys(asks))
        assert 0 < asks[0] - bids[0] < bids[0] * SPREAD_MAX
        assert all(quantity > 0 for _, quantity in book["bids"] + book["asks"])
        last = number(public("fetch_ticker", symbol)["last"])
        assert abs(last - bids[0]) < last * SPREAD_MAX * 5


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_ticker_lives(public: Stock, symbol: str) -> None:
    before = public("fetch_ticker", symbol)
    for _ in range(POLLS_MAX):
        ticker = public("fetch_ticker", symbol)
        if int(ticker["info"]["count"]) > int(before["info"]["count"]):
            break
    assert int(ticker["info"]["count"]) > int(before["info"]["count"])
    assert ticker["low"] <= ticker["last"] <= ticker["high"]
    assert number(ticker["baseVolume"]) > 0
    trades = public("fetch_trades", symbol, None, 1000)
    assert max(trade["timestamp"] for trade in trades) >= ticker["timestamp"]
    assert len(trades) >= min(int(ticker["info"]["count"]), 1000)


@pytest.mark.parametrize("timeframe", TIMEFRAMES)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_candle_history(public: Stock, symbol: str, timeframe: str) -> None:
    before = public("fetch_time")
    rows = public("fetch_ohlcv", symbol, timeframe, None, 1000, {"limit": 300})
    assert len(rows) >= 100
    times = [row[0] for row in rows]
    assert times == sorted(dict.fromkeys(times))
    assert times[-1] <= public("fetch_time")
    assert times[-1] + (times[-1] - times[-2]) * 1.2 > before
    for _, open_, high, low, close, volume in rows:
        assert 0 < low <= min(open_, close)
        assert max(open_, close) <= high
        assert volume >= 0
    assert sum(row[5] > 0 for row in rows) > 250
    assert len(public("fetch_ohlcv", symbol, timeframe, None, 1000, {"limit": 5})) == 5


@pytest.mark.parametrize(
    ("coarse", "fine", "ratio"),
    [("5m", "1m", 5), ("15m", "5m", 3), ("30m", "15m", 2), ("1h", "30m", 2), ("2h", "1h", 2),
     ("4h", "2h", 2), ("6h", "2h", 3), ("8h", "4h", 2), ("12h", "6h", 2), ("1d", "12h", 2),
     ("1w", "1d", 7)],
)  # fmt: skip
def test_coarse_candles_are_folds_of_fine_ones(
    public: Stock, coarse: str, fine: str, ratio: int
) -> None:
    """Past candles only: the newest two change while the market lives."""
    length = int(public.exchange.parse_timeframe(fine)) * 1000
    found = {
        row[0]: row
        for row in public("fetch_ohlcv", "BTC/USDT", fine, None, 1000, {"limit": 300})[:-2]
    }
    checked = 0
    for row in public("fetch_ohlcv", "BTC/USDT", coarse, None, 1000, {"limit": 300})[:-2]:
        parts = [found.get(row[0] + length * step) for step in range(ratio)]
        inside = [part for part in parts if part is not None]
        if len(inside) < ratio:
            continue
        checked += 1
        assert row[1] == inside[0][1]
        assert row[2] == max(part[2] for part in inside)
        assert row[3] == min(part[3] for part in inside)
        assert row[4] == inside[-1][4]
        assert number(row[5]) == sum(number(part[5]) for part in inside)
    assert checked >= 250 // ratio


def test_a_paced_client(server: Server) -> None:
    """The client's own pacing on, as it is by default."""
    with Stock(server, server.account("alice"), paced=True) as alice:
        assert alice.exchange.enableRateLimit is True
        assert set(SYMBOLS) <= set(alice("load_markets"))
        placed = alice("create_order", "BTC/USDT", "limit", "buy", "0.01", "1000")
        assert alice("fetch_order", placed["id"], "BTC/USDT")["status"] == "open"
        assert alice("cancel_order", placed["id"], "BTC/USDT")["status"] == "canceled"


# -- several at once ------------------------------------------------------------------------------


@pytest.fixture
def traders(server: Server) -> Iterator[dict[str, Stock]]:
    """Alice and bob on one event loop."""
    loop = asyncio.new_event_loop()
    stocks = {name: Stock(server, server.account(name), loop=loop) for name in ("alice", "bob")}
    yield stocks
    for stock in stocks.values():
        stock.close()
    loop.close()


def test_concurrent_traders_agree_with_their_balances(traders: dict[str, Stock]) -> None:
    """Alice and bob trade among the agents, many requests in flight; their own sums hold."""
    before = {name: held(stock("fetch_balance"), "total") for name, stock in traders.items()}
    loop = traders["alice"].loop
    assert loop is not None
    orders = loop.run_until_complete(_trade(traders, Random(7)))
    sides: dict[str, list[tuple[str, str, Any, Any]]] = {}
    for name, stock in traders.items():
        stock("cancel_all_orders", "SOL/USDT")
        trades = stock("fetch_my_trades", "SOL/USDT", None, 1000)
        check_own(stock, orders[name], trades)
        balance = stock("fetch_balance")
        after = held(balance, "total")
        changes = {asset: after[asset] - before[name][asset] for asset in ASSETS}
        assert changes == _moved(trades)
        assert held(balance, "used") == dict.fromkeys(ASSETS, Decimal(0))
        for trade in trades:
            side = (name, trade["side"], trade["price"], trade["amount"])
            sides.setdefault(trade["id"], []).append(side)
    met = [pair for pair in sides.values() if len(pair) == 2 and pair[0][0] != pair[1][0]]
    assert met, "alice and bob never met"
    for first, second in met:
        assert first[2:] == second[2:]
        assert sorted((first[1], second[1])) == ["buy", "sell"]


async def _trade(stocks: dict[str, Stock], random: Random) -> dict[str, list[str]]:
    """Place orders in rounds, all of a round at once; the order ids by owner."""
    exchanges = {name: stock.exchange for name, stock in stocks.items()}
    placed: dict[str, list[str]] = {name: [] for name in exchanges}
    for _ in range(ROUNDS):
        book = await exchanges["alice"].fetch_order_book("SOL/USDT")
        bid, ask = book["bids"][0][0], book["asks"][0][0]
        names, calls = [], []
        # Inside the spread alice and bob meet each other, at the touch they meet the agents.
        for name, side, price in (
            ("alice", "buy", (bid + ask) / 2), ("bob", "sell", (bid + ask) / 2),
            ("alice", "buy", ask), ("bob", "sell", bid),
            ("alice", "sell", bid), ("bob", "buy", ask),
        ):  # fmt: skip
            amount = random.randint(100, 3_000) / 1000
            names.append(name)
            calls.append(exchanges[name].create_order("SOL/USDT", "limit", side, amount, price))
        for name, order in zip(names, await asyncio.gather(*calls), strict=True):
            placed[name].append(order["id"])
    return placed


def held(balance: Any, what: str) -> dict[str, Decimal]:
    return {asset: number(balance[asset][what]) for asset in ASSETS}


def check_own(stock: Stock, ids: list[str], trades: list[Any]) -> None:
    """Each acknowledged order exists once and executed what its own trades say."""
    rows = stock("fetch_orders", "SOL/USDT", None, 1000)
    assert sorted(row["id"] for row in rows) == sorted(ids)
    for row in rows:
        mine = [trade for trade in trades if trade["order"] == row["id"]]
        assert number(row["filled"]) == sum(number(trade["amount"]) for trade in mine)
        assert number(row["cost"]) == sum(number(trade["cost"]) for trade in mine)
        assert row["info"]["status"] in ("FILLED", "CANCELED")


def _moved(trades: list[Any]) -> dict[str, Decimal]:
    changes = dict.fromkeys(ASSETS, Decimal(0))
    for trade in trades:
        sign = 1 if trade["side"] == "buy" else -1
        changes["SOL"] += sign * number(trade["amount"])
        changes["USDT"] -= sign * number(trade["cost"])
        changes[trade["fee"]["currency"]] -= number(trade["fee"]["cost"])
    return changes
