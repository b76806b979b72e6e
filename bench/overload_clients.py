"""The clients of `bench.overload`, each kind in a process of its own; results go to a JSON file.

`flood KEYS PORT OUT CONNECTIONS RATE SECONDS`: a few owners send orders as fast as RATE (0: as fast
as they can) over many connections, whatever the answers; Retry-After is counted and ignored.
`healthy KEYS PORT OUT SECONDS`: a few clients place an order that rests and cancel it, some times a
second each; every answer is noted with its time.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from collections import Counter, deque
from pathlib import Path
from random import Random
from typing import Any, Final

from bench import signed_orders
from bench.signed_orders import PRICE, Key
from venue.api import signing

FLOODING: Final = 4  # owners
HEALTHY: Final = 10  # owners, each over one connection
PAUSE_S: Final = 0.2  # between two requests of a healthy client, on average
NICE: Final = 10  # the flood must not keep the other clients from reading their clocks
BEYOND: Final = 5_000  # ticks below the book's middle, where no order trades
WAIT_S: Final = 10.0


class Signer:
    """Signed requests of one key."""

    def __init__(self, key: Key) -> None:
        self._key = key
        self._mac = signing.Mac(key.secret.encode())
        self._head = (
            f" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"ACCESS-KEY: {key.key}\r\nACCESS-PASSPHRASE: {key.passphrase}\r\n"
        ).encode()

    def place(self, side: str, price: int, name: str) -> bytes:
        """A limit order."""
        body = (
            f'{{"symbol":"BTCUSDT","side":"{side}","type":"LIMIT","timeInForce":"GTC",'
            f'"quantity":"0.00150","price":"{price // 100}.{price % 100:02d}",'
            f'"newClientOrderId":"{name}"}}'
        ).encode()
        return self._signed(b"POST", b"/api/v3/order", b"", body)

    def cancel(self, name: str) -> bytes:
        """The cancellation of an order."""
        return self._signed(b"DELETE", b"/api/v3/order", b"origClientOrderId=%s" % name.encode())

    def _signed(self, method: bytes, path: bytes, query: bytes, body: bytes = b"") -> bytes:
        stamp = b"%d" % (time.time_ns() // 1_000_000)
        text = signing.payload(stamp, method, path, query, body)
        signature = signing.encode(self._mac.digest(text))
        target = path + b"?" + query if query else path
        return b"%s %s%sACCESS-TIMESTAMP: %s\r\nACCESS-SIGN: %s\r\nContent-Length: %d\r\n\r\n%s" % (
            method, target, self._head, stamp, signature, len(body), body,
        )  # fmt: skip


def _connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), WAIT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setblocking(False)
    return connection


def flood(keys: list[Key], port: int, connections: int, rate: float, seconds: float) -> Any:
    """The outcome: answers by status, those with Retry-After, and the number of orders that were
    not sent because no connection was free."""
    os.nice(NICE)
    signers = [Signer(key) for key in keys[:FLOODING]]
    random = Random(os.getpid())
    poll = select.epoll()
    sockets = [_connected(port) for _ in range(connections)]
    found = {one.fileno(): one for one in sockets}
    for number in found:
        poll.register(number, select.EPOLLIN)
    free = deque(sockets)
    answers: Counter[str] = Counter()
    told = sent = 0
    began = time.monotonic()
    run = f"{os.getpid()}-{time.time_ns() // 1_000_000}"
    while (elapsed := time.monotonic() - began) < seconds:
        due = int(rate * elapsed) - sent if rate else len(free)
        for _ in range(min(due, len(free), 64)):
            side, price = signed_orders.next_order(random, sent)
            request = signers[sent % FLOODING].place(side, price, f"{run}-{sent}")
            free.popleft().send(request)
            sent += 1
        for number, _ in poll.poll(0.001, 64):
            answer = found[number].recv(65_536)
            assert answer.endswith(b"}"), answer
            answers[answer[9:12].decode()] += 1
            told += b"\r\nretry-after: " in answer
            free.append(found[number])
    offered = int(rate * seconds) if rate else sent
    for one in sockets:
        one.close()
    return {
        "answers": answers, "told": told, "sent": sent, "offered": offered, "seconds": elapsed,
    }  # fmt: skip


def healthy(keys: list[Key], port: int, seconds: float) -> Any:
    """Each answer: the time of its request (s, of the monotonic clock), its kind, its wait (ms) and
    its status."""
    random = Random(7)
    poll = select.epoll()
    signers = [Signer(key) for key in keys[-HEALTHY:]]
    sockets = [_connected(port) for _ in signers]
    at = {one.fileno(): number for number, one in enumerate(sockets)}
    for number in at:
        poll.register(number, select.EPOLLIN)
    began = time.monotonic()
    due = [began + random.random() * PAUSE_S for _ in signers]
    asked: dict[int, tuple[float, str]] = {}
    placed: list[str] = [""] * HEALTHY
    answers: list[tuple[float, str, float, str]] = []
    count = 0
    while (now := time.monotonic()) < began + seconds or asked:
        for client in range(HEALTHY):
            if client in asked or now < due[client] or now >= began + seconds:
                continue
            name = placed[client]
            count += 1
            if name:
                what, request = "cancel", signers[client].cancel(name)
            else:
                name = f"healthy-{os.getpid()}-{count}"
                what, request = "place", signers[client].place("BUY", PRICE - BEYOND, name)
            placed[client] = name
            asked[client] = (time.monotonic(), what)
            sockets[client].send(request)
        for number, _ in poll.poll(max(0.0, min(min(due) - time.monotonic(), 0.005))):
            answer = sockets[at[number]].recv(65_536)
            client = at[number]
            when, what = asked.pop(client)
            answers.append((when, what, (time.monotonic() - when) * 1000, answer[9:12].decode()))
            if what == "cancel" or answer[9:12] != b"200":
                placed[client] = ""
            due[client] = when + random.expovariate(1 / PAUSE_S)
        assert now < began + seconds + WAIT_S, "no answer"
    return answers


def main(kind: str, keys_file: str, port: str, out: str, *numbers: str) -> int:
    """Run one kind of clients."""
    keys = [Key(**key) for key in json.loads(Path(keys_file).read_text())]
    if kind == "flood":
        connections, rate, seconds = numbers
        said = flood(keys, int(port), int(connections), float(rate), float(seconds))
    else:
        said = healthy(keys, int(port), float(numbers[0]))
    Path(out).write_text(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
