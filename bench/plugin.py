"""The pytest plugin: the time before a test begins that its venue takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Final

from bench.table import Row, Section
from venue.testing.handle import Handle
from venue.testing.plugin import Kind, Servers

TESTS: Final = 50
SET_UP_MS: Final = 10.0


def run() -> Section:
    """Measure one server, and as many tests on it: each orders, so that there is work to undo."""
    servers = Servers("")
    try:
        first = _took(servers, lambda: servers.fresh(Kind()))
        fresh = [_took(servers, lambda: servers.fresh(Kind())) for _ in range(TESTS)]
        worlds = [_took(servers, lambda: servers.world(Kind(), agents=False)) for _ in range(TESTS)]
    finally:
        servers.stop()
    rows = [
        Row(what="venue, the first, with its server", measured=first, unit="ms"),
        Row(
            what="venue, median",
            measured=median(fresh),
            unit="ms",
            needed=SET_UP_MS,
            at_most=True,
        ),
        Row(what="venue, longest", measured=max(fresh), unit="ms"),
        Row(
            what="venue_world, median",
            measured=median(worlds),
            unit="ms",
            needed=SET_UP_MS,
            at_most=True,
        ),
    ]
    notes = [
        "until the test has it, after a test that placed an order",
        "a world is founded with its first request: see worlds",
    ]
    return Section(rows, notes)


def _took(servers: Servers, make: Callable[[], Handle]) -> float:
    """Milliseconds of a venue's making."""
    began = time.perf_counter()
    handle = make()
    took = time.perf_counter() - began
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "price": "60000"}
    handle.ask("alice", "place_order", **order, quantity="0.01")
    servers.end(handle)
    return took * 1e3
