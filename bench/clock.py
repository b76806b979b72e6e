"""Moving time: how many seconds of the practice venue pass in one, with its agents and without."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from bench.table import Row, Section
from venue import main
from venue.agent_wiring import employ
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.garbage import collect_young_only
from venue.times import instant_us, span_us

BEGIN: Final = instant_us("2026-01-01T00:00:00Z")
SPANS: Final = {True: span_us("20m"), False: span_us("24h")}
NEEDED: Final = 500


def run() -> Section:
    """Advance a venue in memory, with history."""
    rows: list[Row] = []
    for agents in (True, False):
        passed, worked = asyncio.run(_advance(agents=agents))
        span_s = SPANS[agents] / 1_000_000
        name = f"advance, agents {'on' if agents else 'off'}"
        needed = NEEDED if agents else None
        rows.append(Row(what=name, measured=span_s / passed, unit="x", needed=needed))
        rows.append(Row(what=f"{name}, by processor time", measured=span_s / worked, unit="x"))
    return Section(rows, ["processor time is that of the venue's process, without history's"])


async def _advance(*, agents: bool) -> tuple[float, float]:
    """Seconds, and seconds of processor time, that an advance takes."""
    options = main.Options(agents=agents, clock=ClockMode(Mode.MANUAL), at=BEGIN)
    async with main.opened(options, SystemClock(), _fail) as node:
        if agents:
            await employ(node, options.seed, agents=options.agents)
        collect_young_only()  # as `venue dev` does
        began, worked = time.perf_counter(), time.process_time()
        await node.timekeeper.advance(BEGIN + SPANS[agents])
        return time.perf_counter() - began, time.process_time() - worked


def _fail(problem: BaseException) -> None:
    raise problem
