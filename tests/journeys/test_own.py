"""The operations of an owner about itself: its orders' places, and its entries of the wire log."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.client import Client
from support.faulty import add, refused
from support.listening import Listener, login
from support.raw import ok
from support.server import Server
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, price_contracts
from venue import Venue
from venue.client.blocking import Client as TypedClient

PLACES = "/_venue/own/places"
WIRE = "/_venue/own/wire"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("own")
    with Server("--no-agents", "--no-limits", "--clock", "manual", folder=folder) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    price_contracts(server.client())
    yield
    for name in ("alice", "bob"):
        for product in PRODUCTS:
            symbol = product.plain["symbol"]
            server.client(name).delete(f"{product.all}?symbol={symbol}")
    server.client().delete("/_venue/faults")


def placed(client: Client, product: Product, quantity: str, **changes: Any) -> int:
    answer = client.post(product.order, {**product.plain, "quantity": quantity, **changes})
    assert answer.status == 200, answer
    return int(answer.json["orderId"])


def places(client: Client, query: str = "", **changes: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{PLACES}?{query}" if query else PLACES, **changes)
    assert answer.status == 200, answer
    return list(answer.json)


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_the_place_of_an_order(server: Server, product: Product) -> None:
    alice, bob = server.client("alice"), server.client("bob")
    placed(alice, product, "0.02")
    mine = placed(bob, product, "0.03")
    placed(alice, product, "0.04")
    last = placed(bob, product, "0.01")
    first, second = places(bob)
    assert first == {
        "product": product.name.upper(),
        "symbol": product.plain["symbol"],
        "orderId": mine,
        "side": "BUY",
        "price": first["price"],
        "quantity": first["quantity"],
        "ahead": first["ahead"],
        "behind": first["behind"],
        "atPrice": first["atPrice"],
    }
    numbers = ("price", "quantity", "ahead", "behind", "atPrice")
    told = [[Decimal(one[name]) for name in numbers] for one in (first, second)]
    price = Decimal(product.plain["price"])
    assert told == [
        [price, *map(Decimal, ("0.03", "0.02", "0.05", "0.10"))],
        [price, *map(Decimal, ("0.01", "0.09", "0", "0.10"))],
    ]
    assert second["orderId"] == last


def test_a_fill_and_a_cancel_before_it_move_it_forward(server: Server) -> None:
    alice, bob = server.client("alice"), server.client("bob")
    gone = placed(alice, SPOT, "0.02")
    placed(alice, SPOT, "0.05")
    placed(bob, SPOT, "0.03")
    assert alice.delete(f"{SPOT.order}?orderId={gone}&symbol=BTCUSDT").status == 200
    assert Decimal(places(bob)[0]["ahead"]) == Decimal("0.05")
    placed(alice, SPOT, "0.01", side="SELL", price="60000.00")
    (one,) = places(bob)
    assert (Decimal(one["ahead"]), Decimal(one["atPrice"])) == (Decimal("0.04"), Decimal("0.07"))


def test_which_orders(server: Server) -> None:
    bob = server.client("bob")
    spot, contract = placed(bob, SPOT, "0.01"), placed(bob, CONTRACT, "0.01")
    other = placed(bob, SPOT, "0.1", symbol="ETHUSDT", price="1000.00")
    for query, wanted in {
        "": [spot, other, contract],
        "product=SPOT": [spot, other],
        "product=CONTRACT": [contract],
        "symbol=BTCUSDT": [spot],
        "symbol=BTCSUSDT": [contract],
        "product=SPOT&symbol=ETHUSDT": [other],
        "product=CONTRACT&symbol=BTCSUSDT": [contract],
    }.items():
        assert [one["orderId"] for one in places(bob, query)] == wanted, query
    bob.delete(f"{SPOT.all}?symbol=ETHUSDT")


def test_whom_it_answers(server: Server) -> None:
    """An owner by its key, an operator in its place; and nobody about another's orders."""
    alice, bob = server.client("alice"), server.client("bob")
    mine = placed(bob, SPOT, "0.01")
    acting = {"X-Venue-Act-As": "bob"}
    for client, headers in ((bob, {}), (server.client(), acting)):
        assert [one["orderId"] for one in places(client, headers=headers)] == [mine]
    assert places(alice) == []
    assert server.client().get(PLACES).json["code"] == -1040
    assert alice.get(PLACES, headers=acting).status != 200
    refused(bob.get(f"{PLACES}?symbol=NOTHING"), -2007, "symbol")
    assert bob.get(f"{PLACES}?product=CONTRACT&symbol=BTCUSDT_").status == 400
    assert bob.get(f"{PLACES}?product=OTHER").status == 400


def test_no_rule_of_faults_hits_it(server: Server) -> None:
    add(server, "status", id="down", status=503, match={"owner": "bob"})
    assert places(server.client("bob")) == []
    rule = {"match": {"operation": "places"}, "effect": {"kind": "drop_before"}}
    refused(server.client().post("/_venue/faults", rule), -1142, "match.operation")


def test_the_clients_and_the_library(server: Server) -> None:
    with Venue(agents=False, seed=1) as venue:
        alice, bob = venue.account("alice"), venue.account("bob")
        alice.buy("BTCUSDT", "0.02", price="60000")
        mine = bob.buy("BTCUSDT", "0.03", price="60000")
        (place,) = bob.places()
        assert (place.order_id, place.product) == (mine.order_id, "spot")
        numbers = (place.ahead, place.behind, place.at_price)
        assert numbers == (Decimal("0.02"), Decimal(0), Decimal("0.05"))
        assert bob.places("ETHUSDT") == bob.places(product="contract") == []
    bob_ = server.client("bob")
    order = placed(bob_, SPOT, "0.01")
    account = server.account("bob")
    key = {name: account[name] for name in ("key", "secret", "passphrase")}
    with TypedClient(server.url, **key) as client:
        assert [place.order_id for place in client.places(symbol="BTCUSDT")] == [order]


def test_an_owner_reads_its_own_entries_alone(server: Server) -> None:
    alice, bob = server.client("alice"), server.client("bob")
    placed(alice, SPOT, "0.01")
    mine = placed(bob, SPOT, "0.01")
    assert bob.post(SPOT.order, {**SPOT.plain, "quantity": "0"}).status == 400
    found = bob.get(WIRE).json
    assert {entry["owner"] for entry in found} == {"bob"}
    assert [mine] in [entry["orders"] for entry in found]
    all_of_bob = server.client().get("/_venue/wire?owner=bob").json
    assert bob.get(WIRE).json == all_of_bob  # reading them leaves no entry
    assert {entry["status"] for entry in bob.get(f"{WIRE}?refused=true").json} == {400}
    after = found[-2]["number"]
    assert bob.get(f"{WIRE}?after={after}&limit=5").json == found[-1:]
    # Which owner is asked about is never the caller's to choose.
    assert {entry["owner"] for entry in bob.get(f"{WIRE}?owner=alice").json} == {"bob"}
    elsewhere = {"Forwarded": "for=192.0.2.1"}  # so that nobody takes bob for the operator
    assert bob.get("/_venue/wire", headers=elsewhere).status == 403
    assert bob.get(WIRE, headers=elsewhere).status == 200
    assert server.client().get(WIRE).json["code"] == -1040


def test_what_an_operator_did_in_its_place(server: Server) -> None:
    acting = {"X-Venue-Act-As": "bob"}
    bob = server.client("bob")
    before = bob.get(f"{WIRE}?tools=true&limit=1").json
    after = before[-1]["number"] if before else 0
    assert server.client().post(SPOT.order, SPOT.plain, headers=acting).status == 200
    assert bob.get(f"{WIRE}?after={after}").json == []
    (entry,) = bob.get(f"{WIRE}?after={after}&tools=true").json
    assert (entry["owner"], entry["tool"], entry["operation"]) == ("bob", True, "place_order")


def test_an_owner_reads_no_entries_of_one_that_is_gone(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A revert gives its uid to the next owner. Operators still see the entries."""
    read = {"permissions": ["READ"]}
    with Server("--no-agents", folder=tmp_path_factory.mktemp("gone")) as found:
        operator = found.client()
        ok(operator.put("/_venue/snapshots/base"))
        gone = ok(operator.post("/_venue/owners", {"name": "gone"}))
        key = ok(operator.post("/_venue/keys", {"owner": "gone", **read}))
        account = found.client(key).get("/api/v3/account")
        acted = operator.get("/api/v3/openOrders", headers={"X-Venue-Act-As": "gone"})
        with Listener(found.port, SPOT.socket, login(key)) as listener:
            listener.ask({"method": "SUBSCRIBE", "id": 1, "params": ["orders"]})
        assert {account.status, acted.status} == {200}
        assert len(ok(found.client(key).get(f"{WIRE}?tools=true"))) > 3
        ok(operator.post("/_venue/snapshots/base/revert", {}))
        other = ok(operator.post("/_venue/owners", {"name": "other"}))
        assert other["uid"] == gone["uid"]
        key = ok(operator.post("/_venue/keys", {"owner": "other", **read}))
        late = found.client(key)
        late.at_ms = int(ok(operator.get("/_venue/clock"))["time"])
        assert ok(late.get(f"{WIRE}?tools=true")) == []
        entries = ok(operator.get("/_venue/wire?tools=true&limit=1000"))
        told = {entry["operation"]: entry for entry in entries}
        assert [told[name]["owner"] for name in ("account", "open_orders")] == ["", ""]
        assert [told[name]["tool"] for name in ("account", "open_orders")] == [False, True]


def test_without_a_log_there_are_no_entries(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("none")
    with Server("--no-agents", "--wire-log", "0", folder=folder) as found:
        refused(found.client("bob").get(WIRE), -1150, "wire-log")
