"""Explanations on a live server: they tell the events that happened, with their numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Client
from support.faulty import add, refused
from support.server import Server
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, price_contracts
from support.waits import WAIT_S

BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
CLIENTS: dict[str | None, Client] = {}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:10Z")
    with Server(*options, folder=tmp_path_factory.mktemp("explain")) as found:
        CLIENTS.clear()
        price_contracts(found.client())
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


def client(server: Server, name: str | None = None) -> Client:
    if name not in CLIENTS:
        CLIENTS[name] = server.client(name)
    return CLIENTS[name]


def explained(server: Server, kind: str, number: Any) -> dict[str, Any]:
    """An explanation; asking for it does nothing."""
    operator = client(server)
    before = operator.get("/_venue/health?stateHash=true").json
    answer = operator.get(f"/_venue/explain/{kind}/{number}")
    assert answer.status == 200, answer
    after = operator.get("/_venue/health?stateHash=true").json
    assert (after["sequence"], after["stateHash"]) == (before["sequence"], before["stateHash"])
    assert (answer.json["kind"], str(answer.json["id"])) == (kind, str(number))
    return dict(answer.json)


def said(server: Server, kind: str, number: Any) -> str:
    return "\n".join(explained(server, kind, number)["sentences"])


def placed(server: Server, product: Product, owner: str = "alice", **changes: Any) -> int:
    answer = client(server, owner).post(product.order, {**product.plain, **changes})
    assert answer.status == 200, answer
    return int(answer.json["orderId"])


def canceled(server: Server, product: Product, owner: str, number: int) -> None:
    assert client(server, owner).delete(f"{product.order}?orderId={number}").status == 200


@BY_NAME
def test_an_order_that_rests_and_is_canceled(server: Server, product: Product) -> None:
    number = placed(server, product)
    found = explained(server, "order", number)
    assert (found["owner"], found["time"]) == ("alice", 1767225610000)
    text = "\n".join(found["sentences"])
    assert (
        f"alice asked to BUY 0.01000 {product.plain['symbol']} at {product.plain['price']}" in text
    )
    assert "Nobody offered the other side." in text
    assert "0.01000 rested in the book" in text
    assert "enough" in text
    canceled(server, product, "alice", number)
    assert "(Cancel" in said(server, "order", number).splitlines()[-1]
    assert said(server, "order", number).endswith("of alice): it ended as CANCELED.")


def test_the_money_that_an_order_needed(server: Server) -> None:
    number = placed(server, SPOT)
    text = said(server, "order", number)
    assert "600.00000000 USDT were needed (price x quantity), " in text
    assert "600.00000000 USDT were held for it." in text
    canceled(server, SPOT, "alice", number)


def test_an_order_that_fills_and_one_that_is_cut(server: Server) -> None:
    maker = placed(server, SPOT)
    taker = placed(server, SPOT, "bob", side="SELL", quantity="0.004", price="59990.00")
    text = said(server, "order", taker)
    assert "The best price of the other side was 60000.00: the order's 59990.00 reached it." in text
    assert "It traded 0.00400 at 60000.00 with a fee of 0.24000000 USDT." in text
    assert "Its status after this command was FILLED." in text
    text = said(server, "order", maker)
    assert "0.00400 at 60000.00 as the resting order; 0.00600 of it were left." in text
    cut = placed(server, SPOT, "bob", side="SELL", quantity="0.1", timeInForce="IOC")
    text = said(server, "order", cut)
    assert "It traded 0.00600 at 60000.00" in text
    assert "Its status after this command was CANCELED." in text
    assert "0.00000 of it were left." in said(server, "order", maker)


def test_the_bill_of_a_movement_shows_its_reference(server: Server) -> None:
    body = {"owner": "alice", "wallet": "SPOT", "asset": "USDT", "amount": "7"}
    moved = client(server).post("/_venue/deposit", body | {"reference": "invoice-17"}).json
    assert "reference is invoice-17" in said(server, "bill", moved["billId"])
    plain = client(server).post("/_venue/deposit", body).json
    assert "reference" not in said(server, "bill", plain["billId"])


def test_the_bills_of_a_trade(server: Server) -> None:
    placed(server, SPOT)
    placed(server, SPOT, "bob", side="SELL")
    rows = client(server, "alice").post("/api/v3/account/bills", {"limit": 2}).json
    gets, pays = rows
    text = said(server, "bill", gets["billId"])
    assert "bob at 60000.00, for 600.00000000 USDT." in text
    assert f"{gets['deltaAmount']} BTC" in text
    assert f"{gets['afterAmount']} BTC after" in text
    assert f"A fee of {gets['fees']} BTC is taken off: the maker rate 0.001" in text
    assert f"{pays['deltaAmount']} USDT" in said(server, "bill", pays["billId"])
    assert "the taker rate 0.001" in said(server, "bill", int(pays["billId"]) + 3)


def test_a_refusal_by_rule(server: Server) -> None:
    answer = client(server, "alice").post(SPOT.order, {**SPOT.plain, "quantity": "100"})
    assert answer.status == 400
    found = explained(server, "refusal", answer.headers["x-venue-request-id"])
    text = "\n".join(found["sentences"])
    assert found["owner"] == "alice"
    assert found["sequence"] > 0
    assert f"HTTP 400: {answer.json['code']} {answer.json['msg']}" in text
    assert "6000000.00000000 USDT were needed" in text
    assert "not enough" in text
    assert "It was refused by FUNDS" in text


def test_a_refusal_of_a_contract_order(server: Server) -> None:
    answer = client(server, "alice").post(CONTRACT.order, {**CONTRACT.plain, "quantity": "1000"})
    assert answer.status == 400
    text = said(server, "refusal", answer.headers["x-venue-request-id"])
    assert answer.json["msg"] in text
    assert "mark price 60000.00, index 60000.00" in text
    assert "leverage 20" in text


def test_a_refusal_before_the_journal(server: Server) -> None:
    answer = client(server, "alice").post(SPOT.order, {**SPOT.plain, "quantity": "x"})
    found = explained(server, "refusal", answer.headers["x-venue-request-id"])
    assert found["sequence"] == 0
    assert answer.json["msg"] in found["sentences"][0]
    assert "before it reached the engine" in found["sentences"][1]


def test_a_refusal_by_a_fault(server: Server) -> None:
    add(server, "error", id="no", code=-1054, match={"operation": "place_order"})
    answer = client(server, "alice").post(SPOT.order, SPOT.plain)
    assert client(server).delete("/_venue/faults").status == 200
    text = said(server, "refusal", answer.headers["x-venue-request-id"])
    assert f"A rule of faults had hit it: {answer.headers['x-venue-fault']}." in text


def test_hold_a_price_liquidate_a_position_read_why(server: Server) -> None:
    operator, carol = client(server), client(server, "carol")
    index = {"symbol": "BTCSUSDT", "source": "agents", "jump": True}
    for name in ("bob", "carol"):
        body = {"owner": name, "wallet": "CONTRACT", "asset": "SUSDT", "amount": "100000"}
        assert operator.post("/_venue/deposit", body).status == 200
    leverage = {"symbol": "BTCSUSDT", "marginType": "CROSSED", "crossLeverage": "10"}
    assert carol.post("/capi/v3/account/leverage", leverage).status == 200
    long = {"price": "60000", "quantity": "5"}
    placed(server, CONTRACT, "bob", side="SELL", positionSide="SHORT", **long)
    placed(server, CONTRACT, "carol", **long)
    money = operator.get("/_venue/positions?owner=carol").json[0]["poolEquity"]
    body = {"owner": "carol", "wallet": "CONTRACT", "asset": "SUSDT"}
    spare = str(int(float(money)) - 31_000)
    assert operator.post("/_venue/withdraw", body | {"amount": spare}).status == 200
    (position,) = operator.get("/_venue/positions?owner=carol").json
    assert operator.post("/_venue/index", index | {"price": "54000"}).status == 200
    (entry,) = operator.get("/_venue/liquidations?owner=carol").json
    text = said(server, "liquidation", entry["id"])
    assert "PostIndex of BTCSUSDT by agents at 54000.00" in text
    assert "LONG 5.00000 BTCSUSDT, opened at 60000.00 on average, mark 60000.00" in text
    assert f"liquidation price {position['liquidatePrice']}" in text
    assert "moved the mark price of BTCSUSDT from 60000.00 to 54000.00" in text
    assert f"equity was {entry['equity']} SUSDT" in text
    assert f"the maintenance margin {entry['maintenance']} SUSDT" in text
    assert "it was over" in text
    assert operator.post("/_venue/index", index | {"price": "60000"}).status == 200


def test_a_funding_payment(server: Server) -> None:
    operator, alice = client(server), client(server, "alice")
    placed(server, CONTRACT, "bob", side="SELL", positionSide="SHORT", price="60000")
    placed(server, CONTRACT, price="60000")
    for way in ({"to_next": "funding"}, {"by": "2s"}):
        assert operator.post("/_venue/clock/advance", way).status == 200
        price_contracts(operator)
    rows = alice.post("/capi/v3/account/income", {"limit": 50, "asset": "SUSDT"}).json["items"]
    paid = next(row for row in rows if row["incomeType"] == "position_funding")
    text = said(server, "bill", paid["billId"])
    assert f"position_funding: {paid['income']} SUSDT in the cross pool of alice" in text
    assert f"{paid['balance']} SUSDT after" in text
    assert "; the pool had LONG 0.01000 BTCSUSDT." in text
    opened = next(row for row in rows if row["incomeType"] == "position_open_long")
    text = said(server, "bill", opened["billId"])
    assert "alice opened 0.01000 BTCSUSDT LONG at 60000.00" in text


@pytest.mark.parametrize(
    ("target", "word"),
    [
        ("order/1", "no such order"),
        ("bill/1", "no such bill"),
        ("liquidation/1", "no such liquidation"),
        ("order/999999999999999999", "no such order"),
        ("order/abc", "whole number"),
        ("order/-1", "whole number"),
        ("refusal/999999", "wire log"),
        ("order/1?more=1", "more"),
    ],
)
def test_what_is_not_there(server: Server, target: str, word: str) -> None:
    refused(client(server).get(f"/_venue/explain/{target}"), -1142, word)


def test_what_was_not_refused(server: Server) -> None:
    entry = client(server).get("/_venue/wire?status=2xx&limit=1").json[0]
    answer = client(server).get(f"/_venue/explain/refusal/{entry['number']}")
    refused(answer, -1142, "was not refused")


def test_only_an_operator_is_told(server: Server) -> None:
    headers = {"Forwarded": "for=192.0.2.1"}
    assert client(server).get("/_venue/explain/order/1", headers=headers).status == 403
    assert client(server).get("/_venue/explain/cake/1").status == 404


def test_an_id_that_came_again_after_going_back(server: Server) -> None:
    operator = client(server)
    assert operator.call("PUT", "/_venue/snapshots/base", {}).status == 200
    first = placed(server, SPOT)
    assert operator.post("/_venue/snapshots/base/revert", {}).status == 200
    answer = operator.get(f"/_venue/explain/order/{first}")
    refused(answer, -1142, "no such order")
    again = placed(server, SPOT, "bob", quantity="0.02")
    assert again == first
    text = said(server, "order", again)
    assert "bob asked to BUY 0.02000" in text
    assert "alice" not in text
    canceled(server, SPOT, "bob", again)


def test_the_command(server: Server) -> None:
    number = placed(server, SPOT)
    done = subprocess.run(
        [sys.executable, "-m", "venue", "explain", "order", str(number)],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        env={**os.environ, "VENUE_URL": server.url},
    )
    assert done.returncode == 0, done.stderr
    assert "0.01000 rested in the book; 600.00000000 USDT were held for it." in done.stdout
    canceled(server, SPOT, "alice", number)


def test_an_order_of_before_a_restart(tmp_path_factory: pytest.TempPathFactory) -> None:
    """From a file, and from a snapshot that was taken after the order."""
    folder = tmp_path_factory.mktemp("kept")
    options = ("--no-agents", "--state", str(folder / "venue"))
    with Server(*options, folder=folder) as first:
        number = placed_alone(first)
        assert first.stop() == 0
    with Server(*options, folder=folder) as second:
        later = placed_alone(second)
        for found in (number, later):
            answer = second.client().get(f"/_venue/explain/order/{found}")
            assert "0.01000 rested in the book" in answer.body.decode(), answer
        assert second.stop() == 0


def placed_alone(server: Server) -> int:
    return int(server.client("alice").post(SPOT.order, SPOT.plain).json["orderId"])
