"""Orders over private sockets against the same orders over REST, as many in flight."""

from __future__ import annotations

import select
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Final

from bench import compiled, gateway, signed_orders, streams
from bench.gateway import Figures, Server
from bench.signed_orders import PRICE, Key
from bench.stream_reader import CHUNK, Known, Subscriber
from bench.table import Row, Section
from venue.api import signing

ROUNDS: Final = 3  # interleaved; the fastest run of each door counts
IN_FLIGHT: Final = gateway.CONNECTIONS  # orders in all, over as many connections or fewer
FEW: Final = 8  # sockets, with as many orders in flight each
PREPARED: Final = 150_000  # orders, more than are answered in the time
LAST_S: Final = 5.0  # for the answers that are still to come
AIM: Final = 1.5  # of the rate over REST
KINDS: Final = (
    ("SELL", PRICE + 1),
    ("BUY", PRICE - 1),
    ("BUY", PRICE + 30),
    ("SELL", PRICE - 30),
)


def run() -> Section:
    """Measure with the server on the first core; wrk, or the sockets' client, on the last."""
    for command, package in (("wrk", "wrk"), ("taskset", "util-linux")):
        if shutil.which(command) is None:
            return Section([], [], gateway.MISSING.format(command, package))
    problem = compiled.build()
    if problem:
        return Section([], [], problem)
    doors: dict[str, list[Figures]] = {"REST": [], "few": [], "many": []}
    with tempfile.TemporaryDirectory() as name, streams._alone():
        folder = Path(name)
        keys = gateway._prepare(folder)
        requests = folder / "requests"
        with streams._venue(folder, keys, depth_ms=500) as server:
            # Frames are kept for owners that listened once: both doors' owners are such.
            for trader in _traders(server, keys, len(keys), 0):
                trader.socket.close()
            for _ in range(ROUNDS):
                signed_orders.write_orders(requests, keys)
                doors["REST"].append(gateway._measured(server, requests))
                doors["few"].append(_entered(server, keys, FEW))
                doors["many"].append(_entered(server, keys, IN_FLIGHT))
    best = {door: gateway._median(runs) for door, runs in doors.items()}
    faults = [
        f"{door}: {figures.refused} answers were no 200, {figures.broken} connections broke"
        for door, figures in best.items()
        if figures.refused or figures.broken
    ]
    note = f"{IN_FLIGHT} orders in flight; best of {ROUNDS} x {gateway.SECONDS} s; compiled core;"
    notes = [
        f"{note} floor: REST over {gateway.CONNECTIONS} connections, by wrk",
        f"the aim for many orders in flight is {AIM} times the rate over REST",
    ]
    return Section(_rows(best), notes, "; ".join(faults))


def _rows(best: dict[str, Figures]) -> list[Row]:
    rest, few, many = best["REST"], best["few"], best["many"]
    unit = "orders/s"
    what = f"ORDER.PLACE, {FEW} sockets, {IN_FLIGHT // FEW} in flight each"
    single = f"ORDER.PLACE, {IN_FLIGHT} sockets, 1 in flight each"
    return [
        Row(what=what, measured=few.rate, floor=rest.rate, unit=unit),
        Row(what="  p50", measured=few.p50, floor=rest.p50, unit="ms"),
        Row(what="  p99", measured=few.p99, floor=rest.p99, unit="ms"),
        Row(what=single, measured=many.rate, floor=rest.rate, unit=unit),
        Row(what="  p50", measured=many.p50, floor=rest.p50, unit="ms"),
        Row(what="  p99", measured=many.p99, floor=rest.p99, unit="ms"),
    ]


class _Trader:
    """One socket; after so many answers it sends as many orders again."""

    def __init__(self, server: Server, key: Key, stamp: int, orders: Iterator[bytes]) -> None:
        text = signing.websocket_payload(b"%d" % stamp)
        headers = {
            "ACCESS-KEY": key.key,
            "ACCESS-PASSPHRASE": key.passphrase,
            "ACCESS-TIMESTAMP": str(stamp),
            "ACCESS-SIGN": signing.sign(key.secret.encode(), text).decode(),
        }
        self._orders = orders
        self._subscriber = Subscriber(server.port, streams.PRIVATE, Known(), headers)
        self._subscriber.counting = True
        self._sent: list[int] = []
        self.socket = self._subscriber.socket
        self.waits: list[int] = []  # ns, in the order of the answers
        self.refused = 0

    def send(self, number: int) -> None:
        """Send the next orders, in one piece."""
        self.socket.sendall(b"".join([next(self._orders) for _ in range(number)]))
        self._sent += [time.perf_counter_ns()] * number

    def read(self) -> int:
        """Take all bytes; the number of answers in them, -1 when the connection broke."""
        data = self.socket.recv(CHUNK)
        self.refused += data.count(b'"error":')
        before = self._subscriber.count
        self._subscriber.take(data, 0)
        now, first = time.perf_counter_ns(), len(self.waits)
        answers = self._subscriber.count - before
        self.waits += [now - sent for sent in self._sent[first : first + answers]]
        return -1 if self._subscriber.closed or not data else answers

    def in_flight(self) -> int:
        """Orders without an answer."""
        return len(self._sent) - len(self.waits)


_names = count()


def _orders(number: int) -> Iterator[bytes]:
    """Half of them rest, half take one that rests, as those of `gateway` do. These rest at the best
    price and are taken first: the book's orders are of many owners, and one has 200 at most."""
    for place in count(number):
        side, price = KINDS[place % len(KINDS)]
        data = (
            f'{{"method":"ORDER.PLACE","id":{place},"params":{{"symbol":"BTCUSDT","side":"{side}",'
            f'"type":"LIMIT","timeInForce":"GTC","quantity":"0.00150",'
            f'"price":"{price // 100}.{price % 100:02d}",'
            f'"newClientOrderId":"socket-{next(_names):028d}"}}}}'
        ).encode()
        assert 126 <= len(data) < 2**16
        yield bytes((0x81, 0xFE)) + len(data).to_bytes(2, "big") + bytes(4) + data


def _traders(server: Server, keys: list[Key], sockets: int, orders: int) -> list[_Trader]:
    """Sockets of as many owners as there are, with so many orders each."""
    stamp = signed_orders.now()
    return [
        _Trader(
            server,
            keys[number % len(keys)],
            stamp + number,
            iter(list(islice(_orders(number), orders))),
        )
        for number in range(sockets)
    ]


def _entered(server: Server, keys: list[Key], sockets: int) -> Figures:
    """The figures of so many sockets; orders are made beforehand, as wrk's are."""
    traders = _traders(server, keys, sockets, PREPARED // sockets)
    by_descriptor = {trader.socket.fileno(): trader for trader in traders}
    broken = 0
    with streams._reading(), select.epoll() as epoll:
        for descriptor in by_descriptor:
            epoll.register(descriptor, select.EPOLLIN)
        began = time.perf_counter()
        for trader in traders:
            trader.send(IN_FLIGHT // sockets)
        end = began + gateway.SECONDS
        while (now := time.perf_counter()) < end:
            for descriptor, _ in epoll.poll(end - now):
                trader = by_descriptor[descriptor]
                answers = trader.read()
                if answers < 0:
                    broken += 1
                    epoll.unregister(descriptor)
                elif answers:
                    trader.send(answers)
        answered = sum(len(trader.waits) for trader in traders)
        while any(trader.in_flight() for trader in traders):
            ready = epoll.poll(LAST_S)
            if not ready:
                broken += 1
                break
            for descriptor, _ in ready:
                by_descriptor[descriptor].read()
    for trader in traders:
        trader.socket.close()
    waits = [wait for trader in traders for wait in trader.waits]
    return Figures(
        answered / gateway.SECONDS,
        streams._at(waits, 0.5),
        streams._at(waits, 0.99),
        sum(trader.refused for trader in traders),
        broken,
    )
