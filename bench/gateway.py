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
from typing import Any, Final, NamedTuple

from bench import compiled, signed_orders
from bench.table import Row, Section

ROOT: Final = Path(__file__).resolve().parents[1]
SCRIPT: Final = Path(__file__).with_name("gateway.lua")
CONNECTIONS: Final = 64
SECONDS: Final = 3
ROUNDS: Final = 5  # alternating
READ_ROUNDS: Final = 3
OWNERS: Final = 200
RESTING: Final = 4  # orders per owner and side in the book before the measurement
SETTLE_S: Final = 0.2  # between two looks whether a server still works
IDLE: Final = 0.1  # of a core: a server that waits takes less
SETTLE_MAX_S: Final = 60.0
START_S: Final = 20
NEEDED: Final = 0.8
NEEDED_NOTED: Final = 0.97
NEEDED_LISTENING: Final = 0.75
NEEDED_BATCH: Final = 0.5
NEEDED_READ: Final = 0.85
SHARES: Final = (20, 50, 80)  # of capacity, in percent
SHARE_GATED: Final = 50
P99_MOST: Final = 3  # times p50
PAUSE_MS: Final = 10  # between two requests of a connection that is paced
DEPTH: Final = "/api/v3/market/depth"
TICKER: Final = "/api/v3/market/ticker/24hr"
Environment = dict[str, str]
PLAIN: Final = {**os.environ}
FAST: Final = compiled.environment()
SERVERS: Final = (
    "floor",
    "interpreted floor",
    "history off",
    "history on",
    "FastAPI mock",
    "wire log",
)
MISSING: Final = "{} is missing; on Debian: apt-get install {}"


class Figures(NamedTuple):
    """Figures of one run of wrk: requests/s, latencies in ms, answers that were not 2xx, broken
    sockets; and the processor time of the server's processes for each request, in µs."""

    rate: float
    p50: float
    p99: float
    refused: int
    broken: int
    cpu: float = 0.0


class Server(NamedTuple):
    """A running server: its process and its port."""

    pid: int
    port: int


def run() -> Section:
    """Measure orders on the venue against its floors, batches, listeners, reads and latencies."""
    for command, package in (("wrk", "wrk"), ("taskset", "util-linux")):
        if shutil.which(command) is None:
            return Section([], [], MISSING.format(command, package))
    problem = compiled.build()
    if problem:
        return Section([], [], problem)
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        return _measure(Path(name), running)


def _measure(folder: Path, running: ExitStack) -> Section:
    keys = _prepare(folder)
    answers = _answers(folder)
    keys_file, answers_file = folder / "keys.json", folder / "answers.json"
    keys_file.write_text(json.dumps([key._asdict() for key in keys]))
    answers_file.write_text(json.dumps(answers))
    requests = folder / "requests"
    mock = running.enter_context(_serving(folder, ["bench.fastapi_mock", str(keys_file)]))
    answering = ["bench.floor_app", str(keys_file), str(answers_file)]
    floor = running.enter_context(_serving(folder, answering, FAST))
    plain = running.enter_context(_serving(folder, answering))
    off = running.enter_context(_copy_serving(folder, keys, "off"))
    on = running.enter_context(_copy_serving(folder, keys, "on"))
    noted = running.enter_context(_copy_serving(folder, keys, "off", "", "1000"))
    servers = (floor, plain, off, on, mock, noted)  # as `SERVERS`
    rounds: list[list[Figures]] = []
    for _ in range(ROUNDS):
        signed_orders.write_orders(requests, keys)
        rounds.append([_measured(server, requests) for server in servers])
    orders = [_median(list(runs)) for runs in zip(*rounds, strict=True)]
    batches = []
    for server in (floor, off):
        signed_orders.write_batches(requests, keys)
        batches.append(_measured(server, requests))
    reads = []
    for path in answers:
        runs = [[_read(server, path) for server in (floor, off)] for _ in range(READ_ROUNDS)]
        reads.append([_median(list(one)) for one in zip(*runs, strict=True)])
    capacity = orders[SERVERS.index("history off")].rate
    paced = [(share, _paced(off, keys, requests, share * capacity / 100)) for share in SHARES]
    with _listening(on, keys_file):
        signed_orders.write_orders(requests, keys)
        heard = _measured(on, requests)
    return _section(orders, batches, reads, list(answers), paced, heard)


def _section(
    orders: list[Figures],
    batches: list[Figures],
    reads: list[list[Figures]],
    paths: list[str],
    paced: list[tuple[int, Figures]],
    heard: Figures,
) -> Section:
    floor, plain, off, on, mock, noted = orders
    us = "us"
    rows = [
        _rate("POST order, history off", off, floor, NEEDED),
        Row(what="  processor time, all processes", measured=off.cpu, floor=floor.cpu, unit=us),
        _rate("  wire log on", noted, off, NEEDED_NOTED),
        Row(what="  processor time, all processes", measured=noted.cpu, floor=off.cpu, unit=us),
        _rate("POST order, history on", on, floor),
        Row(what="  processor time, all processes", measured=on.cpu, floor=floor.cpu, unit=us),
        _rate(f"  {OWNERS} owners listening", heard, on, NEEDED_LISTENING),
        Row(what="  processor time, all processes", measured=heard.cpu, floor=on.cpu, unit=us),
        _rate("the floor interpreted, over the compiled one", plain, floor),
        _rate("POST order, over a FastAPI mock's", off, mock),
        Row(what="  processor time, all processes", measured=off.cpu, floor=mock.cpu, unit=us),
        _rate("batch place of 10", batches[1], batches[0], NEEDED_BATCH),
    ]
    for path, (constant, read) in zip(paths, reads, strict=True):
        rows.append(_rate(f"GET {path.partition('?')[0]}", read, constant, NEEDED_READ))
    for share, figures in paced:
        rows.append(Row(what=f"p50 at {share} % of capacity", measured=figures.p50, unit="ms"))
        needed = P99_MOST if share == SHARE_GATED else None
        rows.append(
            Row(
                what="  p99", measured=figures.p99, floor=figures.p50, unit="ms", needed=needed,
                at_most=True,
            )
        )  # fmt: skip
    named = dict(zip(SERVERS, orders, strict=True)) | {"listening": heard}
    named |= {"batches": batches[1], "batches, floor": batches[0]}
    for path, (constant, read) in zip(paths, reads, strict=True):
        named |= {path: read, f"{path}, floor": constant}
    named |= {f"{share} % of capacity": figures for share, figures in paced}
    fault = "; ".join(
        f"{name}: {run.refused} answers were not 2xx, {run.broken} sockets broke"
        for name, run in named.items()
        if run.refused or run.broken
    )
    note = (
        f"wrk, {CONNECTIONS} connections, median of {ROUNDS} x {SECONDS} s; servers with all their"
        " processes on one core, the load on another; compiled core; real sync"
    )
    return Section(rows, [note], fault)


def _rate(what: str, run: Figures, floor: Figures, needed: float | None = None) -> Row:
    return Row(what=what, measured=run.rate, floor=floor.rate, unit="requests/s", needed=needed)


# -- a venue with owners, keys and a book ---------------------------------------------------------


def _prepare(folder: Path) -> list[signed_orders.Key]:
    """Owners, keys, money and a book, in a state file that every run gets a copy of."""
    with _serving(folder, ["bench.venue_app", str(folder / "base"), "on"]) as server:
        return furnished(server)


def furnished(server: Server, owners: int = OWNERS) -> list[signed_orders.Key]:
    """The keys of new owners of a new venue, with money and a book."""
    keys: list[signed_orders.Key] = []
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
    for number in range(owners):
        owner = f"bench {number}"
        _call(connection, "/_venue/owners", {"name": owner})
        permissions = ["READ", "SPOT_TRADE"]
        made = _call(connection, "/_venue/keys", {"owner": owner, "permissions": permissions})
        keys.append(signed_orders.Key(made["key"], made["secret"], made["passphrase"]))
        for asset, amount in (("USDT", "150000000"), ("BTC", "10000")):
            money = {"owner": owner, "wallet": "SPOT", "asset": asset, "amount": amount}
            _call(connection, "/_venue/deposit", money)
    for number in range(owners * RESTING * 2):
        side = "BUY" if number % 2 else "SELL"
        away = 1 + number // 2 % 20
        price = signed_orders.PRICE - away if number % 2 else signed_orders.PRICE + away
        key = keys[number // 2 % owners]
        _send(
            connection,
            signed_orders.order(key, side, price, f"base-{number:030d}", signed_orders.now()),
        )
    connection.close()
    return keys


def _answers(folder: Path) -> dict[str, str]:
    """The answers to the measured reads, by path."""
    with _serving(folder, ["bench.venue_app", str(folder / "base"), "on"]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
        answers = {path: _get(connection, path) for path in (DEPTH, TICKER)}
        connection.close()
    return answers


def _get(connection: http.client.HTTPConnection, path: str) -> str:
    connection.request("GET", f"{path}?symbol=BTCUSDT")
    reply = connection.getresponse()
    data = reply.read().decode()
    assert reply.status == 200, data
    return data


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


# -- runs -----------------------------------------------------------------------------------------


@contextmanager
def _copy_serving(
    folder: Path, keys: list[signed_orders.Key], projection: str, *more: str
) -> Iterator[Server]:
    """A venue on a copy of the prepared state, which has seen each key's passphrase once."""
    copied = Path(tempfile.mkdtemp(dir=folder))
    for path in folder.glob("base*"):
        shutil.copy2(path, copied / path.name)
    arguments = ["bench.venue_app", str(copied / "base"), projection, *more]
    with _serving(folder, arguments, FAST) as server:
        warm(server, keys)
        yield server


def warm(server: Server, keys: list[signed_orders.Key]) -> None:
    """Have a venue see each key's passphrase once, which costs a slow hash. The requests need no
    history: a venue without one would wait for it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_S)
    for key in keys:
        _send(
            connection,
            signed_orders.signed(key, "GET", "/api/v3/openOrders", b"", signed_orders.now()),
        )
    connection.close()


@contextmanager
def _listening(server: Server, keys_file: Path) -> Iterator[None]:
    """Every owner listens to its private channels."""
    command = ["taskset", "-c", _cores()[-1], sys.executable, "-m", "bench.listeners"]
    command += [str(server.port), str(keys_file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline(), "the listeners did not come in"
            yield
            assert process.poll() is None, "the listeners did not stay"
        finally:
            process.kill()


def _measured(server: Server, requests: Path) -> Figures:
    """As many requests of the file as it answers in the time."""
    return _wrk(server, "", CONNECTIONS, {"BENCH_REQUESTS": str(requests)})


def _paced(server: Server, keys: list[signed_orders.Key], requests: Path, rate: float) -> Figures:
    """Send about so many requests a second, however long the answers take."""
    signed_orders.write_orders(requests, keys)
    given = {"BENCH_REQUESTS": str(requests), "BENCH_PAUSE_MS": str(PAUSE_MS)}
    return _wrk(server, "", max(1, round(rate * PAUSE_MS / 1000)), given)


def _read(server: Server, path: str) -> Figures:
    """Ask one public question, again and again."""
    return _wrk(server, f"{path}?symbol=BTCUSDT", CONNECTIONS, {})


def _wrk(server: Server, target: str, connections: int, given: Environment) -> Figures:
    command = ["taskset", "-c", _cores()[-1], "wrk", "--latency", "-t1", f"-c{connections}"]
    command += [f"-d{SECONDS}s"]
    if given:
        command += ["-s", str(SCRIPT)]
    command.append(f"http://127.0.0.1:{server.port}/{target.removeprefix('/')}")
    before = _cpu_us(server)
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **given}
    )
    _settle(server)
    return _figures(done.stdout, _cpu_us(server) - before)


def _settle(server: Server) -> None:
    """Wait until a server has no work left: history's goes on after the last answer, and costs the
    next server its time on the core that they share."""
    deadline = time.monotonic() + SETTLE_MAX_S
    before = _cpu_us(server)
    while time.monotonic() < deadline:
        time.sleep(SETTLE_S)
        now = _cpu_us(server)
        if now - before <= IDLE * SETTLE_S * 1e6:
            return
        before = now
    raise RuntimeError("a server did not come to rest")


def _cpu_us(server: Server) -> float:
    """Processor time of a server and its helpers, in µs."""
    ticks = 0
    for pid in [server.pid, *_children(server.pid)]:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1e6 / os.sysconf("SC_CLK_TCK")


def _median(runs: list[Figures]) -> Figures:
    """The run in the middle, and the faults of all."""
    middle = sorted(runs, key=lambda run: run.rate)[len(runs) // 2]
    refused = sum(run.refused for run in runs)
    broken = sum(run.broken for run in runs)
    return middle._replace(refused=refused, broken=broken)


def _figures(said: str, cpu_us: float = 0.0) -> Figures:
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    count = re.search(r"(\d+) requests in", said)
    assert rate is not None, said
    assert count is not None, said
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: .*", said)
    return Figures(
        float(rate[1]),
        _latency(said, "50%"),
        _latency(said, "99%"),
        int(refused[1]) if refused else 0,
        sum(int(number) for number in re.findall(r"\d+", broken[0])) if broken else 0,
        cpu_us / max(1, int(count[1])),
    )


def _latency(said: str, percentile: str) -> float:
    found = re.search(rf"^\s+{percentile}\s+([\d.]+)(us|ms|s)\s*$", said, re.MULTILINE)
    assert found is not None, said
    return float(found[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[found[2]]


@contextmanager
def _serving(
    folder: Path, arguments: list[str], environment: Environment = PLAIN, *, cwd: Path = ROOT
) -> Iterator[Server]:
    """A server in a process of its own, on the first core."""
    module, first, *more = arguments
    command = ["-m", module, first, str(folder / "ready"), *more]
    with started(folder, command, environment, cwd=cwd) as made:
        yield made


@contextmanager
def started(
    folder: Path, arguments: list[str], environment: Environment, *, cwd: Path = ROOT
) -> Iterator[Server]:
    """A server of Python with such arguments, on the first core, once it has written `ready`."""
    ready = folder / "ready"
    ready.unlink(missing_ok=True)
    command = ["taskset", "-c", _cores()[0], sys.executable, *arguments]
    process = subprocess.Popen(command, cwd=cwd, env=environment)
    try:
        deadline = time.monotonic() + START_S
        while not (ready.is_file() and ready.read_text()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{arguments} did not start")
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
