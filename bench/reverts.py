"""Going back: the time of a revert of the practice venue, by the commands since the kept state."""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import Final

from bench.table import Row, Section
from venue.core.messages.commands import Command, Deposit
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.garbage import collect_young_only
from venue.node.node import Node
from venue.running.agents import attach_agents
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.snapshots import keep_up
from venue.times import instant_us
from venue.vocabulary import WALLET_SPOT

BEGIN: Final = instant_us("2026-01-01T00:00:00Z")
DONE: Final = (10_000, 100_000, 1_000_000)  # commands since the state was kept
TIMES: Final = {10_000: 11, 100_000: 3, 1_000_000: 1}
STEP_US: Final = 10_000_000
MOST_MS: Final = 5.0
BATCH: Final = 500
NAME: Final = "base"


def run() -> Section:
    """Measure a venue in memory, with agents, history and all other parts that go back."""
    return Section(
        asyncio.run(_measured()),
        [
            "agents' orders since the state was kept; from 100,000 on the most are deposits",
            "the whole of a revert: journal, engine, market data, streams, agents, history's mark",
        ],
    )


async def _measured() -> list[Row]:
    options = Options(clock=ClockMode(Mode.MANUAL), at=BEGIN)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        await attach_agents(node, options.seed, agents=True)
        collect_young_only()  # as `venue dev` does
        await node.timekeeper.keep(NAME, node.reverts.dump)
        rows = [await _fresh(node)]
        for done in DONE:
            passed = []
            for _ in range(TIMES[done]):
                await _live(node, done)
                passed.append(await _revert_ms(node))
            bound = MOST_MS if done == DONE[0] else None
            rows.append(_row(f"revert of {done:,} commands, median", median(passed), bound))
        return rows


async def _fresh(node: Node) -> Row:
    passed = [await _revert_ms(node) for _ in range(50)]
    return _row("revert of nothing, median", median(passed), MOST_MS)


async def _live(node: Node, commands: int) -> None:
    """Apply so many commands, the first 10,000 of them those of agents."""
    end = node.engine.sequence + commands
    while node.engine.sequence < min(end, end - commands + DONE[0]):
        await node.timekeeper.advance(node.clock.now() + STEP_US)
    uid = node.engine.ledger.names["alice"]
    while node.engine.sequence < end:
        batch: list[Command] = [Deposit(uid, WALLET_SPOT, "USDT", 1) for _ in range(BATCH)]
        await node.sequencer.submit(batch)
        await node.sequencer.worked_off()
        await keep_up(node.history, node.engine)


async def _revert_ms(node: Node) -> float:
    began = time.perf_counter()
    await node.timekeeper.revert(NAME)
    return (time.perf_counter() - began) * 1000


def _row(what: str, measured: float, bound: float | None) -> Row:
    return Row(what=what, measured=measured, unit="ms", needed=bound, at_most=True)


def _fail(problem: BaseException) -> None:
    raise problem
