"""A run served for reading: every question over REST, at any of its commands. It takes no command.

`?at=SEQ` names the command after which the state is read; without it, the last one. Time stands at
that of the command. A state is made at the first request for it, and the last few stay.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec import Struct, structs

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.operator.preview import preview
from venue.bundle.file import RunRefused
from venue.bundle.moments import Moment, Moments, Told
from venue.bundle.runs import PastRun
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.gateway.access.limits import WEIGHT_MAX, Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.bounds import DEV_FACTOR, bounds
from venue.gateway.context import Node
from venue.gateway.dispatch.dispatcher import Desk, Dispatcher, refusal_of
from venue.gateway.faults.rules import FaultRules
from venue.gateway.operations.bindings import routes
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server, listen
from venue.history.process.client import History
from venue.history.process.link import HistoryFailed
from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
from venue.journal.recovery import recover
from venue.lab import demo
from venue.lab.prehistory import Prehistory
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.explainer import Explainer
from venue.node.market_data.views import MarketData
from venue.node.outbox import Outbox
from venue.node.sequencer import Sequencer
from venue.node.snapshots import Restored
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.recording.recorder import Recorder

VIEWS_MOST: Final = 4  # states that are ready at a time
WAITING_MOST: Final = 8  # requests that wait for a state to be made
ASKING: Final = (b"GET", b"HEAD", b"OPTIONS")
PREVIEW: Final = (preview.method.encode(), preview.path.encode())  # it has no effect
NUMBER_LENGTH_MAX: Final = 20
UNFIT: Final = (RunRefused, JournalCorrupt, JournalFailed, OtherRules, HistoryFailed)

log = logging.getLogger("venue")


class ReadingOptions(Struct, frozen=True, kw_only=True):
    """Where a run is served, on this machine only."""

    port: int
    operator_token: str = ""


class View(Struct):
    """A venue at one command, and the server of requests to it."""

    node: Node
    serve: Callable[[Request], None]

    async def close(self) -> None:
        """Let go of it; a question under way is answered with 503."""
        self.node.sequencer.close()
        await self.node.history.close()


class RunReader:
    """Serves requests at the command that each names."""

    def __init__(self, moments: Moments, last: Moment, options: ReadingOptions) -> None:
        self._moments = moments
        self._options = options
        self._origins = Origins()
        self._last = last.snapshot.sequence
        self._found: dict[int, Moment] = {self._last: last}
        self._views: dict[int, View] = {}
        self._turn = asyncio.Lock()
        self._waiting: set[asyncio.Task[None]] = set()

    def serve(self, request: Request) -> None:
        """Answer a request, at once or when its state is made."""
        try:
            self._origins.check(request.headers)  # before a page of others has work done here
            _check_asks(request)
            sequence = self._sequence(request)
            view = self._views.get(sequence)
            if view is not None:
                view.serve(request)
                return
            if len(self._waiting) >= WAITING_MOST:
                raise errors.busy(f"{WAITING_MOST} requests wait for other states of this run")
            self._wait(self._serve_later(request, sequence))
        except Exception as problem:  # noqa: BLE001 - a defect must not end the connection
            _refuse(request, problem)

    async def prepare(self) -> None:
        """Make the last state ready."""
        await self._view(self._last)

    async def close(self) -> None:
        """Let go of everything."""
        for task in self._waiting:
            task.cancel()
        await asyncio.gather(*self._waiting, return_exceptions=True)
        for view in self._views.values():
            await view.close()

    def _wait(self, answering: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(answering)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _serve_later(self, request: Request, sequence: int) -> None:
        try:
            try:
                view = await self._view(sequence)
            except UNFIT as told:
                raise errors.busy(f"this state cannot be made: {told}") from None
            view.serve(request)
        except Exception as problem:  # noqa: BLE001 - a defect must not end the connection
            _refuse(request, problem)

    def _sequence(self, request: Request) -> int:
        """The command that a request names; `at` is taken out of a request that is not signed."""
        parts = request.query.split(b"&") if request.query else []
        named = [part for part in parts if part.partition(b"=")[0] == b"at"]
        if not named:
            return self._last
        first, last = self._moments.run.begin(), self._last
        text = named[0].partition(b"=")[2]
        right = len(named) == 1 and text.isdigit() and len(text) <= NUMBER_LENGTH_MAX
        if not right or not first <= int(text) <= last:
            raise errors.invalid("at", f"must be the number of a command, {first} to {last}, once")
        if b"access-key" not in request.headers:  # the signature is that of all parameters
            request.query = b"&".join(part for part in parts if part not in named)
        return int(text)

    async def _view(self, sequence: int) -> View:
        """The state after a command. Any of UNFIT: it cannot be made now."""
        async with self._turn:
            view = self._views.get(sequence)
            if view is not None:
                return view
            moment = self._found.get(sequence)
            if moment is None:
                moment = await asyncio.to_thread(self._moments.reach, sequence)
            view = await self._open(moment)
            self._views[sequence] = view
            old = [at for at in self._views if at not in (sequence, self._last)]
            if len(self._views) > VIEWS_MOST:
                await self._views.pop(old[0]).close()
            return view

    async def _open(self, moment: Moment) -> View:
        history = await History.start(moment.history)
        try:
            node = _node(self._moments, moment, history)
        except (ValueError, LookupError) as problem:  # settings that no venue wrote
            await history.close()
            raise RunRefused(
                f"{self._moments.run.name} cannot be served ({type(problem).__name__}: {problem}):"
                " make the bundle again"
            ) from problem
        desk = Desk(node, routes(), Limits(None, None, None))
        dispatcher = Dispatcher(
            desk,
            Authenticator(node.keys.ring, node.clock, explain=True),
            node.replays,
            OperatorDoor(self._options.operator_token, port=self._options.port),
            self._origins,
            {},
        )
        return View(node, dispatcher.serve)


def _node(moments: Moments, moment: Moment, history: History) -> Node:
    """A venue as it was after a command, with the demo keys of the owners that it had then."""
    sequence = moment.snapshot.sequence
    prehistory = Prehistory()
    market_data = MarketData(prehistory.spot, prehistory.contract)
    recorder = Recorder()
    journal = moments.journal(moment)
    engine = recover(journal, sequence, Restored(market_data, recorder, sequence))
    clock = VenueClock(SystemClock())
    clock.begin(engine.time, ClockMode(Mode.MANUAL), None, None)
    outbox = Outbox()
    sequencer = Sequencer(engine, journal, outbox, clock, _defect)
    timekeeper = Timekeeper(engine, sequencer, clock, _nothing)
    history.begin(engine)
    node = Node(
        engine=engine,
        sequencer=sequencer,
        market_data=market_data,
        history=history,
        keys=KeyStore(),
        clock=clock,
        timekeeper=timekeeper,
        data=f"{moments.run.name}, read-only, at command {sequence} of {moments.run.last()}",
        weight_limit=WEIGHT_MAX * DEV_FACTOR,
        replays=ReplayGuard(),
        journal=journal,
        outbox=outbox,
        recorder=recorder,
        spot_changes=SpotChanges(),
        practice=True,
        faults=FaultRules("1"),
    )
    node.epoch_line += b"x-venue-at: %d\r\n" % sequence
    node.past_wire = moments.run.wire
    node.explainer = Explainer(journal, sequencer.on_disk_thread)
    _add_demo_keys(node)
    epoch = node.setting("historyEpoch", "")
    if epoch:
        prehistory.begin(int(node.setting("historySeed", "1")), int(epoch))
    return node


def _add_demo_keys(node: Node) -> None:
    """The demo keys, which are public: stock clients can read with them."""
    for account in demo.ACCOUNTS:
        uid = node.engine.ledger.names.get(account.name)
        if uid is not None:
            node.keys.add(
                KeyCredentials(account.key, account.secret, demo.PASSPHRASE),
                KeyFacts(account.key, uid, "demo", account.permissions, [], 0, None, False),
            )


def _check_asks(request: Request) -> None:
    """ApiError unless the request is a question."""
    if request.method in ASKING or (request.method, request.path) == PREVIEW:
        return
    method = errors.shown(request.method.decode("latin-1"))
    raise errors.error(
        -1150,
        detail=f"Request method {method} not supported: this run is over and opened for reading"
        " only; `venue fork FILE@SEQ -o NEW` makes a state that a venue can go on from",
    )


def _refuse(request: Request, problem: Exception) -> None:
    refusal: ApiError = refusal_of(problem, request.what())
    request.answer(refusal.status, refusal.body())


def _defect(problem: BaseException) -> None:
    log.error("a run that is read took a command: %s", problem)


async def _nothing() -> None:
    """Time stands."""


async def read(
    run: PastRun, options: ReadingOptions, told: Told, ready: Callable[[int], None]
) -> None:
    """Serve a run on loopback until a signal. `ready` gets the port.

    OSError: the address is taken. Any of UNFIT: it cannot be replayed or served.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    bound = listen("127.0.0.1", options.port)
    options = structs.replace(options, port=bound.getsockname()[1])
    try:
        with TemporaryDirectory(prefix="venue-open-") as folder:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, stopping.set)
            moments = Moments(run, folder)
            replaying = asyncio.create_task(asyncio.to_thread(moments.replay, told))
            waiting = asyncio.create_task(stopping.wait())
            await asyncio.wait([replaying, waiting], return_when=asyncio.FIRST_COMPLETED)
            if stopping.is_set():
                moments.stop()
                with suppress(RunRefused):
                    await replaying
                return
            waiting.cancel()
            reader = RunReader(moments, await replaying, options)
            try:
                await reader.prepare()
                fit = bounds(limited=True, factor=DEV_FACTOR)
                server = await Server.start(bound, fit.http, reader.serve)
                ready(bound.getsockname()[1])
                await stopping.wait()
                await server.stop()
            finally:
                await reader.close()
    finally:
        bound.close()
