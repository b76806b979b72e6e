"""Lines of the interface document that are easily missed, as a live venue answers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.contract_desk import V3
from support.contract_raw import LONG, posted
from support.raw import Desk, ok, operate, order
from support.server import Server

SPOT = "/api/v3"
PRICES = {"BTCUSDT": "60000", "ETHUSDT": "3000"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("lines")
    with Server("--no-agents", "--batch-place", folder=folder) as server:
        desk = Desk(server)
        for symbol, price in PRICES.items():
            operate(desk, "contracts/change", {"symbol": symbol, "indexSources": ["desk"]})
            operate(desk, "index", posted(symbol, "desk", price))
        yield desk
        desk.close()


# -- items of a batch (4.1, protocol 2.7) ---------------------------------------------------------


def bid(name: str, **more: Any) -> dict[str, Any]:
    return order("BTCUSDT", "BUY", "0.01", "50000", timeInForce="GTC", newClientOrderId=name) | more


def test_an_item_of_another_symbol_is_refused_alone(desk: Desk) -> None:
    items = [bid("same"), bid("other", symbol="ETHUSDT"), bid("lower", symbol="btcusdt")]
    answer = desk.alice.post(f"{SPOT}/order/batch", {"symbol": "btcusdt", "orderList": items})
    same, other, lower = ok(answer)["orderList"]
    assert (other["errorCode"], other["clientOrderId"]) == ("PARAM_VALIDATE_ERROR", "other")
    assert other["errorMsg"] == (
        "Parameter 'symbol' is out of range: must be the batch's, BTCUSDT, or absent."
    )
    open_ids = [row["orderId"] for row in ok(desk.alice.get(f"{SPOT}/openOrders"))]
    assert open_ids == [same["orderId"], lower["orderId"]]
    ok(desk.alice.delete(f"{SPOT}/openOrders?symbol=BTCUSDT"))


def test_unknown_fields_of_items_are_named(desk: Desk) -> None:
    odd = bid("odd") | {"a]\n": 1}
    items = [bid("plain"), bid("more", postOnly=True, stopPrice="1"), "none", odd]
    body = {"symbol": "BTCUSDT", "orderList": items, "reduceOnly": True}
    answer = desk.alice.post(f"{SPOT}/order/batch", body)
    assert [row.get("errorCode") for row in ok(answer)["orderList"]] == [
        None, None, "PARAM_ERROR", None,
    ]  # fmt: skip
    assert answer.headers["x-venue-ignored"] == (
        "reduceOnly,orderList[1].postOnly,orderList[1].stopPrice,orderList[3].a]?"
    )
    ok(desk.alice.delete(f"{SPOT}/openOrders?symbol=BTCUSDT"))


def test_unknown_fields_of_contract_items_are_named(desk: Desk) -> None:
    items = [bid("plain") | LONG, bid("more", reduceOnly=True, timeinforce="FOK") | LONG]
    answer = desk.alice.post(f"{V3}/batchOrders", {"batchOrders": items})
    assert [row["success"] for row in ok(answer)] == [True, True]
    assert answer.headers["x-venue-ignored"] == (
        "batchOrders[1].reduceOnly,batchOrders[1].timeinforce"
    )
    known = desk.alice.post(f"{V3}/batchOrders", {"batchOrders": [bid("known") | LONG]})
    assert "x-venue-ignored" not in known.headers
    assert len(ok(desk.alice.delete(f"{V3}/allOpenOrders"))) == 3
