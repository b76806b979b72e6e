"""The wiring: options -> venue -> start, stop. The one file that knows every part."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

import venue
from venue import private_files
from venue.agent_wiring import employ
from venue.api.documents.asyncapi import asyncapi
from venue.api.documents.openapi import openapi
from venue.api.errors import ApiError
from venue.api.operator.snapshots import READY
from venue.api.profile import Profile
from venue.api.streams.channels import SOCKETS
from venue.client import operator_tokens
from venue.core.engine import Engine
from venue.founding import check_kind, found_venue
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.keys import KeyStore
from venue.gateway.access.limits import ORDERS_MAX, WEIGHT_MAX, Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.access.proxies import Proxies
from venue.gateway.access.recalled import recall
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.answers.kept import WORLD_SERIES_MAX, Answers
from venue.gateway.bounds import DEV_FACTOR, Bounds, bounds
from venue.gateway.context import KEY_REWRITES, Node
from venue.gateway.dispatch.dispatcher import Desk, Dispatcher, document
from venue.gateway.dispatch.faulty import FaultyDoor
from venue.gateway.faults.rules import FaultRules
from venue.gateway.operations.bindings import open_rows, routes
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SocketLimits, Timing
from venue.gateway.streams.sockets import Sockets, Taken
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server, listen
from venue.gateway.worlds import Worlds
from venue.history.frames_kept import FRAMES_KEPT
from venue.history.process.client import History
from venue.history.process.shelf import Shelf
from venue.journal.file import refuse_foreign
from venue.journal.journal import Journal, JournalFailed
from venue.journal.lacking import lacking
from venue.journal.opening import open_journal
from venue.journal.recent import in_memory
from venue.journal.recovery import newest_setting, recover
from venue.lab.prehistory import Prehistory
from venue.missed_events import MissedEvents
from venue.node.clock import ServerClock, SystemClock
from venue.node.clock_modes import SETTING, ClockMode, parsed
from venue.node.disk_use import DiskWatch
from venue.node.explainer import Queue
from venue.node.garbage import collect_young_only
from venue.node.market_data.views import MarketData
from venue.node.outbox import Outbox
from venue.node.passing_time import catch_up
from venue.node.sequencer import Sequencer, Stopped
from venue.node.snapshots import Restored
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.own_history import follow_with_history, start_history
from venue.pruning.forgetting import forgetting
from venue.pruning.states import forget_archived
from venue.recording.recorder import Recorder
from venue.recovery_snapshots import keep, keep_up, keeper
from venue.world_lives import Doors, Living, OnFailure

WORLD_WIRE_LOG: Final = 200  # requests and frames that a world keeps, of which there may be 1,000
ASYNCAPI: Final = document(lambda: asyncapi(SOCKETS, venue.__version__))

log = logging.getLogger("venue")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to run a venue; `state` None keeps everything in memory.

    A `practice` venue has demo markets, owners and money, and time, state and failures are the
    operator's. A real one begins without all of these.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    state: str | None = None
    seed: int = 1
    agents: bool = True
    limits: bool = True
    real_limits: bool = False  # the interface's own, not a hundred times as much
    history: bool = True
    batch_place: bool | None = None
    projection: bool = True
    operator_token: str = ""
    depth_ms: int = 500
    frames_kept: int = FRAMES_KEPT  # of each private channel, for clients that resume
    practice: bool = True
    hosts: tuple[str, ...] = ()  # names of this venue, beside addresses and names without a dot
    origins: tuple[str, ...] = ()  # of web pages that may call
    proxies: tuple[str, ...] = ()  # addresses and networks whose X-Forwarded-For is believed
    strict: bool = False  # parameters that no operation knows are refused
    profile: Profile = Profile.DOCUMENT
    demo_keys: bool = True
    capacity: int | None = None  # commands a second at most
    keep_us: int | None = None  # how much of journal and history stays out of archives
    clock: ClockMode | None = None  # how time passes; None: as before, or as the machine's
    at: int | None = None  # venue time to begin at, µs
    wire_log: int = 0  # requests and frames that a practice venue keeps; 0: none
    resets: bool = False  # the state it begins to answer in is kept, for `reset`


class Running(msgspec.Struct, frozen=True):
    """A venue that answers: where, and what it is made of."""

    host: str
    port: int
    node: Node


async def run(
    options: Options, ready: Callable[[Running], None], process: Process | None = None
) -> int:
    """Serve until a signal or a failure; the process's exit code. OSError: the address is taken.

    `ready` is called once, when the first request would be answered. `process` is one for history,
    which the caller has begun, and ends when it is left over.
    """
    failed: list[BaseException] = []
    stopping = asyncio.Event()

    def on_failure(problem: BaseException) -> None:
        if not isinstance(problem, JournalFailed):
            log.error("a defect stops the venue", exc_info=problem)
        failed.append(problem)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopping.set)
    bound = listen(options.host, options.port)
    try:
        await _serve(
            options, ready, stopping, bound, opened(options, SystemClock(), on_failure, process)
        )
    except (Stopped, ApiError):  # under way when the journal or a defect stopped the venue
        if not failed:
            raise
    for problem in failed:
        print(f"venue: stopped: {problem}", file=sys.stderr)
    return 3 if failed else 0


async def _serve(
    options: Options,
    ready: Callable[[Running], None],
    stopping: asyncio.Event,
    bound: socket.socket,
    opening: contextlib.AbstractAsyncContextManager[Node],
) -> None:
    """Open the node and the doors, and close them again at a signal or a failure."""
    fit = bounds(limited=options.limits, factor=_factor(options))
    async with opening as node:
        if fit.told:
            log.warning("%s", fit.told)
            node.warnings.append(fit.told)
        node.observe(options.wire_log)
        await _make_ready(options, node)
        options, noted = _with_token(options, bound)
        async with doors(node, options, bound, fit):
            collect_young_only()
            background = in_background(node, options)
            node.stop = stopping.set
            try:
                with noted:
                    ready(Running(options.host, bound.getsockname()[1], node))
                    await _until(stopping, background)
            finally:
                await end_of(background)


def _with_token(
    options: Options, bound: socket.socket
) -> tuple[Options, contextlib.AbstractContextManager[None]]:
    """A real venue's options with the token of its file, unless another is given, and the note
    that tells commands of it. OSError."""
    if options.practice or options.operator_token or options.state is None:
        return options, contextlib.nullcontext()
    token = operator_tokens.of_file(options.state)
    ip, port, *_ = bound.getsockname()
    noted = operator_tokens.noted(ip, port, options.state)
    return msgspec.structs.replace(options, operator_token=token), noted


@contextlib.asynccontextmanager
async def doors(
    node: Node, options: Options, bound: socket.socket, fit: Bounds
) -> AsyncIterator[None]:
    """Answer requests and streams on a bound socket; on leaving, close all connections."""
    options = msgspec.structs.replace(options, port=bound.getsockname()[1])
    origins = Origins(options.hosts, options.origins)
    serve, streams = _doors(options, origins, fit.sockets, Taken(), node)
    plain = msgspec.structs.replace(options, state=None, keep_us=None)
    of_worlds = partial(_doors, plain, origins, fit.sockets, streams.taken)
    living = _living(plain, node, of_worlds)
    proxies, operators = Proxies(options.proxies), _operators(options)
    server = await Server.start(bound, fit.http, serve, streams, proxies, operators=operators)
    worlds = node.worlds = Worlds(server.listener, living)
    try:
        yield
    finally:
        await server.stop()
        await streams.finish()
        await worlds.close()
        await living.close()


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
        node = await _wire(options, journal, history, clock, on_failure)
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


def dispatcher(
    node: Node, options: Options, origins: Origins, clock: ServerClock | None = None
) -> Dispatcher:
    """The server of whole requests to the node; `clock` tells another time than the node's."""
    limits = Limits(None, None, None)
    if options.limits:
        weight = node.weight_limit
        limits = Limits(weight, weight, ORDERS_MAX * _factor(options), node.clock)
    return Dispatcher(
        Desk(node, routes(), limits, strict=options.strict),
        _authenticator(node, clock or node.clock),
        node.replays,
        _operators(options),
        origins,
        {
            b"/openapi.json": document(
                lambda: openapi(open_rows(node), venue.__version__, node.profile)
            ),
            b"/asyncapi.json": ASYNCAPI,
        },
        clock=clock,
    )


def _authenticator(node: Node, clock: ServerClock) -> Authenticator:
    only_ipv4 = node.profile is Profile.LIVE
    return Authenticator(node.keys.ring, clock, explain=True, only_ipv4=only_ipv4)


def _operators(options: Options) -> OperatorDoor:
    token, proxies = options.operator_token, bool(options.proxies)
    return OperatorDoor(token, behind_proxy=proxies, port=options.port)


def _doors(
    options: Options, origins: Origins, limits: SocketLimits, taken: Taken, node: Node
) -> tuple[Callable[[Request], None], Sockets]:
    """The function that serves a venue's requests, and the door for its streams."""
    requests = dispatcher(node, options, origins)
    streams = _streams(node, options, requests.desk, origins, limits, taken)
    requests.faulty = _faulty(node, options, origins, requests).serve
    return node.noted(requests.serve), streams


def _living(plain: Options, beside: Node, open_doors: Doors) -> Living:
    """Worlds begin as a venue does, or with a state of the one `beside` them, and keep nothing."""
    queue = Queue()
    goes_on = msgspec.structs.replace(plain, clock=None, at=None)  # as the state says

    async def open_node(journal: Journal, history: History, failed: OnFailure) -> Node:
        begun = goes_on if journal.begin() else plain
        node = await _wire(begun, journal, history, SystemClock(), failed)
        node.observe(min(plain.wire_log, WORLD_WIRE_LOG), queue)
        node.answers = Answers(WORLD_SERIES_MAX)
        return node

    shelf, make_ready = Shelf(plain.frames_kept), partial(_make_ready, plain)
    return Living(beside, shelf, open_node, open_doors, make_ready)


def _faulty(node: Node, options: Options, origins: Origins, whole: Dispatcher) -> FaultyDoor:
    """The door that serves for the dispatcher as rules of faults say."""
    return FaultyDoor(node, whole, lambda clock: dispatcher(node, options, origins, clock).serve)


def _factor(options: Options) -> int:
    """How many times the interface's limits a client may use: a practice venue's share one
    address."""
    return 1 if options.real_limits else DEV_FACTOR


def _streams(
    node: Node,
    options: Options,
    desk: Desk,
    origins: Origins,
    limits: SocketLimits,
    taken: Taken,
) -> Sockets:
    """The door for streams, with a hub that hears of every batch from now on."""
    hub = Hub(node, Timing(depth_s=options.depth_ms / 1000))
    node.outbox.follow(hub.follow)
    node.timekeeper.follow(hub, hub.keep_up)
    authenticator = _authenticator(node, node.clock)
    sockets = Sockets(node, hub, authenticator, limits, desk, origins, taken=taken)
    node.outbox.follow_reverts(sockets.follow)
    return sockets


async def _wire(
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
        weight_limit=WEIGHT_MAX * _factor(options),
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


async def _make_ready(
    options: Options, node: Node, *, agents: bool = True, act: bool = True, aside: bytes = b""
) -> None:
    """Have agents begin or go on, if there are to be any, and keep the state for `reset`: a world
    has that from its beginning, unless agents are new in it."""
    agents &= options.agents
    began = await employ(node, options.seed, agents=agents, act=act, aside=aside)
    if options.resets and (began or not aside):
        await node.timekeeper.keep(READY, node.aside.dump)


async def _until(stopping: asyncio.Event, background: list[asyncio.Task[None]]) -> None:
    """Return at a signal or failure; raise what ended a background task."""
    waiting = asyncio.create_task(stopping.wait())
    done, _ = await asyncio.wait([waiting, *background], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    for task in done:
        problem = task.exception()
        if problem is not None and not isinstance(problem, Stopped):
            raise problem
