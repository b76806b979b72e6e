"""Bytes for a venue's door, and its answers."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from typing import Any

from support.server import Server
from support.waits import WAIT_S

LAST = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\nConnection: close\r\n\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
STREAM = (
    b"GET /v3/ws/public HTTP/1.1\r\nHost: venue\r\n%sSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n"
)
OTHER_USER = 65534  # runs nothing else on a machine


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), WAIT_S)


def read_all(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(65_536):
        found += chunk
    return found


def say(server: Server, sent: bytes) -> bytes:
    """Everything the venue answers until it closes."""
    with closing(connect(server)) as connection:
        connection.sendall(sent)
        return read_all(connection)


def ask(server: Server, *lines: bytes, path: bytes = b"/api/v3/ping") -> tuple[int, dict[str, Any]]:
    """Status and body of one request with these headers."""
    head = b"\r\n".join([b"GET %s HTTP/1.1" % path, *lines, b"Connection: close", b"", b""])
    answer = say(server, head)
    return int(answer.split()[1]), json.loads(answer.partition(b"\r\n\r\n")[2])
