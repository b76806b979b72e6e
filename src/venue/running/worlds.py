"""Starts and stops worlds.

A world is a second venue in this process; it starts from the state in which a new venue is ready,
or from a kept state of the venue.
"""

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
from venue.gateway.operations.operator.snapshots import find_state
from venue.gateway.streams.sockets import Sockets
from venue.gateway.transport.request import Request
from venue.gateway.worlds import GONE
from venue.helpers.link import HelperFailed
from venue.history.process.client import History
from venue.history.process.shared_histories import SharedHistories
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


class AttachAgents(Protocol):
    """Attaches the `agents`, or only the holder of indexes, to a world's clock: new ones, or those
    whose state is in `aside`. With `act=False` they stay idle after their first quotes."""

    def __call__(self, node: Node, *, agents: bool, act: bool, aside: bytes) -> Awaitable[None]: ...


Doors = Callable[[Door], tuple[Callable[[Request], None], Sockets]]

log = logging.getLogger("venue")


class RunningWorld:
    """The node and the doors of a world, and its passing time."""

    def __init__(
        self,
        node: Node,
        serve: Callable[[Request], None],
        streams: Sockets,
        closed: Callable[[RunningWorld], None],
    ) -> None:
        self._closed = closed
        self.serve = serve
        self.streams = streams
        self.failure = ""
        self._node = node
        self._passing = asyncio.create_task(node.timekeeper.run())

    def sequence(self) -> int:
        """Return the number of its last command."""
        return self._node.engine.sequence

    def fail(self, problem: BaseException) -> None:
        """Stop this world after a defect; the other worlds continue."""
        log.error("a defect stops a world", exc_info=problem)
        self.failure = str(problem) or type(problem).__name__

    def compact(self) -> None:
        """Replace older commands in the journal by a snapshot once it has grown too long."""
        journal = self._node.journal
        if not self.failure and isinstance(journal, RecentJournal) and journal.is_due():
            journal.save_snapshot(_snapshot(self._node))

    async def close(self) -> None:
        """Finish what is under way, end its sockets and close its parts."""
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


class StartState(Struct):
    """The state that worlds start from: the engine and views, what reverts with them (`aside`), and
    the number of the base of their histories."""

    snapshot: Snapshot
    aside: bytes
    base: int = 0


class SharedStart:
    """A kept state of the venue that worlds start from, made or being made, and their number."""

    def __init__(self, made: asyncio.Task[StartState]) -> None:
        self.made = made
        self.users = 0


class WorldStarter:
    """Starts worlds beside the venue in `node`.

    `open_node` wires a node over a journal and a history, `open_doors` their transports.
    """

    def __init__(
        self,
        node: Node,
        histories: SharedHistories,
        open_node: Open,
        open_doors: Doors,
        attach_agents: AttachAgents,
    ) -> None:
        self._node = node
        self._histories = histories
        self._open_node = open_node
        self._open_doors = open_doors
        self._attach_agents = attach_agents
        self._fresh: asyncio.Task[StartState] | None = None
        self._copies: dict[int, SharedStart] = {}  # by a kept state's sequence
        self._capturing = asyncio.Lock()  # history is copied to one file at a time
        self._running: set[RunningWorld] = set()
        self._compacting: asyncio.Task[None] | None = None

    # -- start states -----------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the state that new worlds start from, and start the process of their histories, so
        that the first world need not wait for them."""
        if self._fresh is None:
            self._fresh = asyncio.create_task(self._make_start())

    async def copy_state(self, name: str) -> SharedStart:
        """Return a kept state of the venue for one more world, whose end calls `release_state`.

        ApiError: none is kept under the name, or it cannot be had now.
        """
        kept = find_state(self._node, name, FROM)
        copy = self._copies.get(kept.sequence)
        if copy is None:
            copy = SharedStart(asyncio.create_task(self._copy(name, kept.sequence)))
            self._copies[kept.sequence] = copy
        copy.users += 1
        try:
            await self._forget_old()
            await asyncio.shield(copy.made)
        except BaseException:
            if copy.made.done() and self._copies.get(kept.sequence) is copy:
                del self._copies[kept.sequence]  # the next one tries again
            await self.release_state(copy)
            raise
        return copy

    async def release_state(self, copy: SharedStart) -> None:
        """Count one world less that started from this state."""
        copy.users -= 1
        if copy not in self._copies.values():
            await self._forget(copy)

    async def _forget_old(self) -> None:
        """Forget the copies of states that the venue keeps no longer."""
        there = {one.sequence for one in self._node.engine.kept_states.values()}
        for sequence in [one for one in self._copies if one not in there]:
            await self._forget(self._copies.pop(sequence))

    async def _forget(self, copy: SharedStart) -> None:
        made = copy.made
        if not copy.users and made.done() and not made.cancelled() and made.exception() is None:
            await self._histories.forget(made.result().base)

    async def close(self) -> None:
        """Close what worlds share. Close all worlds before."""
        tasks = [task for task in (self._compacting, self._fresh) if task is not None]
        tasks += [copy.made for copy in self._copies.values()]
        for task in tasks:
            if task is not self._fresh:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._histories.close()

    async def _make_start(self) -> StartState:
        """Make the state in which a new venue is ready."""
        journal, history = MemoryJournal(keep=False), self._histories.first()
        failed: list[BaseException] = []
        node = (await self._open_node(journal, history, failed.append)).node
        await self._attach_agents(node, agents=True, act=False, aside=b"")
        start = StartState(_snapshot(node), node.reverts.dump())
        await _end(node)
        self._histories.base(history)
        return start

    async def _copy(self, name: str, sequence: int) -> StartState:
        """Copy a kept state of the venue: wire a node at the venue's command, and revert it."""
        try:
            base, path = await self._histories.place()
            async with self._capturing:
                if not await self._node.history.begin_copy(path):
                    raise errors.failed_precondition(
                        "the venue's history is too large to be copied: worlds begin with at most"
                        " 4 GB"
                    )
                snapshot = await self._capture(name, sequence, path)
        except (HelperFailed, OSError) as problem:
            raise errors.busy(f"{problem}; nothing was done") from None
        history = self._histories.first(base, snapshot.sequence)
        failed: list[BaseException] = []
        journal = MemoryJournal(keep=False, after=snapshot)
        node = (await self._open_node(journal, history, failed.append)).node
        await node.timekeeper.revert(name)
        kept = node.engine.kept_states
        aside = kept[name].aside
        for other in list(kept):
            await node.submit([DropState(other)])
        await node.submit([KeepState(READY, aside)])
        start = StartState(_snapshot(node), aside, base)
        await _end(node)
        self._histories.base(history, base)
        return start

    async def _capture(self, name: str, sequence: int, path: str) -> Snapshot:
        """Take the venue's state between two commands, and write the rest of its history at that
        command to a file. HelperFailed, ApiError."""
        node = self._node
        for _ in range(LOOKS):
            await node.history.drain()
            if find_state(node, name, FROM).sequence != sequence:
                raise errors.not_there(FROM, "the snapshot was replaced meanwhile: ask again")
            if node.history.last_sequence() == node.engine.sequence:
                copying = node.history.copy(path)
                snapshot = _snapshot(node)
                await copying
                return snapshot
        raise errors.busy("the venue did not come to rest; nothing was done")

    # -- running worlds ---------------------------------------------------------------------------

    async def start_world(self, copy: SharedStart | None, *, agents: bool) -> RunningWorld:
        """Start a world from the state of a new venue, or from a kept state."""
        if copy is not None:
            return await self._begin(await asyncio.shield(copy.made), agents=agents)
        self.prepare()
        assert self._fresh is not None
        return await self._begin(await asyncio.shield(self._fresh), agents=agents)

    async def _begin(self, start: StartState, *, agents: bool) -> RunningWorld:
        history = self._histories.history(start.snapshot.sequence, start.base)
        failed: list[BaseException] = []
        worlds: list[RunningWorld] = []

        def on_failure(problem: BaseException) -> None:
            failed.append(problem)
            for world in worlds:
                world.fail(problem)

        journal = RecentJournal(EVERY, start.snapshot)
        door = await self._open_node(journal, history, on_failure)
        node = door.node
        await self._attach_agents(node, agents=agents, act=True, aside=start.aside)
        world = RunningWorld(node, *self._open_doors(door), self._running.discard)
        worlds.append(world)
        for problem in failed:
            world.fail(problem)
        self._running.add(world)
        if self._compacting is None:
            self._compacting = asyncio.create_task(self._compact())
        return world

    async def _compact(self) -> None:
        """Compact the journal of each world again and again."""
        while True:
            await asyncio.sleep(REMEMBER_S)
            for world in list(self._running):
                world.compact()
                await asyncio.sleep(0)


def _snapshot(node: Node) -> Snapshot:
    return take(node.engine, node.market_data, node.recorder)


async def _end(node: Node) -> None:
    await node.sequencer.stop()
    node.sequencer.close()
