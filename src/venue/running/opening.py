"""Opens a venue's node: recovers its state, wires its parts, founds it when it is new."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

from venue.api.operator.snapshots import READY
from venue.core.engine import Engine
from venue.files import private_files
from venue.gateway.access.keys import KeyStore
from venue.gateway.access.limits import WEIGHT_MAX
from venue.gateway.access.recalled import recall
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.context import KEY_REWRITES, Node
from venue.gateway.faults.rules import FaultRules
from venue.history.process.client import History
from venue.journal.file import refuse_foreign
from venue.journal.journal import Journal
from venue.journal.lacking import lacking
from venue.journal.opening import open_journal
from venue.journal.recent import in_memory
from venue.journal.recovery import newest_setting, recover
from venue.lab.prehistory import Prehistory
from venue.node.clock import SystemClock
from venue.node.clock_modes import SETTING, parsed
from venue.node.disk_use import DiskWatch
from venue.node.market_data.views import MarketData
from venue.node.missed_events import MissedEvents
from venue.node.outbox import Outbox
from venue.node.passing_time import catch_up
from venue.node.sequencer import Sequencer
from venue.node.snapshots import Restored
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.pruning.forgetting import forgetting
from venue.pruning.states import forget_archived
from venue.recording.recorder import Recorder
from venue.running.agents import employ
from venue.running.founding import check_kind, found_venue
from venue.running.history import follow_with_history, start_history
from venue.running.options import Options
from venue.running.snapshots import keep, keep_up, keeper

log = logging.getLogger("venue")


@contextlib.asynccontextmanager
async def opened(
    options: Options,
    clock: SystemClock,
    on_failure: Callable[[BaseException], None],
    process: Process | None = None,
) -> AsyncIterator[Node]:
    """The node without its doors, recovered and founded. OtherKind.

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
        node = await open_node(options, journal, history, clock, on_failure)
        closing.callback(node.sequencer.close)
        try:
            await forget_archived(node)
            for told in lacks:
                log.warning("%s", told)
            node.warnings += lacks
            node.disk = DiskWatch(Path(path or history.file()), clock.steady)
            yield node
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
) -> Node:
    path = options.state
    prehistory = Prehistory()
    market_data = MarketData(prehistory.spot, prehistory.contract)
    recorder = Recorder(options.frames_kept)
    restored = Restored(market_data, recorder, history.newest())
    engine = _recovered(options, journal, history, restored)
    clock = _clock(options, system, engine)
    outbox = Outbox()
    outbox.companion = recorder
    outbox.follow(market_data.follow)
    spot_changes = SpotChanges()
    outbox.follow(spot_changes.follow)
    outbox.follow(recorder.publish)
    if options.projection:
        follow_with_history(outbox, engine, history, recorder)
    sequencer = Sequencer(engine, journal, outbox, clock, on_failure, capacity=options.capacity)
    timekeeper = Timekeeper(engine, sequencer, clock, partial(keep_up, history, engine))
    outbox.follow(timekeeper.note)
    outbox.follow_reverts(timekeeper.go_back)
    missed = MissedEvents(journal, sequencer.on_disk_thread, f"{path}.history", options.frames_kept)
    history.begin(engine, missed.bring if path else None)
    history.follow(restored.unprojected, restored.frames)
    node = Node(
        engine=engine,
        sequencer=sequencer,
        market_data=market_data,
        history=history,
        keys=_keys(path, engine, journal) if path else KeyStore(),
        clock=clock,
        timekeeper=timekeeper,
        data=str(Path(path).absolute()) if path else "in memory",
        weight_limit=WEIGHT_MAX * options.limits_factor(),
        replays=ReplayGuard(clock),
        journal=journal,
        outbox=outbox,
        recorder=recorder,
        spot_changes=spot_changes,
        practice=options.practice,
        faults=FaultRules(str(options.seed)),
        profile=options.profile,
    )
    outbox.follow_reverts(node.follow)
    if path:
        recall(node.replays, clock, journal, path, engine.settings)
    if engine.countdowns.queue or engine.connections.guarded:  # before anybody trades
        await catch_up(engine, sequencer)
    await found_venue(
        node, options.seed, demo_keys=options.demo_keys, batch_place=options.batch_place
    )
    if options.history and (epoch := node.setting("historyEpoch", "")):
        prehistory.begin(int(node.setting("historySeed", "1")), int(epoch))
    return node


def _recovered(options: Options, journal: Journal, history: History, restored: Restored) -> Engine:
    """The engine as the journal says, before anything is added to it. OtherKind."""
    engine = recover(journal, history.newest(), restored)
    check_kind(engine, options.state or "it", practice=options.practice)
    return engine


def _clock(options: Options, system: SystemClock, engine: Engine) -> VenueClock:
    """The venue's clock, going on after the journal's last command; ClockRefused."""
    clock = VenueClock(system, real_limits=options.real_limits)
    stored = engine.settings.get(SETTING, "")
    clock.begin(engine.time, parsed(stored), options.clock, options.at)
    return clock


def _keys(path: str, engine: Engine, journal: Journal) -> KeyStore:
    """The key store beside a journal, no older than the journal knows it."""
    least = int(engine.settings.get(KEY_REWRITES, "0"))
    if engine.epoch:  # a revert took back what was noted, and may be the last command
        least = max(least, int(newest_setting(journal, KEY_REWRITES) or "0"))
    return KeyStore.open(Path(f"{path}.keys"), least)


def in_background(node: Node, options: Options) -> list[asyncio.Task[None]]:
    """The tasks of a venue that is open: time passes, and a file is kept in order."""
    tasks = [asyncio.create_task(node.timekeeper.run())]
    if options.state is None:
        tasks += forgetting(node)
    else:
        kept = keeper(node, options.state, options.frames_kept)
        tasks.append(asyncio.create_task(kept.run()))
        if options.keep_us is not None:
            from venue.pruning.beside import begin

            tasks.append(begin(node, kept, options.state, options.keep_us))
    return tasks


async def end_of(background: list[asyncio.Task[None]]) -> None:
    """End the tasks; exceptions that they raised are not told."""
    for task in background:
        task.cancel()
    await asyncio.gather(*background, return_exceptions=True)


async def make_ready(
    options: Options, node: Node, *, agents: bool = True, act: bool = True, aside: bytes = b""
) -> None:
    """Have agents begin or go on, if there are to be any, and keep the state for `reset`: a world
    has that from its beginning, unless agents are new in it."""
    agents &= options.agents
    began = await employ(node, options.seed, agents=agents, act=act, aside=aside)
    if options.resets and (began or not aside):
        await node.timekeeper.keep(READY, node.aside.dump)
