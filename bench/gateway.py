"""Signed, durable orders over HTTP, driven by wrk, against a floor that gets the same file."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from bench import compiled
from bench.table import Row, Section
from venue.api import signing

ROOT: Final = Path(__file__).resolve().parents[1]
SCRIPT: Final = Path(__file__).with_name("gateway.lua")
CONNECTIONS: Final = 64
SECONDS: Final = 3
ROUNDS: Final = 3  # interleaved; the fastest run of each server counts
OWNERS: Final = 32
REQUESTS: Final = 130_000  # more than the floor answers in the time
BATCHES: Final = 12_000
BATCH: Final = 10
AHEAD_MS: Final = 4_000  # the file's timestamps: what is measured last is still in the window
RESTING: Final = 25  # orders per owner and side in the book before the measurement
PRICE: Final = 6_400_000  # ticks of 0.01
START_S: Final = 20
NEEDED: Final = 0.6
Environment = dict[str, str]
PLAIN: Final = {**os.environ}
FAST: Final = compiled.environment()
MISSING: Final = "{} is missing; on Debian: apt-get install {}"


class Figures(NamedTuple):
    """What wrk said: requests/s, latencies in ms, answers that were not 2xx, broken sockets."""

    rate: float
    p50: float
    p99: float
    refused: int
    broken: int


class Server(NamedTuple):
    """A running server: its process and its port."""

    pid: int
    port: int


class Key(NamedTuple):
    """One API key, as `/_venue/keys` showed it."""

    key: str
    secret: str
    passphrase: str


def run() -> Section:
    """Floor and venues (compiled, without projection, interpreted) on one file; then batches."""
    for command, package in (("wrk", "wrk"), ("taskset", "util-linux")):
        if shutil.which(command) is None:
            return Section([], [], MISSING.format(command, package))
    problem = compiled.build()
    if problem:
        return Section([], [], problem)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = _prepare(folder)
        keys_file = folder / "keys.json"
        keys_file.write_text(json.dumps([key._asdict() for key in keys]))
        requests, batches = folder / "requests", folder / "batches"
        with ExitStack() as running:
            floor_server = running.enter_context(
                _serving(folder, ["bench.floor_app", str(keys_file)])
            )
            venues = [
                running.enter_context(_copy_serving(folder, keys, *kind))
                for kind in (("on", FAST), ("off", FAST), ("on", PLAIN))
            ]
            servers = (floor_server, *venues)
            rounds: list[list[Figures]] = []
            for _ in range(ROUNDS):
                _write_orders(requests, keys)
                rounds.append([_measured(server, requests) for server in servers])
            measured = [_fastest(list(runs)) for runs in zip(*rounds, strict=True)]
            _write_batches(batches, keys)
            batched = _measured(venues[0], batches)
            _write_orders(requests, keys)
            _set_cores(_children(venues[0].pid), _cores()[:1])
            crowded = _measured(venues[0], requests)
    return _section(measured, batched, crowded)


def _section(measured: list[Figures], batched: Figures, crowded: Figures) -> Section:
    floor, venue, bare, plain = measured
    unit = "requests/s"
    rows = [
        Row(
            what="POST order, compiled core",
            measured=venue.rate,
            floor=floor.rate,
            unit=unit,
            needed=NEEDED,
        ),
        Row(what="  p50", measured=venue.p50, floor=floor.p50, unit="ms"),
        Row(what="  p99", measured=venue.p99, floor=floor.p99, unit="ms"),
        Row(
            what="  history worker on the same core",
            measured=crowded.rate,
            floor=floor.rate,
            unit=unit,
        ),
        Row(
            what="  history projection off",
            measured=bare.rate,
            floor=floor.rate,
            unit=unit,
        ),
        Row(what="    p50", measured=bare.p50, floor=floor.p50, unit="ms"),
        Row(what="    p99", measured=bare.p99, floor=floor.p99, unit="ms"),
        Row(what="POST order, interpreted core", measured=plain.rate, floor=floor.rate, unit=unit),
        Row(what="batch place of 10", measured=batched.rate * BATCH, unit="orders/s"),
    ]
    faults = [
        f"{name}: {figures.refused} answers were not 2xx, {figures.broken} sockets broke"
        for name, figures in (
            ("floor", floor),
            ("venue", venue),
            ("projection off", bare),
            ("interpreted", plain),
            ("history on the same core", crowded),
            ("batches", batched),
        )
        if figures.refused or figures.broken
    ]
    note = (
        f"wrk, {CONNECTIONS} connections, best of {ROUNDS} x {SECONDS} s; the server is pinned to"
        " one core, its history worker (a process of its own) is not, but for the row that says so"
    )
    return Section(rows, [note], "; ".join(faults))


# -- a venue with owners, keys and a book ---------------------------------------------------------


def _prepare(folder: Path) -> list[Key]:
    """Owners, keys, money and a book, in a state file that every run gets a copy of."""
    keys: list[Key] = []
    with _serving(folder, ["bench.venue_app", str(folder / "base"), "on"]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
        for number in range(OWNERS):
            owner = f"bench {number}"
            _call(connection, "/_venue/owners", {"name": owner})
            permissions = ["READ", "SPOT_TRADE"]
            made = _call(connection, "/_venue/keys", {"owner": owner, "permissions": permissions})
            keys.append(Key(made["key"], made["secret"], made["passphrase"]))
            for asset, amount in (("USDT", "50000000"), ("BTC", "10000")):
                money = {"owner": owner, "wallet": "SPOT", "asset": asset, "amount": amount}
                _call(connection, "/_venue/deposit", money)
        for number in range(OWNERS * RESTING * 2):
            side = "BUY" if number % 2 else "SELL"
            away = 1 + number // 2 % 20
            price = PRICE - away if number % 2 else PRICE + away
            key = keys[number // 2 % OWNERS]
            _send(connection, _order(key, side, price, f"base-{number:030d}", _now()))
        connection.close()
    return keys


def _call(connection: http.client.HTTPConnection, path: str, body: Any) -> Any:
    headers = {"Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    reply = connection.getresponse()
    data = reply.read()
    assert reply.status == 200, data
    return json.loads(data)


def _send(connection: http.client.HTTPConnection, request: bytes) -> None:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    method, path, _ = lines[0].split(" ")
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    data = reply.read()
    assert reply.status == 200, data


# -- requests -------------------------------------------------------------------------------------


def _now() -> int:
    return time.time_ns() // 1_000_000


def _write_orders(path: Path, keys: list[Key]) -> None:
    """Half of the orders rest, half take one that rests: the book stays as deep as it is."""
    random = Random(5)
    stamp = _now() + AHEAD_MS
    with path.open("wb") as file:
        for number in range(REQUESTS):
            side, price = _next_order(random, number)
            name = f"{stamp}-{number:021d}"
            key = keys[random.randrange(OWNERS)]
            request = _order(key, side, price, name, stamp + number % 1000)
            file.write(b"%06d" % len(request) + request)


def _next_order(random: Random, number: int) -> tuple[str, int]:
    away = random.randint(1, 20)
    return (
        ("SELL", PRICE + away),
        ("BUY", PRICE - away),
        ("BUY", PRICE + 30),
        ("SELL", PRICE - 30),
    )[number % 4]


def _order(key: Key, side: str, price: int, name: str, stamp: int) -> bytes:
    body = (
        f'{{"symbol":"BTCUSDT","side":"{side}","type":"LIMIT","timeInForce":"GTC",'
        f'"quantity":"0.00150","price":"{price // 100}.{price % 100:02d}",'
        f'"newClientOrderId":"{name}"}}'
    )
    return _signed(key, "POST", "/api/v3/order", body.encode(), stamp)


def _write_batches(path: Path, keys: list[Key]) -> None:
    random = Random(6)
    stamp = _now() + AHEAD_MS
    with path.open("wb") as file:
        for number in range(BATCHES):
            orders = []
            for item in range(BATCH):
                side, price = _next_order(random, number * BATCH + item)
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
            key = keys[random.randrange(OWNERS)]
            request = _signed(key, "POST", "/api/v3/order/batch", body, stamp + number % 1000)
            file.write(b"%06d" % len(request) + request)


def _signed(key: Key, method: str, path: str, body: bytes, stamp: int) -> bytes:
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


# -- runs -----------------------------------------------------------------------------------------


@contextmanager
def _copy_serving(
    folder: Path, keys: list[Key], projection: str, core: Environment
) -> Iterator[Server]:
    """A venue on a copy of the prepared state, which has seen each key's passphrase once.

    The history worker is a process beside the server and may use every core.
    """
    copied = Path(tempfile.mkdtemp(dir=folder))
    for path in folder.glob("base*"):
        shutil.copy2(path, copied / path.name)
    with _serving(folder, ["bench.venue_app", str(copied / "base"), projection], core) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
        for key in keys:
            _send(connection, _signed(key, "GET", "/api/v3/account", b"", _now()))
        connection.close()
        _set_cores(_children(server.pid), _cores())
        yield server


def _measured(server: Server, requests: Path) -> Figures:
    command = ["taskset", "-c", _cores()[-1], "wrk", "--latency", "-t1", f"-c{CONNECTIONS}"]
    command += [f"-d{SECONDS}s", "-s", str(SCRIPT), f"http://127.0.0.1:{server.port}/"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "BENCH_REQUESTS": str(requests)},
    )
    return _figures(done.stdout)


def _fastest(runs: list[Figures]) -> Figures:
    """The run with the highest rate, and the faults of all."""
    best = max(runs, key=lambda run: run.rate)
    refused = sum(run.refused for run in runs)
    broken = sum(run.broken for run in runs)
    return best._replace(refused=refused, broken=broken)


def _figures(said: str) -> Figures:
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    assert rate is not None, said
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: .*", said)
    return Figures(
        float(rate[1]),
        _latency(said, "50%"),
        _latency(said, "99%"),
        int(refused[1]) if refused else 0,
        sum(int(number) for number in re.findall(r"\d+", broken[0])) if broken else 0,
    )


def _latency(said: str, percentile: str) -> float:
    found = re.search(rf"^\s+{percentile}\s+([\d.]+)(us|ms|s)\s*$", said, re.MULTILINE)
    assert found is not None, said
    return float(found[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[found[2]]


@contextmanager
def _serving(
    folder: Path, arguments: list[str], environment: Environment = PLAIN
) -> Iterator[Server]:
    """A server in a process of its own, on the first core."""
    ready = folder / "ready"
    ready.unlink(missing_ok=True)
    module, first, *more = arguments
    command = ["taskset", "-c", _cores()[0], sys.executable, "-m", module, first, str(ready), *more]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        deadline = time.monotonic() + START_S
        while not (ready.is_file() and ready.read_text()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{module} did not start")
            time.sleep(0.005)
        yield Server(process.pid, int(ready.read_text()))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [
        int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()
    ]


def _set_cores(pids: list[int], cores: list[str]) -> None:
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), [int(core) for core in cores])


def _cores() -> list[str]:
    return [str(core) for core in sorted(os.sched_getaffinity(0))]
