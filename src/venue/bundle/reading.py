"""A run served for reading: every question over REST, at any of its commands. It takes no command.

`?at=SEQ` names the command after which the state is read; without it, the last one. Time stands at
that of the command. A state is made at the first request for it, and the last few stay.

The last state is served first, made from the run's newest snapshot. Meanwhile the whole run is
replayed; history that it has not come to yet is waited for.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from socket import socket
from typing import Any, Final

from msgspec import Struct

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.operator.preview import preview
from venue.bundle.file import RunRefused
from venue.bundle.moments import Moments, Told
from venue.bundle.past_views import PastViews, door_of
from venue.bundle.runs import PastRun
from venue.gateway.access.origins import Origins
from venue.gateway.bounds import DEV_FACTOR, bounds
from venue.gateway.dispatch.dispatcher import refusal_of
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server, listen
from venue.helpers.link import HelperFailed
from venue.history.frames_kept import FRAMES_KEPT
from venue.history.process.shared_histories import SharedHistories
from venue.history.temporary import Folder
from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules
from venue.node.node import Node
from venue.running.options import Options
from venue.running.requests import dispatcher, operator_door

VIEWS_MOST: Final = 4  # states that are ready at a time
SHORT: Final = 4_000  # commands: a run of less is replayed before it is served
WAITING_MOST: Final = 8  # requests that wait for a state to be made
ASKING: Final = (b"GET", b"HEAD", b"OPTIONS")
PREVIEW: Final = (preview.method.encode(), preview.path.encode())  # it has no effect
NUMBER_LENGTH_MAX: Final = 20
UNFIT: Final = (RunRefused, JournalCorrupt, JournalFailed, OtherRules, HelperFailed)


class ReadingOptions(Struct, frozen=True, kw_only=True):
    """Where a run is served, on this machine only."""

    port: int
    operator_token: str = ""


class View(Struct):
    """A venue at one command, the server of requests to it, and the base of its history."""

    node: Node
    serve: Callable[[Request], None]
    base: int

    async def close(self) -> None:
        """Let go of it; a question under way is answered with 503."""
        self.node.sequencer.close()
        await self.node.history.close()


class RunReader:
    """Serves requests at the command that each names."""

    def __init__(
        self, moments: Moments, histories: SharedHistories, options: Options, told: Told
    ) -> None:
        self._moments = moments
        self._told = told
        self._histories = histories
        self._options = options
        self._origins = Origins()
        self._last = moments.run.last()
        self._views: dict[int, View] = {}
        self._turn = asyncio.Lock()  # of what is replayed, one piece after the other
        self._begun_s = 0.0
        self._waiting: set[asyncio.Task[None]] = set()
        self._read = asyncio.Condition()  # told after each piece of the replay

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
        """Make the last state ready. Any of UNFIT."""
        await self._view(self._last)

    async def replay(self) -> None:
        """Replay the whole run, between requests for other states. Any of UNFIT, OSError."""
        moments, histories = self._moments, self._histories
        self._begun_s = asyncio.get_running_loop().time()
        while moments.reached < self._last:
            async with self._turn:
                if await asyncio.to_thread(moments.go_on):
                    base = moments.wanted.pop(moments.reached, 0) or histories.reserve()
                    await asyncio.to_thread(moments.keep, base, await histories.file(base))
                    histories.stands(base)
                    used = {view.base for view in self._views.values()}
                    for gone in moments.thin_out(used):
                        await histories.forget(gone)
            async with self._read:
                self._read.notify_all()
            self._told(moments.reached, self._last)

    def _history_told(self) -> str:
        """Return why a question of history is not answered yet, and how long it will take about."""
        begin, reached = self._moments.run.begin(), self._moments.reached
        if reached == self._last:
            return "history is behind; try again"
        passed_s = asyncio.get_running_loop().time() - self._begun_s
        left_s = passed_s * (self._last - reached) / max(reached - begin, 1)
        about = f", about {left_s:.0f} s are left" if reached > begin else ""
        return f"history is still being read: {reached} of {self._last} commands{about}; try again"

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
        """Return the command that a request names; `at` is taken out of a request that is not
        signed."""
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
        """Return the state after a command. Any of UNFIT: it cannot be made now.

        The replay goes there first where no snapshot is nearer: what it keeps serves others too.
        """
        async with self._read:
            await self._read.wait_for(lambda: self._moments.is_near(sequence))
        async with self._turn:
            view = self._views.get(sequence)
            if view is not None:
                return view
            view = await self._open(sequence)
            self._views[sequence] = view
            old = [at for at in self._views if at not in (sequence, self._last)]
            if len(self._views) > VIEWS_MOST:
                await self._let_go(old[0])
            return view

    async def _let_go(self, sequence: int) -> None:
        view = self._views.pop(sequence)
        await view.close()
        await self._forget(sequence, view.base)

    async def _forget(self, sequence: int, base: int) -> None:
        """Wait no more for a history."""
        if self._moments.wanted.get(sequence) == base:
            del self._moments.wanted[sequence]
            await self._histories.forget(base)

    async def _open(self, sequence: int) -> View:
        moments, histories = self._moments, self._histories
        before = moments.before(sequence) if sequence <= moments.reached else None
        if before is None:
            base, begin = histories.reserve(), sequence
            moments.wanted[sequence] = base
        else:
            base, begin = before.base, before.sequence
        history = histories.history(begin, base)
        try:
            past = PastViews(moments, sequence, begin, self._told)
            await asyncio.to_thread(past.bring)
            door = door_of(self._options, moments, past, history, self._history_told)
        except BaseException as problem:
            await history.close()
            await self._forget(sequence, base)
            if not isinstance(problem, ValueError | LookupError):
                raise
            raise RunRefused(  # settings that no venue wrote
                f"{moments.run.name} cannot be served ({type(problem).__name__}: {problem}):"
                " make the bundle again"
            ) from problem
        operators = operator_door(self._options)
        requests = dispatcher(door, self._options, self._origins, operators)
        return View(door.node, requests.serve, base)


def _check_asks(request: Request) -> None:
    """ApiError unless the request is a question."""
    if request.method in ASKING or (request.method, request.path) == PREVIEW:
        return
    method = errors.quote_value(request.method.decode("latin-1"))
    raise errors.error(
        -1150,
        detail=f"Request method {method} not supported: this run is over and opened for reading"
        " only; `venue fork FILE@SEQ -o NEW` makes a state that a venue can go on from",
    )


def _refuse(request: Request, problem: Exception) -> None:
    refusal: ApiError = refusal_of(problem, request.what())
    request.answer(refusal.status, refusal.body())


async def read(
    run: PastRun, options: ReadingOptions, told: Told, ready: Callable[[int], None]
) -> None:
    """Serve a run on loopback until a signal. `ready` gets the port, `told` how far it is read.

    A short run is read before it is served. OSError: the address is taken. Any of UNFIT: it cannot
    be replayed or served.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    bound = listen("127.0.0.1", options.port)
    served = Options(
        port=bound.getsockname()[1],
        limits=False,
        pages=False,  # they follow a venue that goes on
        projection=False,
        operator_token=options.operator_token,
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopping.set)
    histories = SharedHistories(FRAMES_KEPT)
    with ExitStack() as closing:
        closing.callback(bound.close)
        folder = Folder("open")
        closing.callback(folder.let_go)
        moments = Moments(run, folder.path)
        reader = RunReader(moments, histories, served, told)
        serving = asyncio.create_task(_serve(reader, moments, bound, ready))
        waiting = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
            if not stopping.is_set():
                await serving
        finally:
            moments.stop()
            serving.cancel()
            waiting.cancel()
            await asyncio.gather(serving, waiting, return_exceptions=True)
            await reader.close()
            await histories.close()
            moments.close()


async def _serve(
    reader: RunReader, moments: Moments, bound: socket, ready: Callable[[int], None]
) -> None:
    """Serve from the last state on, and replay the run; it ends with a problem only."""
    run = moments.run
    first = run.last() - run.begin() < SHORT or not moments.is_near(run.last())
    if first:
        await reader.replay()
    await reader.prepare()
    server = await Server.start(bound, bounds(limited=True, factor=DEV_FACTOR).http, reader.serve)
    try:
        ready(bound.getsockname()[1])
        if not first:
            await reader.replay()
        await asyncio.Event().wait()
    finally:
        await server.stop()
