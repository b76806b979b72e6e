"""Streams under bad input and slow readers: the right close code, and nobody else affected."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Close

from support.client import Client
from support.listening import Listener, login
from support.listening_room import KEYS, ListeningRoom
from support.waits import WAIT_S
from venue.gateway.access.connections import HttpLimits
from venue.gateway.streams.connection import TURN, SocketConnection
from venue.gateway.streams.limits import SessionLimits, SocketLimits

SPOT = "/spot/v3/ws/public"
PRIVATE = "/spot/v3/ws/private"
MESSAGE_BYTES = 1024
PATIENT = SessionLimits(idle_s=WAIT_S, ping_s=WAIT_S, messages=None)
SMALL = SocketLimits(
    session=PATIENT, message_bytes=MESSAGE_BYTES, queue_frames=200, send_bytes=16 * 1024
)


@pytest.fixture(scope="module")
def room() -> Iterator[ListeningRoom]:
    with ListeningRoom(SMALL) as found:
        yield found


@pytest.fixture
def neighbour(room: ListeningRoom) -> Iterator[Listener]:
    """A well-behaved listener, who hears everything to the end."""
    alice, bob = room.client("alice"), room.client("bob")
    with Listener(room.port, SPOT) as found:
        found.subscribe("BTCUSDT@trade", "BTCUSDT@bookTicker")
        found.settle()
        yield found
        order(alice, "SELL", "60000.00")
        order(bob, "BUY", "60000.00")
        assert [frame["e"] for frame in found.settle()] == ["bookTicker", "trade", "bookTicker"]


def order(client: Client, side: str, price: str, quantity: str = "0.01") -> int:
    body = {"symbol": "BTCUSDT", "side": side, "quantity": quantity, "type": "LIMIT"}
    answer = client.post("/api/v3/order", {**body, "price": price})
    assert answer.status == 200, answer
    return int(answer.json["orderId"])


def closed(listener: Listener) -> tuple[int, str]:
    """The code and reason of a close that comes by itself."""
    with pytest.raises(ConnectionClosed) as found:
        _drain(listener)
    assert found.value.rcvd is not None
    return found.value.rcvd.code, found.value.rcvd.reason


def _drain(listener: Listener) -> None:
    while True:
        listener.socket.recv(WAIT_S)


# -- frames that break the protocol ---------------------------------------------------------------


class Wire:
    """A connection whose frames are made by hand."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT_S)
        lines = (
            f"GET {SPOT} HTTP/1.1", "Host: venue", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", "",
        )  # fmt: skip
        self.socket.sendall("\r\n".join(lines).encode())
        self.file = self.socket.makefile("rb")
        assert self.file.readline() == b"HTTP/1.1 101 Switching Protocols\r\n"
        while self.file.readline() != b"\r\n":
            pass
        assert json.loads(self.receive()[1])["event"] == "connected"

    def send(self, first: int, payload: bytes, *, masked: bool = True) -> None:
        """A frame with this first byte; the mask is zero."""
        size = len(payload)
        second = 0x80 if masked else 0
        head = bytes((first, second | size)) if size < 126 else struct.pack(
            ">BBH", first, second | 126, size
        )  # fmt: skip
        self.socket.sendall(head + (bytes(4) if masked else b"") + payload)

    def receive(self) -> tuple[int, bytes]:
        """The next frame: its opcode and payload; at the end of the stream (-1, b"")."""
        head = self.file.read(2)
        if len(head) < 2:
            return -1, b""
        size = head[1]
        assert size < 128, "a server's frames are not masked"
        if size == 126:
            (size,) = struct.unpack(">H", self.file.read(2))
        return head[0] & 0x0F, self.file.read(size)

    def last(self) -> tuple[int, str]:
        """The code and the reason of the close frame, after which the stream ends."""
        opcode, payload = self.receive()
        while opcode != 8:
            opcode, payload = self.receive()
            assert opcode >= 0, "no close frame"
        assert self.receive() == (-1, b"")
        found = Close.parse(payload)
        return int(found.code), found.reason

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()
        self.socket.close()


PING = b'{"method":"PING","id":1}'
BROKEN: dict[str, tuple[list[tuple[int, bytes, bool]], int]] = {
    "unmasked": ([(0x81, PING, False)], 1002),
    "reserved bit": ([(0x91, PING, True)], 1002),
    "compressed without being asked": ([(0xC1, PING, True)], 1002),
    "unknown opcode": ([(0x83, PING, True)], 1002),
    "unknown control": ([(0x8B, b"", True)], 1002),
    "long control": ([(0x89, b"x" * 126, True)], 1002),
    "fragmented control": ([(0x09, b"x", True)], 1002),
    "continues nothing": ([(0x80, PING, True)], 1002),
    "begins within a message": ([(0x01, PING, True), (0x81, PING, True)], 1002),
    "close of one byte": ([(0x88, b"\x03", True)], 1002),
    "close with a bad code": ([(0x88, b"\x03\xed", True)], 1002),
    "too long": ([(0x81, b" " * (MESSAGE_BYTES + 1), True)], 1009),
    "too long in parts": (
        [(0x01, b" " * MESSAGE_BYTES, True), (0x80, b" ", True)],
        1009,
    ),
    "binary": ([(0x82, PING, True)], 1003),
    "no UTF-8": ([(0x81, b'{"method":"\xff"}', True)], 1007),
    "half a character": ([(0x81, b'"\xe2\x82', True)], 1007),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_frames(room: ListeningRoom, neighbour: Listener, name: str) -> None:
    frames, code = BROKEN[name]
    with Wire(room.port) as wire:
        for first, payload, masked in frames:
            wire.send(first, payload, masked=masked)
        assert wire.last()[0] == code


def test_a_close_is_echoed(room: ListeningRoom) -> None:
    with Wire(room.port) as wire:
        wire.send(0x88, struct.pack(">H", 4321) + b"bye")
        assert wire.last() == (4321, "bye")


def test_messages_in_fragments(room: ListeningRoom) -> None:
    with Wire(room.port) as wire:
        wire.send(0x01, PING[:5])
        wire.send(0x00, b"")
        wire.send(0x89, b"ping")  # control frames may come between
        wire.send(0x00, PING[5:9])
        wire.send(0x80, PING[9:])
        found = [wire.receive(), wire.receive()]
    assert sorted(found) == [(1, b'{"result":true,"id":1}'), (10, b"ping")]


def test_as_long_as_it_may_be(room: ListeningRoom) -> None:
    with Wire(room.port) as wire:
        wire.send(0x81, PING + b" " * (MESSAGE_BYTES - len(PING)))
        assert wire.receive() == (1, b'{"result":true,"id":1}')


def test_compression(room: ListeningRoom) -> None:
    with (
        Listener(room.port, SPOT, compression="deflate") as packed,
        Listener(room.port, SPOT, compression=None) as plain,
    ):
        response = packed.socket.response
        assert response is not None
        assert "permessage-deflate" in response.headers["sec-websocket-extensions"]
        found = []
        for listener in (packed, plain):
            listener.subscribe("BTCUSDT@depth200", "BTCUSDT@trade")
            found.append([listener.next(), listener.next()])
        for frames in found:
            for frame in frames:
                del frame["E"]
        assert found[0] == found[1]
        assert len(json.dumps(found[0])) > 512


# -- floods and slow readers ----------------------------------------------------------------------


def stalled(port: int, *channels: str) -> Listener:
    """A listener with small buffers that will not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    found = Listener(port, SPOT, sock=connection, max_queue=1, compression=None)
    found.subscribe(*channels)
    return found


def test_a_slow_reader_is_closed_and_others_go_on(room: ListeningRoom, neighbour: Listener) -> None:
    alice = room.client("alice")
    told = 0
    with stalled(room.port, "BTCUSDT@bookTicker", "BTCUSDT@depth200", "BTCUSDT@depth15") as slow:
        for step in range(600):
            order(alice, "BUY", f"{50_000 + step}.00", "0.0001")
            if step % 150 == 149:
                told += len(neighbour.settle())
                assert alice.delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200
                told += len(neighbour.settle())
        code, reason = closed(slow)
    assert (code, reason[:10]) == (1008, "too slow: ")
    assert told >= 600


def test_a_reader_that_catches_up_stays(room: ListeningRoom) -> None:
    alice = room.client("alice")
    with stalled(room.port, "BTCUSDT@bookTicker") as slow:
        first = slow.next()
        for step in range(150):
            order(alice, "BUY", f"{50_000 + step}.00", "0.0001")
        frames = slow.settle()
    bids = [frame["b"] for frame in (first, *frames)]
    assert bids[1:] == [f"{50_000 + step}.00" for step in range(150)]
    assert alice.delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200


def test_pings_that_are_not_read_do_not_pile_up() -> None:
    """A client that does not read the answers is not read either: its own sending stalls."""
    with ListeningRoom(SocketLimits(frames=None)) as room, Wire(room.port) as wire:
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.socket.settimeout(0.5)
        frame = b"\x89\xfd" + bytes(4) + bytes(125)
        with pytest.raises(TimeoutError):
            wire.socket.sendall(frame * 200_000)


@pytest.mark.parametrize("first", [0x89, 0x8A, 0x00], ids=["pings", "pongs", "fragments"])
def test_a_flood_of_the_smallest_frames_ends_the_connection(
    room: ListeningRoom, neighbour: Listener, first: int
) -> None:
    with Wire(room.port) as wire:
        if first == 0:
            wire.send(0x01, b"")
        wire.socket.sendall(bytes((first, 0x80, 0, 0, 0, 0)) * 2_000)
        opcode, payload = wire.receive()
        while opcode not in (8, -1):
            opcode, payload = wire.receive()
        assert Close.parse(payload).reason == "more than 100 pings or fragments a second"
    assert neighbour.settle() == []


@pytest.mark.parametrize(
    ("limits", "message", "words"),
    [
        ({"messages": 20}, "PING", "more than 20 messages in a second"),
        ({"messages": None, "faults": 20}, "NOPE", "more than 20 refused messages"),
    ],
)
def test_floods(limits: dict[str, Any], message: str, words: str) -> None:
    with (
        ListeningRoom(SocketLimits(session=SessionLimits(**limits))) as room,
        Listener(room.port, SPOT) as flooding,
        Listener(room.port, SPOT) as other,
    ):
        for number in range(21):
            flooding.say({"method": message, "id": number})
        assert closed(flooding) == (1008, words)
        assert other.settle() == []


def test_subscription_messages_are_counted() -> None:
    limits = SocketLimits(session=SessionLimits(changes=3, messages=None))
    with ListeningRoom(limits) as room, Listener(room.port, SPOT) as spot:
        spot.subscribe("BTCUSDT@trade")
        spot.unsubscribe("BTCUSDT@trade")
        assert spot.ask({"method": "SUBSCRIBE", "params": ["x"], "id": 1})["result"] is False
        answer = spot.ask({"method": "SUBSCRIBE", "params": ["BTCUSDT@trade"], "id": 1})
        words = "too many requests : at most 3 subscription messages per hour"
        assert answer == {"result": False, "id": 1, "msg": f"INVALID_ARGUMENT: {words}"}
        spot.frames.clear()
        assert spot.settle() == []


# -- how long a connection stays ------------------------------------------------------------------


def test_idle_connections_are_closed() -> None:
    limits = SocketLimits(session=SessionLimits(idle_s=0.05))
    words = "nothing was subscribed for 0.05 seconds"
    with ListeningRoom(limits) as room:
        with Listener(room.port, SPOT) as idle:
            assert closed(idle) == (1008, words)
        with Listener(room.port, PRIVATE, login(KEYS["alice"])) as idle:
            assert closed(idle) == (1008, words)


def test_a_subscription_keeps_a_connection_open_until_it_ends() -> None:
    limits = SocketLimits(session=SessionLimits(idle_s=1.5, ping_s=0.6, pings=1_000))
    with ListeningRoom(limits) as room, Listener(room.port, SPOT) as spot:
        spot.subscribe("BTCUSDT@trade")
        for _ in range(3):  # longer than it may be idle
            spot.until(lambda frame: frame.get("event") == "ping")
        spot.unsubscribe("BTCUSDT@trade")
        assert closed(spot)[0] == 1008


@pytest.mark.parametrize(("path", "key"), [(SPOT, "event"), (PRIVATE, "type")])
def test_heartbeats(path: str, key: str) -> None:
    limits = SocketLimits(session=SessionLimits(ping_s=0.2, pings=3, idle_s=WAIT_S))
    channel = "BTCUSDT@ticker" if path == SPOT else "orders"
    with ListeningRoom(limits) as room:
        with Listener(room.port, path, login(KEYS["alice"])) as answering:
            answering.subscribe(channel)
            for number in range(5):
                ping = answering.until(lambda frame: frame.get(key) == "ping")
                assert list(ping) == [key, "time"]
                assert ping["time"].isdigit()
                pong = {"method": "PONG", "id": str(number)}
                if path == SPOT:
                    assert answering.ask(pong) == {"result": True, "id": str(number)}
                else:
                    answering.say(pong)
        with Listener(room.port, path, login(KEYS["bob"])) as silent:
            silent.subscribe(channel)
            assert closed(silent) == (1008, "more than 3 pings were not answered")


def test_a_revoked_key_has_no_stream() -> None:
    limits = SocketLimits(session=SessionLimits(ping_s=0.05, idle_s=WAIT_S, pings=1_000))
    with ListeningRoom(limits) as room:
        operator = room.client()
        made = operator.post("/_venue/keys", {"owner": "alice", "permissions": ["READ"]}).json
        account = {name: made[name] for name in ("key", "secret", "passphrase")}
        with Listener(room.port, PRIVATE, login(account)) as alice:
            alice.subscribe("orders")
            revoked = operator.post("/_venue/keys/revoke", {"key": made["key"]})
            assert revoked.status == 200, revoked
            assert closed(alice) == (1008, "the API key is no longer valid")


# -- connections ----------------------------------------------------------------------------------


def refused(port: int) -> InvalidStatus:
    with pytest.raises(InvalidStatus) as found:
        Listener(port, SPOT)
    return found.value


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"connections_per_ip": 2}, "This address has its maximum of 2 connections."),
        ({"connections": 2}, "The venue has its maximum of 2 connections."),
    ],
)
def test_connections_are_counted(limits: dict[str, int], words: str) -> None:
    with (
        ListeningRoom(SocketLimits(session=PATIENT, **limits)) as room,
        Listener(room.port, SPOT),
        Listener(room.port, SPOT) as second,
    ):
        answer = refused(room.port).response
        assert answer.status_code == 503
        assert json.loads(answer.body) == {"code": -1008, "message": words}
        assert answer.headers["retry-after"] == "1"
        second.close()
        with Listener(room.port, SPOT) as third:
            assert third.settle() == []


def test_streams_do_not_use_up_the_connections_of_requests() -> None:
    http = HttpLimits(connections_per_ip=2)
    with ListeningRoom(SocketLimits(session=PATIENT), http) as room:
        listeners = [Listener(room.port, SPOT) for _ in range(4)]
        assert room.client().get("/api/v3/ping").status == 200
        for listener in listeners:
            assert listener.settle() == []
            listener.close()


def test_attempts_are_counted() -> None:
    with ListeningRoom(SocketLimits(attempts=3)) as room:
        for _ in range(3):
            Listener(room.port, SPOT).close()
        answer = refused(room.port).response
        assert answer.status_code == 429
        assert json.loads(answer.body)["code"] == -1003
        assert 0 < int(answer.headers["retry-after"]) <= 301


# -- turns ------------------------------------------------------------------------------------


def test_a_piece_of_messages_is_served_in_turns(
    room: ListeningRoom, neighbour: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: a client that sends thousands of small messages in one piece."""
    came: list[int] = []
    served: list[int] = []
    take_turn, receive = SocketConnection._take_turn, SocketConnection._receive

    def noted_turn(self: SocketConnection, data: bytes) -> None:
        came.append(len(data))
        take_turn(self, data)

    def noted(self: SocketConnection, data: bytes) -> None:
        served.append(len(data))
        receive(self, data)

    monkeypatch.setattr(SocketConnection, "_take_turn", noted_turn)
    monkeypatch.setattr(SocketConnection, "_receive", noted)
    told = b'{"method":"PING","id":1}'
    frame = bytes((0x81, 0x80 | len(told))) + bytes(4) + told  # masked with zeros
    with Listener(room.port, SPOT) as listener:
        listener.socket.socket.sendall(frame * 10_000)
        heard = [listener.receive() for _ in range(10)]
        assert len(heard) == 10
        neighbour.settle()
    assert max(came) > TURN, "it did not come in one piece"
    assert max(served) == TURN
