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
REQUESTS = 2_000
CONNECTIONS = 4

BODIES: list[tuple[str, str, Any]] = [
    ("POST", "/api/v3/order", order(newClientOrderId="fuzz-1", timeInForce="GTC")),
    ("POST", "/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [order(timeInForce="IOC")]}),
    ("DELETE", "/api/v3/order/batch", {"orderIds": [10**15], "origClientOrderIds": ["fuzz-1"]}),
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
    method, target, body = random.choice(BODIES + QUERIES)
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


def test_no_mutation_breaks_the_venue(tmp_path: Path) -> None:
    random = Random(SEED)
    arguments = ("--no-agents", "--batch-place", "--no-limits", "--state", str(tmp_path / "state"))
    with Server(*arguments, folder=tmp_path) as server:
        clients = [server.client("bob" if number % 2 else "carol") for number in range(CONNECTIONS)]
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
