"""`venue open` of hours of an idle venue: the first answer, and jumps to other commands.

The gates are processor time, so that other work of the machine does not count; the wait on the wall
is printed beside it.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bench.table import Row, Section

COMMANDS: Final = 100_000
STEP: Final = "20m"
FIRST_S: Final = 1.0
JUMP_MS: Final = 300.0
JUMPS: Final = 20
APART: Final = 1_733  # commands, so that jumps lie at all distances from a kept state
PATIENCE_S: Final = 600


def run() -> Section:
    """Have a venue's agents trade, stop it, and open its file in another process."""
    with tempfile.TemporaryDirectory(prefix="venue-bench-") as folder:
        state = str(Path(folder, "state.db"))
        last = _lived(state)
        began = time.perf_counter()
        with _served("open", state) as (pid, port):
            _ask(port, last)
            first_s, first_cpu_s = time.perf_counter() - began, _worked_s(pid)
            far_s = _ask(port, COMMANDS)
            _ask_history(port)
            jumps, jumps_cpu = [], []
            for number in range(1, JUMPS + 1):
                before = _worked_s(pid)
                jumps.append(_ask(port, COMMANDS - number * APART))
                jumps_cpu.append(_worked_s(pid) - before)
    return Section(
        [
            Row(
                what="open: first answer, processor time",
                measured=first_cpu_s,
                unit="s",
                needed=FIRST_S,
                at_most=True,
            ),
            Row(what="open: first answer, wait", measured=first_s, unit="s"),
            Row(
                what="open: jump, longest, processor time",
                measured=max(jumps_cpu) * 1_000,
                unit="ms",
                needed=JUMP_MS,
                at_most=True,
            ),
            Row(
                what="open: jump, median, wait",
                measured=statistics.median(jumps) * 1_000,
                unit="ms",
            ),
            Row(what=f"open: jump to {COMMANDS:,} before it is read", measured=far_s, unit="s"),
        ],
        [f"of {last:,} commands, with the start of the process and the request itself"],
    )


def _lived(state: str) -> int:
    """Have a venue of its own take in enough commands; the last one's number."""
    with _served("dev", "--state", state, "--clock", "manual", "--quiet") as (_, port):
        last = 0
        while last < COMMANDS + APART:
            body = json.dumps({"by": STEP}).encode()
            last = json.loads(_answer(port, "POST", "/_venue/clock/advance", body))["sequence"]
    return last


@contextmanager
def _served(*command: str) -> Iterator[tuple[int, int]]:
    """The process id and port of a `venue` command that serves; it is ended in good order."""
    started = [sys.executable, "-m", "venue", *command, "--port", "0"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process.pid, int(line.partition("127.0.0.1:")[2].split("/")[0].split('"')[0])
        finally:
            process.terminate()
            process.wait()


def _ask(port: int, sequence: int) -> float:
    """Seconds until a book is answered as it was after a command."""
    began = time.perf_counter()
    _answer(port, "GET", f"/api/v3/market/depth?symbol=BTCUSDT&at={sequence}")
    return time.perf_counter() - began


def _ask_history(port: int) -> None:
    """Wait until all of the run is read: the last state's history is there then."""
    while True:
        with suppress(AssertionError):
            _answer(port, "GET", "/api/v3/myTrades?symbol=BTCUSDT")
            return


def _worked_s(pid: int) -> float:
    """The processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _answer(port: int, method: str, target: str, body: bytes | None = None) -> bytes:
    head = {"Content-Type": "application/json"}
    if not target.startswith("/_venue/"):
        head["X-Venue-Act-As"] = "alice"
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        line.request(method, target, body, head)
        answer = line.getresponse()
        data = answer.read()
        assert answer.status == 200, data
        return data
    finally:
        line.close()
