"""Bodies and queries of V2 at the rows of V3: a refusal names the fields of V3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from venue.api import former
from venue.api.documents.table import ROWS
from venue.api.operation import parameters

SPOT, CONTRACT = "/api/v3/order", "/capi/v3/order"
LIMIT: dict[str, Any] = {
    "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01",
    "price": "60000",
}  # fmt: skip


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("former")
    with Server("--no-agents", "--batch-place", folder=folder) as server:
        yield server.client("alice")


V2 = "V2 was shut down on 2026-09-30; in V3 "
V2_SPOT = {
    "symbol": "BTCUSDT", "side": "buy", "orderType": "limit", "force": "postOnly",
    "price": "60000", "quantity": "0.01", "clientOrderId": "v2-1",
}  # fmt: skip
SPOT_FIELDS = [
    "'orderType' limit is 'type' LIMIT",
    "'force' postOnly is 'timeInForce' POST_ONLY",
    "'clientOrderId' is 'newClientOrderId'",
]
V2_CONTRACT = {
    "symbol": "BTCSUSDT", "client_oid": "v2-2", "size": "0.01", "type": "1", "order_type": "3",
    "match_price": "0", "price": "60000", "presetTakeProfitPrice": "70000", "marginMode": 1,
}  # fmt: skip
CONTRACT_FIELDS = [
    "'client_oid' is 'newClientOrderId'",
    "'size' is 'quantity'",
    "'order_type' 3 is 'timeInForce' IOC",
    "'match_price' 0 is 'type' LIMIT",
    "'presetTakeProfitPrice' is 'tpTriggerPrice'",
    "'type' 1 is 'side' BUY and 'positionSide' LONG",
]
PLAN = {
    "symbol": "BTCSUSDT", "client_oid": "v2-3", "size": "0.01", "type": "3", "match_type": "1",
    "execute_price": "0", "trigger_price": "59000",
}  # fmt: skip
PLAN_FIELDS = [
    "'client_oid' is 'clientAlgoId'",
    "'size' is 'quantity'",
    "'match_type' is 'type'",
    "'execute_price' is 'price'",
    "'trigger_price' is 'triggerPrice'",
    "'type' 3 is 'side' SELL and 'positionSide' LONG",
]
EXIT = {"symbol": "BTCSUSDT", "clientOrderId": "v2-4", "planType": "loss_plan", "size": "1"}
LEVERAGE = {"symbol": "BTCSUSDT", "marginMode": 3, "longLeverage": "20", "shortLeverage": "20"}
LEVERAGE_FIELDS = [
    "'marginMode' 3 is 'marginType' ISOLATED",
    "'longLeverage' is 'isolatedLongLeverage' or 'crossLeverage'",
    "'shortLeverage' is 'isolatedShortLeverage' or 'crossLeverage'",
]
MODE = {"symbol": "BTCSUSDT", "marginMode": 1, "separatedMode": 2}
MODE_FIELDS = [
    "'marginMode' 1 is 'marginType' CROSSED",
    "'separatedMode' 2 is 'separatedType' SEPARATED",
]
MARGIN = {"coinId": 2, "isolatedPositionId": 1, "collateralAmount": "100"}
BILLS = {"coin": "USDT", "businessType": "deposit", "limit": 0}
PAGES = "/api/v3/allOrders?after=1&before=2&pageIndex=0&pageSize=10"
PAGE_FIELDS = [
    "'after' is 'startTime'",
    "'before' is 'endTime'",
    "'pageIndex' is 'page'",
    "'pageSize' is 'limit'",
]
KLINES = "market/klines?symbol=BTCUSDT"
IDS = {"ids": ["7"], "cids": ["v2-2"]}
ID_FIELDS = ["'ids' is 'orderIdList'", "'cids' is 'origClientOrderIdList'"]
# As V2's documentation has them, but for the symbols.
FIELDS: list[tuple[str, str, dict[str, Any], int, list[str]]] = [
    ("POST", SPOT, V2_SPOT, -1117, SPOT_FIELDS),
    ("POST", CONTRACT, V2_CONTRACT, -1117, CONTRACT_FIELDS),
    ("POST", "/capi/v3/algoOrder", PLAN, -1117, PLAN_FIELDS),
    ("POST", "/capi/v3/placeTpSlOrder", EXIT, -1141,
     ["'clientOrderId' is 'clientAlgoId'", "'size' is 'quantity'"]),
    ("POST", "/capi/v3/account/leverage", LEVERAGE, -1141, LEVERAGE_FIELDS),
    ("POST", "/capi/v3/account/marginType", MODE, -1141, MODE_FIELDS),
    ("POST", "/capi/v3/account/positionMargin", MARGIN, -1141, ["'collateralAmount' is 'amount'"]),
    ("DELETE", f"{CONTRACT}?clientOid=v2-2", {}, -1140, ["'clientOid' is 'origClientOrderId'"]),
    ("DELETE", "/api/v3/order/batch", {"clientOids": ["v2-1"]}, -1141,
     ["'clientOids' is 'origClientOrderIds'"]),
    ("DELETE", "/capi/v3/batchOrders", IDS, -1141, ID_FIELDS),
    ("POST", "/capi/v3/batchOrders", {"orderDataList": [V2_CONTRACT]}, -1141,
     ["'orderDataList' is 'batchOrders'"]),
    ("GET", f"/capi/v3/{KLINES}&granularity=1m", {}, -1141, ["'granularity' is 'interval'"]),
    ("GET", f"/api/v3/{KLINES}&period=1m", {}, -1141, ["'period' is 'interval'"]),
    ("GET", "/capi/v3/order/history?limit=0&createDate=5", {}, -1140,
     ["'createDate' is 'startTime'"]),
    ("GET", PAGES, {}, -1141, PAGE_FIELDS),
    ("POST", "/capi/v3/account/income", BILLS, -1140,
     ["'coin' is 'asset'", "'businessType' is 'incomeType'"]),
]  # fmt: skip


def ending(fields: list[str]) -> str:
    """How the words of a refusal end."""
    return f" {V2}{', '.join(fields)}."


@pytest.mark.parametrize(("method", "path", "body", "code", "fields"), FIELDS)
def test_a_refused_body_of_v2_names_the_fields_of_v3(
    alice: Client, method: str, path: str, body: dict[str, Any], code: int, fields: list[str]
) -> None:
    answer = alice.call(method, path, body)
    assert (answer.status, answer.json["code"]) == (400, code), answer.json
    assert answer.json["msg"].endswith(ending(fields))
    assert answer.json["msg"].count("V2") == 1


PATHS: list[tuple[str, str, dict[str, Any], str, list[str]]] = [
    ("POST", "/api/v2/trade/orders", V2_SPOT, "POST /api/v3/order", SPOT_FIELDS),
    ("POST", "/capi/v2/order/placeOrder", V2_CONTRACT, "POST /capi/v3/order", CONTRACT_FIELDS),
    ("POST", "/capi/v2/order/plan_order", PLAN, "POST /capi/v3/algoOrder", PLAN_FIELDS),
    ("POST", "/capi/v2/order/cancel_order", {"clientOid": "v2-2"}, "DELETE /capi/v3/order",
     ["'clientOid' is 'origClientOrderId'"]),
    ("GET", "/capi/v2/market/candles?symbol=cmt_btcusdt&granularity=1m", {},
     "GET /capi/v3/market/klines", ["'granularity' is 'interval'"]),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "row", "fields"), PATHS)
def test_a_path_of_v2_names_the_fields_of_its_row_too(
    alice: Client, method: str, path: str, body: dict[str, Any], row: str, fields: list[str]
) -> None:
    answer = alice.call(method, path, body or None)
    assert answer.status == 404
    assert answer.json["message"] == f"{V2}it is {row}. There {', '.join(fields)}."


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"size":"1"' + b" " * 5_000 + b"}", b"\xff"])
def test_a_body_that_is_not_looked_into_names_the_row_alone(alice: Client, body: bytes) -> None:
    answer = alice.post("/capi/v2/order/placeOrder", body)
    assert answer.status == 404
    assert answer.json["message"] == f"{V2}it is POST /capi/v3/order."


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": [V2_SPOT, "x"]}, SPOT_FIELDS),
        ("/capi/v3/batchOrders", {"batchOrders": [V2_CONTRACT, "x"]}, CONTRACT_FIELDS),
    ],
)
def test_a_refused_item_of_v2_names_the_fields_of_v3(
    alice: Client, path: str, body: dict[str, Any], fields: list[str]
) -> None:
    found = alice.post(path, body).json
    items = found if isinstance(found, list) else found["orderList"]
    messages = [item.get("errorMsg") or item.get("errorMessage") for item in items]
    assert messages[0].endswith(ending(fields))
    assert "V2" not in messages[1]


def test_what_is_taken_ignores_the_fields_of_v2_as_any_other(alice: Client) -> None:
    answer = alice.post(SPOT, LIMIT | {"price": "50", "force": "fok", "size": "1"})
    assert answer.status == 200
    assert answer.headers["x-venue-ignored"] == "force,size"


def test_a_refusal_for_money_is_not_explained_by_fields_of_v2(alice: Client) -> None:
    answer = alice.post(SPOT, LIMIT | {"quantity": "500", "force": "normal"})
    assert answer.json["code"] == -1054
    assert "V2" not in answer.json["msg"]


def test_a_repetition_gets_the_words_again(alice: Client) -> None:
    raw = json.dumps(V2_SPOT).encode()
    sent = alice.headers("POST", SPOT, raw)
    first, again = (alice.post(SPOT, raw, headers=sent) for _ in range(2))
    assert again.headers["x-venue-repeated"] == "true"
    assert first.json == again.json
    assert first.json["msg"].endswith(ending(SPOT_FIELDS))


def test_every_field_of_v2_is_a_field_of_some_row_of_v3() -> None:
    known = {field.encode_name for row in ROWS for field in parameters(row)} | {"clientAlgoId"}
    named = {one for field in former.FIELDS.values() for name in field.names
             for one in name.split("' or '")}  # fmt: skip
    assert named - known == set()
