"""Raw public answers of a live venue: key set, JSON type and decimals of every field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest

from support.raw import AMOUNT, DECIMALS, PRICES, SYMBOLS, Desk, ok, refused, trading
from support.shapes import (
    INTEGER,
    MS,
    PLAIN,
    SYMBOL,
    TEXT,
    Shape,
    check,
    decimal,
    is_flag,
    is_list,
    is_null,
    number,
    signed,
    text,
)

INTERVALS = ("1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w", "1M")
V3 = "/api/v3"
TICKERS = ("24hr", "price", "bookTicker")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with trading(tmp_path_factory.mktemp("market")) as desk:
        yield desk


def test_ping_and_time(desk: Desk) -> None:
    assert desk.anyone.get(f"{V3}/ping").body == b"{}"
    check(ok(desk.anyone.get(f"{V3}/time")), {"serverTime": MS})


@pytest.mark.parametrize(
    "query",
    [
        "symbol=SOLUSDT&limit=200",
        "symbol=solusdt",
        "symbol=SOLUSDT&more=1",
        "symbol=NO",
        "limit=15",
    ],
)
def test_a_repeated_question_gets_the_same_answer(desk: Desk, query: str) -> None:
    """Nobody trades here: a query is decoded alike each time, and the same fields are ignored."""
    asked = [desk.anyone.get(f"{V3}/market/depth?{query}") for _ in range(3)]
    assert len({answer.body for answer in asked}) == 1
    known = "symbol=s" in query.lower()
    assert {answer.status for answer in asked} == {200 if known else 400}
    ignored = "more" if "more" in query else ""
    assert {answer.headers.get("x-venue-ignored", "") for answer in asked} == {ignored}


# -- tickers (sections 2.6, 4.5) ------------------------------------------------------------------


def ticker_shape(which: str, symbol: str) -> Shape:
    price, quantity = (decimal(count) for count in DECIMALS[symbol])
    top = {"bidPrice": price, "bidQty": quantity, "askPrice": price, "askQty": quantity}
    if which == "price":
        return {"symbol": text(symbol), "price": price}
    if which == "bookTicker":
        return {"symbol": text(symbol), **top}
    return {
        "symbol": text(symbol),
        "priceChange": signed(DECIMALS[symbol][0]),
        "priceChangePercent": signed(6),
        "lastPrice": price,
        **top,
        "openPrice": price,
        "highPrice": price,
        "lowPrice": price,
        "volume": quantity,
        "quoteVolume": decimal(AMOUNT),
        "openTime": MS,
        "closeTime": MS,
        "count": INTEGER,
    }


@pytest.mark.parametrize("which", TICKERS)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_one_ticker_is_an_object(desk: Desk, which: str, symbol: str) -> None:
    found = ok(desk.anyone.get(f"{V3}/market/ticker/{which}?symbol={symbol}"))
    check(found, ticker_shape(which, symbol))
    assert ok(desk.anyone.get(f"{V3}/market/ticker/{which}?symbol={symbol.lower()}")) == found


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_ticker_values(desk: Desk, symbol: str) -> None:
    price, quantity = DECIMALS[symbol]
    found = ok(desk.anyone.get(f"{V3}/market/ticker/24hr?symbol={symbol}"))
    last = f"{PRICES[symbol]:.{price}f}"
    assert (found["lastPrice"], found["askPrice"]) == (last, last)
    assert float(found["lowPrice"]) <= PRICES[symbol] <= float(found["highPrice"])
    assert found["bidPrice"] == f"{PRICES[symbol] - 10:.{price}f}"
    assert (found["bidQty"], found["askQty"]) == (f"{0.3:.{quantity}f}", f"{0.25:.{quantity}f}")
    assert Decimal(found["priceChange"]) == Decimal(last) - Decimal(found["openPrice"])
    trades = ok(desk.anyone.get(f"{V3}/market/trades?symbol={symbol}"))
    assert found["closeTime"] == trades[0]["time"]


@pytest.mark.parametrize("which", TICKERS)
def test_several_tickers_are_an_array(desk: Desk, which: str) -> None:
    path = f"{V3}/market/ticker/{which}"
    every = ok(desk.anyone.get(path))
    assert [row["symbol"] for row in every] == SYMBOLS
    for row in every:
        check(row, ticker_shape(which, row["symbol"]))
    wanted = ["SOLUSDT", "BTCUSDT"]
    plain, array = ",".join(wanted), json.dumps(wanted)
    for sent in (plain, quote(plain), quote(array), quote(array.replace(" ", ""))):
        found = ok(desk.anyone.get(f"{path}?symbols={sent}"))
        assert found == [every[2], every[0]]
    assert ok(desk.anyone.get(f"{path}?symbols=ETHUSDT")) == every[1:2]
    assert ok(desk.anyone.get(f"{path}?symbol=&symbols=")) == every
    both = desk.anyone.get(f"{path}?symbol=BTCUSDT&symbols=BTCUSDT")
    refused(both, -1128, "symbol", "symbols")
    refused(desk.anyone.get(f"{path}?symbol=NOPE"), -1142, "symbol")
    refused(desk.anyone.get(f"{path}?symbols=BTCUSDT,NOPE"), -1142, "symbols")
    refused(desk.anyone.get(f"{path}?symbols={quote('[BTCUSDT')}"), -1142, "symbols")


# -- trades, candles, depth -----------------------------------------------------------------------


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_trades(desk: Desk, symbol: str) -> None:
    price, quantity = DECIMALS[symbol]
    uuid = text("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
    shape: Shape = {
        "id": uuid,
        "price": decimal(price),
        "qty": decimal(quantity),
        "quoteQty": decimal(AMOUNT),
        "time": MS,
        "isBuyerMaker": is_flag,
        "isBestMatch": is_flag,
    }
    found = ok(desk.anyone.get(f"{V3}/market/trades?symbol={symbol}"))
    for row in found:
        check(row, shape)
    told = [(row["qty"], row["isBuyerMaker"]) for row in found[:2]]
    assert told == [(f"{0.13:.{quantity}f}", False), (f"{0.12:.{quantity}f}", False)]
    assert len(found) == 100
    assert ok(desk.anyone.get(f"{V3}/market/trades?symbol={symbol}&limit=1")) == found[:1]
    refused(desk.anyone.get(f"{V3}/market/trades"), -1141, "symbol")
    refused(desk.anyone.get(f"{V3}/market/trades?symbol={symbol}&limit=1001"), -1140, "1 to 1000")


def check_candle(row: Any, symbol: str) -> None:
    price, quantity = (decimal(count) for count in DECIMALS[symbol])
    amount = decimal(AMOUNT)
    shape = [MS, price, price, price, price, quantity, MS, amount, INTEGER, quantity, amount]
    assert type(row) is list
    assert len(row) == len(shape)
    wrong = [(index, row[index]) for index, holds in enumerate(shape) if not holds(row[index])]
    assert not wrong, row


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_candles(desk: Desk, symbol: str, interval: str) -> None:
    path = f"{V3}/market/klines?symbol={symbol}&interval={interval}"
    found = ok(desk.anyone.get(path))
    assert len(found) == 100
    for row in found:
        check_candle(row, symbol)
    for row, following in pairwise(found):
        assert int(row[6]) + 1 == int(following[0])
    assert len(ok(desk.anyone.get(f"{path}&limit=2"))) == 2
    newest = ok(desk.anyone.get(f"{path}&limit=1000"))[-2:]
    assert sum(int(row[8]) for row in newest) >= 2


def test_candles_bounds(desk: Desk) -> None:
    path = f"{V3}/market/klines"
    for limit in (0, 1001):
        answer = desk.anyone.get(f"{path}?symbol=BTCUSDT&interval=1m&limit={limit}")
        refused(answer, -1140, "limit", "1 to 1000")
    for interval in ("3m", "1D", "1H", "1w1"):
        answer = desk.anyone.get(f"{path}?symbol=BTCUSDT&interval={interval}")
        refused(answer, -1142, "interval")
    refused(desk.anyone.get(f"{path}?symbol=BTCUSDT"), -1141, "interval")
    refused(desk.anyone.get(f"{path}?interval=1m"), -1141, "symbol")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_depth(desk: Desk, symbol: str) -> None:
    price, quantity = DECIMALS[symbol]
    path = f"{V3}/market/depth?symbol={symbol}"
    found = ok(desk.anyone.get(path))
    check(found, {"lastUpdateId": INTEGER, "bids": is_list, "asks": is_list})
    assert found["bids"] == [[f"{PRICES[symbol] - 10:.{price}f}", f"{0.3:.{quantity}f}"]]
    assert found["asks"] == [[f"{PRICES[symbol]:.{price}f}", f"{0.25:.{quantity}f}"]]
    for limit in (15, 200):
        assert ok(desk.anyone.get(f"{path}&limit={limit}")) == found
    for limit in (1, 16, 100, 201):
        refused(desk.anyone.get(f"{path}&limit={limit}"), -1142, "limit")


def test_depth_levels(desk: Desk) -> None:
    for step in range(17):
        body = {"symbol": "ETHUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.1"}
        ok(desk.bob.post("/api/v3/order", {**body, "price": f"{1000 + step}.5"}))
    best = ok(desk.anyone.get(f"{V3}/market/depth?symbol=ETHUSDT"))
    full = ok(desk.anyone.get(f"{V3}/market/depth?symbol=ETHUSDT&limit=200"))
    assert (len(best["bids"]), len(full["bids"])) == (15, 18)
    assert best["bids"] == full["bids"][:15]
    assert [row[0] for row in full["bids"]] == [
        "2990.00", *(f"{1000 + step}.50" for step in reversed(range(17)))
    ]  # fmt: skip
    assert len(ok(desk.bob.delete("/api/v3/openOrders?symbol=ETHUSDT"))) == 17
    after = ok(desk.anyone.get(f"{V3}/market/depth?symbol=ETHUSDT"))
    assert int(after["lastUpdateId"]) > int(full["lastUpdateId"])


# -- configuration --------------------------------------------------------------------------------


def test_coins(desk: Desk) -> None:
    network: Shape = {
        "network": TEXT,
        "coin": TEXT,
        "name": TEXT,
        "isDefault": is_flag,
        "depositEnable": is_flag,
        "withdrawEnable": is_flag,
        "withdrawTag": is_flag,
        "withdrawFee": PLAIN,
        "withdrawMin": PLAIN,
        "withdrawInternalMin": PLAIN,
        "depositDust": PLAIN,
        "withdrawIntegerMultiple": number(8),
        "minConfirm": INTEGER,
        "contractAddress": TEXT,
        "contractAddressUrl": TEXT,
        "depositDesc": is_null,
        "withdrawDesc": is_null,
    }
    found = ok(desk.anyone.get(f"{V3}/coins"))
    assert [row["coin"] for row in found] == ["BTC", "USDT", "ETH", "SOL", "SUSDT", "WXB", "ACME"]
    coin: Shape = {
        "coin": TEXT,
        "name": TEXT,
        "depositAllEnable": is_flag,
        "withdrawAllEnable": is_flag,
        "networkList": is_list,
    }
    for row in found:
        check(row, coin)
        for entry in row["networkList"]:
            check(entry, network)
        assert len(row["networkList"]) == 1


RATE_LIMIT: Shape = {
    "rateLimitType": text("REQUEST_WEIGHT"),
    "interval": text("SECOND"),
    "intervalNum": INTEGER,
    "limit": INTEGER,
}


def test_exchange_info(desk: Desk) -> None:
    found = ok(desk.anyone.get(f"{V3}/exchangeInfo"))
    lists: Shape = {"rateLimits": is_list, "symbols": is_list}
    check(found, {"timezone": text("UTC"), "serverTime": MS, **lists})
    (rate_limit,) = found["rateLimits"]
    check(rate_limit, RATE_LIMIT)
    assert [row["symbol"] for row in found["symbols"]] == SYMBOLS
    for row in found["symbols"]:
        check(row, spot_symbol(row["symbol"]))
        assert "marginAsset" not in row
    path = f"{V3}/exchangeInfo"
    assert ok(desk.anyone.get(f"{path}?symbol=ethusdt"))["symbols"] == found["symbols"][1:2]
    several = ok(desk.anyone.get(f"{path}?symbols=SOLUSDT,BTCUSDT"))["symbols"]
    assert several == [found["symbols"][2], found["symbols"][0]]
    assert ok(desk.anyone.get(f"{path}?symbolStatus=HALT"))["symbols"] == []
    assert ok(desk.anyone.get(f"{path}?symbolStatus=TRADING"))["symbols"] == found["symbols"]
    refused(desk.anyone.get(f"{path}?symbol=BTCUSDT&symbols=BTCUSDT"), -1128)
    refused(desk.anyone.get(f"{path}?symbol=NOPE"), -1142, "symbol")


def spot_symbol(symbol: str) -> Shape:
    price, quantity = DECIMALS[symbol]
    size = decimal(quantity)
    return {
        "symbol": text(symbol),
        "baseAsset": text(symbol[:3]),
        "quoteAsset": text("USDT"),
        "status": text("TRADING"),
        "baseAssetPrecision": text(str(quantity)),
        "quoteAssetPrecision": text(str(price)),
        "tickSize": text(f"0[.]0{{{price - 1}}}1"),
        "stepSize": text(f"0[.]0{{{quantity - 1}}}1"),
        "minTradeAmount": size,
        "maxTradeAmount": size,
        "takerFeeRate": text("0[.]001"),
        "makerFeeRate": text("0[.]001"),
        "buyLimitPriceRatio": PLAIN,
        "sellLimitPriceRatio": PLAIN,
        "marketBuyLimitSize": size,
        "marketSellLimitSize": size,
        "marketFallbackPriceRatio": PLAIN,
        "enableTrade": is_flag,
        "enableDisplay": is_flag,
        "displayDigitMerge": text("[0-9.]+,[0-9.]+,[0-9.]+"),
        "displayNew": is_flag,
        "displayHot": is_flag,
    }


def test_trading_symbols(desk: Desk) -> None:
    assert (
        desk.anyone.get(f"{V3}/apiTradingSymbols").body
        == json.dumps(SYMBOLS, separators=(",", ":")).encode()
    )
    assert all(SYMBOL(name) for name in ok(desk.anyone.get(f"{V3}/apiTradingSymbols")))


def test_contract_exchange_info(desk: Desk) -> None:
    """Both markets are loaded by a stock client at its start."""
    found = ok(desk.anyone.get("/capi/v3/market/exchangeInfo"))
    check(found, {"assets": is_list, "rateLimits": is_list, "symbols": is_list})
    assert [asset["asset"] for asset in found["assets"]] == ["USDT", "SUSDT"]
    assert [row["symbol"] for row in found["symbols"]][:3] == SYMBOLS
    (rate_limit,) = found["rateLimits"]
    check(rate_limit, RATE_LIMIT)


def test_an_unknown_path(desk: Desk) -> None:
    answer = desk.anyone.get(f"{V3}/nowhere")
    assert answer.status == 404
    found = json.loads(answer.body)
    assert found.pop("message", "Near to it: ").startswith("Near to it: ")
    assert sorted(found) == ["error", "path", "status", "timestamp"]
    assert (found["status"], found["error"], found["path"]) == (404, "Not Found", f"{V3}/nowhere")


def test_a_wrong_method(desk: Desk) -> None:
    answer = desk.anyone.post(f"{V3}/time", {})
    assert answer.status == 400
    assert answer.body == b'{"code":-1150,"msg":"Request method \'POST\' not supported"}'
