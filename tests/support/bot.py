"""Bots for crash tests that start fast; the first argument says how this one goes wrong."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import time
from typing import Any
from urllib.parse import urlsplit

from venue.api import signing

MODE = sys.argv[1]
SERVER = urlsplit(os.environ["VENUE_URL"]).netloc


def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """An answer's JSON; None when it was lost or refused."""
    stamp = str(time.time_ns() // 1_000_000).encode()
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
    assert ask("GET", "/_venue/owners") is None  # what is the venue's people's
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


if MODE != "silent":
    vars(sys.modules[__name__])[MODE]()
