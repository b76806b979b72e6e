"""Contracts that are listed and take no orders over the interface: -1058 at every door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.listening import Listener, login
from support.raw import Desk, ok, operate, order, priced, refused
from support.server import Server
from venue import Venue
from venue.client.errors import Refused

V3 = "/capi/v3"
GTC = {"timeInForce": "GTC"}
LONG = order("BTCUSDT", "BUY", "0.01", "60000", positionSide="LONG", **GTC)
ALGO = {
    "symbol": "BTCUSDT", "side": "SELL", "positionSide": "LONG", "type": "STOP_MARKET",
    "quantity": "0.01", "triggerPrice": "50000", "clientAlgoId": "closed-1",
}  # fmt: skip
EXIT = {
    "symbol": "BTCUSDT", "positionSide": "LONG", "planType": "STOP_LOSS", "quantity": "0.01",
    "triggerPrice": "50000", "clientAlgoId": "closed-2",
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("closed")) as server:
        yield server


def test_a_practice_venue_lists_one() -> None:
    with Venue(seed=3) as venue:
        venue.run("3s")
        (ticker,) = venue.call("contract_tickers", symbol="WXBUSDT")
        assert float(ticker.last_price) > 0
        listed = {row.symbol for row in venue.call("contract_exchange_info").symbols}
        assert listed - set(venue.call("contract_trading_symbols")) == {"WXBUSDT"}
        with pytest.raises(Refused, match="apiTradingSymbols") as refusal:
            venue.account("alice").buy("WXBUSDT", "1", product="contract", position="LONG")
        assert refusal.value.code == -1058


@pytest.fixture(scope="module")
def desk(server: Server) -> Iterator[Desk]:
    """Alice has a long position of 0.02 BTC, an open order and a stop; then it is closed."""
    with priced(server) as desk:
        posted = {"symbol": "ETHSUSDT", "source": "agents", "price": "3000", "jump": True}
        operate(desk, "index", posted)
        short = order("BTCUSDT", "SELL", "0.02", "60000", positionSide="SHORT", **GTC)
        ok(desk.bob.post(f"{V3}/order", short))
        ok(desk.alice.post(f"{V3}/order", {**LONG, "quantity": "0.02"}))
        ok(desk.alice.post(f"{V3}/order", {**LONG, "price": "59000", "newClientOrderId": "rests"}))
        ok(desk.alice.post(f"{V3}/algoOrder", {**ALGO, "clientAlgoId": "waits"}))
        operate(desk, "settings", {"apiClosed": ["btcusdt"], "contractBatchPlace": True})
        yield desk


def closed(answer: Any) -> None:
    refused(answer, -1058, "'symbol'", "apiTradingSymbols")


def test_it_is_listed_and_read_but_not_among_what_can_be_ordered(desk: Desk) -> None:
    tradable = json.loads(desk.anyone.get(f"{V3}/market/apiTradingSymbols").body)
    demo = ["BTCSUSDT", "ETHSUSDT", "SOLSUSDT"]
    assert tradable == ["ETHUSDT", "SOLUSDT", *demo, "WXBUSDT", "ACMEUSDT"]
    info = ok(desk.anyone.get(f"{V3}/market/exchangeInfo"))
    assert "BTCUSDT" in [row["symbol"] for row in info["symbols"]]
    assert ok(desk.anyone.get("/_venue/settings"))["apiClosed"] == ["BTCUSDT"]
    assert len(ok(desk.alice.get(f"{V3}/account/position/singlePosition?symbol=BTCUSDT"))) == 1


def test_no_door_takes_an_order(server: Server, desk: Desk) -> None:
    before = ok(desk.alice.get(f"{V3}/openOrders"))
    for path, body in (
        ("order", LONG),
        ("order", {**LONG, "side": "SELL"}),
        ("algoOrder", ALGO),
        ("placeTpSlOrder", EXIT),
        ("closePositions", {"symbol": "BTCUSDT"}),
        ("copy/follower/closePos", {"symbol": "BTCUSDT", "copyNo": 5}),
    ):
        closed(desk.alice.post(f"{V3}/{path}", body))
    (item,) = ok(desk.alice.post(f"{V3}/batchOrders", {"batchOrders": [LONG]}))
    assert item["errorCode"] == "NO_PERMISSION_TRADE_PAIR"
    path = "/contract/v3/ws/private"
    with Listener(server.port, path, login(server.account("alice"))) as alice:
        answer = alice.ask({"method": "ORDER.PLACE", "id": 1, "params": LONG})
        assert answer["error"]["code"] == -1058
    assert ok(desk.alice.get(f"{V3}/openOrders")) == before


def test_closing_all_closes_the_others(desk: Desk) -> None:
    for who, side, position in ((desk.bob, "SELL", "SHORT"), (desk.alice, "BUY", "LONG")):
        body = order("ETHSUSDT", side, "0.1", "3000", positionSide=position, **GTC)
        ok(who.post(f"{V3}/order", body))
    (position,) = ok(desk.alice.get(f"{V3}/account/position/allPosition"))
    found = ok(desk.alice.post(f"{V3}/closePositions", {}))
    assert [(row["positionId"], row["success"]) for row in found] == [(position["id"], False)]
    assert "apiTradingSymbols" in found[0]["errorMessage"]
    closed(desk.alice.post(f"{V3}/closePositions", {"positionId": int(position["id"])}))
    assert len(ok(desk.alice.get(f"{V3}/account/position/allPosition"))) == 1


def test_cancels_are_taken_and_who_acts_for_an_owner_is_refused_too(desk: Desk) -> None:
    ok(desk.alice.delete(f"{V3}/order?origClientOrderId=rests"))
    acting = {"X-Venue-Act-As": "alice"}
    closed(desk.anyone.post(f"{V3}/order", LONG, headers=acting))


def test_unknown_contracts_are_refused(desk: Desk) -> None:
    for name in ("NOPE", "ſOLUSDT", ""):
        refused(desk.anyone.post("/_venue/settings", {"apiClosed": [name]}), -1142, "'apiClosed'")
    refused(desk.anyone.post("/_venue/settings", {"apiClosed": [1]}), -1142, "'apiClosed'")
    assert ok(desk.anyone.get("/_venue/settings"))["apiClosed"] == ["BTCUSDT"]


def test_opened_again_it_takes_orders(desk: Desk) -> None:
    operate(desk, "settings", {"apiClosed": []})
    assert ok(desk.anyone.get("/_venue/settings"))["apiClosed"] == []
    placed = ok(desk.alice.post(f"{V3}/order", {**LONG, "price": "57000"}))
    ok(desk.alice.delete(f"{V3}/order?orderId={placed['orderId']}"))
