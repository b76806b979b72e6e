"""Depth streams to many subscribers: delivery, saturation, orders beside them, stalled readers."""

from __future__ import annotations

import gc
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

import msgspec

from bench import compiled, gateway, signed_orders
from bench.gateway import Figures, Server
from bench.signed_orders import Key
from bench.stream_app import FEED_S
from bench.stream_desk import Desk, Frames
from bench.stream_reader import Known, Loop, Subscriber
from bench.table import Row, Section
from venue.api import signing

SUBSCRIBERS: Final = 200
RATE: Final = 250  # orders, so depth frames, a second
CHANNEL: Final = "BTCUSDT@depth15"
QUIET_CHANNEL: Final = "ETHUSDT@depth15"  # without trades and orders
BIG_CHANNEL: Final = "BTCUSDT@kline_1m_LAST_PRICE"  # a first frame of many KB
PUBLIC: Final = "/spot/v3/ws/public"
PRIVATE: Final = "/spot/v3/ws/private"
DELIVERY_S: Final = 20.0
ANSWERS_S: Final = 2.0
SATURATED_S: Final = 2.0  # how long the server is fed
WRK_S: Final = 2
WRK_ROUNDS: Final = 1
READ_S: Final = 0.02  # beside wrk, readers look this seldom: they share its core
WRK_REQUESTS: Final = 30_000  # more than are answered in the time
CROWD: Final = 1_000
STALLED: Final = 100
CROWD_RATE: Final = 40
CROWD_S: Final = 1.0
CROWD_ROUNDS: Final = 9  # the p99 of one is that of its slowest order: the median of all counts
STALLED_BUFFER: Final = 32 * 1024
STALLING: Final = 60  # requests whose answers a stalled reader leaves: more than buffers hold
KEPT: Final = 0.7  # of the order throughput, beside busy subscribers
SLOWER: Final = 1.2  # p99 beside stalled readers, at most
MS: Final = 1_000_000


def run() -> Section:
    """Measure on loopback: the servers on the first core, readers and senders on the last."""
    for command, package in (("wrk", "wrk"), ("taskset", "util-linux")):
        if shutil.which(command) is None:
            return Section([], [], gateway.MISSING.format(command, package))
    problem = compiled.build()
    if problem:
        return Section([], [], problem)
    rows: list[Row] = []
    faults: list[str] = []
    note = f"{SUBSCRIBERS} subscribers of {CHANNEL}; the server on one core, readers on another;"
    notes = [
        note + " delivery: from the sending of the order to the frame of a subscriber",
        "an `orders` frame is before its answer (below 0) when one poll finds both",
    ]
    with tempfile.TemporaryDirectory() as name, _alone():
        folder = Path(name)
        keys = gateway._prepare(folder)
        with _venue(folder, keys, depth_ms=0) as server:
            desk = Desk(server, keys[0], keys[1])
            rows += _answers(desk, faults)
            rows += _delivery(desk, faults)
            rows += _crowd(desk, faults)
            desk.close()
        rows += _saturation(folder, faults, notes)
        with _venue(folder, keys, depth_ms=1000 // RATE) as server:
            rows += _throughput(folder, server, keys, faults)
    return Section(rows, notes, "; ".join(faults))


@contextmanager
def _alone() -> Iterator[None]:
    """No collections in this process while it measures."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


@contextmanager
def _reading() -> Iterator[None]:
    """The readers' core for this thread; servers that are started may still choose."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [max(cores)])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def _venue(folder: Path, keys: list[Key], depth_ms: int) -> Iterator[Server]:
    """A venue on a copy of the prepared state, which has seen each key's passphrase once."""
    copied = Path(tempfile.mkdtemp(dir=folder))
    for path in folder.glob("base*"):
        shutil.copy2(path, copied / path.name)
    arguments = ["bench.stream_app", "venue", str(copied / "base"), str(depth_ms)]
    with gateway._serving(folder, arguments, gateway.FAST) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for key in keys:
            asked = signed_orders.signed(key, "GET", "/api/v3/account", b"", signed_orders.now())
            gateway._send(connection, asked)
        connection.close()
        gateway._set_cores(gateway._children(server.pid), gateway._cores())
        yield server


# -- the readers' messages ------------------------------------------------------------------------


def _all_lost(
    frames: Frames, subscribers: Sequence[Subscriber], what: str, faults: list[str]
) -> int:
    closed = [subscriber.closed for subscriber in subscribers if subscriber.closed]
    if closed:
        faults.append(f"{what}: {len(closed)} connections were closed: {closed[0]}")
    last = frames.last()
    return sum(frames.lost(subscriber, last) for subscriber in subscribers)


def _at(values: list[int], share: float) -> float:
    """A percentile, in ms."""
    values.sort()
    return values[min(int(len(values) * share), len(values) - 1)] / MS


def _subscribed(
    loop: Loop, server: Server, known: Known, count: int, channel: str = CHANNEL
) -> list[Subscriber]:
    subscribers = []
    for _ in range(count):
        subscriber = Subscriber(server.port, PUBLIC, known)
        subscriber.subscribe(channel)
        loop.add(subscriber)
        subscribers.append(subscriber)
    loop.quiet()
    return subscribers


# -- measurements ---------------------------------------------------------------------------------


def _answers(desk: Desk, faults: list[str]) -> list[Row]:
    """Measure the time from an order's answer over REST to its `orders` frame."""
    known = Known()
    stamp = str(signed_orders.now())
    sign = signing.sign(desk.buyer.secret.encode(), signing.websocket_payload(stamp.encode()))
    headers = {
        "ACCESS-KEY": desk.buyer.key,
        "ACCESS-PASSPHRASE": desk.buyer.passphrase,
        "ACCESS-TIMESTAMP": stamp,
        "ACCESS-SIGN": sign.decode(),
    }
    subscriber = Subscriber(desk.server.port, PRIVATE, known, headers)
    subscriber.subscribe("orders")
    with _reading():
        desk.loop.add(subscriber)
        desk.loop.quiet()
        desk.loop.run(ANSWERS_S, desk.orders(int(ANSWERS_S * RATE)))
        desk.loop.quiet()
    messages = [msgspec.json.decode(item) for item in known.messages()]
    delays: dict[str, int] = {}
    for number, when in zip(subscriber.told, subscriber.times, strict=True):
        for item in messages[number].get("d", []):
            name = item["clientOrderId"]
            if name not in delays:  # the frame that says that it rests
                delays[name] = when - desk.door.answered[int(name.removeprefix("stream-"))]
    if len(delays) * 2 != len(desk.door.sent) or desk.door.refused:
        faults.append(f"{len(desk.door.sent) // 2} orders rested, {len(delays)} were told of")
    desk.loop.drop(subscriber)
    subscriber.socket.close()
    what = "REST answer to `orders` frame"
    return [
        Row(what=f"{what}, p50", measured=_at(list(delays.values()), 0.5), unit="ms"),
        Row(what=f"{what}, p99", measured=_at(list(delays.values()), 0.99), unit="ms"),
    ]


def _delivery(desk: Desk, faults: list[str]) -> list[Row]:
    """Measure a steady rate of frames to all subscribers."""
    known = Known()
    with _reading():
        subscribers = _subscribed(desk.loop, desk.server, known, SUBSCRIBERS)
        desk.loop.run(DELIVERY_S, desk.orders(int(DELIVERY_S * RATE)))
        desk.loop.quiet()
    frames = Frames(known, desk.door)
    lost = _all_lost(frames, subscribers, "delivery", faults)
    count = sum(1 for origin in frames.origins if origin)
    sent = desk.door.sent
    delays: list[int] = []
    for subscriber in subscribers:
        delays += frames.delays(subscriber, sent[0], sent[-1])
    if desk.door.refused:
        faults.append(f"{desk.door.refused} orders were refused")
    for subscriber in subscribers:
        desk.loop.drop(subscriber)
        subscriber.socket.close()
    return [
        Row(what="depth frames, each to all", measured=count / DELIVERY_S, unit="frames/s"),
        Row(what="  frames lost", measured=lost, unit="frames", needed=0, at_most=True),
        Row(what="  delivery, p50", measured=_at(delays, 0.5), unit="ms"),
        Row(what="  delivery, p99", measured=_at(delays, 0.99), unit="ms"),
    ]


def _crowd(desk: Desk, faults: list[str]) -> list[Row]:
    """Measure most of many connections, while all read and while some have stopped."""
    known = Known()
    loop = desk.loop
    slowest: dict[bool, list[float]] = {False: [], True: []}  # p99 of each round
    with _reading():
        others = _subscribed(loop, desk.server, known, CROWD - STALLED)
        stalled = [
            Subscriber(desk.server.port, PUBLIC, known, buffer=STALLED_BUFFER)
            for _ in range(STALLED)
        ]
        for subscriber in stalled:
            subscriber.subscribe(CHANNEL)
            loop.add(subscriber)
        loop.quiet()
        spans: list[tuple[bool, int, int]] = []
        for _ in range(CROWD_ROUNDS):
            for stalling in (False, True):
                for subscriber in stalled if stalling else ():
                    loop.drop(subscriber)
                    for _ in range(STALLING):
                        subscriber.subscribe(BIG_CHANNEL)
                loop.quiet()
                requests = desk.orders(int(CROWD_S * CROWD_RATE))
                since = len(desk.door.sent)
                loop.run(CROWD_S, requests)
                loop.quiet()
                spans.append((stalling, since, len(desk.door.sent)))
                for subscriber in stalled if stalling else ():
                    loop.add(subscriber)
            loop.quiet()
    frames = Frames(known, desk.door)
    lost = _all_lost(frames, [*others, *stalled], "crowd", faults)
    for stalling, first, end in spans:
        since, until = desk.door.sent[first], desk.door.sent[end - 1]
        delays: list[int] = []
        for subscriber in others:
            delays += frames.delays(subscriber, since, until)
        slowest[stalling].append(_at(delays, 0.99))
    for subscriber in (*others, *stalled):
        loop.drop(subscriber)
        subscriber.socket.close()
    what = f"{CROWD:,} connections"
    return [
        Row(what=f"{what}, frames lost", measured=lost, unit="frames", needed=0, at_most=True),
        Row(
            what=f"  delivery, p99: {STALLED} stalled, floor: none",
            measured=median(slowest[True]),
            floor=median(slowest[False]),
            unit="ms",
            needed=SLOWER,
            at_most=True,
        ),
    ]


def _saturation(folder: Path, faults: list[str], notes: list[str]) -> list[Row]:
    """Measure as many frames as a venue in memory makes, and the last of them sent bare."""
    arguments = ["bench.stream_app", "venue", "", "0"]
    with gateway._serving(folder, arguments, gateway.FAST) as server:
        gateway._set_cores(gateway._children(server.pid), gateway._cores())
        known = Known()
        venue, venue_busy = _saturated(server, known, CHANNEL, faults)
    payload = folder / "payload"
    payload.write_bytes(known.messages()[-1])
    with gateway._serving(folder, ["bench.stream_app", "floor", str(payload)]) as server:
        floor, floor_busy = _saturated(server, Known(), "", faults)
    notes.append(
        f"at saturation the readers' core was busy {venue_busy:.0%} (venue), {floor_busy:.0%}"
        f" (bare broadcast); a frame is {payload.stat().st_size} bytes"
    )
    return [
        Row(
            what="saturated; floor: bare websockets broadcast",
            measured=venue,
            floor=floor,
            unit="messages/s",
        )
    ]


def _saturated(
    server: Server, known: Known, channel: str, faults: list[str]
) -> tuple[float, float]:
    """Messages received in a second while the server is fed; how busy this process was."""
    loop = Loop()
    subscribers = []
    with _reading():
        for _ in range(SUBSCRIBERS):
            subscriber = Subscriber(server.port, PUBLIC, known)
            if channel:
                subscriber.subscribe(channel)
            loop.add(subscriber)
            subscribers.append(subscriber)
        loop.quiet()
        os.kill(server.pid, signal.SIGUSR1)
        loop.run((FEED_S - SATURATED_S) / 2)
        for subscriber in subscribers:
            subscriber.counting = True
        began, busy = time.perf_counter(), time.process_time()
        loop.run(SATURATED_S)
        took, busy = time.perf_counter() - began, time.process_time() - busy
        count = sum(subscriber.count for subscriber in subscribers)
        for subscriber in subscribers:
            subscriber.counting = False
        loop.quiet(0.6)
    closed = [subscriber.closed for subscriber in subscribers if subscriber.closed]
    if closed:
        faults.append(f"saturation: {len(closed)} connections were closed: {closed[0]}")
    loop.close(subscribers)
    return count / took, busy / took


def _throughput(folder: Path, server: Server, keys: list[Key], faults: list[str]) -> list[Row]:
    """Measure REST orders beside idle and busy subscribers, in turns; the faster run counts."""
    known = Known()
    loop = Loop()
    requests = folder / "requests"
    subscribers = _subscribed(loop, server, known, SUBSCRIBERS, QUIET_CHANNEL)
    best: dict[str, Figures] = {}
    frames = 0
    for turn in range(WRK_ROUNDS):
        for kind, channel in (("idle", QUIET_CHANNEL), ("busy", CHANNEL)):
            _write_orders(requests, keys, turn)
            for subscriber in subscribers:
                subscriber.subscribe(channel)
            loop.quiet()
            before = len(subscribers[0].told)
            figures = _wrk_beside(loop, server, requests)
            loop.quiet()
            if kind == "busy":
                frames = max(frames, len(subscribers[0].told) - before)
                for subscriber in subscribers:
                    subscriber.subscribe(channel, method="UNSUBSCRIBE")
                loop.quiet()
            if figures.refused or figures.broken:
                faults.append(f"{kind}: {figures.refused} refused, {figures.broken} broken")
            if kind not in best or figures.rate > best[kind].rate:
                best[kind] = figures
    closed = [subscriber.closed for subscriber in subscribers if subscriber.closed]
    if closed:
        faults.append(f"orders: {len(closed)} connections were closed: {closed[0]}")
    loop.close(subscribers)
    idle, busy = best["idle"], best["busy"]
    return [
        Row(
            what=f"POST order, {SUBSCRIBERS} busy subscribers, floor: idle",
            measured=busy.rate,
            floor=idle.rate,
            unit="requests/s",
            needed=KEPT,
        ),
        Row(what="  p99", measured=busy.p99, floor=idle.p99, unit="ms"),
        Row(what="  depth frames, each to all", measured=frames / WRK_S, unit="frames/s"),
    ]


def _wrk_beside(loop: Loop, server: Server, requests: Path) -> Figures:
    """The figures of wrk while the subscribers read."""
    command = ["taskset", "-c", gateway._cores()[-1], "wrk", "--latency", "-t1"]
    command += [f"-c{gateway.CONNECTIONS}", f"-d{WRK_S}s", "-s", str(gateway.SCRIPT)]
    command.append(f"http://127.0.0.1:{server.port}/")
    environment = {**os.environ, "BENCH_REQUESTS": str(requests)}
    with _reading():
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        while running.poll() is None:
            loop.quiet(0.0)
            time.sleep(READ_S)
    assert running.stdout is not None
    return gateway._figures(running.stdout.read())


def _write_orders(path: Path, keys: list[Key], turn: int) -> None:
    """Half of the orders rest, half take one that rests."""
    random = Random(turn)
    stamp = signed_orders.now() + signed_orders.AHEAD_MS
    with path.open("wb") as file:
        for number in range(WRK_REQUESTS):
            side, price = signed_orders.next_order(random, number)
            key = keys[random.randrange(len(keys))]
            name = f"{stamp}-{number:021d}"
            request = signed_orders.order(key, side, price, name, stamp + number % 1000)
            file.write(b"%06d" % len(request) + request)
