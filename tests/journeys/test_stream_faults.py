"""Faults on streams: frames left out, doubled, late, lost; and on orders over a socket."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.client_streams import BY_NAME, left_alone, streaming
from support.faulty import TIMER_S
from support.listening import Listener, Message, login
from support.server import Server
from support.socket_desk import (
    CONTRACT,
    SPOT,
    Product,
    open_ids,
    place,
)
from support.waits import WAIT_S

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with streaming(tmp_path_factory.mktemp("stream-faults")) as found:
        yield found


@pytest.fixture
def server(venue: Server) -> Iterator[Server]:
    with left_alone(venue) as found:
        yield found


def add(server: Server, kind: str, **more: Any) -> str:
    """Add a rule; its id."""
    parts = {name: more.pop(name) for name in ("match", "when") if name in more}
    answer = server.client().post("/_venue/faults", {**parts, "effect": {"kind": kind, **more}})
    assert answer.status == 200, answer
    return str(answer.json["id"])


def private(server: Server, product: Product) -> Listener:
    """Alice's private socket, told of her orders."""
    listener = Listener(server.port, product.socket, login(server.account("alice")))
    listener.subscribe("orders")
    return listener


def order(server: Server, product: Product) -> None:
    """Alice places an order, another one each time: one frame about it."""
    named = {**product.plain, "newClientOrderId": f"frame-{next(_NUMBERS)}"}
    assert server.client("alice").post(product.order, named).status == 200


def numbers(frames: list[Message]) -> list[int]:
    """The numbers that private frames carry."""
    return [int(frame["seq"]) for frame in frames]


def steps(found: list[int]) -> list[int]:
    """From each number to the next."""
    return [later - earlier for earlier, later in itertools.pairwise(found)]


# -- frames ---------------------------------------------------------------------------------------


@BY_NAME
def test_a_frame_is_left_out(server: Server, product: Product) -> None:
    with private(server, product) as listener:
        add(server, "ws.gap", match={"channel": "orders"}, when={"nth": [3]})
        for _ in range(5):
            order(server, product)
        assert steps(numbers([listener.next() for _ in range(4)])) == [1, 2, 1]


@BY_NAME
def test_a_frame_comes_twice(server: Server, product: Product) -> None:
    with private(server, product) as listener:
        add(server, "ws.duplicate", match={"owner": "alice"}, when={"nth": [2]})
        for _ in range(3):
            order(server, product)
        assert steps(numbers([listener.next() for _ in range(4)])) == [1, 0, 1]


@BY_NAME
def test_frames_are_late_and_in_order(server: Server, product: Product) -> None:
    with private(server, product) as listener:
        add(server, "ws.late", ms=300, match={"channel": "orders"}, when={"first": 2})
        begun = time.monotonic()
        for _ in range(4):
            order(server, product)
        assert listener.settle() == []
        seen = [listener.next() for _ in range(4)]
        assert steps(numbers(seen)) == [1, 1, 1]
        assert time.monotonic() - begun >= 0.3 - TIMER_S  # never sooner


@BY_NAME
def test_silence_and_then_speech(server: Server, product: Product) -> None:
    """Nothing is said for a while, though the connection is open; frames of that while are lost."""
    with private(server, product) as listener:
        order(server, product)
        heard = listener.next()
        rule = add(server, "ws.silence", ms=100, match={"channel": "orders"}, when={"first": 1})
        order(server, product)
        server.client().delete(f"/_venue/faults/{rule}")
        listener.socket.ping().wait(WAIT_S)  # the protocol's own pings are answered
        listener.say({"method": "PING", "id": 0})
        while True:
            order(server, product)
            try:
                spoken = json.loads(listener.socket.recv(0.05))
            except TimeoutError:
                continue
            if "seq" in spoken:
                break
        assert steps(numbers([heard, spoken]))[0] > 1


@pytest.mark.parametrize("silences", [[1, None], [None, 1], [1, 600_000], [600_000, 1]])
def test_of_several_silences_the_longest_counts(server: Server, silences: list[int | None]) -> None:
    """The end of a shorter one does not end it."""
    with private(server, SPOT) as listener:
        for ms in silences:
            lasting = {} if ms is None else {"ms": ms}
            add(server, "ws.silence", match={"channel": "orders"}, when={"first": 1}, **lasting)
        for _ in range(5):
            order(server, SPOT)
            listener.say({"method": "PING", "id": 0})
            listener.socket.ping().wait(WAIT_S)
        add(server, "ws.disconnect", match={"channel": "orders"})
        order(server, SPOT)
        with pytest.raises(ConnectionClosed):
            listener.receive()


@BY_NAME
def test_a_stream_is_ended(server: Server, product: Product) -> None:
    with private(server, product) as listener:
        add(server, "ws.disconnect", closeCode=4000, match={"channel": "orders"})
        order(server, product)
        with pytest.raises(ConnectionClosed) as ended:
            listener.next()
    assert ended.value.rcvd is not None
    assert (ended.value.rcvd.code, ended.value.rcvd.reason[:6]) == (4000, "fault ")
    with private(server, product) as listener:  # a new connection ends too, by its next frame
        order(server, product)
        with pytest.raises(ConnectionClosed):
            listener.next()


def test_streams_are_not_opened(server: Server) -> None:
    add(server, "ws.refuse", status=503, match={"path": SPOT.socket})
    with pytest.raises(InvalidStatus) as refused:
        Listener(server.port, SPOT.socket, login(server.account("alice")))
    assert refused.value.response.status_code == 503
    with private(server, CONTRACT):
        pass


# -- orders over a socket -------------------------------------------------------------------------


@BY_NAME
def test_executed_and_not_answered(server: Server, product: Product) -> None:
    alice = server.client("alice")
    with private(server, product) as listener:
        add(server, "drop_after", match={"operation": "place*"}, when={"count": 1})
        listener.say(place(product, 7))
        answer = listener.ask(place(product, 8))
        assert (answer["id"], answer["status"]) == (8, 200)
        assert len(open_ids(alice, product)) == 2


@BY_NAME
def test_neither_executed_nor_answered(server: Server, product: Product) -> None:
    with private(server, product) as listener:
        add(server, "drop_before", match={"operation": "place*"}, when={"count": 1})
        listener.say(place(product, 7))
        assert listener.ask(place(product, 8))["id"] == 8
        assert len(open_ids(server.client("alice"), product)) == 1


@BY_NAME
def test_a_message_delivered_twice_is_two_orders(server: Server, product: Product) -> None:
    """Nothing recognises a repetition there but a client id."""
    with private(server, product) as listener:
        add(server, "duplicate", match={"operation": "place*"})
        assert listener.ask(place(product, 7))["status"] == 200
        assert listener.ask({"method": "PING", "id": 0})["result"] is True
        assert len(open_ids(server.client("alice"), product)) == 2
        named = place(product, 8, newClientOrderId="only-once")
        assert listener.ask(named)["status"] == 200
        assert len(open_ids(server.client("alice"), product)) == 3


@BY_NAME
@pytest.mark.parametrize(("side", "left"), [("before", 0), ("after", 1)])
def test_refused_before_and_after(server: Server, product: Product, side: str, left: int) -> None:
    with private(server, product) as listener:
        add(server, "status", status=503, side=side, match={"operation": "place*"})
        answer = listener.ask(place(product, 7))
        assert (answer["status"], answer["error"]["code"]) == (503, -1008)
        assert len(open_ids(server.client("alice"), product)) == left


@BY_NAME
@pytest.mark.parametrize("side", ["before", "after"])
def test_late_answers(server: Server, product: Product, side: str) -> None:
    with private(server, product) as listener:
        add(server, "delay", ms=200, side=side, match={"operation": "place*"}, when={"first": 1})
        begun = time.monotonic()
        answers = listener.ask_all([place(product, 7), place(product, 8)])
        assert [one["id"] for one in answers] == [8, 7]
        assert time.monotonic() - begun >= 0.2 - TIMER_S  # never sooner
        assert len(open_ids(server.client("alice"), product)) == 2


@BY_NAME
def test_a_connection_ends_while_its_order_waits(server: Server, product: Product) -> None:
    """The waiting order is done all the same: it was on its way."""
    alice = server.client("alice")
    with private(server, product) as listener:
        add(server, "delay", ms=100, match={"operation": "place*"})
        listener.say(place(product, 7))
        assert listener.ask({"method": "PING", "id": 0})["result"] is True
    while not open_ids(alice, product):
        pass
    assert len(open_ids(alice, product)) == 1
