"""Moving time: how fast the practice venue's passes, interpreted and compiled, and what an hour of
it leaves on disk."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from bench import compiled as compiled_core
from bench.table import Row, Section
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.garbage import collect_young_only
from venue.running.agents import attach_agents
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.times import instant_us, span_us

BEGIN: Final = instant_us("2026-01-01T00:00:00Z")
DISK_MB: Final = 8.0  # of an hour in which only agents trade
MB: Final = 1_000_000


class Span(Struct, frozen=True):
    """A span to advance over, and what is needed of it: seconds at most, or venue seconds in one,
    interpreted and compiled; None: it is printed only."""

    agents: bool
    sparse: bool
    span: str
    needed: tuple[float, float] | None


SPANS: Final = {
    "advance, agents on": Span(True, False, "20m", (600, 1_500)),
    "advance of 8 h, sparse": Span(True, True, "8h", (3.0, 1.5)),
    "advance, agents off": Span(False, False, "24h", None),
    "advance of 25 h, sparse, agents off": Span(False, True, "25h", None),
}
Figures = dict[str, tuple[float, float]]  # seconds and processor seconds


def run() -> Section:
    """Measure in this process, and in one that runs the compiled engine."""
    rows = [*_rows(measure(), 0, ""), _disk_row()]
    try:
        said = compiled_core.output("bench.clock")
    except compiled_core.CompiledFailed as failed:
        return Section(rows, [], str(failed))
    rows += _rows(json.loads(said), 1, "  compiled: ")
    return Section(rows, ["processor time is that of the venue's process, without history's"])


def _rows(figures: Figures, engine: int, prefix: str) -> list[Row]:
    rows: list[Row] = []
    for name, (passed, worked) in figures.items():
        asked = SPANS[name]
        needed = asked.needed and asked.needed[engine]
        what = f"{prefix}{name}"
        if asked.sparse:
            rows.append(Row(what=what, measured=passed, unit="s", needed=needed, at_most=True))
            continue
        span_s = span_us(asked.span) / 1_000_000
        rows.append(Row(what=what, measured=span_s / passed, unit="x", needed=needed))
        rows.append(Row(what=f"{what}, by processor", measured=span_s / worked, unit="x"))
    return rows


def measure() -> Figures:
    """The figures of each span, in memory and with history."""
    return {name: asyncio.run(_advance(asked, None)) for name, asked in SPANS.items()}


def _disk_row() -> Row:
    with TemporaryDirectory() as folder:
        asyncio.run(_advance(Span(True, False, "1h", None), str(Path(folder) / "venue.db")))
        kept = sum(file.stat().st_size for file in Path(folder).iterdir())
    what = "disk after an hour, agents on"
    return Row(what=what, measured=kept / MB, unit="MB", needed=DISK_MB, at_most=True)


async def _advance(asked: Span, state: str | None) -> tuple[float, float]:
    """Seconds, and seconds of processor time, that an advance takes; `state`: the file, or none."""
    options = Options(agents=asked.agents, clock=ClockMode(Mode.MANUAL), at=BEGIN, state=state)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        if asked.agents:
            await attach_agents(node, options.seed, agents=True)
        collect_young_only()  # as `venue dev` does
        began, worked = time.perf_counter(), time.process_time()
        await node.timekeeper.advance(BEGIN + span_us(asked.span), sparse=asked.sparse)
        return time.perf_counter() - began, time.process_time() - worked


def _fail(problem: BaseException) -> None:
    raise problem


if __name__ == "__main__":
    print(json.dumps(measure()))
