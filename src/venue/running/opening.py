"""Opens a venue's node: recovers its state, wires its parts, founds it when it is new."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from venue.api.operator.snapshots import READY
from venue.core.engine import Engine
from venue.files import private_files
from venue.gateway.access.recalled import recall
from venue.gateway.door import Door
from venue.gateway.health import DiskWatch
from venue.helpers.process import HelperProcess
from venue.history.process.client import History
from venue.journal.file import refuse_foreign
from venue.journal.journal import Journal
from venue.journal.lacking import lacking
from venue.journal.opening import open_journal
from venue.journal.recent import in_memory
from venue.journal.recovery import recover
from venue.node.clock import SystemClock
from venue.node.clock_modes import SETTING, parse_mode
from venue.node.node import Node
from venue.node.passing_time import catch_up
from venue.node.venue_clock import VenueClock
from venue.pruning.forgetting import forgetting
from venue.pruning.states import forget_archived
from venue.running.agents import attach_agents
from venue.running.founding import check_kind, found_venue
from venue.running.history import start_history
from venue.running.options import Options
from venue.running.snapshots import keep, keeper
from venue.running.wiring import Views, wire_venue

log = logging.getLogger("venue")


@contextlib.asynccontextmanager
async def open_venue(
    options: Options,
    clock: SystemClock,
    on_failure: Callable[[BaseException], None],
    process: HelperProcess | None = None,
) -> AsyncIterator[Door]:
    """Yield the node without its doors, recovered and founded. OtherKind.

    `process` is one for history that waits for its file.
    """
    path = options.state
    async with contextlib.AsyncExitStack() as closing:
        if path:
            refuse_foreign(path)
            for exposed in private_files.narrow(path):
                log.warning("%s", exposed)
            private_files.create(Path(path))
            if options.keep_us is not None:
                from venue.pruning.prune import prune_at_start

                prune_at_start(path, options.keep_us)
        journal: Journal = open_journal(path) if path else in_memory(kept=options.practice)
        closing.callback(journal.close)
        lacks = lacking(path, journal) if path else []
        history = await start_history(path, options.frames_kept, journal, process)
        closing.push_async_callback(history.close)
        door = await open_node(options, journal, history, clock, on_failure)
        node = door.node
        closing.callback(node.sequencer.close)
        try:
            await forget_archived(node)
            for told in lacks:
                log.warning("%s", told)
            door.health.warnings += lacks
            door.health.disk = DiskWatch(Path(path or history.file()), clock.steady)
            yield door
        finally:
            await node.sequencer.stop()
            if path is not None:
                await keep(node, journal)


async def open_node(
    options: Options,
    journal: Journal,
    history: History,
    system: SystemClock,
    on_failure: Callable[[BaseException], None],
) -> Door:
    """Recover a venue from its journal, wire its parts, and found it when it is new. OtherKind."""
    path = options.state
    views = Views(options.frames_kept, history.newest())
    engine = recover(journal, history.newest(), views.restored)
    check_kind(engine, path or "it", practice=options.practice)
    clock = _clock(options, system, engine)
    door = wire_venue(
        options,
        engine,
        views,
        journal=journal,
        history=history,
        clock=clock,
        on_failure=on_failure,
    )
    node = door.node
    if path:
        recall(door.replays, clock, journal, path, engine.settings)
    if engine.countdowns.queue or engine.connections.guarded:  # before anybody trades
        await catch_up(engine, node.sequencer)
    await found_venue(
        door, options.seed, demo_keys=options.demo_keys, batch_place=options.batch_place
    )
    if options.history:
        views.begin_prehistory(engine.settings)
    return door


def _clock(options: Options, system: SystemClock, engine: Engine) -> VenueClock:
    """Return the venue's clock, going on after the journal's last command; ClockRefused."""
    clock = VenueClock(system, real_limits=options.real_limits)
    stored = engine.settings.get(SETTING, "")
    clock.begin(engine.time, parse_mode(stored), options.clock, options.at)
    return clock


@contextlib.asynccontextmanager
async def in_background(node: Node, options: Options) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Let time pass and keep a file in order; on leaving, end these tasks. The tasks."""
    tasks = [asyncio.create_task(node.timekeeper.run())]
    if options.state is None:
        tasks += forgetting(node)
    else:
        kept = keeper(node, options.state, options.frames_kept)
        tasks.append(asyncio.create_task(kept.run()))
        if options.keep_us is not None:
            from venue.pruning.beside import begin

            tasks.append(begin(node, kept, options.state, options.keep_us))
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def start_venue(
    options: Options,
    clock: SystemClock,
    on_failure: Callable[[BaseException], None],
    process: HelperProcess | None = None,
) -> AsyncIterator[Door]:
    """Open a venue that explains what happens and has its agents. Takes and raises what
    `open_venue` does."""
    async with open_venue(options, clock, on_failure, process) as door:
        door.observe(options.wire_log)
        await make_ready(options, door.node)
        yield door


async def make_ready(
    options: Options, node: Node, *, agents: bool = True, act: bool = True, aside: bytes = b""
) -> None:
    """Attach agents, if there are to be any, and keep the state for `reset`: a world has that from
    its beginning, unless agents are new in it."""
    agents &= options.agents
    began = await attach_agents(node, options.seed, agents=agents, act=act, aside=aside)
    if options.resets and (began or not aside):
        await node.timekeeper.keep(READY, node.reverts.dump)
