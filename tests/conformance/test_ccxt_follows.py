"""A stock ccxt client follows what it placed by the id that it was given, whatever it becomes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ccxt
import pytest

from support.raw import Desk, ok, order, priced
from support.server import Server
from support.shapes import Number
from support.stock import Stock

BTC = "BTC/USDT:USDT"
V3 = "/capi/v3"
SHAPE = {  # of a conditional order, as the exchange answers for one
    "avgPrice": str, "clientOrderId": str, "cumQuote": str, "executedQty": str, "orderId": Number,
    "origQty": str, "price": str, "reduceOnly": bool, "side": str, "positionSide": str,
    "status": str, "stopPrice": str, "symbol": str, "time": Number, "timeInForce": str, "type": str,
    "updateTime": Number, "workingType": str,
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--no-history", "--batch-place")
    with Server(*options, folder=tmp_path_factory.mktemp("follows")) as server:
        yield server


@pytest.fixture(scope="module")
def desk(server: Server) -> Iterator[Desk]:
    with priced(server) as desk:
        yield desk


@pytest.fixture(scope="module")
def alice(server: Server, desk: Desk) -> Iterator[Stock]:
    """She is long 0.02; bob has bid and asked around 60,000."""
    with (
        Stock(server, server.account("alice")) as alice,
        Stock(server, server.account("bob")) as bob,
    ):
        alice.exchange.options["defaultType"] = "swap"
        for side, price in (("buy", 59_900), ("sell", 60_100)):
            bob("create_order", BTC, "limit", side, 0.05, price)
        alice("create_order", BTC, "market", "buy", 0.02)
        yield alice


def stop(alice: Stock, trigger: float = 58_000) -> str:
    made = alice("create_order", BTC, "market", "sell", 0.01, None, {"stopLossPrice": trigger})
    return str(made["id"])


def listed(alice: Stock, order_id: str) -> list[dict[str, Any]]:
    """The rows that the history of orders has under an id."""
    rows = alice("fetch_canceled_and_closed_orders", BTC)
    return [row for row in rows if row["id"] == order_id]


def test_a_waiting_one_is_found(desk: Desk, alice: Stock) -> None:
    order_id = stop(alice)
    found = alice("fetch_order", order_id, BTC)
    assert (found["status"], found["type"], found["reduceOnly"]) == ("open", "market", True)
    assert (found["triggerPrice"], found["stopLossPrice"]) == (58_000, 58_000)
    assert (found["amount"], found["filled"], found["remaining"]) == (0.01, 0, 0.01)
    raw = ok(desk.alice.get(f"{V3}/order?orderId={order_id}"))
    assert {name: type(value) for name, value in raw.items()} == SHAPE
    assert (raw["status"], raw["type"], raw["stopPrice"], raw["workingType"]) == (
        "UNTRIGGERED", "STOP_MARKET", "58000.00", "CONTRACT_PRICE",
    )  # fmt: skip
    assert (raw["timeInForce"], raw["price"], raw["avgPrice"]) == ("IOC", "0", "0")
    by_name = ok(desk.alice.get(f"{V3}/order?origClientOrderId={raw['clientOrderId']}"))
    assert by_name == raw
    assert listed(alice, order_id) == []
    alice("cancel_order", order_id, BTC, {"trigger": True})


def test_a_take_profit_by_the_venue_s_own_client_id(desk: Desk, alice: Stock) -> None:
    body = {
        "symbol": "BTCUSDT", "planType": "TAKE_PROFIT", "triggerPrice": "70000",
        "positionSide": "LONG", "quantity": "0", "clientAlgoId": "whole",
    }  # fmt: skip
    (made,) = ok(desk.alice.post(f"{V3}/placeTpSlOrder", body))
    raw = ok(desk.alice.get(f"{V3}/order?orderId={made['orderId']}"))
    assert (raw["type"], raw["origQty"], raw["clientOrderId"]) == (
        "TAKE_PROFIT_MARKET", "0.00000", "whole",
    )  # fmt: skip
    ok(desk.alice.delete(f"{V3}/algoOrder?orderId={made['orderId']}"))
    ended = ok(desk.alice.get(f"{V3}/order?orderId={made['orderId']}"))
    assert ended == raw | {"status": "CANCELED", "updateTime": ended["updateTime"]}


def test_nobody_else_finds_it(desk: Desk, alice: Stock) -> None:
    order_id = stop(alice)
    for ended in (False, True):
        if ended:
            alice("cancel_order", order_id, BTC, {"trigger": True})
        answer = desk.bob.get(f"{V3}/order?orderId={order_id}")
        assert (answer.status, answer.json["code"]) == (400, -3200)


def test_a_canceled_one_is_in_the_history_once(alice: Stock) -> None:
    order_id = stop(alice)
    alice("cancel_order", order_id, BTC, {"trigger": True})
    found = alice("fetch_order", order_id, BTC)
    assert (found["status"], found["triggerPrice"], found["filled"]) == ("canceled", 58_000, 0)
    (row,) = listed(alice, order_id)
    assert row == found


def test_a_triggered_one_tells_what_its_order_did(desk: Desk, alice: Stock) -> None:
    """The last price falls to 59,900: the order that closes at market is executed there."""
    order_id = stop(alice, 59_950)
    with pytest.raises(ccxt.InvalidOrder):
        alice("fetch_order", "1999999999999999", BTC)
    alice("create_order", BTC, "market", "sell", 0.005, None, {"reduceOnly": True})
    found = alice("fetch_order", order_id, BTC)
    assert (found["id"], found["status"], found["filled"]) == (order_id, "closed", 0.01)
    assert (found["average"], found["triggerPrice"]) == (59_900, 59_950)
    assert found["info"]["type"] == "STOP_MARKET"
    # The history has the order that it became, under an id of its own, and nothing twice.
    (algo,) = [
        row
        for row in ok(desk.alice.get(f"{V3}/allAlgoOrders"))["orders"]
        if str(row["algoId"]) == order_id
    ]
    assert listed(alice, order_id) == []
    (became,) = listed(alice, str(algo["actualOrderId"]))
    assert (became["filled"], became["average"]) == (0.01, 59_900)


def test_pages_of_the_history_hold_both_kinds(desk: Desk, alice: Stock) -> None:
    rows = ok(desk.alice.get(f"{V3}/order/history"))
    times = [row["time"] for row in rows]
    assert times == sorted(times, reverse=True)
    assert {row["status"] for row in rows} >= {"CANCELED", "FILLED"}
    assert {row["type"] for row in rows} >= {"STOP_MARKET", "TAKE_PROFIT_MARKET", "MARKET"}
    paged = [
        row
        for page in range(len(rows) + 1)
        for row in ok(desk.alice.get(f"{V3}/order/history?limit=1&page={page}"))
    ]
    assert [row["orderId"] for row in paged] == [row["orderId"] for row in rows]
    assert paged == rows
    assert ok(desk.alice.get(f"{V3}/order/history?symbol=ETHUSDT")) == []
    end = rows[-1]["time"]
    part = ok(desk.alice.get(f"{V3}/order/history?endTime={end}"))
    assert part == [row for row in rows if row["time"] <= end]


# -- MARKET orders with a time in force -----------------------------------------------------------


@pytest.mark.parametrize("given", ["GTC", "FOK", "IOC"])
def test_a_market_order_may_say_how_long_it_lives(desk: Desk, alice: Stock, given: str) -> None:
    """Programs that send one with every order are served; one without effect is named."""
    del alice
    spot = order("BTCUSDT", "BUY", "0.001", type="MARKET", timeInForce=given)
    item = {name: value for name, value in spot.items() if name != "symbol"}
    contract = spot | {"quantity": "0.001", "positionSide": "LONG"}
    ask = order("BTCUSDT", "SELL", "0.01", "60000")
    ok(desk.bob.post("/api/v3/order", ask))
    named = None if given == "IOC" else f"timeInForce={given}"
    for path, body, place in (
        ("/api/v3/order", spot, ""),
        ("/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [item]}, "orderList[0]."),
        (f"{V3}/order", contract, ""),
        (f"{V3}/batchOrders", {"batchOrders": [contract]}, "batchOrders[0]."),
    ):
        answer = desk.alice.post(path, body)
        ok(answer)
        assert answer.headers.get("x-venue-ignored") == (place + named if named else None), path
    ok(desk.bob.delete("/api/v3/openOrders?symbol=BTCUSDT"))
    (last, *_) = ok(desk.alice.get("/api/v3/allOrders?symbol=BTCUSDT&limit=1"))
    assert (last["type"], last["timeInForce"], last["status"]) == ("MARKET", "IOC", "FILLED")


def test_post_only_contradicts_a_market_order(desk: Desk, alice: Stock) -> None:
    del alice
    body = order("BTCUSDT", "BUY", "0.001", type="MARKET", timeInForce="POST_ONLY")
    for path in ("/api/v3/order", f"{V3}/order"):
        answer = desk.alice.post(path, body | {"positionSide": "LONG"})
        assert (answer.status, answer.json["code"]) == (400, -1128)
    bad = desk.alice.post("/api/v3/order", body | {"timeInForce": "DAY"})
    assert (bad.status, bad.json["code"]) == (400, -1115)
