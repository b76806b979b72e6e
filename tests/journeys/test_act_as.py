"""An operator acts for an owner: its rights, and refusals to others."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer, Client
from support.faulty import add, hits
from support.real_venue import new_owner, real_venue
from support.server import Server, flawless
from support.socket_desk import CONTRACT, PRODUCTS, Product, open_ids, price_contracts
from support.waits import WAIT_S
from venue.core.messages.commands import PlaceContractOrder, PlaceOrder
from venue.gateway.access.replay import ACTED
from venue.gateway.dispatch.faulty import _again
from venue.gateway.transport.request import Request
from venue.journal.opening import open_journal

ACT_AS = "X-Venue-Act-As"
AS_ALICE: dict[str, str | None] = {ACT_AS: "alice"}
OTHER_USER = 65534  # runs nothing else on a machine
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--allow-origin", "http://desk:5173")
    with flawless(*options, folder=tmp_path_factory.mktemp("act_as")) as found:
        price_contracts(found.client())
        yield found


def refused(answer: Answer, status: int, code: int, *words: str) -> None:
    assert (answer.status, answer.json["code"]) == (status, code), answer
    for word in words:
        assert word in answer.json["msg"], answer


def act(client: Client, product: Product, headers: dict[str, str | None], **more: Any) -> Answer:
    """Place an order that rests for whom the headers name."""
    return client.post(product.order, {**product.plain, **more}, headers=headers)


# -- what it may ----------------------------------------------------------------------------------


@BY_NAME
def test_it_reads_and_trades_as_the_owner(server: Server, product: Product) -> None:
    operator, alice = server.client(), server.client("alice")
    uid = str(server.account("alice")["uid"])
    placed = act(operator, product, AS_ALICE)
    assert placed.status == 200, placed
    by_uid = act(operator, product, {ACT_AS: uid})
    assert by_uid.status == 200, by_uid
    ids = open_ids(alice, product)
    assert {int(one.json["orderId"]) for one in (placed, by_uid)} <= set(ids)
    read = operator.get(product.open, headers=AS_ALICE)
    assert sorted(order["orderId"] for order in read.json) == ids
    symbol = product.plain["symbol"]
    ended = operator.delete(f"{product.all}?symbol={symbol}", headers=AS_ALICE)
    assert ended.status == 200, ended
    assert open_ids(alice, product) == []


@BY_NAME
def test_only_a_client_order_id_guards_against_repetition(server: Server, product: Product) -> None:
    """Enemy: a client that sends again what was answered already; nothing was signed."""
    operator, alice = server.client(), server.client("alice")
    before = len(open_ids(alice, product))
    named = {"newClientOrderId": f"once-{product.name}"}
    first, again = (act(operator, product, AS_ALICE, **named) for _ in range(2))
    assert first.json["orderId"] == again.json["orderId"]
    for _ in range(2):
        assert act(operator, product, AS_ALICE).status == 200
    assert len(open_ids(alice, product)) == before + 3


@BY_NAME
def test_what_an_owner_is_refused_it_is_refused(server: Server, product: Product) -> None:
    operator = server.client()
    as_owner = act(server.client("bob"), product, {}, quantity="900")
    as_operator = act(operator, product, {ACT_AS: "bob"}, quantity="900")
    assert as_owner.status == 400, as_owner
    assert (as_operator.status, as_operator.json) == (as_owner.status, as_owner.json)
    batch = {"symbol": product.plain["symbol"], "orderList": [product.plain]}
    closed = operator.post("/api/v3/order/batch", batch, headers=AS_ALICE)
    assert (
        closed.json["code"]
        == server.client("alice").post("/api/v3/order/batch", batch).json["code"]
    )


def test_a_frozen_owner_stays_frozen(server: Server) -> None:
    operator = server.client()
    assert operator.post("/_venue/owners", {"name": "ivy"}).status == 200
    frozen = operator.post("/_venue/owners/freeze", {"owner": "ivy", "frozen": True})
    assert frozen.status == 200, frozen
    answer = act(operator, PRODUCTS[0], {ACT_AS: "ivy"})
    assert answer.status == 400, answer
    assert "frozen" in answer.json["msg"].lower()


def test_rules_of_faults_know_for_whom_it_acts(server: Server) -> None:
    operator, product = server.client(), PRODUCTS[0]
    add(server, "error", id="his", match={"owner": "bob"}, code=-1142)
    try:
        assert operator.get(product.open, headers=AS_ALICE).status == 200
        assert operator.get(product.open, headers={ACT_AS: "bob"}).status == 400
        assert operator.get(product.open, headers={ACT_AS: "nobody"}).status == 400
        assert hits(server, "his") == (1, 1)
    finally:
        assert operator.delete("/_venue/faults").status == 200


def test_the_journal_tells_it_apart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Server("--no-agents", "--state", str(state), folder=tmp_path) as server:
        price_contracts(server.client())
        for product in PRODUCTS:
            for client, headers in ((server.client(), AS_ALICE), (server.client("alice"), {})):
                assert act(client, product, headers).status == 200
        assert server.stop() == 0
    with Server("--no-agents", "--state", str(state), folder=tmp_path) as server:
        # Enemy: the start after it, which seeds what it knows of requests with the journal's.
        assert act(server.client(), PRODUCTS[0], AS_ALICE).status == 200
        assert act(server.client("alice"), PRODUCTS[0], {}).status == 200
        assert server.stop() == 0
    journal = open_journal(str(state))
    try:
        commands = [command for _, part in journal.read(0) for command in part]
    finally:
        journal.close()
    requests = [one.request for one in commands if isinstance(one, PlaceOrder | PlaceContractOrder)]
    assert [request == ACTED for request in requests] == [True, False] * 3
    assert all(requests)


# -- who may not ----------------------------------------------------------------------------------


def test_an_unknown_owner_is_named(server: Server) -> None:
    product = PRODUCTS[0]
    for name in ("nobody", "999999", "", "alice,bob", "\xe9"):
        refused(act(server.client(), product, {ACT_AS: name}), 400, -1142, ACT_AS, "no such owner")


def test_a_signed_request_that_carries_the_header_says_two_things(server: Server) -> None:
    """Enemy: an owner with a key who would be somebody else."""
    for name in ("alice", "bob"):
        answer = act(server.client("alice"), PRODUCTS[0], {ACT_AS: name})
        refused(answer, 400, -1128, "ACCESS-KEY", ACT_AS)
    half: dict[str, str | None] = {**AS_ALICE, "ACCESS-PASSPHRASE": "x"}
    refused(act(server.client(), PRODUCTS[0], half), 400, -1128, "ACCESS-PASSPHRASE")


def test_operators_rows_act_for_nobody(server: Server) -> None:
    refused(server.client().get("/_venue/owners", headers=AS_ALICE), 400, -1142, ACT_AS)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ({"Origin": "http://page.example"}, -1190),
        ({"Sec-Fetch-Site": "cross-site"}, -1190),
        ({"Host": "page.example"}, -1190),
        ({"Host": "venue"}, -1051),  # a name of this machine, but not the loopback's
        ({"X-Forwarded-For": "10.0.0.9"}, -1051),
        ({"Forwarded": "for=10.0.0.9"}, -1051),
        ({"Via": "1.1 proxy"}, -1051),
    ],
)
@BY_NAME
def test_pages_and_what_came_through_a_proxy_may_not(
    server: Server, product: Product, lines: dict[str, str | None], code: int
) -> None:
    before = open_ids(server.client("alice"), product)
    refused(act(server.client(), product, {**AS_ALICE, **lines}), 403, code)
    refused(server.client().get(product.open, headers={**AS_ALICE, **lines}), 403, code)
    assert open_ids(server.client("alice"), product) == before


def test_a_page_that_may_call_may_not_send_the_header(server: Server) -> None:
    """Browsers ask first, and the answer does not name it."""
    asked: dict[str, str | None] = {
        "Origin": "http://desk:5173", "Access-Control-Request-Headers": ACT_AS,
    }  # fmt: skip
    answer = server.client().call("OPTIONS", PRODUCTS[0].order, None, asked)
    assert ACT_AS.lower() not in answer.headers["access-control-allow-headers"].lower()


def test_a_header_given_twice_is_refused(server: Server) -> None:
    lines = f"{ACT_AS}: alice\r\n" * 2
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    sent = f"GET /api/v3/openOrders HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n"
    with closing(socket.create_connection(("127.0.0.1", server.port), WAIT_S)) as connection:
        connection.sendall(sent.encode())
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
    assert b" 400 " in found.partition(b"\r\n")[0]
    assert b"given more than once" in found


def test_with_a_token_only_who_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enemy: a stranger on the machine, of whom the venue asks the token."""
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", "secret token")
    with Server("--no-agents", folder=tmp_path) as server:
        product, client = PRODUCTS[0], server.client()
        refused(act(client, product, AS_ALICE), 403, -1051)
        refused(act(client, product, {**AS_ALICE, "Authorization": "Bearer no"}), 403, -1051)
        assert open_ids(server.client("alice"), product) == []
        shown: dict[str, str | None] = {**AS_ALICE, "Authorization": "Bearer secret token"}
        assert act(client, product, shown).status == 200
        assert len(open_ids(server.client("alice"), product)) == 1
        assert server.stop() == 0


@BY_NAME
def test_a_venue_that_is_not_for_practice_refuses_the_header(
    tmp_path: Path, product: Product
) -> None:
    with real_venue(tmp_path) as server:
        alice = new_owner(server.client(), "alice")
        refused(act(server.client(), product, AS_ALICE), 400, -1142, ACT_AS, "practice")
        refused(act(server.client(alice), product, AS_ALICE), 400, -1142, ACT_AS, "practice")
        refused(server.client().get("/api/v3/ping", headers=AS_ALICE), 400, -1142, "practice")
        assert server.client().get("/_venue/health").json["openOrders"] == 0
        assert server.stop() == 0


ORDER = """
import encodings.idna, http.client, os, sys
os.setuid(int(sys.argv[2]))
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
body = '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000.00"}'
headers = {"Content-Type": "application/json", "X-Venue-Act-As": "alice"}
connection.request("POST", "/api/v3/order", body, headers)
print(connection.getresponse().status)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="a test of another user needs to be root first")
@pytest.mark.parametrize("fault", [None, "duplicate"])
def test_another_user_of_the_machine_may_not(server: Server, fault: str | None) -> None:
    """Nor may the second delivery of its request, of which nobody is at the other end."""
    product = PRODUCTS[0]
    before = open_ids(server.client("alice"), product)
    if fault is not None:
        add(server, fault, id="twice", match={"operation": "place*"})
    try:
        command = [sys.executable, "-I", "-c", ORDER, str(server.port), str(OTHER_USER)]
        told = subprocess.run(command, check=True, timeout=WAIT_S, capture_output=True, text=True)
        assert told.stdout.strip() == "403"
    finally:
        assert server.client().delete("/_venue/faults").status == 200
    assert open_ids(server.client("alice"), product) == before


class Other:
    """The connection of another user's process."""

    def answer(self, data: bytes) -> None:
        pass

    def abort(self) -> None:
        pass

    def reset(self) -> None:
        pass

    def rest(self) -> None:
        pass

    def peer_owner(self) -> int | None:
        return OTHER_USER


def test_a_second_delivery_is_of_who_sent_the_first() -> None:
    request = Request(Other(), "127.0.0.1", b"POST", CONTRACT.order.encode(), {}, ())
    assert _again(request).connection.peer_owner() == OTHER_USER
