"""Contract batches where they are switched on: raw answers, each order alone, both envelopes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer, Client
from support.contract_desk import ACCOUNT, V3
from support.contract_raw import LONG, SHORT, exact, posted
from support.raw import UNKNOWN_ID, Desk, ok, operate, order, refused
from support.server import Server
from support.shapes import Shape, text

BATCH, SETTINGS = f"{V3}/batchOrders", "/_venue/settings"
PRICES = {"BTCUSDT": "60000", "ETHUSDT": "3000"}
OFF = b'{"code":-1150,"msg":"Request method \'POST\' not supported; the setting %s is false;'


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("contract-batches")
    with Server("--no-agents", "--no-history", "--batch-place", folder=folder) as server:
        desk = Desk(server)
        for symbol, price in PRICES.items():
            operate(desk, "contracts/change", {"symbol": symbol, "indexSources": ["desk"]})
            operate(desk, "index", posted(symbol, "desk", price))
        yield desk
        desk.close()


# -- placing --------------------------------------------------------------------------------------

PLACED: Shape = {
    "orderId": text("[0-9]{16}"),
    "clientOrderId": text(".{1,36}"),
    "success": lambda value: value is True,
    "errorCode": text(""),
    "errorMessage": text(""),
}
NOT_PLACED: Shape = {
    "orderId": text(""),
    "clientOrderId": text(".{0,36}"),
    "success": lambda value: value is False,
    "errorCode": text("[A-Z_]+"),
    "errorMessage": text(".+"),
}


def bid(name: str = "", **changes: str) -> dict[str, Any]:
    """A good order that opens a long position, changed; it rests unless it is changed."""
    plain = order("BTCUSDT", "BUY", "0.1", "59000", timeInForce="GTC", newClientOrderId=name)
    return plain | LONG | changes


def batch(client: Client, items: list[Any]) -> Answer:
    return client.post(BATCH, {"batchOrders": items})


def open_orders(client: Client) -> list[Any]:
    return [str(row["orderId"]) for row in ok(client.get(f"{V3}/openOrders"))]


def test_each_order_of_a_batch_succeeds_or_fails_alone(desk: Desk) -> None:
    leverage = {"symbol": "BTCUSDT", "crossLeverage": "1"}
    assert desk.bob.post(f"{ACCOUNT}/leverage", leverage).status == 200
    asks = [bid(side="SELL", price="60000", **SHORT), bid(side="SELL", price="60001", **SHORT)]
    assert [row["success"] for row in ok(batch(desk.alice, asks))] == [True, True]
    refusals = {
        "INSUFFICIENT_BALANCE": bid("too-dear", quantity="100"),
        "PARAM_EMPTY": bid("timeless", timeInForce=""),
        "DECIMAL_PRECISION_ERROR": bid("too-fine", price="59000.001"),
        "NOTHING_TO_CLOSE": bid("flat", side="SELL", symbol="ETHUSDT", price="3000"),
        "INVALID_SYMBOL": bid("nowhere", symbol="NOPEUSDT"),
        "INVALID_SIDE": bid("aside", side="HOLD"),
        "PARAM_ERROR": "no object",
    }
    good = [
        bid("first"),
        bid("other", symbol="ETHUSDT", price="2900"),
        order("BTCUSDT", "BUY", "0.15", newClientOrderId="taker") | LONG,
    ]
    found = ok(batch(desk.bob, [good[0], *refusals.values(), *good[1:]]))
    placed, failed = [found[0], *found[-2:]], found[1:-2]
    for row in placed:
        exact(row, PLACED)
    for row in failed:
        exact(row, NOT_PLACED)
    assert [row["clientOrderId"] for row in placed] == ["first", "other", "taker"]
    assert [row["errorCode"] for row in failed] == list(refusals)
    names = ["too-dear", "timeless", "too-fine", "flat", "nowhere", "aside", ""]
    assert [row["clientOrderId"] for row in failed] == names
    assert "amount not enough" in failed[0]["errorMessage"]
    # The accepted orders are at work: two bids rest, the third order took both asks.
    assert open_orders(desk.bob) == [row["orderId"] for row in placed[:2]]
    fills = ok(desk.bob.get(f"{V3}/userTrades?orderId={placed[2]['orderId']}"))
    assert [(row["qty"], row["price"]) for row in fills] == [
        ("0.05000", "60001.00"), ("0.10000", "60000.00"),
    ]  # fmt: skip
    assert len(ok(desk.bob.delete(f"{V3}/allOpenOrders"))) == 2


def test_the_bytes_of_a_batch(desk: Desk) -> None:
    answer = batch(desk.bob, [bid("bytes"), bid("wrong", positionSide="BOTH")])
    order_id = ok(answer)[0]["orderId"]
    assert answer.body.decode() == (
        f'[{{"orderId":"{order_id}","clientOrderId":"bytes","success":true,"errorCode":"",'
        '"errorMessage":""},{"orderId":"","clientOrderId":"wrong","success":false,'
        '"errorCode":"PARAM_ERROR","errorMessage":"Parameter \'positionSide\' is invalid: must be '
        'one of LONG, SHORT."}]'
    )
    assert desk.bob.delete(f"{V3}/order?orderId={order_id}").status == 200


def test_a_batch_has_one_to_ten_orders(desk: Desk) -> None:
    refused(batch(desk.bob, [bid()] * 11), -1140, "'batchOrders'", "1 to 10 orders")
    refused(batch(desk.bob, []), -1141, "'batchOrders'")
    refused(desk.bob.post(BATCH, {}), -1141, "'batchOrders'")
    refused(desk.bob.post(BATCH, {"batchOrders": bid()}), -1142, "'batchOrders'", "array")
    assert open_orders(desk.bob) == []
    most = ok(batch(desk.bob, [bid(f"most-{step}", quantity="0.001") for step in range(10)]))
    assert [row["success"] for row in most] == [True] * 10
    assert open_orders(desk.bob) == [row["orderId"] for row in most]
    assert len(ok(desk.bob.delete(f"{V3}/allOpenOrders"))) == 10


def test_one_client_id_is_one_order(desk: Desk) -> None:
    one = bid("twice")
    first, again, other = ok(batch(desk.bob, [one, one, bid("twice", quantity="0.2")]))
    exact(first, PLACED)
    assert again == first
    exact(other, NOT_PLACED)
    assert (other["clientOrderId"], other["errorCode"]) == ("twice", "CLIENT_OID_LENGTH_ERROR")
    assert first["orderId"] in other["errorMessage"]
    # It is the same order for a later batch and for a single placement too.
    assert ok(batch(desk.bob, [one])) == [first]
    assert ok(desk.bob.post(f"{V3}/order", one)) == first
    assert open_orders(desk.bob) == [first["orderId"]]
    assert desk.bob.delete(f"{V3}/order?origClientOrderId=twice").status == 200


# -- canceling (protocol 7.2) ---------------------------------------------------------------------


@pytest.mark.parametrize("envelope", ["object", "array"])
@pytest.mark.parametrize(
    ("wording", "said"), [("document", "order not found"), ("live", "FAILED_ORDER_NOT_FOUND")]
)
def test_both_envelopes_of_a_batch_cancel(
    desk: Desk, envelope: str, wording: str, said: str
) -> None:
    changed = {"contractBatchCancelEnvelope": envelope, "batchCancelWording": wording}
    assert ok(desk.anyone.post(SETTINGS, changed)).items() >= changed.items()
    names = [f"{envelope}-{wording}-{step}" for step in (1, 2)]
    first, second = ok(batch(desk.bob, [bid(name) for name in names]))
    ids = {
        "orderIdList": [first["orderId"], UNKNOWN_ID],
        "origClientOrderIdList": [names[1], "never-sent"],
    }
    answer = desk.bob.delete(BATCH, ids)
    yes = '"success":true,"errorCode":"","errorMessage":""'
    no = f'"success":false,"errorCode":"CONTRACT_ORDER_NOT_EXIST","errorMessage":"{said}"'
    items = (
        f'[{{"orderId":"{first["orderId"]}","origClientOrderId":"{names[0]}",{yes}}},'
        f'{{"orderId":"{UNKNOWN_ID}","origClientOrderId":"",{no}}},'
        f'{{"orderId":"{second["orderId"]}","origClientOrderId":"{names[1]}",{yes}}},'
        f'{{"orderId":"","origClientOrderId":"never-sent",{no}}}]'
    )
    assert answer.status == 200
    assert answer.body.decode() == (items if envelope == "array" else f'{{"orderList":{items}}}')
    assert open_orders(desk.bob) == []


# -- the switches ---------------------------------------------------------------------------------


def test_each_product_has_a_switch(desk: Desk) -> None:
    spot = {"symbol": "BTCUSDT", "orderList": ["no object"]}
    for contract in (False, True):
        sent = {"batchPlace": not contract, "contractBatchPlace": contract}
        assert ok(desk.anyone.post(SETTINGS, sent)).items() >= sent.items()
        assert ok(desk.anyone.get(SETTINGS)).items() >= sent.items()
        answers = batch(desk.bob, ["no object"]), desk.bob.post("/api/v3/order/batch", spot)
        opened, closed = answers if contract else answers[::-1]
        assert opened.status == 200
        assert closed.status == 400
        name = b"batchPlace" if contract else b"contractBatchPlace"
        assert closed.body.startswith(OFF % name), closed
    operate(desk, "settings", {"batchPlace": True})


def test_a_refused_change_changes_nothing(desk: Desk) -> None:
    before = desk.anyone.get(SETTINGS).body
    for bad, name, words in (
        ({"contractBatchPlace": False, "contractBatchCancelEnvelope": "list"},
         "'contractBatchCancelEnvelope'", "object, array"),
        ({"contractBatchPlace": "yes"}, "'contractBatchPlace'", "true or false"),
    ):  # fmt: skip
        refused(desk.anyone.post(SETTINGS, bad), -1142, name, words)
    assert desk.anyone.get(SETTINGS).body == before


def test_both_are_off_until_one_switch_opens_both_and_they_stay_so(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--no-history", "--state", str(tmp_path / "venue.db"))
    for switch, on in (((), False), (("--batch-place",), True), ((), True)):
        with Server(*arguments, *switch, folder=tmp_path) as server:
            assert server.client().get(SETTINGS).json == {
                "batchPlace": on,
                "batchCancelWording": "document",
                "contractBatchPlace": on,
                "contractBatchCancelEnvelope": "object",
                "apiClosed": ["WXBUSDT"],
            }
            if not on:
                answer = server.client("bob").post(BATCH, {"batchOrders": [bid()]})
                assert answer.status == 400
                assert answer.body.startswith(OFF % b"contractBatchPlace"), answer
            assert server.stop() == 0
