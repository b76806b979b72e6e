"""Agents whose rows history does not keep: what is told of them, and what it takes to keep them."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from support.client import Answer, Client
from support.real_venue import ok
from support.server import Server, flawless

ACT_AS = "X-Venue-Act-As"
SPOT, CONTRACT = "agent-steady-ETHUSDT", "agent-contract-deep-ETHUSDT"
ROWS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("GET", "/api/v3/allOrders", {"symbol": "ETHUSDT"}),
    ("GET", "/api/v3/myTrades", {"symbol": "ETHUSDT"}),
    ("POST", "/api/v3/account/bills", {}),
    ("GET", "/capi/v3/order/history", {}),
    ("GET", "/capi/v3/sim/order/history", {}),
    ("GET", "/capi/v3/userTrades", {}),
    ("POST", "/capi/v3/account/income", {}),
    ("GET", "/api/v3/order", {"symbol": "ETHUSDT", "orderId": 1_000_000_000_000_000}),
    ("GET", "/capi/v3/order", {"orderId": 1_000_000_000_000_000}),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("acting_agents")
    with flawless("--clock", "manual", folder=folder) as found:
        yield found


def ask(client: Client, owner: str, method: str, path: str, values: dict[str, object]) -> Answer:
    headers: dict[str, str | None] = {ACT_AS: owner}
    if method == "GET":
        return client.get(f"{path}?{urlencode(values)}", headers=headers)
    return client.post(path, values, headers=headers)


def test_rows_that_are_not_kept_are_refused_in_a_sentence(server: Server) -> None:
    """Rule 2.8. What the engine knows of an agent is told."""
    operator = server.client()
    for owner in (SPOT, CONTRACT):
        for method, path, values in ROWS:
            answer = ask(operator, owner, method, path, values)
            assert (answer.status, answer.json["code"]) == (400, -1142), (path, answer)
            assert "history keeps no orders, fills, bills or income" in answer.json["msg"]
    headers: dict[str, str | None] = {ACT_AS: SPOT}
    orders = operator.get("/api/v3/openOrders", headers=headers).json
    assert len(orders) == 40, len(orders)
    path = f"/api/v3/order?symbol=ETHUSDT&orderId={orders[0]['orderId']}"
    assert operator.get(path, headers=headers).json == orders[0]
    assert operator.get("/api/v3/account/", headers=headers).status == 200
    headers = {ACT_AS: CONTRACT}
    for path in ("/capi/v3/openOrders", "/capi/v3/account/balance"):
        assert operator.get(path, headers=headers).json


def test_rows_of_an_agent_are_kept_from_the_first_act_as_it_on(server: Server) -> None:
    """Rule 2.8. Enemy: an order that an operator placed as an agent, and no row of it."""
    operator = server.client()
    headers: dict[str, str | None] = {ACT_AS: "agent-whale-ETHUSDT"}
    placed = operator.post(
        "/api/v3/order",
        {
            "symbol": "ETHUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
            "quantity": "0.01", "price": "3100", "newClientOrderId": "mine",
        },
        headers=headers,
    )  # fmt: skip
    assert placed.status == 200, placed
    order_id = placed.json["orderId"]
    bought = operator.post(
        "/api/v3/order",
        {"symbol": "ETHUSDT", "side": "BUY", "type": "MARKET", "quantity": "0.02"},
        headers=headers,
    )
    assert bought.status == 200, bought
    ended = operator.delete(f"/api/v3/order?symbol=ETHUSDT&orderId={order_id}", headers=headers)
    assert ended.status == 200, ended
    found = operator.get(f"/api/v3/order?symbol=ETHUSDT&orderId={order_id}", headers=headers)
    assert (found.json["status"], found.json["clientOrderId"]) == ("CANCELED", "mine")
    listed = operator.get("/api/v3/allOrders?symbol=ETHUSDT", headers=headers).json
    assert {order_id, bought.json["orderId"]} == {row["orderId"] for row in listed}
    fills = operator.get("/api/v3/myTrades?symbol=ETHUSDT", headers=headers).json
    assert {row["orderId"] for row in fills} == {bought.json["orderId"]}
    bills = operator.post("/api/v3/account/bills", {}, headers=headers).json
    assert {row["bizType"] for row in bills} == {"deposit", "trade_in", "trade_out"}


def test_a_key_of_an_agent_trades_and_sees_its_rows(server: Server) -> None:
    """Rule 2.8. Enemy: a user whose owner is an agent's."""
    body = {"owner": "agent-contract-trend-ETHUSDT", "permissions": ["READ", "CONTRACT_TRADE"]}
    user = server.client(ok(server.client(), "keys", body))
    refused = user.get("/capi/v3/userTrades")
    assert (refused.status, refused.json["code"]) == (400, -1142), refused
    placed = user.post(
        "/capi/v3/order",
        {
            "symbol": "ETHUSDT", "side": "BUY", "positionSide": "LONG", "type": "MARKET",
            "quantity": "0.05", "newClientOrderId": "mine",
        },
    )  # fmt: skip
    assert placed.status == 200, placed
    fills = user.get("/capi/v3/userTrades").json
    assert {row["orderId"] for row in fills} == {int(placed.json["orderId"])}
    history = user.get("/capi/v3/order/history").json
    assert [row["clientOrderId"] for row in history] == ["mine"]
