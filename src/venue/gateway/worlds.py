"""More venues in the same process, each under its own path prefix: `/w/NAME`.

A world is only a name until its first request or socket arrives; then it is started. It answers the
path after its prefix as the venue itself does, and knows nothing of other worlds.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol, TypeVar, cast

from venue.api import errors
from venue.gateway.transport.listener import Listener, StreamAcceptor
from venue.gateway.transport.request import CLOSE, RETRY, Request, whole

PREFIX: Final = b"/w/"
WORLDS_MAX: Final = 1_000
DEAD_MAX: Final = 32  # worlds that have ended whose memory is not free yet, or as many as there are
STOPPED: Final = "this world has stopped after a defect; delete it"
GONE: Final = "this world was deleted"

log = logging.getLogger("venue.gateway")


class StartedWorld(Protocol):
    """A world that runs: the functions that serve its requests and sockets."""

    @property
    def streams(self) -> StreamAcceptor:
        """Accepts its sockets."""

    @property
    def serve(self) -> Callable[[Request], None]:
        """Serves its requests."""

    @property
    def failure(self) -> str:
        """The defect that stopped it; empty while it runs."""

    def sequence(self) -> int:
        """Return the sequence of its last command."""

    async def close(self) -> None:
        """Answer what is under way, end its sockets and close its parts."""


Start = TypeVar("Start")


class WorldFactory(Protocol[Start]):
    """Starts worlds."""

    def prepare(self) -> None:
        """Prepare the state that new worlds start from, because one may be started soon."""

    async def copy_state(self, name: str) -> Start:
        """Return a copy of a kept state of the venue, for a world to start from. ApiError."""

    async def start_world(self, state: Start | None, *, agents: bool) -> StartedWorld:
        """Start a world: from this state, or as a new venue when it is None."""

    async def release_state(self, state: Start) -> None:
        """Count one world less that uses a kept state: it has ended, or was not made."""


class World:
    """One world. `running` is None before its first request. `state` names the kept state that it
    starts from; empty: it starts as a new venue."""

    def __init__(
        self, name: str, start: Callable[[], Awaitable[StartedWorld]], *, agents: bool, state: str
    ) -> None:
        self.name = name
        self.agents = agents
        self.state = state
        self.running: StartedWorld | None = None
        self._start = start
        self._coming: asyncio.Task[StartedWorld] | None = None
        self._deleted = False

    async def start(self) -> StartedWorld:
        """Start it unless it runs, and return it. ApiError 503 when it was deleted meanwhile."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(self._begin())
        running = await asyncio.shield(self._coming)
        if self._deleted:
            raise errors.busy(GONE)
        return running

    async def _begin(self) -> StartedWorld:
        self.running = await self._start()
        return self.running

    async def end(self) -> bool:
        """Refuse further requests and close it; return whether it ran."""
        self._deleted = True
        if self._coming is None:
            return False
        running = None
        with suppress(Exception):  # it never began, and its waiting callers were told
            running = await self._coming
        try:
            if running is not None:
                await running.close()
        except Exception:  # a defect must not keep the other worlds from their end
            log.exception("defect while world %s ended", self.name)
        self.running = self._coming = None
        return running is not None


class Worlds:
    """All worlds. Once there is one, this is the entry before the venue's own; without worlds,
    orders pay nothing for it."""

    def __init__(self, listener: Listener, factory: WorldFactory[Any]) -> None:
        self._listener = listener
        self._serve = listener.serve
        self._streams = listener.streams
        self._factory = factory
        self._worlds: dict[str, World] = {}
        self._starts: dict[World, Any] = {}  # of those that begin with a kept state
        self._waiting: set[asyncio.Task[None]] = set()
        self._dead = 0

    # -- which there are --------------------------------------------------------------------------

    async def create(self, name: str, *, agents: bool, state: str = "") -> World:
        """Make a world from the venue's initial state, or from its saved state `state` as it is
        now. ApiError for a name that exists, one world too many, or a state that is not saved."""
        self._check_free(name)
        start = await self._factory.copy_state(state) if state else None
        try:
            self._check_free(name)
        except errors.ApiError:
            if start is not None:
                await self._factory.release_state(start)
            raise
        begin = partial(self._factory.start_world, start, agents=agents)
        world = self._worlds[name] = World(name, begin, agents=agents, state=state)
        self._listener.serve, self._listener.streams = self.serve, self
        if start is None:
            self._factory.prepare()
        else:
            self._starts[world] = start
        return world

    def _check_free(self, name: str) -> None:
        if name in self._worlds:
            raise errors.invalid("name", "a world has it; delete that one first")
        if len(self._worlds) >= WORLDS_MAX:
            raise errors.out_of_range("name", f"at most {WORLDS_MAX} worlds are kept")

    def find(self, name: str) -> World | None:
        """Return the world of that name."""
        return self._worlds.get(name)

    def all(self) -> list[World]:
        """In the order in which they were made."""
        return list(self._worlds.values())

    async def delete(self, world: World) -> None:
        """End a world. Requests for it find nothing from now on."""
        self._worlds.pop(world.name, None)
        if await world.end():
            self._forget()
        start = self._starts.pop(world, None)
        if start is not None:
            await self._factory.release_state(start)

    def _forget(self) -> None:
        """Free the memory of worlds that have ended, many at once: it takes time in proportion to
        all objects, and a venue does not collect garbage by itself."""
        self._dead += 1
        if self._dead >= max(DEAD_MAX, len(self._worlds)):
            self._dead = 0
            gc.collect()

    async def close(self) -> None:
        """End all of them."""
        for world in self.all():
            await self.delete(world)

    # -- requests ---------------------------------------------------------------------------------

    def serve(self, request: Request) -> None:
        """Hand a request to the venue or to the world that its path names."""
        if not request.path.startswith(PREFIX):
            self._serve(request)
            return
        world, path = self._split_path(request.path)
        if world is None:
            self._serve(request)  # where it is refused, and costs what unknown paths cost
            return
        request.path = path
        running = world.running
        if running is None:
            task = asyncio.ensure_future(self._serve_later(world, request))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)
        else:
            _serve_in(running, request)

    async def _serve_later(self, world: World, request: Request) -> None:
        try:
            running = await world.start()
        except errors.ApiError as refusal:
            request.answer(refusal.status, refusal.body())
        except Exception:  # a defect must not end the connection
            log.exception("defect while world %s started", world.name)
            request.answer(500, errors.internal().body())
        else:
            _serve_in(running, request)

    def _split_path(self, path: bytes) -> tuple[World | None, bytes]:
        """Return the world that a path names, None where there is none, and the rest of the path.
        Percent signs stay as they are."""
        name, slash, rest = path[len(PREFIX) :].partition(b"/")
        world = self._worlds.get(name.decode("latin-1")) if slash else None
        return world, slash + rest

    # -- sockets ----------------------------------------------------------------------------------

    def accepts_upgrade(self, request: Request) -> bool:
        """Return whether a request may become a stream."""
        assert self._streams is not None
        if not request.path.startswith(PREFIX):
            return self._streams.accepts_upgrade(request)
        world, inside = self._split_path(request.path)
        if world is None:
            return False
        whole_path, request.path = request.path, inside
        try:
            return self._streams.accepts_upgrade(request)  # all take the same paths
        finally:
            request.path = whole_path

    def connection(
        self, listener: Listener, request: Request, give_up_seat: Callable[[], None]
    ) -> asyncio.Protocol:
        """Return the protocol of an upgraded connection, which waits until its world runs."""
        if not request.path.startswith(PREFIX):
            assert self._streams is not None
            return self._streams.connection(listener, request, give_up_seat)
        world, request.path = self._split_path(request.path)
        assert world is not None, "it was wanted"
        if world.running is not None and not world.running.failure:
            return world.running.streams.connection(listener, request, give_up_seat)
        return Waiting(world, listener, request, give_up_seat)


def _serve_in(running: StartedWorld, request: Request) -> None:
    if running.failure:
        request.answer(503, errors.busy(STOPPED).body())
    else:
        running.serve(request)


class Waiting(asyncio.Protocol):
    """An upgraded connection whose world has not started yet, or has stopped."""

    due = 0.0

    def __init__(
        self,
        world: World,
        listener: Listener,
        request: Request,
        give_up_seat: Callable[[], None],
    ) -> None:
        self._world = world
        self._listener = listener
        self._request = request
        self._give_up_seat = give_up_seat
        self._early = b""
        self._gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The transport is ours for a moment."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.pause_reading()
        self._listener.enter(self)
        self._task = asyncio.ensure_future(self._hand_over())

    def data_received(self, data: bytes) -> None:
        """Keep what came with the upgrade: one read at most."""
        self._early += data

    def connection_lost(self, _: Exception | None) -> None:
        """Nobody waits any more."""
        self._gone = True
        self._listener.leave(self)
        self._give_up_seat()

    async def _hand_over(self) -> None:
        try:
            running = await self._world.start()
            if running.failure:
                raise errors.busy(STOPPED)
        except Exception as problem:  # noqa: BLE001 - handed on, whatever it is
            known = problem if isinstance(problem, errors.ApiError) else errors.internal()
            self._transport.write(whole(known.status, known.body(), CLOSE + RETRY))
            self._transport.close()
            return
        if self._gone or self._transport.is_closing():
            return
        self._listener.leave(self)
        stream = running.streams.connection(self._listener, self._request, self._give_up_seat)
        self._transport.set_protocol(stream)
        stream.connection_made(self._transport)
        self._transport.resume_reading()
        if self._early:
            stream.data_received(self._early)

    def overdue(self, now: float) -> None:
        """Never: a world starts soon, or not at all."""

    def shutdown(self) -> None:
        """The server stops."""
        self._transport.close()

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()
