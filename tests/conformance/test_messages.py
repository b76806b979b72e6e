"""Mistakes that developers make first, and the words that tell them what to do instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from venue.api import former
from venue.api.documents.table import ROWS

SPOT, CONTRACT = "/api/v3/order", "/capi/v3/order"
LIMIT: dict[str, Any] = {
    "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01",
    "price": "60000",
}  # fmt: skip
LONG = LIMIT | {"symbol": "BTCSUSDT", "positionSide": "LONG", "price": "59000"}


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A book with one spot offer of bob's; demo contracts have a price."""
    folder = tmp_path_factory.mktemp("messages")
    with Server("--no-agents", "--no-history", folder=folder) as server:
        offer = LIMIT | {"side": "SELL", "price": "64000", "quantity": "5"}
        assert server.client("bob").post(SPOT, offer).status == 200
        body = {"symbol": "BTCSUSDT", "price": "60000", "jump": True}
        assert server.client().post("/_venue/index/hold", body).status == 200
        yield server.client("alice")


def spot(*words: str, **changes: Any) -> tuple[str, str, dict[str, Any], tuple[str, ...]]:
    return "POST", SPOT, LIMIT | changes, words


def contract(*words: str, **changes: Any) -> tuple[str, str, dict[str, Any], tuple[str, ...]]:
    return "POST", CONTRACT, LONG | changes, words


def get(path: str, *words: str) -> tuple[str, str, dict[str, Any], tuple[str, ...]]:
    return "GET", path, {}, words


FUNDS = "amount not enough: "
TOLD = [
    # Money: the amount needed, the free part, and the wallet's total.
    spot(FUNDS, "1200000.00000000 USDT are needed, 1000000.00000000 of 1000000.00000000 in the"
         " spot wallet are free", quantity="20"),
    spot("11.00000000 BTC are needed, 10.00000000 of 10.00000000 in the spot wallet are free",
         side="SELL", quantity="11"),
    spot("300.00000000 ETH are needed, 100.00000000 of", symbol="ETHUSDT", side="SELL",
         quantity="300", price="3000"),
    contract(FUNDS, "SUSDT are needed, 100000.00000000 of 100000.00000000 in the contract wallet"
             " are free", quantity="400"),
    # Symbols.
    spot("no such spot symbol; listed: BTCUSDT, ETHUSDT, SOLUSDT.", symbol="BTC-USDT"),
    contract("no such symbol; listed: BTCUSDT, ", ", BTCSUSDT, ", symbol="BTCSUSD"),
    get("/api/v3/market/ticker/24hr?symbol=BTCUSDC", "no such spot symbol; listed: BTCUSDT, "),
    get("/capi/v3/market/depth?symbol=SOLUSD", "no such contract symbol; listed: BTCUSDT, "),
    # Words of an order.
    spot("'side'", side="LONG"),
    spot("side", side="buy"),
    spot("'type'", type="STOP"),
    spot("timeInForce", timeInForce="GTX"),
    spot("'price'", price=None),
    spot("'quantity'", quantity=None),
    spot("'quantity' cannot be empty. Of no use here: 'quoteOrderQty'.", quantity=None,
         quoteOrderQty="100"),
    spot("'price'", "type=MARKET", type="MARKET", timeInForce=None),
    spot("'quantity'", quantity=True),
    spot("'quantity'", quantity="1e-2"),
    spot("'quantity'", quantity="-1"),
    spot("'quantity'", quantity=""),
    spot("'price'", price="60,000"),
    spot("'price'", "at most 2 decimals", price="60000.001"),
    spot("'quantity'", "at most 5 decimals", quantity="0.000001"),
    spot("'quantity'", "allowed: 0.00010 to", quantity="0.00001"),
    spot("'quantity'", "to 1000.00000", quantity="1001"),
    spot("newClientOrderId", newClientOrderId="a b"),
    spot("newClientOrderId", newClientOrderId="x" * 41),
    spot("newClientOrderId", "the venue's own form", newClientOrderId="v-1234567890123456"),
    spot("POST_ONLY order would trade", timeInForce="POST_ONLY", price="64001"),
    spot("no liquidity", symbol="SOLUSDT", type="MARKET", price=None, timeInForce=None,
         quantity="1"),
    contract("'positionSide'", positionSide=None),
    contract("'positionSide'", positionSide="BOTH"),
    contract("nothing left to close: there is no such position", side="SELL", positionSide="LONG"),
    contract("price band", price="80000"),
    contract("'symbol'", symbol=None),
    ("POST", SPOT, {}, ("'symbol'",)),
    # Questions.
    get("/api/v3/myTrades", "'symbol'"),
    get("/api/v3/order?symbol=BTCUSDT", "orderId", "origClientOrderId"),
    get("/api/v3/order?orderId=1&origClientOrderId=a", "orderId", "origClientOrderId"),
    get("/api/v3/order?orderId=abc", "'orderId'"),
    get("/api/v3/order?orderId=7", "order not found"),
    get("/api/v3/market/depth?symbol=BTCUSDT&limit=7", "'limit'", "must be one of 15, 200"),
    get("/api/v3/market/klines?symbol=BTCUSDT&interval=2m", "'interval'", "1m"),
    get("/api/v3/market/klines?symbol=BTCUSDT&interval=1m&limit=9999", "'limit'"),
    get("/api/v3/myTrades?symbol=BTCUSDT&startTime=5&endTime=3", "Time"),
    get("/api/v3/market/depth?symbol=BTCUSDT&symbol=ETHUSDT", "more than once"),
    get("/api/v3/market/depth?symbol=%zz", "percent-encoding"),
    # Paths and methods.
    ("POST", "/api/v3/time", {}, ("method 'POST' not supported",)),
    ("DELETE", "/api/v3/openOrders?symbol=BTCUSD", {}, ("listed: BTCUSDT, ETHUSDT, SOLUSDT.",)),
    ("DELETE", "/api/v3/order", {}, ("orderId",)),
    ("POST", "/capi/v3/account/leverage", {"symbol": "BTCSUSDT"}, ("everage",)),
    ("POST", "/capi/v3/account/leverage",
     {"symbol": "BTCSUSDT", "marginType": "CROSSED", "crossLeverage": "500"}, ("100",)),
    ("POST", "/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [LIMIT]},
     ("--batch-place",)),
    ("POST", "/_venue/deposit", {"owner": "alcie", "wallet": "SPOT", "asset": "USDT",
     "amount": "1"}, ("no such owner",)),
    ("POST", "/_venue/faults", {"effect": {"kind": "dealy"}}, ("kind",)),
    ("POST", "/_venue/clock/advance", {"by": "8 hours"}, ("8h",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [pytest.param(*one, id=f"{at}-{one[3][0][:30]}") for at, one in enumerate(TOLD)],
)
def test_the_words_say_what_to_change(
    alice: Client, method: str, path: str, body: dict[str, Any], words: tuple[str, ...]
) -> None:
    sent = {name: value for name, value in body.items() if value is not None}
    if method == "POST":
        answer = alice.post(path, sent)
    else:
        answer = alice.get(path) if method == "GET" else alice.delete(path)
    assert 400 <= answer.status < 500, answer
    told = json.loads(answer.body)["msg"]
    for one in words:
        assert one in told


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/api/v3/oder", "Near to it: /api/v3/order"),
        ("/api/v4/market/depth", "Near to it: /api/v3/market/depth"),
        ("/api/v3/zzzzzzzzzzzz", None),
        ("/" + "x" * 200, None),
    ],
)
def test_an_unknown_path_names_the_nearest(alice: Client, path: str, near: str | None) -> None:
    answer = alice.get(path)
    assert answer.status == 404
    assert answer.json.get("message") == near


V2 = "V2 was shut down on 2026-09-30; "


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/api/v2/market/depth", "in V3 it is GET /api/v3/market/depth."),
        ("/api/v2/market/depth/BTCUSDT_SPBL", "in V3 it is GET /api/v3/market/depth."),
        ("/spot/api/v2/market/tickers", "in V3 it is GET /api/v3/market/ticker/24hr."),
        ("/capi/v2/market/ticker?symbol=cmt_x", "in V3 it is GET /capi/v3/market/ticker/24hr."),
        ("/contract/capi/v2/order/detail", "in V3 it is GET /capi/v3/order."),
        ("/api/v2/trade/cancel-symbol-order", "in V3 it is DELETE /api/v3/openOrders."),
        ("/api/v2/market/fills", "in V3 it is GET /api/v3/market/trades."),
        ("/api/v2/account/fundingBills", "in V3 it is POST /api/v3/account/fundingBills."),
        ("/capi/v2/order/placeTpSlOrder", "in V3 it is POST /capi/v3/placeTpSlOrder."),
        ("/capi/v2/order/placeOrder/", "in V3 it is POST /capi/v3/order."),
        ("/api/v2/nothing/of/it", "GET /openapi.json lists V3's operations."),
        ("/capi/v2/", "GET /openapi.json lists V3's operations."),
        ("/v2/ws/public", "its sockets are /spot/v3/ws/... and /contract/v3/ws/... in V3."),
    ],
)
def test_a_path_of_v2_names_the_row_of_v3(alice: Client, path: str, words: str) -> None:
    for ask in (alice.get, alice.delete, lambda path: alice.post(path, {"symbol": "cmt_btcusdt"})):
        answer = ask(path)
        assert answer.status == 404
        assert answer.json["message"] == V2 + words
        assert "msg" not in answer.json


def test_the_rows_of_v3_that_v2_has_become_are_there() -> None:
    known = {f"{row.method} {row.path}" for row in ROWS}
    assert [row for row in former.ROWS.values() if row not in known] == []


@pytest.mark.parametrize(
    ("path", "symbol"),
    [
        ("/api/v3/market/depth", "BTCUSDT_SPBL"),
        ("/api/v3/market/depth", "btcusdt_spbl"),
        ("/api/v3/myTrades", "BTCUSDT_SPBL"),
        ("/capi/v3/market/depth", "cmt_btcusdt"),
        ("/capi/v3/userTrades", "cmt_btcusdt"),
    ],
)
def test_a_symbol_of_v2_names_that_of_v3(alice: Client, path: str, symbol: str) -> None:
    answer = alice.get(f"{path}?symbol={symbol}")
    assert answer.status == 400
    assert "this is its name in V2, in V3 it is BTCUSDT" in answer.json["msg"]


def test_a_symbol_of_v2_in_an_order(alice: Client) -> None:
    for path, symbol in ((SPOT, "BTCUSDT_SPBL"), (CONTRACT, "cmt_btcusdt")):
        body = {**LIMIT, "symbol": symbol, "positionSide": "LONG"}
        told = alice.post(path, body).json["msg"]
        assert "this is its name in V2, in V3 it is BTCUSDT" in told


def test_what_orders_hold_is_not_free_and_a_market_order_says_what_it_would_cost(
    alice: Client,
) -> None:
    held = alice.post(SPOT, LIMIT | {"quantity": "13", "price": "59000"})  # holds 767,000
    market = {name: LIMIT[name] for name in ("symbol", "side")}
    told = alice.post(SPOT, market | {"type": "MARKET", "quantity": "5"})
    assert (
        "320000.00000000 USDT are needed, 233000.00000000 of 1000000.00000000 in the spot wallet"
        in told.json["msg"]
    )
    order = held.json["orderId"]
    assert alice.delete(f"{SPOT}?orderId={order}").status == 200
