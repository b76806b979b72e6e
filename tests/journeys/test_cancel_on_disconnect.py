"""Cancel-on-disconnect: the orders placed over a connection end with it, and no others."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from support.client import Client
from support.listening import Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.server import Server, flawless
from support.socket_desk import (
    CONTRACT,
    PRODUCTS,
    SPOT,
    Cable,
    Product,
    at_once,
    frames,
    open_ids,
    place,
    placed,
    price_contracts,
    switch,
    until_ended,
)
from support.waits import WAIT_S
from venue.core.messages.savepoints import RevertState
from venue.gateway.streams import socket_orders
from venue.gateway.streams.limits import SessionLimits, SocketLimits
from venue.node.node import Node

MANY = 50
KEPT = 10
ON = {"method": "SESSION.CANCEL_ON_DISCONNECT", "params": {"enabled": True}}
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("disconnects")
    options = ("--no-agents", "--no-limits", "--state", str(folder / "state"))
    with flawless(*options, folder=folder) as found:
        price_contracts(found.client())
        yield found


@pytest.fixture
def alice(server: Server) -> Iterator[Client]:
    """Her REST client; no order of hers outlives the test."""
    found = server.client("alice")
    yield found
    for product in PRODUCTS:
        answer = found.delete(f"{product.all}?symbol={product.plain['symbol']}")
        assert answer.status == 200, answer


def entered(server: Server, product: Product) -> Listener:
    """A private socket of alice's."""
    return Listener(server.port, product.socket, login(server.account("alice")))


def watching(server: Server, product: Product) -> Listener:
    """Another one, which hears what becomes of her orders."""
    found = entered(server, product)
    found.subscribe("orders")
    return found


def by_rest(client: Client, product: Product) -> int:
    """The id of an order placed over REST."""
    answer = client.post(product.order, product.plain)
    assert answer.status == 200, answer
    return int(answer.json["orderId"])


@BY_NAME
def test_a_closed_connection(server: Server, alice: Client, product: Product) -> None:
    """Its orders end, whether they were placed before the switch or after it; others stay."""
    with watching(server, product) as watcher, entered(server, product) as other:
        stays = [by_rest(alice, product), placed(other, product)]
        with entered(server, product) as desk:
            own = [placed(desk, product)]
            switch(desk, on=True)
            own.append(placed(desk, product))
            own.append(placed(desk, product))
            cancel = {"method": "ORDER.CANCEL", "params": {"orderId": own[1]}}
            assert desk.ask(cancel)["status"] == 200
            stays.append(by_rest(alice, product))
            assert open_ids(alice, product) == sorted([*stays, own[0], own[2]])
        until_ended(watcher, own)
        assert open_ids(alice, product) == stays
        assert other.settle() == []


@BY_NAME
def test_a_reset_connection(server: Server, alice: Client, product: Product) -> None:
    with watching(server, product) as watcher:
        cable = Cable(server.port, product.socket, server.account("alice"))
        cable.say([ON, place(product)])
        (item,) = watcher.until(lambda frame: frame.get("e") == "orders")["d"]
        assert item["status"] == "NEW"
        cable.cut()
        until_ended(watcher, [int(item["id"])])
    assert open_ids(alice, product) == []


@BY_NAME
def test_orders_in_flight(server: Server, alice: Client, product: Product) -> None:
    """Everything was said before the first order was answered, the end included."""
    with watching(server, product) as watcher:
        cable = Cable(server.port, product.socket, server.account("alice"))
        cable.say([ON, *(place(product, number) for number in range(MANY))])
        cable.socket.shutdown(socket.SHUT_WR)
        ended: list[str] = []
        while len(ended) < MANY:
            frame = watcher.until(lambda frame: frame.get("e") == "orders")
            ended += [item["id"] for item in frame["d"] if item["status"] == "CANCELED"]
        assert len(dict.fromkeys(ended)) == MANY
        cable.socket.close()
    assert open_ids(alice, product) == []


@BY_NAME
def test_off_by_default_and_when_switched_off(
    server: Server, alice: Client, product: Product
) -> None:
    stays = []
    for switches in ((), (False,), (True, False)):
        with entered(server, product) as desk:
            for on in switches:
                switch(desk, on=on)
            stays.append(placed(desk, product))
    # Commands of the ended connections were submitted before this one.
    stays.append(by_rest(alice, product))
    assert open_ids(alice, product) == stays


@BY_NAME
def test_an_order_found_again_is_not_its_own(
    server: Server, alice: Client, product: Product
) -> None:
    """Repeating a client id finds the order of another door, and does not take it over."""
    body = {**product.plain, "newClientOrderId": f"elsewhere-{product.name}"}
    stays = int(alice.post(product.order, body).json["orderId"])
    with watching(server, product) as watcher:
        with entered(server, product) as desk:
            switch(desk, on=True)
            assert placed(desk, product, newClientOrderId=body["newClientOrderId"]) == stays
            own = placed(desk, product)
        until_ended(watcher, [own])
    assert open_ids(alice, product) == [stays]


def test_products_are_apart(server: Server, alice: Client) -> None:
    with entered(server, CONTRACT) as contract, watching(server, SPOT) as watcher:
        with entered(server, SPOT) as spot:
            stays = placed(contract, CONTRACT)
            switch(spot, on=True)
            own = placed(spot, SPOT)
        until_ended(watcher, [own])
        assert contract.settle() == []
    assert open_ids(alice, CONTRACT) == [stays]


# -- whoever ends it ------------------------------------------------------------------------------


def closed(listener: Listener) -> str:
    """The reason of a close that comes by itself."""
    with pytest.raises(ConnectionClosed) as found:
        _drain(listener)
    assert found.value.rcvd is not None
    return str(found.value.rcvd.reason)


def _drain(listener: Listener) -> None:
    while True:
        listener.socket.recv(WAIT_S)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"messages": 5}, "more than 5 messages in a second"),
        ({"faults": 1}, "more than 1 refused messages"),
    ],
)
def test_the_venue_closes_it(limits: dict[str, Any], words: str) -> None:
    session = SessionLimits(**{"messages": None, **limits})
    with (
        ListeningRoom(SocketLimits(session=session)) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as watcher,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        watcher.subscribe("orders")
        switch(desk, on=True)
        own = placed(desk, SPOT)
        desk.socket.socket.sendall(frames([{"method": "NOPE"}] * 5))
        assert closed(desk) == words
        until_ended(watcher, [own])
        assert open_ids(room.client("alice"), SPOT) == []


def test_it_keeps_a_connection_open() -> None:
    """One that began later, and guards nothing, is closed before."""
    limits = SocketLimits(session=SessionLimits(idle_s=1.5, messages=None))
    with (
        ListeningRoom(limits) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        switch(desk, on=True)
        own = placed(desk, SPOT)
        with Listener(room.port, SPOT.socket, login(KEYS["bob"])) as idle:
            assert closed(idle) == "nothing was subscribed for 1.5 seconds"
        assert open_ids(room.client("alice"), SPOT) == [own]
        assert desk.settle() == []


def test_the_key_is_revoked() -> None:
    session = SessionLimits(ping_s=0.05, pings=1_000, messages=None)
    with ListeningRoom(SocketLimits(session=session)) as room:
        operator = room.client()
        body = {"owner": "alice", "permissions": ["READ", "SPOT_TRADE"]}
        made = operator.post("/_venue/keys", body).json
        with (
            Listener(room.port, SPOT.socket, login(KEYS["alice"])) as watcher,
            Listener(room.port, SPOT.socket, login(made)) as desk,
        ):
            watcher.subscribe("orders")
            switch(desk, on=True)
            own = placed(desk, SPOT)
            assert operator.post("/_venue/keys/revoke", {"key": made["key"]}).status == 200
            assert closed(desk) == "the API key is no longer valid"
            until_ended(watcher, [own])
            assert open_ids(room.client("alice"), SPOT) == []


def test_a_reader_that_is_too_slow() -> None:
    """Its answers wait until there are too many: the connection ends, and its orders with it."""
    limits = SocketLimits(
        session=SessionLimits(messages=None, faults=None), queue_frames=10, send_bytes=4096
    )
    with (
        ListeningRoom(limits) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as watcher,
    ):
        watcher.subscribe("orders")
        cable = Cable(room.port, SPOT.socket, KEYS["alice"], receive_bytes=4096)
        cable.say([ON, place(SPOT)])
        (item,) = watcher.until(lambda frame: frame.get("e") == "orders")["d"]
        # The frames of what goes on are more than its buffers hold.
        cable.say([{"method": "SUBSCRIBE", "params": ["orders", "account"]}])
        noisy = room.client("alice")
        while True:
            answer = noisy.post(SPOT.order, {**SPOT.plain, "timeInForce": "IOC"})
            assert answer.status in (200, 400), answer
            if str(item["id"]) not in map(str, open_ids(noisy, SPOT)):
                break
        until_ended(watcher, [int(item["id"])])
        cable.cut()


def test_those_that_ended_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_orders, "PLACED_MAX", KEPT)
    session = SessionLimits(messages=None)
    with (
        ListeningRoom(SocketLimits(session=session)) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as watcher,
    ):
        watcher.subscribe("orders")
        with Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk:
            switch(desk, on=True)
            own = [placed(desk, SPOT)]
            for _ in range(3):
                answers = at_once(desk, [place(SPOT, number) for number in range(MANY)])
                numbers = [answer["result"]["orderId"] for answer in answers]
                cancels = [
                    {"method": "ORDER.CANCEL", "params": {"orderId": number}}
                    for number in numbers[1:]
                ]
                assert {answer["status"] for answer in at_once(desk, cancels)} == {200}
                own.append(numbers[0])
            assert open_ids(room.client("alice"), SPOT) == own
        until_ended(watcher, own)
        assert open_ids(room.client("alice"), SPOT) == []


# -- the state goes back --------------------------------------------------------------------------


@BY_NAME
def test_a_revert_restores_what_a_closed_connection_placed(
    server: Server, alice: Client, product: Product
) -> None:
    operator = server.client()
    price_contracts(operator)
    with entered(server, product) as desk:
        switch(desk, on=True)
        own = placed(desk, product)
        assert operator.put("/_venue/snapshots/guarded").status == 200
        placed(desk, product)
        assert operator.post("/_venue/snapshots/guarded/revert", {}).status == 200
        assert closed(desk) == "reverted"
    stays = by_rest(alice, product)  # commands of the ended connection were submitted before
    assert open_ids(alice, product) == sorted([own, stays])


@pytest.mark.parametrize("ends_first", [True, False])
def test_a_connection_that_ends_as_the_state_goes_back(*, ends_first: bool) -> None:
    """Its restored order stays. The order that waits is gone with the state when it was applied
    before the revert; it is cancelled when it is applied after that."""
    with (
        ListeningRoom(SocketLimits(session=SessionLimits(messages=None))) as room,
        Listener(room.port, SPOT.socket, login(KEYS["alice"])) as desk,
    ):
        operator = room.client()
        switch(desk, on=True)
        own = placed(desk, SPOT)
        assert operator.put("/_venue/snapshots/guarded").status == 200
        port = desk.socket.socket.getsockname()[1]

        def at_once(node: Node) -> None:
            connection = room.connection(port)
            revert = partial(node.sequencer.submit, [RevertState("guarded")])
            if not ends_first:
                revert()
            connection.data_received(frames([place(SPOT)]))
            connection.drop()
            if ends_first:
                revert()

        room.do(at_once)
        room.settle()
        assert operator.get("/_venue/health").json["epoch"] == 1
        assert open_ids(room.client("alice"), SPOT) == [own]


# -- the venue stops ------------------------------------------------------------------------------


def test_an_orderly_stop(tmp_path: Path) -> None:
    """The venue cancels before it ends, and comes back without those orders."""
    state = ("--no-agents", "--state", str(tmp_path / "state"))
    stays: dict[str, list[int]] = {}
    with Server(*state, folder=tmp_path / "one") as server:
        price_contracts(server.client())
        alice = server.client("alice")
        desks = [entered(server, product) for product in PRODUCTS]
        for product, desk in zip(PRODUCTS, desks, strict=True):
            switch(desk, on=True)
            stays[product.name] = [by_rest(alice, product)]
            answers = at_once(desk, [place(product, number) for number in range(MANY)])
            assert {answer["status"] for answer in answers} == {200}
            assert len(open_ids(alice, product)) == MANY + 1
        assert server.stop() == 0
        assert server.errors.read_text() == ""
        for desk in desks:
            assert closed(desk) == "the venue is stopping"
            desk.close()
    with Server(*state, folder=tmp_path / "two") as again:
        alice = again.client("alice")
        for product in PRODUCTS:
            assert open_ids(alice, product) == stays[product.name]
        assert again.stop() == 0


def test_a_kill(tmp_path: Path) -> None:
    """Rule 3.14: what was acknowledged outlives kill -9: the next start cancels."""
    state = ("--no-agents", "--state", str(tmp_path / "state"))
    stays: dict[str, list[int]] = {}
    with Server(*state, folder=tmp_path / "one") as server:
        price_contracts(server.client())
        alice = server.client("alice")
        desks = [entered(server, product) for product in (*PRODUCTS, *PRODUCTS)]
        for product, desk, other in zip(PRODUCTS, desks[:2], desks[2:], strict=True):
            placed(desk, product)
            switch(desk, on=True)
            answers = at_once(desk, [place(product, number) for number in range(KEPT)])
            assert {answer["status"] for answer in answers} == {200}
            switch(other, on=True)
            stays[product.name] = [by_rest(alice, product)]
            switch(other, on=False)
            stays[product.name].append(placed(other, product))
            assert len(open_ids(alice, product)) == KEPT + 3
        server.kill()
        for desk in desks:
            desk.socket.socket.close()
    with Server(*state, folder=tmp_path / "two") as again:
        alice = again.client("alice")
        for product in PRODUCTS:
            assert open_ids(alice, product) == stays[product.name]
        assert again.stop() == 0
