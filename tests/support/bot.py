"""Bots for crash tests that start fast; the first argument says how this one goes wrong."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from venue.api import signing
from venue.candles import INTERVALS

MODE = sys.argv[1]
STAMPS = [0]
SERVER = urlsplit(os.environ["VENUE_URL"]).netloc


def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """An answer's JSON; None when it was lost or refused."""
    STAMPS.append(max(STAMPS[-1] + 1, time.time_ns() // 1_000_000))  # no two are equal
    stamp = b"%d" % STAMPS[-1]
    text = json.dumps(body).encode() if body else b""
    plain, _, query = path.partition("?")
    parts = (stamp, method.encode(), plain.encode(), query.encode(), text)
    head = {
        "ACCESS-KEY": os.environ["VENUE_KEY"],
        "ACCESS-PASSPHRASE": os.environ["VENUE_PASSPHRASE"],
        "ACCESS-TIMESTAMP": stamp.decode(),
        "ACCESS-SIGN": signing.sign(
            os.environ["VENUE_SECRET"].encode(), signing.payload(*parts)
        ).decode(),
        "Content-Type": "application/json",
    }
    connection = http.client.HTTPConnection(SERVER, timeout=30)
    try:
        connection.request(method, path, text or None, head)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        return told if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def placed() -> Any:
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01"}
    return ask("POST", "/api/v3/order", {**order, "price": "40000"})


def cancel_all() -> None:
    while ask("DELETE", "/api/v3/openOrders?symbol=BTCUSDT") is None:
        pass


def repeats() -> None:
    assert ask("GET", "/_venue/owners") is None  # only operators may ask this
    for _ in range(3):
        while placed() is None:
            pass
    cancel_all()


def leaves() -> None:
    placed()


def hangs() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ask("GET", "/api/v3/account/")
    child = os.fork()  # a process of its own that ignores the signal too
    if child:
        with open(sys.argv[2], "w") as file:
            file.write(str(child))
    time.sleep(600)


def floods() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        ask("GET", "/api/v3/time")


def opened(path: str = "/public") -> socket.socket:
    """A socket of the venue's, upgraded by hand."""
    where = urlsplit(os.environ["VENUE_WS_SPOT"] + path)
    made = socket.create_connection((where.hostname, where.port), 30)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.sendall(
        f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    said = b""
    while b"\r\n\r\n" not in said:
        said += made.recv(1)
    assert b" 101 " in said, said
    return made


def await_close(stream: socket.socket, code: int) -> None:
    """Read until the venue closes the stream with a code, or it is gone."""
    heard = b"?"
    with suppress(OSError):
        while code.to_bytes(2) not in heard[-2048:]:
            piece = stream.recv(1024)
            if not piece:
                return
            heard += piece


def text(words: str) -> bytes:
    """A client's frame, under a mask that changes nothing."""
    data = words.encode()
    return b"\x81" + struct.pack(">BH", 0xFE, len(data)) + bytes(4) + data


def sockets() -> None:
    held = [opened() for _ in range(200)]
    assert len(held) == 200, "the venue let all of them in"


def unread() -> None:
    names = [f"BTCUSDT@kline_{interval}_LAST_PRICE" for interval in INTERVALS]
    stream = opened()
    for _ in range(60):  # each begins with a hundred candles
        for method in ("SUBSCRIBE", "UNSUBSCRIBE"):
            stream.sendall(text(json.dumps({"method": method, "params": names})))
            time.sleep(0.02)  # a stream that ends at once begins with none
    ask("GET", "/api/v3/time")
    with suppress(OSError):
        while True:  # until it is gone
            stream.sendall(b"\x8a\x80" + bytes(4))
            time.sleep(0.1)


def garbage() -> None:
    stream = opened()
    stream.sendall(bytes(range(131, 256)))
    await_close(stream, 1002)
    ask("GET", "/api/v3/time")


def nonsense() -> None:
    stream = opened()
    for _ in range(200):
        stream.sendall(text("buy low, sell high"))
    await_close(stream, 1008)
    ask("GET", "/api/v3/time")


def blind() -> None:
    """Has a stream show it a book, and never looks."""
    stream = opened()
    stream.sendall(text(json.dumps({"method": "SUBSCRIBE", "params": ["BTCUSDT@depth15"]})))
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.001"}
    for number in range(16):
        name = f"plan-{number}"
        given = {"price": "40000", "timeInForce": "IOC", "newClientOrderId": name}
        assert ask("POST", "/api/v3/order", {**order, **given}) is not None
    stream.close()


if MODE != "silent":
    vars(sys.modules[__name__])[MODE]()
