"""Signed requests of `bench.gateway`, written to a file that a load generator sends."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from venue.api import signing

REQUESTS: Final = 200_000  # more than the floor answers in the time
BATCHES: Final = 90_000  # more than the floor answers in the time, too
BATCH: Final = 10
AHEAD_MS: Final = 4_000  # of the file's timestamps: its last request is still in the window
PRICE: Final = 6_400_000  # ticks of 0.01


class Key(NamedTuple):
    """One API key, as `/_venue/keys` showed it."""

    key: str
    secret: str
    passphrase: str


def now() -> int:
    return time.time_ns() // 1_000_000


def write_orders(path: Path, keys: list[Key]) -> None:
    """Half of the orders rest, half take one that rests: the book stays as deep as it is."""
    random = Random(5)
    stamp = now() + AHEAD_MS
    with path.open("wb") as file:
        for number in range(REQUESTS):
            side, price = next_order(random, number)
            name = f"{stamp}-{number:021d}"
            key = keys[random.randrange(len(keys))]
            request = order(key, side, price, name, stamp + number % 1000)
            file.write(b"%06d" % len(request) + request)


def next_order(random: Random, number: int) -> tuple[str, int]:
    away = random.randint(1, 20)
    return (
        ("SELL", PRICE + away),
        ("BUY", PRICE - away),
        ("BUY", PRICE + 30),
        ("SELL", PRICE - 30),
    )[number % 4]


def order(key: Key, side: str, price: int, name: str, stamp: int) -> bytes:
    body = (
        f'{{"symbol":"BTCUSDT","side":"{side}","type":"LIMIT","timeInForce":"GTC",'
        f'"quantity":"0.00150","price":"{price // 100}.{price % 100:02d}",'
        f'"newClientOrderId":"{name}"}}'
    )
    return signed(key, "POST", "/api/v3/order", body.encode(), stamp)


def write_batches(path: Path, keys: list[Key]) -> None:
    random = Random(6)
    stamp = now() + AHEAD_MS
    with path.open("wb") as file:
        for number in range(BATCHES):
            orders = []
            for item in range(BATCH):
                side, price = next_order(random, number * BATCH + item)
                orders.append(
                    {
                        "side": side,
                        "type": "LIMIT",
                        "timeInForce": "GTC",
                        "quantity": "0.00150",
                        "price": f"{price // 100}.{price % 100:02d}",
                        "newClientOrderId": f"batch-{number:020d}-{item}",
                    }
                )
            body = json.dumps({"symbol": "BTCUSDT", "orderList": orders}).encode()
            key = keys[random.randrange(len(keys))]
            request = signed(key, "POST", "/api/v3/order/batch", body, stamp + number % 1000)
            file.write(b"%06d" % len(request) + request)


def signed(key: Key, method: str, path: str, body: bytes, stamp: int) -> bytes:
    timestamp = b"%d" % stamp
    text = signing.payload(timestamp, method.encode(), path.encode(), b"", body)
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n"
        f"Accept: application/json\r\nContent-Type: application/json\r\n"
        f"ACCESS-KEY: {key.key}\r\nACCESS-PASSPHRASE: {key.passphrase}\r\n"
        f"ACCESS-TIMESTAMP: {stamp}\r\n"
        f"ACCESS-SIGN: {signing.sign(key.secret.encode(), text).decode()}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
