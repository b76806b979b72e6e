"""A minute of overload with healthy clients beside it: the rates of service and refusal, and waits.

By hand: `python -m bench overload`. Twice: at ten times a capacity lowered to 3,000 orders a second
by the venue's setting, and at twice the machine's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import compiled, gateway
from bench.gateway import FAST, ROOT, Server
from bench.signed_orders import Key
from bench.table import Row, Section

LOWERED: Final = 3_000  # commands a second
PEAK_CONNECTIONS: Final = 64
CONNECTIONS: Final = 400  # of the flood
QUIET_S: Final = 20
OVERLOAD_S: Final = 60  # as long as the peak: both with snapshots and history's whole work
SETTLED_S: Final = 2  # after the end of the overload until all is as it was
AFTER_S: Final = 20
SLACK_S: Final = 60
GOODPUT: Final = 0.9  # of peak
P99_MOST: Final = 3  # times the quiet one
MEGABYTE: Final = 1 << 20


class Healthy(NamedTuple):
    """Figures of healthy clients in a part of the run: latencies in ms, answers other than 200."""

    p50: float
    p99: float
    worst: float
    answers: int
    refused: int


def run() -> Section:
    """Measure both settings."""
    problem = compiled.build()
    if problem:
        return Section([], [], problem)
    rows: list[Row] = []
    note = (
        f"{CONNECTIONS} connections of 4 owners that ignore Retry-After, beside 10 owners with 5"
        " requests a second each; venue with all its processes on one core, clients on another;"
        " limits off; compiled core; history on; real sync"
    )
    notes = [note]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = gateway._prepare(folder)
        (folder / "keys.json").write_text(json.dumps([key._asdict() for key in keys]))
        for times, capacity in ((10, LOWERED), (2, None)):
            _overload(folder, keys, times, capacity, rows, notes)
    return Section(rows, notes)


def _overload(
    folder: Path, keys: list[Key], times: int, capacity: int | None, rows: list[Row],
    notes: list[str],
) -> None:  # fmt: skip
    given = [str(capacity)] if capacity is not None else []
    with gateway._copy_serving(folder, keys, "on", *given) as server:
        peak = _flooded(folder, server, PEAK_CONNECTIONS, 0, OVERLOAD_S)
        best = peak["answers"].get("200", 0) / peak["seconds"]
        time.sleep(SETTLED_S)
        rate = times * (capacity if capacity is not None else best)
        length = QUIET_S + OVERLOAD_S + SETTLED_S + AFTER_S
        beside = _clients(folder, server, "healthy", length)
        time.sleep(QUIET_S)
        before_mb = _memory_mb(server)
        began = time.monotonic()
        said = _flooded(folder, server, CONNECTIONS, rate, OVERLOAD_S)
        ended = time.monotonic()
        after_mb = _memory_mb(server)
        beside.wait(length + SLACK_S)
        answers = json.loads((folder / "healthy.json").read_text())
    quiet = _seen(answers, 0, began)
    during = _seen(answers, began, ended)
    after = _seen(answers, ended + SETTLED_S, ended + length)
    what = f"{times} x {capacity:,}" if capacity is not None else f"{times} x full"
    good = said["answers"].get("200", 0) / said["seconds"]
    refused = said["answers"].get("503", 0)
    rows += [
        Row(what=f"{what}: goodput over peak", measured=good, floor=best, unit="orders/s",
            needed=GOODPUT),
        Row(what="  healthy p99 over quiet", measured=during.p99, floor=quiet.p99, unit="ms",
            needed=P99_MOST, at_most=True),
        Row(what="  healthy p50 over quiet", measured=during.p50, floor=quiet.p50, unit="ms"),
        Row(what="  healthy refused or failed", measured=during.refused, unit="", needed=0,
            at_most=True),
        Row(what="  refused, told to wait", measured=said["told"], floor=refused or None,
            unit="", needed=1),
        Row(what=f"  healthy p99 {SETTLED_S} s after, over quiet", measured=after.p99,
            floor=quiet.p99, unit="ms"),
        Row(what="  memory after the minute, before", measured=after_mb, floor=before_mb,
            unit="MB"),
    ]  # fmt: skip
    for name, seen in (("quiet", quiet), ("during", during), ("after", after)):
        notes.append(
            f"{what}, healthy {name}: p50 {seen.p50:.2f} p99 {seen.p99:.2f} worst {seen.worst:.1f}"
            f" ms, {seen.answers} answers, {seen.refused} of them no 200"
        )
    notes.append(
        f"{what}: offered {said['offered']:,}, sent {said['sent']:,}, answers {said['answers']}"
    )


def _flooded(folder: Path, server: Server, connections: int, rate: float, seconds: int) -> Any:
    process = _clients(folder, server, "flood", connections, rate, seconds)
    if process.wait(seconds + SLACK_S):
        raise RuntimeError("the flood ended early")
    return json.loads((folder / "flood.json").read_text())


def _clients(folder: Path, server: Server, kind: str, *numbers: float) -> subprocess.Popen[bytes]:
    command = [
        "taskset",
        "-c",
        gateway._cores()[-1],
        sys.executable,
        "-m",
        "bench.overload_clients",
        kind,
    ]
    command += [str(folder / "keys.json"), str(server.port), str(folder / f"{kind}.json")]
    return subprocess.Popen([*command, *map(str, numbers)], cwd=ROOT, env=FAST)


def _seen(answers: list[Any], began: float, ended: float) -> Healthy:
    part = [answer for answer in answers if began <= answer[0] < ended]
    times = sorted(answer[2] for answer in part)
    refused = sum(answer[3] != "200" for answer in part)
    size = len(times)
    return Healthy(times[size // 2], times[size * 99 // 100], times[-1], size, refused)


def _memory_mb(server: Server) -> float:
    """Resident memory of the venue's own process."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024 / MEGABYTE
