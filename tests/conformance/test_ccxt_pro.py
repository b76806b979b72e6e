"""A stock ccxt pro client watches public data; its data equals that of REST."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from support.client import Client
from support.pro import Pro
from support.server import Server, flawless

TICKS_MAX = 20_000  # the first mark comes with the venue's next tick, each second
BURSTS = 100
SPOT = {"symbols": ("BTC/USDT", "ETH/USDT"), "order": "/api/v3/order"}
SWAP = {"symbols": ("BTC/USDT:USDT", "ETH/USDT:USDT"), "order": "/capi/v3/order"}
PRICES = {"BTCUSDT": 60_000, "ETHUSDT": 3_000}
QUOTED = {"BTCUSDT": "0.04", "ETHUSDT": "0.4"}  # more than the index notional
LEAST = {"BTCUSDT": "2000", "ETHUSDT": "1000"}  # that it may be


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A venue whose contracts have marks."""
    options = ("--no-agents", "--no-limits", "--depth-ms", "2")
    with flawless(*options, folder=tmp_path_factory.mktemp("pro")) as found:
        carol, anyone = found.client("carol"), found.client()
        for asset, amount in (("USDT", "10000"), ("BTC", "1"), ("ETH", "1")):
            money = {"owner": "carol", "wallet": "SPOT", "asset": asset, "amount": amount}
            assert anyone.post("/_venue/deposit", money).status == 200
        for symbol, price in PRICES.items():
            small = {"symbol": symbol, "indexNotional": LEAST[symbol]}
            assert anyone.post("/_venue/contracts/change", small).status == 200
            for side, limit in (("BUY", price * 99 // 100), ("SELL", price * 101 // 100)):
                _place(carol, SPOT, symbol, side, QUOTED[symbol], f"{limit}")
        for symbol in PRICES:
            query = f"/capi/v3/market/premiumIndex?symbol={symbol}"
            marked = (float(anyone.get(query).json[0]["markPrice"]) for _ in range(TICKS_MAX))
            assert any(marked), f"{symbol} has no mark"
        yield found


@pytest.fixture(scope="module", params=[SPOT, SWAP], ids=["spot", "swap"])
def product(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture
def pro(server: Server) -> Iterator[Pro]:
    with Pro(server) as found:
        yield found


def _place(
    client: Client,
    product: Any,
    symbol: str,
    side: str,
    quantity: str,
    price: str,
    tif: str = "GTC",
) -> None:
    body = {"symbol": symbol, "side": side, "type": "LIMIT", "timeInForce": tif}
    body |= {"quantity": quantity, "price": price}
    if product is SWAP:
        body["positionSide"] = "LONG" if side == "BUY" else "SHORT"
    answer = client.post(product["order"], body)
    assert answer.status == 200, answer


def _trade(server: Server, product: Any, symbol: str, price: str) -> None:
    """Alice sells to bob."""
    _place(server.client("alice"), product, symbol, "SELL", "0.02", price)
    _place(server.client("bob"), product, symbol, "BUY", "0.02", price)


def _cancel_all(client: Client, product: Any) -> None:
    path = "/api/v3/openOrders" if product is SPOT else "/capi/v3/allOpenOrders"
    answer = client.delete(f"{path}?symbol=BTCUSDT")
    assert answer.status == 200, answer


def test_ticker(server: Server, pro: Pro, product: dict[str, Any]) -> None:
    symbol = product["symbols"][0]
    _trade(server, product, "BTCUSDT", "60010.00")
    assert pro("watch_ticker", symbol)["last"] == 60_010
    _trade(server, product, "BTCUSDT", "60020.00")
    tickers = pro.exchange.tickers
    pro.until(lambda: tickers[symbol]["last"] == 60_020, "watch_ticker", symbol)
    told, listed = tickers[symbol], pro("fetch_ticker", symbol)
    names = ["symbol", "timestamp", "open", "high", "low", "close", "change", "percentage"]
    names += ["baseVolume", "quoteVolume"]
    assert {name: told[name] for name in names} == {name: listed[name] for name in names}
    if product is SWAP:
        assert told["markPrice"] > 0
        assert told["indexPrice"] > 0
    pro("un_watch_ticker", symbol)
    assert symbol not in pro.exchange.tickers


def test_tickers(server: Server, pro: Pro, product: dict[str, Any]) -> None:
    symbols = list(product["symbols"])
    for bitcoin, ether in (("60010.00", "3001.00"), ("60020.00", "3002.00")):
        _trade(server, product, "BTCUSDT", bitcoin)
        _trade(server, product, "ETHUSDT", ether)
        expected = [float(bitcoin), float(ether)]
        pro.until(partial(_has_lasts, pro, symbols, expected), "watch_tickers", symbols)
    pro("un_watch_tickers", symbols)
    assert _has_lasts(pro, symbols, [None, None])


def _has_lasts(pro: Pro, symbols: list[str], lasts: list[Any]) -> bool:
    tickers = pro.exchange.tickers
    return [tickers.get(symbol, {}).get("last") for symbol in symbols] == lasts


def test_trades(server: Server, pro: Pro, product: dict[str, Any]) -> None:
    symbol = product["symbols"][0]
    _trade(server, product, "BTCUSDT", "60010.00")
    first = pro("watch_trades", symbol)
    listed = pro("fetch_trades", symbol, None, 50)
    assert [_plain(trade) for trade in first] == [_plain(trade) for trade in listed]
    kept = pro.exchange.trades[symbol]
    for price in ("60011.00", "60012.00"):
        _trade(server, product, "BTCUSDT", price)
    pro.until(lambda: kept[-1]["price"] == 60_012, "watch_trades", symbol)
    listed = pro("fetch_trades", symbol, None, 2)
    assert [_plain(trade) for trade in kept[len(first) :]] == [_plain(trade) for trade in listed]
    pro("un_watch_trades", symbol)
    assert symbol not in pro.exchange.trades
    symbols = list(product["symbols"])
    pro.until(lambda: set(pro.exchange.trades) >= set(symbols), "watch_trades_for_symbols", symbols)
    pro("un_watch_trades_for_symbols", symbols)
    assert not set(pro.exchange.trades) & set(symbols)


def _plain(trade: dict[str, Any]) -> tuple[Any, ...]:
    names = ("id", "timestamp", "symbol", "side", "price", "amount")
    return tuple(trade[name] for name in names)


@pytest.mark.parametrize("timeframe", ["1m", "1h", "1d"])
def test_candles(server: Server, pro: Pro, product: dict[str, Any], timeframe: str) -> None:
    symbol = product["symbols"][0]
    _trade(server, product, "BTCUSDT", "60010.00")
    first = pro("watch_ohlcv", symbol, timeframe)
    assert len(first) == 100
    assert [row[0] for row in first] == sorted({row[0] for row in first})
    _trade(server, product, "BTCUSDT", "60033.00")
    kept = pro.exchange.ohlcvs[symbol][timeframe]
    pro.until(lambda: kept[-1][4] == 60_033, "watch_ohlcv", symbol, timeframe)
    listed = {row[0]: row for row in pro("fetch_ohlcv", symbol, timeframe, None, 3)}
    assert kept[-1] == listed[kept[-1][0]]  # another minute may have begun
    pro("un_watch_ohlcv", symbol, timeframe)
    pairs = [[name, timeframe] for name in product["symbols"]]
    assert pro("watch_ohlcv_for_symbols", pairs)
    pro("un_watch_ohlcv_for_symbols", pairs)


def test_candles_of_the_mark_price(pro: Pro) -> None:
    params = {"priceType": "MARK_PRICE"}
    told = pro("watch_ohlcv", "BTC/USDT:USDT", "1m", None, None, params)
    assert told[-1][4] > 0
    pro("un_watch_ohlcv", "BTC/USDT:USDT", "1m", dict(params))


def test_bids_and_asks(server: Server, pro: Pro) -> None:
    symbols = ["BTC/USDT", "ETH/USDT"]
    kept = pro.exchange.bidsasks
    pro.until(lambda: set(kept) == set(symbols), "watch_bids_asks", symbols)
    _place(server.client("alice"), SPOT, "BTCUSDT", "BUY", "0.03", "59999.5")
    pro.until(lambda: kept["BTC/USDT"]["bid"] == 59_999.5, "watch_bids_asks", symbols)
    listed = pro("fetch_bids_asks", symbols)
    names = ("bid", "bidVolume", "ask", "askVolume")
    for symbol in symbols:
        assert [kept[symbol][name] for name in names] == [listed[symbol][name] for name in names]
    pro("un_watch_bids_asks", symbols)
    _cancel_all(server.client("alice"), SPOT)


@pytest.mark.parametrize("limit", ["15", "200"])
def test_book_during_10_000_orders(
    server: Server, pro: Pro, product: dict[str, Any], limit: str
) -> None:
    """Bursts of random orders; the book that is kept of them is compared at the end of each."""
    count = 50 if product is SPOT else 20
    symbol, path = product["symbols"][0], product["order"].rpartition("/")[0]
    watching = ("watch_order_book", symbol, None, {"depth": limit})
    clients = [server.client("alice"), server.client("bob")]
    rng = random.Random(f"{path} {limit}")

    async def run() -> None:
        await pro.exchange.watch_order_book(symbol, None, {"depth": limit})
        book = pro.exchange.orderbooks[symbol]
        for number in range(BURSTS):
            burst = asyncio.create_task(
                asyncio.to_thread(_burst, rng, clients, product, number, count)
            )
            await pro.watch_until(burst.done, *watching)
            burst.result()
            query = f"{path}/market/depth?symbol=BTCUSDT&limit={limit}"
            listed = (await asyncio.to_thread(clients[0].get, query)).json
            await pro.watch_until(partial(_has_reached, book, listed["lastUpdateId"]), *watching)
            for side in ("bids", "asks"):
                rows = [[float(price), float(size)] for price, size in listed[side]]
                assert [list(row) for row in book[side]] == rows
        await pro.exchange.un_watch_order_book(symbol, {"depth": limit})

    pro.run(run())
    assert symbol not in pro.exchange.orderbooks
    _cancel_all(clients[0], product)


def _has_reached(book: Any, update_id: int) -> bool:
    return bool(book["nonce"] == update_id)


def _burst(
    rng: random.Random, clients: list[Client], product: Any, number: int, count: int
) -> None:
    """Random orders by two owners; the last one stands in every window."""
    for client in clients:
        for _ in range(count):
            side = rng.choice(("BUY", "SELL"))
            price = f"{60_000 + rng.randint(-200, 200) / 4:.2f}"
            tif = rng.choice(("GTC", "GTC", "GTC", "IOC"))
            _place(client, product, "BTCUSDT", side, f"0.000{rng.randint(1, 9)}", price, tif)
        _cancel_all(client, product)
    _place(clients[0], product, "BTCUSDT", "BUY", "0.001", f"{60_000 + number / 100:.2f}")
