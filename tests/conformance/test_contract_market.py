"""Market data of contracts: shapes of raw answers, and values of known trades."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.contract_desk import MARKET, contracts_traded
from support.raw import Desk, ok, refused
from support.shapes import (
    MS,
    PLAIN_NUMBER,
    TEXT,
    Shape,
    check,
    decimal,
    digits,
    is_flag,
    is_list,
    signed,
    text,
)

DAY_MS = 86_400_000
MONEY = decimal(8)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with contracts_traded(tmp_path_factory.mktemp("contracts")) as desk:
        yield desk


def test_exchange_info(desk: Desk) -> None:
    found = ok(desk.anyone.get(f"{MARKET}/exchangeInfo?symbol=btcusdt"))
    check(found, {"assets": is_list, "rateLimits": is_list, "symbols": is_list})
    (listed,) = found["symbols"]
    texts = ("symbol", "displaySymbol", "contractType", "underlyingType", "baseAsset", "quoteAsset")
    ratios = ("buyLimitPriceRatio", "sellLimitPriceRatio", "makerFeeRate", "takerFeeRate")
    sizes = ("minOrderSize", "maxOrderSize", "maxPositionSize", "marketOpenLimitSize")
    shape: Shape = dict.fromkeys(texts, TEXT) | dict.fromkeys((*ratios, *sizes), PLAIN_NUMBER)
    shape |= {
        "underlyingSubType": is_list,
        "marginAsset": text("USDT"),
        "pricePrecision": digits("2"),
        "quantityPrecision": digits("5"),
        "baseAssetPrecision": digits("8"),
        "quotePrecision": digits("8"),
        "contractVal": digits("1"),
        "delivery": is_list,
        "forwardContractFlag": is_flag,
        "minLeverage": digits("1"),
        "maxLeverage": digits("100"),
    }
    check(listed, shape)
    assert [listed[name] for name in ratios] == ["0.1", "0.1", "0.0002", "0.0006"]
    assert [listed[name] for name in sizes] == ["0.0001", "1000", "3000", "100"]
    assert listed["delivery"] == ["00:00:00", "08:00:00", "16:00:00"]
    refused(desk.anyone.get(f"{MARKET}/exchangeInfo?symbol=NOPEUSDT"), -1142, "'symbol'")


def test_ticker_and_book(desk: Desk) -> None:
    (ticker,) = ok(desk.anyone.get(f"{MARKET}/ticker/24hr?symbol=BTCUSDT"))
    names = ("last", "open", "high", "low", "mark", "index")
    shape: Shape = dict.fromkeys((f"{name}Price" for name in names), decimal(2))
    shape |= {
        "symbol": text("BTCUSDT"),
        "priceChange": signed(2),
        "priceChangePercent": signed(6),
        "volume": decimal(5),
        "quoteVolume": MONEY,
        "openTime": MS,
        "closeTime": MS,
    }
    check(ticker, shape)
    assert (ticker["lastPrice"], ticker["markPrice"]) == ("60000.00", "60000.00")
    assert (ticker["volume"], ticker["quoteVolume"]) == ("0.20000", "12000.00000000")
    (top,) = ok(desk.anyone.get(f"{MARKET}/ticker/bookTicker?symbol=BTCUSDT"))
    book = ok(desk.anyone.get(f"{MARKET}/depth?symbol=BTCUSDT"))
    assert (book["bids"], book["asks"]) == ([["60000.00", "0.30000"]], [["61000.00", "0.10000"]])
    assert [top["bidPrice"], top["bidQty"]] == book["bids"][0]
    assert [top["askPrice"], top["askQty"]] == book["asks"][0]
    (trade,) = ok(desk.anyone.get(f"{MARKET}/trades?symbol=BTCUSDT"))
    assert (trade["price"], trade["qty"], trade["isBuyerMaker"]) == ("60000.00", "0.20000", True)


@pytest.mark.parametrize("price", ["klines", "indexPriceKlines", "markPriceKlines"])
def test_candles(desk: Desk, price: str) -> None:
    (row,) = ok(desk.anyone.get(f"{MARKET}/{price}?symbol=BTCUSDT&interval=1d"))
    assert len(row) == 11
    opened, *prices, volume, closed, quote, count, bought, _ = row
    assert int(closed) - int(opened) == DAY_MS
    assert prices == ["60000.00"] * 4
    traded = price == "klines"
    assert (volume, count) == (("0.20000", "1") if traded else ("0.00000", "0"))
    assert (quote, bought) == ("12000.00000000" if traded else "0.00000000", "0.00000")


def test_history_candles(desk: Desk) -> None:
    path = f"{MARKET}/historyKlines?symbol=BTCUSDT&interval=1m"
    for kind, live in (("LAST", "klines"), ("INDEX", "indexPriceKlines")):
        rows = ok(desk.anyone.get(f"{path}&priceType={kind}"))
        newest = ok(desk.anyone.get(f"{MARKET}/{live}?symbol=BTCUSDT&interval=1m&limit=1000"))
        assert newest[: len(rows)] == rows or rows == newest[-100:]
        first = int(rows[0][0])
        # A span with more than the limit has its last ones, as a bot that pages forward must know.
        some = f"{path}&priceType={kind}&startTime={first}&limit=1"
        assert ok(desk.anyone.get(some))[0][0] >= rows[-1][0]
        only = f"{path}&priceType={kind}&startTime={first}&endTime={first}"
        assert ok(desk.anyone.get(only)) == rows[:1]
        assert ok(desk.anyone.get(f"{path}&priceType={kind}&endTime={first - 1}")) == []
    refused(desk.anyone.get(f"{path}&startTime=1700000000001&endTime=1700000000000"), -1171)
    refused(desk.anyone.get(f"{path}&limit=101"), -1140, "'limit'")


def test_reference_prices(desk: Desk) -> None:
    for kind in ("INDEX", "MARK"):
        found = ok(desk.anyone.get(f"{MARKET}/symbolPrice?symbol=BTCUSDT&priceType={kind}"))
        check(found, {"symbol": text("BTCUSDT"), "price": text("60000.00"), "time": MS})
    interest = ok(desk.anyone.get(f"{MARKET}/openInterest?symbol=BTCUSDT"))
    check(interest, {"symbol": text("BTCUSDT"), "openInterest": text("0.20000"), "time": MS})
    (premium,) = ok(desk.anyone.get(f"{MARKET}/premiumIndex?symbol=BTCUSDT"))
    rates = ("lastFundingRate", "forecastFundingRate", "interestRate")
    shape: Shape = dict.fromkeys(rates, text(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?"))
    shape |= dict.fromkeys(("markPrice", "indexPrice"), decimal(2))
    shape |= dict.fromkeys(("nextFundingTime", "time"), MS)
    check(
        premium, shape | {"symbol": text("BTCUSDT"), "collectCycle": lambda value: value == "480"}
    )
    assert int(premium["nextFundingTime"]) % (8 * 3_600_000) == 0
    assert premium["interestRate"] == "0.0001"
    assert ok(desk.anyone.get(f"{MARKET}/fundingRate?symbol=BTCUSDT")) == []
