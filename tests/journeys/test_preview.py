"""A preview on a live server: it shows the events that then happen, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.client import Answer, Client
from support.command import run
from support.server import Server, flawless
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, cancel_all, price_contracts

PREVIEW = "/_venue/preview"
CLIENTS: dict[str | None, Client] = {}
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Time that stands: no command comes of itself.
    options = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:10Z")
    with flawless(*options, folder=tmp_path_factory.mktemp("preview")) as found:
        CLIENTS.clear()
        price_contracts(found.client())
        yield found


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    for name in ("alice", "bob"):
        cancel_all(client(server, name))


def client(server: Server, name: str | None = None) -> Client:
    """One client of each owner: a venue takes 100 connections of an address."""
    if name not in CLIENTS:
        CLIENTS[name] = server.client(name)
    return CLIENTS[name]


def state(server: Server) -> tuple[int, str]:
    """How many commands were applied, and the hash of what they left."""
    health = client(server).get("/_venue/health?stateHash=true").json
    return health["sequence"], health["stateHash"]


def show(server: Server, product: Product, owner: str = "alice", **changes: Any) -> Answer:
    """Preview an order, and see that nothing was done."""
    order = {name: value for name, value in {**product.plain, **changes}.items() if value}
    before = state(server)
    body = {"owner": owner, "product": product.name.upper(), "order": order}
    answer = client(server).post(PREVIEW, body)
    assert state(server) == before
    return answer


def shown(server: Server, product: Product, owner: str = "alice", **changes: Any) -> dict[str, Any]:
    answer = show(server, product, owner, **changes)
    assert answer.status == 200, answer
    found: dict[str, Any] = answer.json
    assert found["sequence"] == state(server)[0]
    return found


def placed(server: Server, product: Product, owner: str = "alice", **changes: Any) -> Answer:
    order = {name: value for name, value in {**product.plain, **changes}.items() if value}
    return client(server, owner).post(product.order, order)


@BY_NAME
def test_an_order_that_rests(server: Server, product: Product) -> None:
    found = shown(server, product)
    assert (found["accepted"], found["status"], found["fills"]) == (True, "NEW", [])
    assert found["restingQuantity"].rstrip("0") == "0.01"
    assert found["position"] is None
    if product is SPOT:
        assert (found["held"], found["heldAsset"]) == ("600.00000000", "USDT")


@BY_NAME
def test_an_order_that_trades(server: Server, product: Product) -> None:
    opening = {"positionSide": "SHORT"} if product is CONTRACT else {}
    for price in ("60000.00", "60010.00"):
        offered = placed(server, product, "bob", side="SELL", price=price, **opening)
        assert offered.status == 200, offered
    wanted = {"price": "60005.00", "quantity": "0.03"}
    found = shown(server, product, **wanted)
    assert [fill["price"].rstrip("0").rstrip(".") for fill in found["fills"]] == ["60000"]
    assert found["status"] == "PARTIALLY_FILLED"
    ack = placed(server, product, **wanted)
    assert ack.status == 200, ack
    order_id = ack.json["orderId"]
    order = client(server, "alice").get(f"{product.order}?orderId={order_id}").json
    assert order["status"] == found["status"]
    assert float(order["executedQty"]) == float(found["filledQuantity"])
    if product is CONTRACT:
        target = "/capi/v3/account/position/singlePosition?symbol=BTCSUSDT"
        (own,) = client(server, "alice").get(target).json
        position = found["position"]
        assert own["size"] == position["quantity"]
        assert own["openValue"] == position["openValue"]
        assert own["liquidatePrice"] == position["liquidationPrice"]


@BY_NAME
@pytest.mark.parametrize(
    "changes",
    [
        {"quantity": "900000"},
        {"quantity": "0.0000001"},
        {"price": "0.001"},
        {"price": "999999999999.00"},
        {"price": None},
        {"side": "HOLD"},
        {"side": None},
        {"type": "STOP"},
        {"timeInForce": "LATER"},
        {"newClientOrderId": "v-1234567890123456"},
        {"type": "MARKET", "price": None, "timeInForce": None},
        {"symbol": "NOPENOPE"},
    ],
)
def test_a_refusal_is_the_one_that_the_order_would_get(
    server: Server, product: Product, changes: dict[str, Any]
) -> None:
    found = shown(server, product, **changes)
    answer = placed(server, product, **changes)
    refused = found["refused"]
    assert not found["accepted"]
    assert (refused["status"], refused["code"]) == (answer.status, answer.json["code"])
    assert refused["msg"] == answer.json["msg"]


@BY_NAME
def test_a_repeated_client_id_finds_its_order(server: Server, product: Product) -> None:
    named = {"newClientOrderId": f"again-{product.name}"}
    ack = placed(server, product, **named)
    assert shown(server, product, **named)["repeats"] == int(ack.json["orderId"])
    other = shown(server, product, **named, quantity="0.02")
    assert other["refused"]["code"] == -1180


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "owner"),
        ({"owner": "alice"}, "product"),
        ({"owner": "alice", "product": "SPOT"}, "order"),
        ({"owner": "nobody", "product": "SPOT", "order": SPOT.plain}, "owner"),
        ({"owner": "alice", "product": "FUTURE", "order": SPOT.plain}, "product"),
        ({"owner": "alice", "product": "SPOT", "order": [1]}, "order"),
        ({"owner": "alice", "product": "SPOT", "order": {**SPOT.plain, "x": 1}}, "order.x"),
        ({"owner": "alice", "product": "SPOT", "order": {}}, "symbol"),
        ({"owner": "alice", "product": "SPOT", "order": SPOT.plain, "dry": True}, "dry"),
    ],
)
def test_bad_input_is_named(server: Server, body: Any, word: str) -> None:
    before = state(server)
    answer = client(server).post(PREVIEW, body)
    assert answer.status == 400, answer
    assert word in answer.json["msg"]
    assert state(server) == before


def test_strangers_see_nothing(server: Server) -> None:
    body = {"owner": "alice", "product": "SPOT", "order": SPOT.plain}
    for name, value in (("X-Forwarded-For", "10.0.0.9"), ("Origin", "http://page.example")):
        headers: dict[str, str | None] = {name: value}
        answer = client(server).call("POST", PREVIEW, body, headers)
        assert (answer.status, answer.json["code"]) == (403, -1051)


def test_a_change_of_a_contract_does_what_its_preview_told(server: Server) -> None:
    """An order at leverage 20 ends; the former tiers come back at the end."""
    operator, symbol = client(server), CONTRACT.plain["symbol"]
    (before,) = [row for row in operator.get("/_venue/contracts").json if row["symbol"] == symbol]
    ack = placed(server, CONTRACT)
    assert ack.status == 200, ack
    stricter = {"symbol": symbol, "maxLeverage": 5, "tiers": ["1000000:5:0.1"]}
    was = state(server)
    told = operator.post("/_venue/contracts/change/preview", stricter)
    assert state(server) == was
    assert told.json["accepted"], told
    assert told.json["sequence"] == was[0]
    assert (told.json["endedOrders"], told.json["owners"]) == (1, 1)
    assert told.json["orders"] == [int(ack.json["orderId"])]
    assert operator.post("/_venue/contracts/change", stricter).status == 200
    target = f"{CONTRACT.order}?orderId={ack.json['orderId']}"
    assert client(server, "alice").get(target).json["status"] == "EXPIRED"
    former = {name: before[name] for name in ("symbol", "maxLeverage", "tiers")}
    assert operator.post("/_venue/contracts/change", former).status == 200


def test_a_preview_tells_when_former_tiers_end_and_so_do_all_lists(server: Server) -> None:
    """Positions at leverage 20 keep their tiers for seven days."""
    operator, symbol = client(server), CONTRACT.plain["symbol"]
    (before,) = [row for row in operator.get("/_venue/contracts").json if row["symbol"] == symbol]
    assert placed(server, CONTRACT, "bob", side="SELL", positionSide="SHORT").status == 200
    assert placed(server, CONTRACT).status == 200
    assert (before["formerPositions"], before["formerTiersEnd"]) == (0, 0)
    stricter = {"symbol": symbol, "maxLeverage": 5, "tiers": ["1000000:5:0.1"]}
    told = operator.post("/_venue/contracts/change/preview", stricter).json
    end = 1_767_830_410_000  # 2026-01-08T00:00:10Z
    assert (told["keptPositions"], told["formerTiersEnd"]) == (2, end)
    words = ("maxLeverage:=5", 'tiers:=["1000000:5:0.1"]', "--url", server.url)
    printed = run("preview", symbol, *words).stdout
    assert "2 would keep the former ones until 2026-01-08T00:00:10" in printed
    changed = operator.post("/_venue/contracts/change", stricter).json
    assert (changed["formerPositions"], changed["formerTiersEnd"]) == (2, end)
    for name in ("alice", "bob"):
        (held,) = operator.get(f"/_venue/positions?owner={name}").json
        assert held["formerTiersEnd"] == end
    refused = placed(server, CONTRACT, type="MARKET", timeInForce="", price="")
    assert refused.json["code"] == -1054
    assert "before 2026-01-08T00:00:10.000Z" in refused.json["msg"]
    dear = operator.post("/_venue/contracts/change", {"symbol": symbol, "takerFeeRate": "0.04"})
    assert dear.status == 200, dear
    (shown,) = operator.get(f"/capi/v3/market/exchangeInfo?symbol={symbol}").json["symbols"]
    rate = float(before["tiers"][0].split(":")[2]) / 2
    assert float(shown["takerFeeRate"]) == min(rate, 0.04), "of the tiers that positions keep"
    former = {name: before[name] for name in ("symbol", "maxLeverage", "tiers", "takerFeeRate")}
    back = operator.post("/_venue/contracts/change", former)
    assert (back.status, back.json["formerPositions"]) == (200, 0)


def test_a_preview_of_a_change_tells_its_refusal(server: Server) -> None:
    operator, symbol = client(server), CONTRACT.plain["symbol"]
    dear = {"symbol": symbol, "takerFeeRate": "0.9"}
    told = operator.post("/_venue/contracts/change/preview", dear).json
    refused = operator.post("/_venue/contracts/change", dear)
    assert not told["accepted"]
    assert told["refused"]["code"] == refused.json["code"] == -1140
    assert told["refused"]["msg"] == refused.json["msg"]
