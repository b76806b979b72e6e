"""Seeded mutations of good requests: never a 5xx, never a connection lost without reason."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from random import Random
from typing import Any

from support.client import Client
from support.refusals.cases import order
from support.server import Server

SEED = 20_261_121
REQUESTS = 4_000
CONNECTIONS = 4

BODIES: list[tuple[str, str, Any]] = [
    ("POST", "/api/v3/order", order(newClientOrderId="fuzz-1", timeInForce="GTC")),
    ("POST", "/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [order(timeInForce="IOC")]}),
    ("DELETE", "/api/v3/order/batch", {"orderIds": [10**15], "origClientOrderIds": ["fuzz-1"]}),
    ("POST", "/api/v3/cancelAllAfter", {"timeout": 5}),
    ("POST", "/api/v3/account/bills", {"coinId": 1, "bizType": "deposit", "after": 10**15}),
    ("POST", "/api/v3/account/fundingBills", {"startTime": 1_790_000_000_000, "pageIndex": 1}),
    ("POST", "/api/v3/tax/income", {"coin": "USDT", "month": "2026-11", "limit": 10, "page": 1}),
    (
        "POST",
        "/_venue/deposit",
        {"owner": "carol", "wallet": "SPOT", "asset": "BTC", "amount": "1"},
    ),
    ("POST", "/_venue/owners/fees", {"owner": "carol", "makerFeeRate": "0", "takerFeeRate": "0.1"}),
    ("POST", "/_venue/assets", {"asset": "FUZZ", "scale": 8}),
]
V3 = "/capi/v3"
PERPETUAL = {"symbol": "BTCSUSDT", "positionSide": "LONG"}
STOP = {"type": "STOP", "triggerPrice": "61000", "clientAlgoId": "fuzz-2"}
TRAIL = {"type": "TRAILING_STOP_MARKET", "price": ..., "callbackRate": "0.1", "clientAlgoId": "f"}
EXITS = {"tpTriggerPrice": "65000", "slTriggerPrice": "50000", "SlWorkingType": "MARK_PRICE"}
EXIT = {"planType": "STOP_LOSS", "triggerPrice": "50000", "clientAlgoId": "fuzz-3"}
LISTED = {
    "baseAsset": "FUZZ", "quoteAsset": "USDT", "tickSize": "0.01", "stepSize": "0.001",
    "minOrderSize": "0.001", "maxOrderSize": "100", "marketOpenLimitSize": "10",
    "maxPositionSize": "100", "maxOpenInterest": "1000", "maxLeverage": 20,
    "tiers": ["100000:20:0.02", "1000000:10:0.04"], "indexSources": ["feed"],
}  # fmt: skip
CONTRACT_BODIES: list[tuple[str, str, Any]] = [
    (
        "POST",
        f"{V3}/order",
        order(**PERPETUAL, **EXITS, timeInForce="GTC", newClientOrderId="fuzz-1"),
    ),
    ("POST", f"{V3}/order", order(**PERPETUAL, type="MARKET", price=..., side="SELL")),
    ("POST", f"{V3}/order", order(symbol="BTCUSDT", positionSide="SHORT", side="SELL")),
    ("POST", f"{V3}/sim/order", order(**PERPETUAL, timeInForce="IOC")),
    ("POST", f"{V3}/batchOrders", {"batchOrders": [order(**PERPETUAL, timeInForce="IOC")]}),
    ("DELETE", f"{V3}/batchOrders", {"orderIdList": [10**15], "origClientOrderIdList": ["f"]}),
    ("POST", f"{V3}/closePositions", {"symbol": "BTCSUSDT", "positionId": 10**15}),
    ("POST", f"{V3}/algoOrder", order(**PERPETUAL, **STOP)),
    ("POST", f"{V3}/algoOrder", order(**PERPETUAL, **TRAIL)),
    ("POST", f"{V3}/placeTpSlOrder", {**PERPETUAL, **EXIT, "executePrice": "0"}),
    ("POST", f"{V3}/modifyTpSlOrder", {"orderId": 10**15 + 4, "triggerPrice": "50001"}),
    ("POST", f"{V3}/account/income", {"incomeType": "deposit", "limit": 5, "symbol": "BTCSUSDT"}),
    ("POST", f"{V3}/account/leverage", {"symbol": "BTCSUSDT", "crossLeverage": "10"}),
    ("POST", f"{V3}/account/marginType", {"symbol": "BTCSUSDT", "marginType": "ISOLATED"}),
    (
        "POST",
        f"{V3}/account/positionMargin",
        {"isolatedPositionId": 10**15 + 2, "amount": "1", "type": 1},
    ),
    (
        "POST",
        f"{V3}/account/modifyAutoAppendMargin",
        {"positionId": 10**15 + 2, "autoAppendMargin": True},
    ),
    ("POST", "/_venue/contracts", LISTED),
    ("POST", "/_venue/contracts/change", {"symbol": "ETHSUSDT", "maxLeverage": 50}),
    ("POST", "/_venue/index", {"symbol": "BTCSUSDT", "source": "agents", "price": "60000"}),
]
CONTRACT_QUERIES: list[tuple[str, str, Any]] = [
    ("GET", f"{V3}/order?orderId=1000000000000000", None),
    ("DELETE", f"{V3}/order?origClientOrderId=fuzz-1", None),
    ("DELETE", f"{V3}/algoOrder?origClientOrderId=fuzz-2", None),
    ("DELETE", f"{V3}/allOpenOrders?symbol=BTCSUSDT", None),
    ("DELETE", f"{V3}/algoOpenOrders?symbol=BTCSUSDT", None),
    ("GET", f"{V3}/openOrders?symbol=BTCSUSDT&orderId=1&limit=5&page=0", None),
    ("GET", f"{V3}/order/history?symbol=BTCSUSDT&startTime=1790000000000&page=1", None),
    ("GET", f"{V3}/sim/order/history?limit=5", None),
    ("GET", f"{V3}/userTrades?symbol=BTCSUSDT&endTime=1790000000000", None),
    ("GET", f"{V3}/openAlgoOrders?symbol=BTCSUSDT&page=1", None),
    ("GET", f"{V3}/allAlgoOrders?symbol=BTCSUSDT&endTime=1790000000000&limit=3", None),
    ("GET", f"{V3}/account/symbolConfig?symbol=BTCSUSDT", None),
    ("GET", f"{V3}/account/position/singlePosition?symbol=BTCSUSDT", None),
    ("GET", f"{V3}/market/historyKlines?symbol=BTCSUSDT&interval=1w&priceType=MARK&limit=3", None),
    ("GET", f"{V3}/market/historyKlines?symbol=BTCSUSDT&interval=1m&startTime=1000000000000", None),
    ("GET", f"{V3}/market/markPriceKlines?symbol=BTCSUSDT&interval=1M&limit=3", None),
    ("GET", f"{V3}/market/symbolPrice?symbol=BTCSUSDT&priceType=MARK", None),
    ("GET", f"{V3}/market/fundingRate?symbol=BTCSUSDT&startTime=1790000000000&limit=3", None),
    ("GET", f"{V3}/market/premiumIndex?symbol=BTCSUSDT", None),
    ("GET", "/_venue/positions?owner=bob", None),
    ("GET", "/_venue/liquidations?owner=bob&limit=3", None),
    ("GET", "/_venue/liquidation?id=1000000000000002", None),
]
QUERIES: list[tuple[str, str, Any]] = [
    ("GET", "/api/v3/order?orderId=1000000000000000", None),
    ("DELETE", "/api/v3/order?origClientOrderId=fuzz-1", None),
    ("GET", "/api/v3/openOrders?symbol=BTCUSDT", None),
    ("GET", "/api/v3/allOrders?symbol=BTCUSDT&startTime=1790000000000&limit=5&page=2", None),
    ("GET", "/api/v3/myTrades?symbol=BTCUSDT&orderId=1000000000000000", None),
    ("GET", "/api/v3/account/transferRecords?coinId=1&fromType=SPOT&after=1790000000000", None),
    ("GET", "/api/v3/market/klines?symbol=BTCUSDT&interval=1m&limit=3", None),
    ("GET", "/api/v3/market/depth?symbol=BTCUSDT&limit=15", None),
    ("GET", "/api/v3/market/trades?symbol=BTCUSDT&limit=3", None),
    ("GET", "/api/v3/market/ticker/24hr?symbols=BTCUSDT,ETHUSDT", None),
    ("GET", "/api/v3/exchangeInfo?symbols=[%22BTCUSDT%22]&symbolStatus=TRADING", None),
]
KNOWN = BODIES + QUERIES + CONTRACT_BODIES + CONTRACT_QUERIES
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**40, "", " ", "0", "-0",
    "1e5", "NaN", "1" * 18, "9" * 18 + "." + "9" * 18, "9" * 19, "0.000000000000000001", "١٢٣", "é",
    "\u202e", "\ud800", "\x00", "%00", "a" * 41, "a" * 300, [], {}, [[]], [None], {"a": 1},
    [1] * 60, "BUY", "SELL", "LIMIT", "MARKET", "BTCUSDT", "btcusdt", "SOLUSDT", "GTC", "FOK",
    "READ", "10000001", "999999999999999999.99999", "46116860184.27387904", 1.5,
]  # fmt: skip
TEXTS = [
    b"%", b"%00", b"%ff", b"%zz", b"%2525", b"&", b"=", b";", b"+", b"%20", b"[", b"]", b",", b"\"",
    b"%22", b"9" * 30, b"-", b"%D9%A1", b"symbol=ETHUSDT", b"&limit=0", b"&page=-1", b"null", b"'",
]  # fmt: skip
BYTES = [b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\u0000", b"\xff", b"1e999", b"NaN", b"\x00"]
HEADERS = ["ACCESS-KEY", "ACCESS-SIGN", "ACCESS-TIMESTAMP", "Content-Type", "Host", "Expect"]
HEADER_VALUES = ["", "x", "é", "1" * 13, "application/json", "text/plain", "\t", "a" * 2_000]


def changed(random: Random, value: Any) -> Any:
    """A JSON value with one thing in it replaced, added or left out."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(list(value))
        kind = random.randrange(6)
        if kind == 0:
            return {key: item for key, item in value.items() if key != name}
        if kind == 1:
            return {**value, random.choice(["uid", "", "\u0000", "x" * 500]): random.choice(VALUES)}
        return {**value, name: changed(random, value[name])}
    if isinstance(value, list) and value and random.random() < 0.7:
        return [changed(random, item) for item in value] * random.choice([1, 1, 2, 12])
    return random.choice(VALUES)


def spoiled(random: Random, raw: bytes, pieces: list[bytes]) -> bytes:
    """Bytes with pieces put in or cut out."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(raw) + 1)
        cut = random.choice([0, 0, 1, 3])
        raw = raw[:at] + random.choice(pieces) + raw[at + cut :]
    return raw


def mutation(random: Random) -> tuple[str, str, bytes]:
    """A method, a target and a body, like good ones but for a few things."""
    method, target, body = random.choice(KNOWN)
    raw = b"" if body is None else json.dumps(body).encode()
    if body is None:
        path, _, query = target.partition("?")
        text = spoiled(random, query.encode(), TEXTS) if random.random() < 0.9 else b""
        target = f"{path}?{text.decode('ascii')}".replace('"', "%22")
    elif random.random() < 0.7:
        for _ in range(random.randint(1, 3)):
            body = changed(random, body)
        raw = json.dumps(body).encode()
    else:
        raw = spoiled(random, raw, BYTES)
    if random.random() < 0.03:
        method = random.choice(["GET", "POST", "DELETE", "PUT"])
    if random.random() < 0.03:
        raw = random.choice([b"", b"{}", b"[" * 9_000, raw * 3])
    return method, target, raw


def header_changes(random: Random) -> dict[str, str | None]:
    """Now and then a header that is wrong or missing."""
    if random.random() < 0.9:
        return {}
    return {random.choice(HEADERS): random.choice([None, *HEADER_VALUES])}


def perpetuals(server: Server) -> None:
    """A contract with a price and a position, so that requests get further than its lack."""
    body = {"symbol": "BTCSUSDT", "source": "agents", "price": "60000", "jump": True}
    assert server.client().post("/_venue/index", body).status == 200
    for who, side, position in (("alice", "SELL", "SHORT"), ("bob", "BUY", "LONG")):
        rest = {"side": side, "positionSide": position, "timeInForce": "GTC"}
        one = order(**{**PERPETUAL, **rest})
        assert server.client(who).post(f"{V3}/order", one).status == 200


def test_no_mutation_breaks_the_venue(tmp_path: Path) -> None:
    random = Random(SEED)
    arguments = ("--no-agents", "--batch-place", "--no-limits", "--state", str(tmp_path / "state"))
    with Server(*arguments, folder=tmp_path) as server:
        clients = [server.client("bob" if number % 2 else "carol") for number in range(CONNECTIONS)]
        perpetuals(server)
        statuses: dict[int, int] = {}
        for _ in range(REQUESTS):
            status = sent(random, random.choice(clients))
            statuses[status] = statuses.get(status, 0) + 1
        assert not [status for status in statuses if status not in (200, 400, 403, 413)], statuses
        assert min(statuses[200], statuses[400]) > REQUESTS // 10, statuses
        assert server.client().get("/_venue/health").json["status"] == "ok"
        assert server.client("alice").post("/api/v3/order", order()).status == 200
        assert server.process.poll() is None
        assert server.errors.read_bytes() == b""
        assert server.stop() == 0


def sent(random: Random, client: Client) -> int:
    """Send one mutation; the status of its answer, which must be JSON."""
    method, target, raw = mutation(random)
    headers = header_changes(random)
    try:
        answer = client.call(method, target, raw, headers)
    except http.client.RemoteDisconnected:  # the answer before this one closed the connection
        client.close()
        answer = client.call(method, target, raw, headers)
    assert answer.status < 500, (method, target, raw, headers, answer)
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json, dict | list)
    return answer.status
