"""The operator ends a contract on a live server (rule 1.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Answer, Client
from support.server import Server, flawless
from support.socket_desk import CONTRACT, price_contracts

SYMBOL = CONTRACT.plain["symbol"]
DELIST, SETTLE = "/_venue/contracts/delist", "/_venue/contracts/settle"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:10Z")
    with flawless(*options, folder=tmp_path_factory.mktemp("delisting")) as found:
        price_contracts(found.client())
        yield found


def view(operator: Client) -> dict[str, Any]:
    (found,) = [row for row in operator.get("/_venue/contracts").json if row["symbol"] == SYMBOL]
    assert isinstance(found, dict)
    return found


def order(client: Client, side: str, position_side: str, price: str, tif: str = "GTC") -> Answer:
    body = {
        "symbol": SYMBOL, "side": side, "positionSide": position_side, "type": "LIMIT",
        "timeInForce": tif, "quantity": "0.1", "price": price,
        "newClientOrderId": f"{side}-{position_side}-{price.replace('.', '-')}-{tif}",
    }  # fmt: skip
    return client.post(CONTRACT.order, body)


def test_a_contract_is_delisted_and_settled(server: Server) -> None:
    operator, alice, bob = server.client(), server.client("alice"), server.client("bob")
    mark = float(view(operator)["markPrice"])
    assert view(operator)["state"] == "LISTED"
    price = f"{mark:.1f}"
    assert order(alice, "SELL", "SHORT", price).status == 200
    assert order(bob, "BUY", "LONG", price, "IOC").status == 200
    resting = order(alice, "SELL", "SHORT", f"{mark * 1.02:.0f}")
    assert resting.status == 200, resting

    early = operator.post(SETTLE, {"symbol": SYMBOL, "price": price})
    assert (early.status, early.json["code"]) == (400, -1054)
    assert "not delisted yet" in early.json["msg"]
    told = operator.post(DELIST, {"symbol": SYMBOL})
    assert (told.status, told.json["state"]) == (200, "REDUCE_ONLY"), told
    again = operator.post(DELIST, {"symbol": SYMBOL})
    assert again.json["code"] == -1054
    ended = alice.get(f"{CONTRACT.order}?orderId={resting.json['orderId']}").json
    assert ended["status"] == "EXPIRED"
    refused = order(bob, "BUY", "LONG", f"{mark * 0.99:.0f}")
    assert refused.json["code"] == -1054
    assert "delisted: orders may only reduce" in refused.json["msg"]

    typo = operator.post(SETTLE, {"symbol": SYMBOL, "price": f"{mark * 10:.0f}"})
    assert (typo.status, typo.json["code"]) == (400, -1140)
    assert "'price'" in typo.json["msg"]
    assert " to " in typo.json["msg"]
    last = operator.post(SETTLE, {"symbol": SYMBOL, "price": price})
    assert last.status == 200, last
    found = view(operator)
    assert (found["state"], float(found["settlePrice"])) == ("SETTLED", mark)
    assert float(found["openInterest"]) == 0
    for client in (alice, bob):
        assert client.get("/capi/v3/account/position/allPosition").json == []
        (fill, *_) = client.get(f"/capi/v3/userTrades?symbol={SYMBOL}").json
        assert float(fill["price"]) == mark
        assert float(fill["commission"]) == 0
    shut = order(bob, "BUY", "LONG", price)
    assert shut.json["code"] == -1054
    assert "the contract is delisted" in shut.json["msg"]
    for path, body in (
        ("/_venue/contracts/resume", {"symbol": SYMBOL}),
        ("/_venue/index", {"symbol": SYMBOL, "price": price}),
        ("/_venue/contracts/change", {"symbol": SYMBOL, "maxLeverage": 5}),
        (SETTLE, {"symbol": SYMBOL, "price": price}),
    ):
        answer = operator.post(path, body)
        assert answer.status == 400, (path, answer)
    assert server.stop() == 0


@pytest.mark.parametrize(
    ("path", "body", "word"),
    [
        (DELIST, {}, "symbol"),
        (DELIST, {"symbol": "NOPE"}, "symbol"),
        (SETTLE, {"symbol": SYMBOL}, "price"),
        (SETTLE, {"symbol": SYMBOL, "price": "0"}, "price"),
        (SETTLE, {"symbol": SYMBOL, "price": "x"}, "price"),
    ],
)
def test_bad_input_is_named(server: Server, path: str, body: Any, word: str) -> None:
    answer = server.client().post(path, body)
    assert answer.status == 400, answer
    assert word in answer.json["msg"]
