"""Requests that do not arrive (rows G23, G38): a deadline, and nothing done."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from support.client import Client
from support.refusals.cases import order
from support.refusals.stage import Stage
from support.refusals.watching import TRIES_MAX
from support.waits import WAIT_S
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.origins import Origins
from venue.gateway.transport.server import Server, listen
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.requests import dispatcher, operator_door

ALICE = {"key": "demo-alice", "secret": "demo-alice-secret", "passphrase": demo.PASSPHRASE}
ORDER = "/api/v3/order"
BODY = json.dumps(order()).encode()


class Impatient:
    """The venue in this process, with short deadlines."""

    def __init__(self) -> None:
        self.bound = listen("127.0.0.1", 0)
        self.port = self.bound.getsockname()[1]
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(WAIT_S)

    async def _serve(self) -> None:
        options = Options(port=self.port, agents=False, history=False)
        limits = HttpLimits(header_s=0.05, request_s=0.2)
        async with open_venue(options, SystemClock(), lambda problem: None) as door:
            requests = dispatcher(door, options, Origins(), operator_door(options))
            server = await Server.start(self.bound, limits, requests.serve)
            self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
            self._ready.set()
            await self._stopping.wait()
            await server.stop()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), WAIT_S)


@contextmanager
def clients(port: int) -> Iterator[tuple[Client, Client]]:
    """An operator and alice."""
    pair = Client(port), Client(port, ALICE)
    yield pair
    for client in pair:
        client.close()


@pytest.fixture(scope="module")
def impatient() -> Iterator[Impatient]:
    found = Impatient()
    yield found
    found.stop()


def head(client: Client, length: int) -> bytes:
    """The head of alice's order, which announces `length` bytes of body."""
    lines = [f"POST {ORDER} HTTP/1.1", "Host: venue", f"Content-Length: {length}"]
    headers = client.headers("POST", ORDER, BODY)
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def read_all(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(65_536):
        found += chunk
    return found


@pytest.mark.parametrize(
    ("sent", "what"),
    [(b"GET /api/v3/ping HTTP/1.1\r\nHost: v\r\nX: y", "headers"), (b"", "request")],
)
def test_a_request_has_a_deadline(impatient: Impatient, sent: bytes, what: str) -> None:
    with clients(impatient.port) as (operator, alice), closing(impatient.connect()) as connection:
        before = operator.get("/_venue/health").json
        connection.sendall(sent or head(alice, len(BODY)) + BODY[:-1])
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 408 ")
        body = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert body["code"] == -1000
        assert body["msg"].startswith(f"The {what} did not arrive within 0.")
        after = operator.get("/_venue/health").json
        for field in ("stateHash", "sequence", "openOrders"):
            assert after[field] == before[field]


def test_a_longer_announcement_than_body_waits_in_vain(impatient: Impatient) -> None:
    with clients(impatient.port) as (operator, alice), closing(impatient.connect()) as connection:
        before = operator.get("/_venue/health").json
        connection.sendall(head(alice, len(BODY) + 1) + BODY)
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")
        assert operator.get("/_venue/health").json["sequence"] == before["sequence"]


def test_others_are_served_meanwhile(impatient: Impatient) -> None:
    slow = [impatient.connect() for _ in range(50)]
    with clients(impatient.port) as (_, alice):
        for connection in slow:
            connection.sendall(head(alice, len(BODY)) + b"{")
        placed = alice.post(ORDER, order())
        assert placed.status == 200
        assert alice.delete(f"{ORDER}?orderId={placed.json['orderId']}").status == 200
        for connection in slow:
            assert read_all(connection).startswith(b"HTTP/1.1 408 ")
            connection.close()


@pytest.mark.parametrize("cut", [0, 1, len(BODY) - 1])
def test_a_client_that_leaves_halfway_leaves_nothing(stage: Stage, cut: int) -> None:
    alice = stage.server.client("alice")
    for _ in range(TRIES_MAX):  # time may pass in between, by a command of its own
        before = stage.health()
        with closing(socket.create_connection(("127.0.0.1", stage.server.port), WAIT_S)) as gone:
            gone.sendall(head(alice, len(BODY)) + BODY[:cut])
            gone.shutdown(socket.SHUT_WR)
            assert read_all(gone) == b""
        after = stage.health()
        if after == before:
            break
    assert after == before
