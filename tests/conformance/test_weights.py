"""The weight of each operation: per address (told in headers) and per account (told by
refusals)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from support.waits import WAIT_S
from venue.api.documents import table
from venue.vocabulary import Access

BUDGET = 50_000  # `venue dev`: a hundred times the interface's 500 per ten seconds
DEAREST = 50  # account weight of the dearest operations
TRIES_MAX = 4

Row = tuple[str, str, Any, int, int | None]  # method, target, body, per address, per account
SECTION_8: tuple[Row, ...] = (
    ("POST", "/api/v3/order/batch", {}, 10, 50),
    ("GET", "/api/v3/market/ticker/24hr", None, 2, None),
    ("POST", "/api/v3/account/bills", {}, 5, 5),
    ("GET", "/api/v3/openOrders", None, 3, 3),
    ("DELETE", "/api/v3/order/batch", {}, 5, 10),
    ("POST", "/capi/v3/account/income", {}, 2, 5),
    ("GET", "/capi/v3/openOrders", None, 2, 3),
    ("GET", "/capi/v3/allAlgoOrders", None, 5, 10),
    ("GET", "/capi/v3/order", None, 2, 3),
    ("GET", "/capi/v3/order/history", None, 10, 10),
    ("POST", "/capi/v3/account/leverage", {}, 10, 20),
)
OTHERS: tuple[Row, ...] = (
    ("GET", "/api/v3/ping", None, 1, None),
    ("GET", "/api/v3/time", None, 1, None),
    ("GET", "/api/v3/coins", None, 5, None),
    ("GET", "/api/v3/exchangeInfo", None, 20, None),
    ("GET", "/api/v3/apiTradingSymbols", None, 5, None),
    ("GET", "/api/v3/market/ticker/price", None, 4, None),
    ("GET", "/api/v3/market/ticker/bookTicker", None, 4, None),
    ("GET", "/api/v3/market/trades?symbol=BTCUSDT", None, 25, None),
    ("GET", "/api/v3/market/klines?symbol=BTCUSDT&interval=1m", None, 2, None),
    ("GET", "/api/v3/market/depth?symbol=BTCUSDT", None, 5, None),
    ("GET", "/capi/v3/market/exchangeInfo", None, 1, None),
    ("GET", "/api/v3/account/", None, 5, 5),
    ("GET", "/api/v3/account", None, 5, 5),
    ("POST", "/api/v3/account/fundingBills", {}, 5, 5),
    ("GET", "/api/v3/account/transferRecords", None, 3, 3),
    ("POST", "/api/v3/tax/income", {}, 5, 50),
    ("GET", "/api/v3/rebate/affiliate/getAffiliateUIDs", None, 20, 20),
    ("GET", "/api/v3/agency/verifyReferrals?userIds=1", None, 20, 20),
    ("GET", "/api/v3/apiReferral/checkUserEligibility?userId=1", None, 5, 5),
    ("GET", "/api/v3/apiReferral/rebateRatio", None, 5, 5),
    ("GET", "/api/v3/apiReferral/rebate/recentRecord", None, 5, 5),
    ("GET", "/api/v3/rebate/affiliate/getChannelUserTradeAndAsset", None, 20, 20),
    ("GET", "/api/v3/rebate/affiliate/getAffiliateCommission", None, 20, 20),
    ("GET", "/api/v3/rebate/affiliate/getInternalWithdrawalStatus", None, 100, 100),
    ("GET", "/api/v3/rebate/affiliate/querySubChannelTransactions", None, 10, 10),
    ("POST", "/api/v3/rebate/affiliate/querySubChannelTransactions", {}, 10, 10),
    ("POST", "/api/v3/rebate/affiliate/internalWithdrawal", {}, 100, 100),
    ("GET", "/api/v3/agency/getAssert?userId=1", None, 20, 20),
    ("GET", "/api/v3/agency/getDealData", None, 20, 20),
    ("GET", "/api/v3/content/articles/detail?id=1", None, 1, 1),
    ("GET", "/api/v3/content/articles/list", None, 1, 1),
    ("GET", "/api/v3/content/articles/listByCoin?coin=BTC", None, 1, 1),
    ("GET", "/api/v3/content/banners/latest", None, 1, 1),
    ("POST", "/api/v3/order", {}, 2, 5),
    ("DELETE", "/api/v3/order", None, 1, 1),
    ("DELETE", "/api/v3/openOrders?symbol=BTCUSDT", None, 1, 1),
    ("POST", "/api/v3/cancelAllAfter", {}, 1, 1),
    ("GET", "/api/v3/order?orderId=1", None, 2, 2),
    ("GET", "/api/v3/allOrders?symbol=BTCUSDT", None, 10, 10),
    ("GET", "/api/v3/myTrades?symbol=BTCUSDT", None, 5, 5),
)
CONTRACTS: tuple[Row, ...] = (
    ("GET", "/capi/v3/market/time", None, 1, None),
    ("GET", "/capi/v3/market/apiTradingSymbols", None, 5, None),
    ("GET", "/capi/v3/market/depth?symbol=BTCUSDT", None, 1, None),
    ("GET", "/capi/v3/market/ticker/24hr", None, 40, None),
    ("GET", "/capi/v3/market/ticker/bookTicker", None, 1, None),
    ("GET", "/capi/v3/market/trades?symbol=BTCUSDT", None, 5, None),
    ("GET", "/capi/v3/market/klines?symbol=BTCUSDT&interval=1m", None, 1, None),
    ("GET", "/capi/v3/market/indexPriceKlines?symbol=BTCUSDT&interval=1m", None, 1, None),
    ("GET", "/capi/v3/market/markPriceKlines?symbol=BTCUSDT&interval=1m", None, 1, None),
    ("GET", "/capi/v3/market/historyKlines?symbol=BTCUSDT&interval=1m", None, 5, None),
    ("GET", "/capi/v3/market/symbolPrice?symbol=BTCUSDT", None, 1, None),
    ("GET", "/capi/v3/market/openInterest?symbol=BTCUSDT", None, 2, None),
    ("GET", "/capi/v3/market/premiumIndex", None, 1, None),
    ("GET", "/capi/v3/market/fundingRate?symbol=BTCUSDT", None, 5, None),
    ("GET", "/capi/v3/account/balance", None, 5, 10),
    ("GET", "/capi/v3/account/commissionRate?symbol=BTCUSDT", None, 5, 10),
    ("GET", "/capi/v3/account/accountConfig", None, 5, 10),
    ("GET", "/capi/v3/account/symbolConfig", None, 5, 10),
    ("GET", "/capi/v3/account/position/allPosition", None, 10, 15),
    ("GET", "/capi/v3/account/position/singlePosition?symbol=BTCUSDT", None, 2, 3),
    ("POST", "/capi/v3/account/marginType", {}, 20, 50),
    ("POST", "/capi/v3/account/positionMargin", {}, 15, 30),
    ("POST", "/capi/v3/account/modifyAutoAppendMargin", {}, 15, 30),
    ("POST", "/capi/v3/order", {}, 2, 5),
    ("POST", "/capi/v3/batchOrders", {}, 5, 10),
    ("DELETE", "/capi/v3/order", None, 2, 3),
    ("DELETE", "/capi/v3/batchOrders", {}, 5, 10),
    ("DELETE", "/capi/v3/allOpenOrders?symbol=BTCUSDT", None, 5, 10),
    ("POST", "/capi/v3/closePositions", {}, 40, 50),
    ("GET", "/capi/v3/userTrades", None, 5, 5),
    ("POST", "/capi/v3/algoOrder", {}, 2, 5),
    ("POST", "/capi/v3/placeTpSlOrder", {}, 2, 5),
    ("POST", "/capi/v3/modifyTpSlOrder", {}, 2, 5),
    ("DELETE", "/capi/v3/algoOrder", None, 2, 3),
    ("DELETE", "/capi/v3/algoOpenOrders", None, 5, 10),
    ("GET", "/capi/v3/openAlgoOrders", None, 3, 3),
    ("GET", "/capi/v3/trailing/openOrders", None, 2, 2),
    ("GET", "/capi/v3/trailing/historyOrders", None, 10, 10),
    ("GET", "/capi/v3/sim/balance", None, 5, 10),
    ("GET", "/capi/v3/sim/position/allPosition", None, 10, 15),
    ("GET", "/capi/v3/sim/order/history", None, 10, 10),
    ("POST", "/capi/v3/sim/order", {}, 2, 5),
    ("POST", "/capi/v3/cancelAllAfter", {}, 5, 10),
)
COPYING: tuple[Row, ...] = (
    ("GET", "/capi/v3/copy/follower/openOrders", None, 10, 15),
    ("GET", "/capi/v3/copy/follower/settings", None, 10, 15),
    ("POST", "/capi/v3/copy/follower/settings", {}, 10, 15),
    ("POST", "/capi/v3/copy/follower/closePos", {}, 10, 50),
    ("POST", "/capi/v3/copy/follower/stopCopy", {}, 10, 10),
    ("GET", "/capi/v3/copy/follower/historyOrders", None, 10, 10),
    ("GET", "/capi/v3/copy/follower/myTraders", None, 10, 10),
    ("GET", "/capi/v3/copy/trader/openOrders", None, 10, 15),
    ("GET", "/capi/v3/copy/trader/historyOrders", None, 10, 15),
    ("GET", "/capi/v3/copy/trader/pairs", None, 1, 1),
)
OWN: tuple[Row, ...] = (
    ("GET", "/_venue/own/places", None, 5, 5),
    ("GET", "/_venue/own/wire", None, 5, 5),
)
ROWS = SECTION_8 + OTHERS + CONTRACTS + COPYING + OWN


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("weights")
    with Server("--no-agents", "--no-history", "--batch-place", folder=folder) as server:
        yield server


def used(client: Client, method: str, target: str, body: Any) -> int:
    """The weight used in this window, as the answer's headers tell it."""
    headers = client.call(method, target, body).headers
    weight = int(headers["x-used-weight-10s"])
    assert int(headers["x-remaining-weight-10s"]) == BUDGET - weight
    return weight


@pytest.mark.parametrize(("method", "target", "body", "per_ip", "_per_uid"), ROWS)
def test_weight_per_address(
    server: Server, method: str, target: str, body: Any, per_ip: int, _per_uid: int | None
) -> None:
    client = Client(server.port, server.account("alice"))
    for _ in range(TRIES_MAX):  # a window may end in between
        before = used(client, "GET", "/api/v3/ping", None)
        now = used(client, method, target, body)
        if now > before:
            break
    client.close()
    assert now - before == per_ip


def test_every_operation_is_measured() -> None:
    served = {(row.method, row.path) for row in table.ROWS if row.access is not Access.OPERATOR}
    measured = {(row[0], row[1].partition("?")[0]) for row in ROWS}
    # The account operation has a second spelling.
    assert measured - served == {("GET", "/api/v3/account")}
    assert served <= measured


def test_the_limit_is_published(server: Server) -> None:
    client = Client(server.port)
    for path in ("/api/v3/exchangeInfo", "/capi/v3/market/exchangeInfo"):
        (limit,) = client.get(path).json["rateLimits"]
        assert (limit["intervalNum"], limit["interval"]) == (10, "SECOND")
        assert limit["limit"] == BUDGET
    client.close()


def test_the_interfaces_own_limits_can_be_rehearsed(tmp_path: Path) -> None:
    with Server("--no-agents", "--no-history", "--real-limits", folder=tmp_path) as server:
        client = Client(server.port)
        for path in ("/api/v3/exchangeInfo", "/capi/v3/market/exchangeInfo"):
            assert client.get(path).json["rateLimits"][0]["limit"] == 500
        answers = [client.get("/api/v3/market/trades?symbol=BTCUSDT") for _ in range(45)]
        refused = [answer for answer in answers if answer.status == 429]
        assert refused  # 25 each: within any two windows
        assert refused[0].json["message"].startswith("Too many requests: this address used its")
        assert 1 <= int(refused[0].headers["retry-after"]) <= 10
        client.close()


def test_orders_are_counted_in_headers(tmp_path: Path) -> None:
    """An order counts for one, whatever becomes of it, and a batch for five."""
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01", "price": "1"}
    contract = order | {"positionSide": "LONG"}
    rows: tuple[tuple[str, str, Any, int], ...] = (
        ("POST", "/api/v3/order", order, 1),
        ("POST", "/api/v3/order", {}, 1),
        ("POST", "/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [order]}, 5),
        ("POST", "/capi/v3/order", contract, 1),
        ("POST", "/capi/v3/batchOrders", {"batchOrders": [contract]}, 5),
        ("POST", "/capi/v3/algoOrder", {}, 1),
        ("POST", "/capi/v3/placeTpSlOrder", {}, 1),
        ("POST", "/capi/v3/sim/order", {}, 1),
    )
    arguments = ("--no-agents", "--no-history", "--batch-place", "--real-limits")
    with Server(*arguments, folder=tmp_path) as server:
        for _ in range(TRIES_MAX):  # a window may end in between
            client = server.client(owner(server, f"counted-{_}"))
            answers = [client.call(*row[:3]) for row in rows]
            told = [
                (int(answer.headers["x-order-count-10s"]), int(answer.headers["x-order-count-1m"]))
                for answer in answers
            ]
            sums = [sum(row[3] for row in rows[: end + 1]) for end in range(len(rows))]
            if told == [(count, count) for count in sums]:
                break
        else:
            raise AssertionError(told)
        for other in ("/api/v3/openOrders", "/api/v3/ping"):
            assert "x-order-count-10s" not in client.get(other).headers
        canceled = client.delete("/api/v3/openOrders?symbol=BTCUSDT")
        assert "x-order-count-1m" not in canceled.headers


@pytest.mark.parametrize("product", ["/api/", "/capi/"])
def test_weight_per_account(tmp_path: Path, product: str) -> None:
    """An account's counter stands in no header: use it up to the last 50, then count what passes.

    Each row is measured with an account of its own, all of it within one window. All rows together
    would use up what the address may ask for: each product's have a venue of their own.
    """
    rows = [row for row in SECTION_8 if row[1].startswith(product)]
    with Server("--no-agents", "--no-history", "--batch-place", folder=tmp_path) as server:
        for number, row in enumerate(rows):
            if row[4] is not None:
                _check(server, number, row, DEAREST // row[4])


def _check(server: Server, number: int, row: Row, expected: int) -> None:
    passed = -1
    for attempt in range(TRIES_MAX):
        account = owner(server, f"row-{number}-{attempt}")
        passed = _passes(server, account, row, expected)
        if passed >= 0:
            break
    assert passed == expected, row


def _passes(server: Server, account: dict[str, Any], row: Row, most: int) -> int:
    """How often a row is answered with 50 left; -1 when the window ended in between."""
    method, target, body = row[:3]
    client = Client(server.port, account)
    begin = used(client, "GET", "/api/v3/ping", None)
    _burn(client, BUDGET // DEAREST - 1)
    passed = 0
    answer = client.call(method, target, body)
    while answer.status != 429 and passed <= most:
        passed += 1
        # Another content each time: an exact repetition of a TRADE request has no second effect.
        changed = body if body is None else {**body, "again": passed}
        answer = client.call(method, target, changed)
    window = used(client, "GET", "/api/v3/ping", None)
    if answer.status == 429:
        assert answer.json["code"] == -1003
        assert "this account" in answer.json["message"]
        assert "msg" not in answer.json
        assert 1 <= int(answer.headers["retry-after"]) <= 10
    client.close()
    return passed if window > begin and answer.status == 429 else -1


def owner(server: Server, name: str) -> dict[str, Any]:
    """A new owner's key."""
    operator = Client(server.port)
    assert operator.post("/_venue/owners", {"name": name}).status == 200
    body = {"owner": name, "permissions": ["READ", "SPOT_TRADE", "CONTRACT_TRADE"]}
    key = operator.post("/_venue/keys", body).json
    operator.close()
    return dict(key)


def _burn(client: Client, times: int) -> None:
    """Questions that are refused for their content: dear, and cheap to answer."""
    target = "/api/v3/tax/income"
    requests = []
    for number in range(times):
        body = b'{"limit":0,"n":%d}' % number
        headers = {"Host": "127.0.0.1", "Content-Length": str(len(body))}
        named = {**headers, **client.headers("POST", target, body)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        requests.append(f"POST {target} HTTP/1.1\r\n{lines}\r\n".encode() + body)
    with socket.create_connection(("127.0.0.1", client.port), timeout=WAIT_S) as connection:
        answered = 0
        for first in range(0, times, 20):
            sent = requests[first : first + 20]
            connection.sendall(b"".join(sent))
            wanted, answers = len(sent), b""
            while answers.count(b"-1140") < wanted:
                received = connection.recv(65536)
                assert received, answers
                answers += received
            answered += wanted
    assert answered == times
