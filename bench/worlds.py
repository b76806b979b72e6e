"""Worlds of the practice venue: the time of making one and of its first request, and its memory."""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.table import Row, Section

NAMED: Final = 1_000
LIVED: Final = 100
CREATE_MS: Final = 2.0
IDLE_S: Final = 3.0  # without requests


def run() -> Section:
    """Measure a `venue dev` of its own over one connection."""
    with tempfile.TemporaryDirectory(prefix="venue-bench-") as folder:
        ready = Path(folder, "ready.json")
        command = [sys.executable, "-m", "venue", "dev", "--port", "0", "--quiet", "--no-limits"]
        command += ["--ready-file", str(ready)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            port = int(json.loads(ready.read_text())["rest"].rpartition(":")[2])
            try:
                return _measured(process.pid, port)
            finally:
                process.terminate()


def _measured(pid: int, port: int) -> Section:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as line:
        _ask(line, "GET", "/api/v3/ping")
        before = _memory_kb(pid)
        made = [_create(line, f"w{number}") for number in range(NAMED)]
        named_kb = (_memory_kb(pid) - before) / NAMED
        first = _ask(line, "GET", "/w/w0/api/v3/ping")
        before = _memory_kb(pid)
        asked = [_ask(line, "GET", f"/w/w{n}/api/v3/ping") for n in range(1, LIVED + 1)]
        lived_kb = (_memory_kb(pid) - before) / LIVED
        worked = _worked_s(pid)
        time.sleep(IDLE_S)
        idle = (_worked_s(pid) - worked) / IDLE_S
        return Section(
            [
                Row(
                    what="world made, median",
                    measured=statistics.median(made),
                    unit="ms",
                    needed=CREATE_MS,
                    at_most=True,
                ),
                Row(what="world made, longest", measured=max(made), unit="ms"),
                Row(what="its first request, median", measured=statistics.median(asked), unit="ms"),
                Row(what="the first of all, which founds one", measured=first, unit="ms"),
                Row(what="memory of a world that is a name", measured=named_kb, unit="kB"),
                Row(what="memory of an idle world that lives", measured=lived_kb, unit="kB"),
                Row(what=f"the venue with {LIVED} idle worlds", measured=idle * 100, unit="% core"),
            ],
            ["over one connection on loopback, with the request itself"],
        )


def _create(line: http.client.HTTPConnection, name: str) -> float:
    return _ask(line, "POST", "/_venue/worlds", json.dumps({"name": name}).encode())


def _ask(
    line: http.client.HTTPConnection, method: str, target: str, body: bytes | None = None
) -> float:
    """Milliseconds until the answer, which is no refusal."""
    began = time.perf_counter()
    line.request(method, target, body, {"Content-Type": "application/json"} if body else {})
    reply = line.getresponse()
    said = reply.read()
    passed = time.perf_counter() - began
    assert reply.status == 200, said
    return passed * 1000


def _memory_kb(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def _worked_s(pid: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
