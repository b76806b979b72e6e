"""Each class of error a stock ccxt client knows for the venue's refusals is provoked."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import ccxt
import pytest

from support.client import Client
from support.server import Server
from support.stock import Stock, loop_of
from support.waits import WAIT_S

BTC = "BTC/USDT"
UNKNOWN_ID = "1000000000999999"
TRIES_MAX = 5

Make = Callable[..., Stock]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", "--no-history", folder=tmp_path_factory.mktemp("errors")) as server:
        yield server


@pytest.fixture(scope="module", params=["sync", "async"])
def make(request: pytest.FixtureRequest, server: Server) -> Iterator[Make]:
    """Gives clients of demo accounts, with what differs in their keys."""
    made: dict[str, Stock] = {}
    with loop_of(request.param) as loop:

        def one(name: str | None, **changes: str) -> Stock:
            called = f"{name} {changes}"
            if called not in made:
                account = {**server.account(name), **changes} if name is not None else None
                made[called] = Stock(server, account, loop=loop)
            return made[called]

        yield one
        for stock in made.values():
            stock.close()


def refused(error: type[Exception], code: int, stock: Stock, name: str, *rest: Any) -> str:
    """The text of the exception: exactly this class, this code."""
    with pytest.raises(error) as caught:
        stock(name, *rest)
    assert caught.type is error
    assert f'"code":{code},' in str(caught.value)
    return str(caught.value)


def limit(side: str, amount: str, price: str, /, **params: str) -> tuple[Any, ...]:
    return (BTC, "limit", side, amount, price, params)


def test_insufficient_funds(make: Make) -> None:
    carol, alice = make("carol"), make("alice")
    text = refused(ccxt.InsufficientFunds, -1054, carol, "create_order", *limit("buy", "0.1", "9"))
    assert "FAILED_PRECONDITION" in text
    assert "amount not enough" in text
    order = limit("sell", "10.00001", "70000")
    refused(ccxt.InsufficientFunds, -1054, alice, "create_order", *order)
    assert alice("fetch_open_orders", BTC) == []


def test_order_not_found(make: Make, server: Server) -> None:
    alice, bob = make("alice"), make("bob")
    for name in ("fetch_order", "cancel_order"):
        refused(ccxt.OrderNotFound, -2200, alice, name, UNKNOWN_ID, BTC)
        by_client_id = (None, BTC, {"clientOrderId": "never-sent"})
        refused(ccxt.OrderNotFound, -2200, alice, name, *by_client_id)
    others = bob("create_order", *limit("buy", "0.001", "50000"))["id"]
    refused(ccxt.OrderNotFound, -2200, alice, "fetch_order", others, BTC)
    refused(ccxt.OrderNotFound, -2200, alice, "cancel_order", others, BTC)
    bob("cancel_order", others, BTC)
    # Not the same request again: within one millisecond it would get the recorded answer.
    refused(ccxt.OrderNotFound, -2200, bob, "cancel_order", others, BTC, {"again": "1"})


def test_batch_cancel_in_both_wordings(make: Make, server: Server) -> None:
    alice = make("alice")
    with pytest.raises(ccxt.InvalidOrder) as caught:
        alice("cancel_orders", [UNKNOWN_ID], BTC)
    assert caught.type is ccxt.InvalidOrder
    assert "order not found" in str(caught.value)
    word(server, "live")
    try:
        with pytest.raises(ccxt.OrderNotFound) as caught:
            alice("cancel_orders", [f"{UNKNOWN_ID[:-1]}8"], BTC)
        assert "FAILED_ORDER_NOT_FOUND" in str(caught.value)
    finally:
        word(server, "document")


def word(server: Server, wording: str) -> None:
    operator = Client(server.port)
    answer = operator.post("/_venue/settings", {"batchCancelWording": wording})
    operator.close()
    assert answer.json["batchCancelWording"] == wording


def test_bad_symbol(make: Make) -> None:
    alice = make("alice")
    order = limit("buy", "1", "9", symbol="NOPEUSDT")
    refused(ccxt.BadSymbol, -2007, alice, "create_order", *order)
    refused(ccxt.BadSymbol, -2007, alice, "fetch_orders", BTC, None, None, {"symbol": "NOPEUSDT"})
    with pytest.raises(ccxt.BadSymbol):
        alice("fetch_ticker", "NOPE/USDT")


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (-1117, {"side": "HOLD"}),
        (-1116, {"type": "STOP"}),
        (-1115, {"timeInForce": "GTD"}),
        (-1180, {"clientOrderId": "x" * 41}),
        (-1180, {"clientOrderId": "white space"}),
    ],
)
def test_invalid_order(make: Make, code: int, changes: dict[str, str]) -> None:
    order = limit("buy", "0.1", "9", **changes)
    refused(ccxt.InvalidOrder, code, make("alice"), "create_order", *order)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (-1160, {"price": "9.001"}),
        (-1160, {"quantity": "0.000011"}),
        (-1140, {"quantity": "0.00001"}),
        (-1140, {"quantity": "1001"}),
        (-1142, {"price": "-9"}),
    ],
)
def test_bad_request(make: Make, code: int, changes: dict[str, str]) -> None:
    order = limit("buy", "0.1", "9", **changes)
    refused(ccxt.BadRequest, code, make("alice"), "create_order", *order)


def test_bad_request_of_market_data(make: Make) -> None:
    public = make(None)
    interval = {"interval": "3m"}
    refused(ccxt.BadRequest, -1142, public, "fetch_ohlcv", BTC, "1m", None, None, interval)
    refused(ccxt.BadRequest, -1142, public, "fetch_ticker", BTC, {"symbol": "NOPEUSDT"})
    refused(ccxt.BadRequest, -1128, public, "fetch_ticker", BTC, {"symbols": "BTCUSDT"})
    refused(ccxt.BadRequest, -1142, public, "fetch_order_book", BTC, None, {"limit": "16"})
    span = {"startTime": "1700000000001", "endTime": "1700000000000"}
    refused(ccxt.BadRequest, -1171, make("alice"), "fetch_orders", BTC, None, None, span)


def test_permission_denied(make: Make, server: Server) -> None:
    dave = make("dave")
    refused(ccxt.PermissionDenied, -1052, dave, "create_order", *limit("buy", "0.1", "9"))
    refused(ccxt.PermissionDenied, -1052, dave, "cancel_all_orders", BTC)
    assert dave("fetch_balance")["USDT"]["total"] == 1000
    operator = Client(server.port)
    carol = make("carol")
    assert operator.post("/_venue/owners/freeze", {"owner": "carol", "frozen": True}).status == 200
    refused(ccxt.PermissionDenied, -1057, carol, "create_order", *limit("buy", "0.1", "9"))
    assert operator.post("/_venue/owners/freeze", {"owner": "carol", "frozen": False}).status == 200
    operator.close()


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (-1047, {"secret": "not-the-secret"}),
        (-1049, {"passphrase": "not-the-passphrase"}),
        (-1044, {"key": "no-such-key"}),
    ],
)
def test_authentication_error(make: Make, code: int, changes: dict[str, str]) -> None:
    refused(ccxt.AuthenticationError, code, make("alice", **changes), "fetch_balance")


def test_an_expired_timestamp_is_a_bad_request(make: Make) -> None:
    alice = make("alice", label="with a clock of its own")
    alice.exchange.nonce = lambda: 1_700_000_000_000
    refused(ccxt.BadRequest, -1046, alice, "fetch_balance")


def test_missing_and_disabled_operations(make: Make) -> None:
    alice = make("alice")
    body = {"symbol": "BTCUSDT", "orderList": []}
    refused(ccxt.BadRequest, -1150, alice, "privatePostApiV3OrderBatch", body)
    refused(ccxt.ArgumentsRequired, -1141, alice, "privateGetApiV3AllOrders", {})
    with pytest.raises(ccxt.PermissionDenied):  # an affiliate's alone
        alice("privateGetApiV3RebateAffiliateGetChannelUserTradeAndAsset", {})


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_rate_limit_exceeded(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The venue's own limits (on by default), used up by someone at the same address."""
    server = Server("--no-agents", "--no-history", folder=tmp_path_factory.mktemp("limit"))
    with (
        loop_of(kind) as loop,
        server,
        Stock(server, server.account("alice"), loop=loop) as alice,
    ):
        alice("load_markets")
        refusal = ""
        for _ in range(TRIES_MAX):  # a window of ten seconds may end in between
            exhaust(server.port)
            try:
                alice("fetch_balance")
            except ccxt.RateLimitExceeded as problem:
                refusal = str(problem)
                break
        assert '"code":-1003,' in refusal


def exhaust(port: int) -> None:
    """Ask the dearest public question, many times in one go, until it is refused."""
    request = b"GET /api/v3/market/trades?symbol=NOPE HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as connection:
        answers = b""
        for _ in range(TRIES_MAX * 2_000):
            connection.sendall(request * 10)
            answers = answers[-200:] + connection.recv(65536)
            if b" 429 " in answers:
                return
    raise AssertionError("never refused")
