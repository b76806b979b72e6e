"""Objects that clients leave are freed at once: nothing waits for a garbage collection."""

from __future__ import annotations

import json
import signal
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.garbage import REPORT
from support.listening import Listener, login
from support.server import Server

TIMES = 50
PUBLIC = "/v3/ws/public"
PRIVATE = "/v3/ws/private"
RESET = struct.pack("ii", 1, 0)


def garbage(server: Server) -> dict[str, int]:
    """The types of what only a collection freed since the last call."""
    report = server.folder / REPORT
    report.unlink(missing_ok=True)
    server.process.send_signal(signal.SIGUSR1)
    while not report.exists():
        assert server.process.poll() is None
    found: dict[str, int] = json.loads(report.read_text())
    return found


def requests(server: Server, account: dict[str, Any]) -> None:
    client = server.client(account)
    client.get("/api/v3/openOrders")
    client.get("/api/v3/order?symbol=BTCUSDT&orderId=5")
    client.post("/api/v3/order", {"symbol": "NONE"})
    client.get("/nothing/here")
    client.close()


def public(server: Server, _: dict[str, Any]) -> None:
    listener = Listener(server.port, PUBLIC)
    listener.subscribe("BTCUSDT@ticker")
    listener.close()


def private(server: Server, account: dict[str, Any]) -> None:
    listener = Listener(server.port, PRIVATE, login(account))
    listener.ask({"method": "PING", "id": 0})
    listener.ask({"method": "no such method", "id": 1})
    listener.close()


def reset(server: Server, _: dict[str, Any]) -> None:
    listener = Listener(server.port, PUBLIC)
    listener.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    listener.socket.socket.shutdown(socket.SHUT_RDWR)
    with pytest.raises(ConnectionClosed):
        listener.receive()
    listener.close()


def refused(server: Server, _: dict[str, Any]) -> None:
    with pytest.raises(InvalidStatus):
        Listener(server.port, PRIVATE)


def no_http(server: Server, _: dict[str, Any]) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(b"NO HTTP\r\n\r\n")
        raw.recv(1_000)


def test_clients_leave_no_garbage(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path, program=("support.garbage",)) as server:
        account = server.account("alice")
        garbage(server)  # that of the start
        for visit in (requests, public, private, reset, refused, no_http):
            for _ in range(TIMES):
                visit(server, account)
            assert (visit.__name__, garbage(server)) == (visit.__name__, {})
