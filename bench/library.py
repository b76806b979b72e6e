"""The venue as a library: import, start, an order, and how fast its time passes."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median
from typing import Final

from bench.table import Row, Section
from venue import Venue

IMPORTS: Final = 5
ORDERS: Final = 1_000
SPAN: Final = "20m"
SPAN_S: Final = 1_200
DAY: Final = "24h"
DAY_S: Final = 86_400


def run() -> Section:
    """Measure in this process, but for the import, which needs new ones."""
    began = time.perf_counter()
    with Venue(seed=7) as v:
        started = time.perf_counter() - began
        rate = _passing(v, SPAN, SPAN_S)
    with Venue(agents=False) as v:
        each = _orders(v)
        quiet = _passing(v, DAY, DAY_S)
    rows = [
        Row(what="import venue", measured=_import("venue") * 1e3, unit="ms"),
        Row(what="import of Venue", measured=_import("venue.library.venue") * 1e3, unit="ms"),
        Row(what="Venue(), agents on", measured=started * 1e3, unit="ms"),
        Row(what="an order placed and cancelled", measured=each * 1e6, unit="us"),
        Row(what=f'run("{SPAN}"), agents on', measured=rate, unit="x"),
        Row(what=f'run("{DAY}"), agents off', measured=quiet, unit="x"),
    ]
    return Section(rows, ["the first two without the interpreter's own start; median of five"])


def _import(module: str) -> float:
    """Seconds that an import takes in a new process."""
    program = (
        f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    )
    command = [sys.executable, "-c", program]
    done = [subprocess.run(command, capture_output=True, check=True) for _ in range(IMPORTS)]
    return median(float(one.stdout) for one in done)


def _orders(v: Venue) -> float:
    alice = v.account("alice")
    began = time.perf_counter()
    for _ in range(ORDERS):
        alice.cancel(alice.buy("BTCUSDT", "0.01", price="60000"))
    return (time.perf_counter() - began) / ORDERS


def _passing(v: Venue, span: str, span_s: int) -> float:
    began = time.perf_counter()
    v.run(span)
    return span_s / (time.perf_counter() - began)
