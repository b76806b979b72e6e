"""How a world comes to life: it begins as the venue began, and answers under its own prefix."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from msgspec import Struct

from venue.api import errors
from venue.api.operator.snapshots import READY
from venue.core.messages.savepoints import DropState, KeepState
from venue.gateway.door import Door
from venue.gateway.operations.operator.snapshots import found
from venue.gateway.streams.sockets import Sockets
from venue.gateway.transport.request import Request
from venue.gateway.worlds import GONE
from venue.helpers.link import HistoryFailed
from venue.history.process.client import History
from venue.history.process.shelf import Shelf
from venue.journal.journal import Journal, Snapshot
from venue.journal.memory import MemoryJournal
from venue.journal.recent import RecentJournal
from venue.node.explainer import REMEMBER_S
from venue.node.node import Node
from venue.node.snapshots import take

GOING_AWAY: Final = 1001
EVERY: Final = 5_000  # commands between two snapshots of a world: it keeps twice as many at most
LOOKS: Final = 100  # how often the venue may be found in the middle of a command
FROM: Final = "from"  # the parameter that names a kept state
OnFailure = Callable[[BaseException], None]
Open = Callable[[Journal, History, OnFailure], Awaitable[Door]]


class Employ(Protocol):
    """Has the `agents` begin, or go on as `aside` says; they, or the holder of indexes, act as time
    passes if they are to `act`."""

    def __call__(self, node: Node, *, agents: bool, act: bool, aside: bytes) -> Awaitable[None]: ...


Doors = Callable[[Door], tuple[Callable[[Request], None], Sockets]]

log = logging.getLogger("venue")


class Life:
    """A world's node and doors, and time that passes in them."""

    def __init__(
        self,
        node: Node,
        serve: Callable[[Request], None],
        streams: Sockets,
        closed: Callable[[Life], None],
    ) -> None:
        self._closed = closed
        self.serve = serve
        self.streams = streams
        self.failure = ""
        self._node = node
        self._passing = asyncio.create_task(node.timekeeper.run())

    def sequence(self) -> int:
        """Of its last command."""
        return self._node.engine.sequence

    def fail(self, problem: BaseException) -> None:
        """A defect: this world takes nothing any more, and the others go on."""
        log.error("a defect stops a world", exc_info=problem)
        self.failure = str(problem) or type(problem).__name__

    def remember(self) -> None:
        """Have a snapshot stand for the journal's older commands, when it is time."""
        journal = self._node.journal
        if not self.failure and isinstance(journal, RecentJournal) and journal.is_due():
            journal.save_snapshot(_taken(self._node))

    async def close(self) -> None:
        """Finish what is under way, end its sockets and let go of everything."""
        node = self._node
        self._closed(self)
        self._passing.cancel()
        await asyncio.gather(self._passing, return_exceptions=True)
        self.streams.end_all(GOING_AWAY, GONE)
        await self.streams.finish()
        if not self.failure:
            await node.sequencer.stop()
        node.sequencer.close()
        await node.history.close()


class Beginning(Struct):
    """The beginning of worlds: the state, the settings and agents `aside` of it, the base of
    histories."""

    snapshot: Snapshot
    aside: bytes
    base: int = 0


class StateCopy:
    """A kept state of the venue that worlds begin with, made or being made, and how many do."""

    def __init__(self, made: asyncio.Task[Beginning]) -> None:
        self.made = made
        self.users = 0


class Living:
    """Brings worlds to life beside the venue in `node`.

    `open_node` wires a node over a journal and a history, `open_doors` their transports.
    """

    def __init__(
        self,
        node: Node,
        shelf: Shelf,
        open_node: Open,
        open_doors: Doors,
        employ: Employ,
    ) -> None:
        self._node = node
        self._shelf = shelf
        self._open_node = open_node
        self._open_doors = open_doors
        self._employ = employ
        self._fresh: asyncio.Task[Beginning] | None = None
        self._copies: dict[int, StateCopy] = {}  # by a kept state's sequence
        self._capturing = asyncio.Lock()  # history is copied to one file at a time
        self._lives: set[Life] = set()
        self._remembering: asyncio.Task[None] | None = None

    # -- the beginning of worlds ------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the state that new worlds begin with, and start the process of their histories: the
        first world should not have to wait for them."""
        if self._fresh is None:
            self._fresh = asyncio.create_task(self._found())

    async def copied(self, name: str) -> StateCopy:
        """A kept state of the venue, as it is now, for one world more; `leave` when it has ended.

        ApiError: none is kept under the name, or it cannot be had now.
        """
        kept = found(self._node, name, FROM)
        copy = self._copies.get(kept.sequence)
        if copy is None:
            copy = StateCopy(asyncio.create_task(self._copy(name, kept.sequence)))
            self._copies[kept.sequence] = copy
        copy.users += 1
        try:
            await self._forget_old()
            await asyncio.shield(copy.made)
        except BaseException:
            if copy.made.done() and self._copies.get(kept.sequence) is copy:
                del self._copies[kept.sequence]  # the next one tries again
            await self.leave(copy)
            raise
        return copy

    async def leave(self, copy: StateCopy) -> None:
        """A world that began so has ended."""
        copy.users -= 1
        if copy not in self._copies.values():
            await self._forget(copy)

    async def _forget_old(self) -> None:
        """Let go of copies of states that the venue keeps no longer."""
        there = {one.sequence for one in self._node.engine.kept_states.values()}
        for sequence in [one for one in self._copies if one not in there]:
            await self._forget(self._copies.pop(sequence))

    async def _forget(self, copy: StateCopy) -> None:
        made = copy.made
        if not copy.users and made.done() and not made.cancelled() and made.exception() is None:
            await self._shelf.forget(made.result().base)

    async def close(self) -> None:
        """Let go of all that worlds share; all worlds are closed before."""
        begun = [task for task in (self._remembering, self._fresh) if task is not None]
        begun += [copy.made for copy in self._copies.values()]
        for task in begun:
            if task is not self._fresh:
                task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await self._shelf.close()

    async def _found(self) -> Beginning:
        """The state in which a new venue is ready."""
        journal, history = MemoryJournal(keep=False), self._shelf.first()
        failed: list[BaseException] = []
        node = (await self._open_node(journal, history, failed.append)).node
        await self._employ(node, agents=True, act=False, aside=b"")
        begun = Beginning(_taken(node), node.reverts.dump())
        await _end(node)
        self._shelf.base(history)
        return begun

    async def _copy(self, name: str, sequence: int) -> Beginning:
        """A kept state of the venue: a node goes on where the venue is, and back to it."""
        try:
            base, path = await self._shelf.place()
            async with self._capturing:
                if not await self._node.history.begin_copy(path):
                    raise errors.failed_precondition(
                        "the venue's history is too large to be copied: worlds begin with at most"
                        " 4 GB"
                    )
                snapshot = await self._captured(name, sequence, path)
        except (HistoryFailed, OSError) as problem:
            raise errors.busy(f"{problem}; nothing was done") from None
        history = self._shelf.first(base, snapshot.sequence)
        failed: list[BaseException] = []
        journal = MemoryJournal(keep=False, after=snapshot)
        node = (await self._open_node(journal, history, failed.append)).node
        await node.timekeeper.revert(name)
        kept = node.engine.kept_states
        aside = kept[name].aside
        for other in list(kept):
            await node.submit([DropState(other)])
        await node.submit([KeepState(READY, aside)])
        begun = Beginning(_taken(node), aside, base)
        await _end(node)
        self._shelf.base(history, base)
        return begun

    async def _captured(self, name: str, sequence: int, path: str) -> Snapshot:
        """The venue between two commands, with the rest of its history written to a file at the
        same. HistoryFailed, ApiError."""
        node = self._node
        for _ in range(LOOKS):
            await node.history.drain()
            if found(node, name, FROM).sequence != sequence:
                raise errors.not_there(FROM, "the snapshot was replaced meanwhile: ask again")
            if node.history.reached() == node.engine.sequence:
                copying = node.history.copy(path)
                snapshot = _taken(node)
                await copying
                return snapshot
        raise errors.busy("the venue did not come to rest; nothing was done")

    # -- lives ------------------------------------------------------------------------------------

    async def live(self, copy: StateCopy | None, *, agents: bool) -> Life:
        """A world that begins as the venue began, or with a state of it."""
        if copy is not None:
            return await self._begin(await asyncio.shield(copy.made), agents=agents)
        self.prepare()
        assert self._fresh is not None
        return await self._begin(await asyncio.shield(self._fresh), agents=agents)

    async def _begin(self, begun: Beginning, *, agents: bool) -> Life:
        history = self._shelf.history(begun.snapshot.sequence, begun.base)
        failed: list[BaseException] = []
        lives: list[Life] = []

        def on_failure(problem: BaseException) -> None:
            failed.append(problem)
            for life in lives:
                life.fail(problem)

        journal = RecentJournal(EVERY, begun.snapshot)
        door = await self._open_node(journal, history, on_failure)
        node = door.node
        await self._employ(node, agents=agents, act=True, aside=begun.aside)
        life = Life(node, *self._open_doors(door), self._lives.discard)
        lives.append(life)
        for problem in failed:
            life.fail(problem)
        self._lives.add(life)
        if self._remembering is None:
            self._remembering = asyncio.create_task(self._remember())
        return life

    async def _remember(self) -> None:
        """Keep the worlds' journals short: a snapshot stands for the earlier commands."""
        while True:
            await asyncio.sleep(REMEMBER_S)
            for life in list(self._lives):
                life.remember()
                await asyncio.sleep(0)


def _taken(node: Node) -> Snapshot:
    return take(node.engine, node.market_data, node.recorder)


async def _end(node: Node) -> None:
    await node.sequencer.stop()
    node.sequencer.close()
