"""How a world comes to life: it begins as the venue began, and answers under its own prefix."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from venue.gateway.context import Venue
from venue.gateway.streams.sockets import Sockets
from venue.gateway.transport.request import Request
from venue.gateway.worlds import GONE
from venue.history.process.client import History
from venue.history.process.shelf import Shelf
from venue.journal.journal import Journal, Snapshot
from venue.journal.memory import MemoryJournal
from venue.node.snapshots import take

GOING_AWAY: Final = 1001
OnFailure = Callable[[BaseException], None]
Open = Callable[[Journal, History, OnFailure], Awaitable[Venue]]


class Employ(Protocol):
    """Has the `agents` begin; they, or what holds indexes, go on as time passes if they `act`."""

    def __call__(self, rooms: Venue, *, agents: bool, act: bool) -> Awaitable[None]: ...


Doors = Callable[[Venue], tuple[Callable[[Request], None], Sockets]]

log = logging.getLogger("venue")


class Life:
    """A world's rooms and doors, and time that passes in them."""

    def __init__(self, rooms: Venue, serve: Callable[[Request], None], streams: Sockets) -> None:
        self.serve = serve
        self.streams = streams
        self.failure = ""
        self._rooms = rooms
        self._passing = asyncio.create_task(rooms.timekeeper.run())

    def sequence(self) -> int:
        """Of its last command."""
        return self._rooms.engine.sequence

    def fail(self, problem: BaseException) -> None:
        """A defect: this world takes nothing any more, and the others go on."""
        log.error("a defect stops a world", exc_info=problem)
        self.failure = str(problem) or type(problem).__name__

    async def close(self) -> None:
        """Finish what is under way, end its sockets and let go of everything."""
        rooms = self._rooms
        self._passing.cancel()
        await asyncio.gather(self._passing, return_exceptions=True)
        self.streams.end_all(GOING_AWAY, GONE)
        await self.streams.finish()
        if not self.failure:
            await rooms.sequencer.stop()
        rooms.sequencer.close()
        await rooms.history.close()


class Living:
    """Brings worlds to life.

    `open_rooms` wires rooms over a journal and a history, `open_doors` what stands before them.
    """

    def __init__(
        self,
        shelf: Shelf,
        open_rooms: Open,
        open_doors: Doors,
        employ: Employ,
    ) -> None:
        self._shelf = shelf
        self._open_rooms = open_rooms
        self._open_doors = open_doors
        self._employ = employ
        self._fresh: asyncio.Task[Snapshot] | None = None

    async def live(self, agents: bool) -> Life:
        """A world that begins as the venue began."""
        self.prepare()
        assert self._fresh is not None
        return await self._begin(await asyncio.shield(self._fresh), agents=agents)

    def prepare(self) -> None:
        """Found what worlds begin with, and start what keeps their histories: the first world is to
        come, and should not have to wait for it."""
        if self._fresh is None:
            self._fresh = asyncio.create_task(self._found())

    async def close(self) -> None:
        """Let go of what they share; all worlds are closed before."""
        if self._fresh is not None:
            await asyncio.gather(self._fresh, return_exceptions=True)
        await self._shelf.close()

    async def _begin(self, beginning: Snapshot, *, agents: bool) -> Life:
        history = self._shelf.history(beginning.sequence)
        failed: list[BaseException] = []
        lives: list[Life] = []

        def on_failure(problem: BaseException) -> None:
            failed.append(problem)
            for life in lives:
                life.fail(problem)

        journal = MemoryJournal(keep=False, after=beginning)
        rooms = await self._open_rooms(journal, history, on_failure)
        await self._employ(rooms, agents=agents, act=True)
        life = Life(rooms, *self._open_doors(rooms))
        lives.append(life)
        for problem in failed:
            life.fail(problem)
        return life

    async def _found(self) -> Snapshot:
        """The state in which a new venue is ready, as one comes to it."""
        journal, history = MemoryJournal(keep=False), self._shelf.first()
        failed: list[BaseException] = []
        rooms = await self._open_rooms(journal, history, failed.append)
        await self._employ(rooms, agents=True, act=False)
        snapshot = take(rooms.engine, rooms.market_data, rooms.recorder)
        await rooms.sequencer.stop()
        rooms.sequencer.close()
        self._shelf.base(history)
        return snapshot
