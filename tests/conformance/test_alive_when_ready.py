"""A venue that says it is ready is alive: books, trades, tickers and candles that agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from support.client import Client
from support.raw import ok, refused
from support.server import Server
from support.stock import Stock

SPOT, CONTRACT = "/api/v3/market", "/capi/v3/market"
LIVE = ("BTCUSDT", "ETHUSDT", "SOLUSDT")
MARKETS = [
    *((SPOT, symbol) for symbol in LIVE),
    *((CONTRACT, symbol) for symbol in (*LIVE, "BTCSUSDT", "ETHSUSDT", "SOLSUSDT")),
]
MINUTE_MS, DAY_MS = 60_000, 86_400_000
TRIES = 20


class Ask:
    """Public questions, without an account."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __call__(self, path: str, **query: Any) -> Any:
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return ok(self._client.get(f"{path}?{text}"))

    def ticker(self, root: str, symbol: str) -> Any:
        found = self(f"{root}/ticker/24hr", symbol=symbol)
        return found[0] if isinstance(found, list) else found

    def minutes(self, root: str, symbol: str, begin: int) -> list[Any]:
        """The candles from `begin` (ms) on, from the newest page backwards."""
        path, limit = (f"{root}/klines", 1000) if root == SPOT else (f"{root}/historyKlines", 100)
        rows = self(path, symbol=symbol, interval="1m", limit=limit)
        while int(rows[0][0]) > begin:
            end = int(rows[0][0]) - 1
            rows = self(path, symbol=symbol, interval="1m", limit=limit, endTime=end) + rows
        return [row for row in rows if int(row[0]) >= begin]


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("alive")) as server:
        yield server


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Only owners that are told to trade do so."""
    with Server("--no-agents", folder=tmp_path_factory.mktemp("quiet")) as server:
        yield server


@pytest.fixture
def ask(quiet: Server) -> Ask:
    return Ask(quiet.client())


@pytest.mark.parametrize(("root", "symbol"), MARKETS)
def test_every_market_lives(living: Server, root: str, symbol: str) -> None:
    ask = Ask(living.client())
    book = ask(f"{root}/depth", symbol=symbol)
    assert len(book["bids"]) >= 5
    assert len(book["asks"]) >= 5
    bid, ask_price = float(book["bids"][0][0]), float(book["asks"][0][0])
    now = int(ask(f"{SPOT.removesuffix('/market')}/time")["serverTime"])
    ticker = ask.ticker(root, symbol)
    assert int(ticker["openTime"]) > now - DAY_MS
    last = float(ticker["lastPrice"])
    assert abs(last - (bid + ask_price) / 2) < last / 100
    trades = ask(f"{root}/trades", symbol=symbol, limit=1000)
    assert len(trades) == 1000
    times = [int(trade["time"]) for trade in trades]
    assert times == sorted(times, reverse=True)
    assert len({trade["id"] for trade in trades}) == len(trades)
    assert abs(float(trades[0]["price"]) - last) < last / 100
    assert float(ticker["lowPrice"]) <= last <= float(ticker["highPrice"])
    assert float(ticker["volume"]) > 0
    assert int(ticker["closeTime"]) - int(ticker["openTime"]) > DAY_MS - 2 * MINUTE_MS


def agreement(ask: Ask, root: str, symbol: str) -> tuple[Any, Any]:
    """The ticker, and the same out of the day's minutes."""
    for _ in range(TRIES):
        ticker = ask.ticker(root, symbol)
        rows = ask.minutes(root, symbol, int(ticker["openTime"]))
        if ask.ticker(root, symbol) == ticker:  # nothing left the day meanwhile
            break
    told = [ticker[name] for name in ("openPrice", "highPrice", "lowPrice", "lastPrice")] + [
        round(float(ticker["volume"]), 6),
        round(float(ticker["quoteVolume"]), 4),
    ]
    drawn = [
        rows[0][1],
        max((row[2] for row in rows), key=float),
        min((row[3] for row in rows), key=float),
        rows[-1][4],
        round(sum(float(row[5]) for row in rows), 6),
        round(sum(float(row[7]) for row in rows), 4),
    ]
    return told, drawn


@pytest.mark.parametrize(("root", "symbol"), MARKETS)
def test_the_ticker_covers_the_day_that_the_candles_show(ask: Ask, root: str, symbol: str) -> None:
    told, drawn = agreement(ask, root, symbol)
    assert told == drawn
    if root == SPOT:
        rows = ask.minutes(root, symbol, int(ask.ticker(root, symbol)["openTime"]))
        assert int(ask.ticker(root, symbol)["count"]) == sum(int(row[8]) for row in rows)
        price = ask(f"{SPOT}/ticker/price", symbol=symbol)["price"]
        assert price == ask.ticker(root, symbol)["lastPrice"]


def test_own_trades_are_in_the_same_window(quiet: Server, ask: Ask) -> None:
    before = ask.ticker(SPOT, "SOLUSDT")
    newest = ask(f"{SPOT}/trades", symbol="SOLUSDT", limit=1)[0]
    for name, side in (("alice", "SELL"), ("bob", "BUY")):
        body = {"symbol": "SOLUSDT", "side": side, "type": "LIMIT", "price": "152.5"}
        ok(quiet.client(name).post("/api/v3/order", body | {"quantity": "2"}))
    after = ask.ticker(SPOT, "SOLUSDT")
    assert (after["lastPrice"], before["lastPrice"]) == ("152.500", "152.000")
    assert float(after["volume"]) > float(before["volume"]) - 2_000
    told, drawn = agreement(ask, SPOT, "SOLUSDT")
    assert told == drawn
    first, second, *_ = ask(f"{SPOT}/trades", symbol="SOLUSDT")
    assert (first["price"], first["qty"], second) == ("152.500", "2.000", newest)


def test_a_downloader_gets_days_of_candles(quiet: Server, ask: Ask) -> None:
    """Backwards page by page, each once and without gaps, as stock clients ask for them."""
    with Stock(quiet, None) as stock:
        rows: list[Any] = []
        end = stock("fetch_time")
        while not rows or rows[-1][0] - rows[0][0] < 2 * DAY_MS:
            page = stock(
                "fetch_ohlcv", "ETH/USDT", "1m", None, 1000, {"limit": 1000, "endTime": end}
            )
            assert len(page) == 1000
            rows = page + rows
            end = page[0][0] - 1
        assert [row[0] for row in rows] == list(range(rows[0][0], rows[-1][0] + 1, MINUTE_MS))
        for (_, _, _, _, close, _), (_, opened, *_) in pairwise(rows):
            assert opened == close
    path = f"{SPOT}/klines"
    start = rows[0][0] + 1
    ahead = ask(path, symbol="ETHUSDT", interval="1m", startTime=start, limit=3)
    assert [int(row[0]) for row in ahead] == [rows[1][0], rows[2][0], rows[3][0]]
    both = ask(path, symbol="ETHUSDT", interval="1m", startTime=start, endTime=rows[2][0])
    assert [int(row[0]) for row in both] == [rows[1][0], rows[2][0]]
    assert ask(path, symbol="ETHUSDT", interval="1m", endTime=10**12) == []
    assert ask(path, symbol="ETHUSDT", interval="1m", startTime=10**13 - 1) == []
    client = quiet.client()
    query = f"{path}?symbol=ETHUSDT&interval=1m"
    refused(client.get(f"{query}&startTime=1700000000001&endTime=1700000000000"), -1171)
    refused(client.get(f"{query}&endTime=soon"), -1142, "'endTime'")
    refused(client.get(f"{query}&endTime=1"), -1140, "'endTime'")


@pytest.mark.parametrize("kind", ["index", "mark"])
def test_prices_have_a_past_as_long_as_the_trades(ask: Ask, kind: str) -> None:
    for interval in ("1m", "1h", "1d"):
        query = {"symbol": "BTCUSDT", "interval": interval, "limit": 500}
        traded = ask(f"{CONTRACT}/klines", **query)
        priced = ask(f"{CONTRACT}/{kind}PriceKlines", **query)
        assert len(priced) == len(traded) == 500
        assert {row[0] for row in priced[:-2]} <= {row[0] for row in traded} | {priced[0][0]}
        assert all(float(row[5]) == 0 for row in priced)
    begin = int(priced[0][0])
    query = {"symbol": "BTCUSDT", "interval": "1d", "priceType": kind.upper(), "limit": 5}
    span = {"startTime": begin, "endTime": int(priced[4][0])}
    assert ask(f"{CONTRACT}/historyKlines", **query, **span) == priced[:5]
    older = ask(f"{CONTRACT}/historyKlines", **query, endTime=begin - 1)
    assert len(older) == 5
    assert older[-1][4] == priced[0][1]
    deep = ask(f"{CONTRACT}/historyKlines", **query | {"interval": "1m"}, endTime=begin + DAY_MS)
    assert deep == []


@pytest.mark.parametrize("kind", ["LAST", "INDEX", "MARK"])
def test_a_wide_span_has_its_last_candles(ask: Ask, kind: str) -> None:
    query = {"symbol": "BTCUSDT", "interval": "1d", "priceType": kind}
    whole = ask(f"{CONTRACT}/historyKlines", **query, limit=100)
    assert len(whole) == 100
    begin, end = int(whole[0][0]), int(whole[-2][0])
    query |= {"limit": "3", "startTime": str(begin)}
    assert ask(f"{CONTRACT}/historyKlines", **query, endTime=end) == whole[-4:-1]
    newest = [row[0] for row in ask(f"{CONTRACT}/historyKlines", **query)]
    assert newest == [row[0] for row in whole[-3:]]
    assert ask(f"{CONTRACT}/historyKlines", **query, endTime=int(whole[2][0])) == whole[:3]


def test_funding_has_a_past(ask: Ask) -> None:
    rows = ask(f"{CONTRACT}/fundingRate", symbol="BTCUSDT", limit=90)
    times = [int(row["fundingTime"]) for row in rows]
    eight = 8 * 3_600_000
    assert times == list(range(times[0], times[0] - 90 * eight, -eight))
    assert times[0] % eight == 0
    assert all(0.00004 <= float(row["fundingRate"]) <= 0.00016 for row in rows)
    part = ask(f"{CONTRACT}/fundingRate", symbol="BTCUSDT", startTime=times[9], endTime=times[3])
    assert part == rows[3:10]
    marks = ask(f"{CONTRACT}/markPriceKlines", symbol="BTCUSDT", interval="8h", limit=91)
    assert {row["markPrice"] for row in rows[1:]} <= {row[1] for row in marks}
    (now,) = ask(f"{CONTRACT}/premiumIndex", symbol="BTCUSDT")
    assert now["lastFundingRate"] == rows[0]["fundingRate"]


def test_without_a_history_markets_begin_empty(tmp_path: Any) -> None:
    with Server("--no-agents", "--no-history", folder=tmp_path) as server:
        ask = Ask(server.client())
        assert ask(f"{SPOT}/trades", symbol="BTCUSDT") == []
        ticker = ask.ticker(SPOT, "BTCUSDT")
        assert (ticker["lastPrice"], ticker["count"]) == ("0.00", "0")
        assert ask(f"{SPOT}/klines", symbol="BTCUSDT", interval="1m") == []
        assert ask(f"{CONTRACT}/fundingRate", symbol="BTCUSDT") == []
        assert ask(f"{CONTRACT}/indexPriceKlines", symbol="BTCUSDT", interval="1m") == []
