"""Acts: what a venue does between two moments, from files that it begins with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from support.former import ALICE, BEGIN_US, BOB, STEP_US, Stepping
from support.points.known import BUNDLED, FILE, FORKED, READY, Known, keep
from support.points.near import helpers_near
from support.pruned import KEEP_US
from venue.bundle.file import RunFile, write
from venue.bundle.forking import fork
from venue.bundle.runs import opened_run
from venue.core.messages.commands import Command, CreateOwner, PlaceOrder, RecordStreams, Tick
from venue.files import private_files
from venue.gateway.access import vault
from venue.gateway.door import Door
from venue.gateway.operations.operator.keys import note_rewrites
from venue.journal import sqlite
from venue.journal.chain import BLOCK
from venue.journal.opening import open_readonly
from venue.node.clock import SystemClock
from venue.pruning.beside import Pruning
from venue.pruning.prune import prune
from venue.recompute.history import rebuild_history
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.snapshots import keeper
from venue.vocabulary import BUY, GTC, IOC, LIMIT, SELL

CHECKPOINT_BYTES: Final = 8 * 4096  # of a venue whose short life sees several checkpoints
DAY_US: Final = 86_400_000_000

Act = Callable[[Path, Known], Coroutine[Any, Any, None]]


class Life:
    """A venue that is open, and what its callers were told."""

    def __init__(self, door: Door, path: Path, known: Known, clock: Stepping) -> None:
        self.door, self.node = door, door.node
        self._path, self._known, self._clock = path, known, clock

    async def do(self, *commands: Command) -> None:
        self._clock.time += STEP_US
        keep(self._known, await self.node.submit(commands))

    async def trade(self, first: int, count: int) -> None:
        """Orders that rest and orders that meet them."""
        for number in range(first, first + count):
            price = 6_400_000 + number % 50
            rest = PlaceOrder(ALICE, "BTCUSDT", SELL, LIMIT, GTC, 11, price, f"{number}")
            meet = PlaceOrder(BOB, "BTCUSDT", BUY, LIMIT, IOC, 10, price)
            await self.do(rest, meet)

    async def project(self) -> None:
        await self.node.history.drain()
        await self.node.history.checkpoint()

    async def snapshot(self) -> None:
        await keeper(self.node, str(self._path), 100).keep()

    async def key(self, uid: int) -> str:
        made = await self.door.keys.create(uid, 7, now=self._clock.wall())
        self._known.keys[made.key] = False
        await note_rewrites(self.door)
        return made.key

    async def revoke(self, key: str) -> None:
        await self.door.keys.revoke(key)
        self._known.keys[key] = True
        await note_rewrites(self.door)

    async def revert(self, name: str) -> None:
        keep(self._known, await self.node.timekeeper.revert(name))
        await self.door.keys.settle()
        await note_rewrites(self.door)

    async def kept(self, name: str) -> None:
        keep(self._known, await self.node.timekeeper.keep(name, self.node.reverts.dump))


class Failed(Exception):
    """The venue said that it stops, as it says what it met."""

    def __init__(self, problem: BaseException) -> None:
        super().__init__(repr(problem))
        self.problem = problem


@asynccontextmanager
async def venue(folder: Path, known: Known, day: int = 1) -> AsyncIterator[Life]:
    """A venue on the folder's file; `Failed` when it stopped itself."""
    path, clock = folder / FILE, Stepping(BEGIN_US + day * DAY_US)
    failed: list[BaseException] = []
    options = Options(state=str(path), agents=False)
    with (
        helpers_near(),
        patch.object(sqlite, "CHECKPOINT_BYTES", CHECKPOINT_BYTES),
        patch.object(vault, "SCRYPT_N", 2),
    ):
        try:
            async with open_venue(options, SystemClock(clock), failed.append) as door:
                yield Life(door, path, known, clock)
        except Exception as problem:
            raise Failed(failed[0] if failed else problem) from problem
    if failed:
        raise Failed(failed[0])


async def begin(folder: Path, known: Known) -> None:
    """A first start, and a stop."""
    async with venue(folder, known) as life:
        await life.do(RecordStreams(ALICE))
        await life.trade(0, 2)


async def old(folder: Path, known: Known) -> None:
    """A venue whose first commands are old, more than a block of them."""
    async with venue(folder, known, 0) as life:
        await life.trade(0, 4)
        await life.do(*(Tick() for _ in range(BLOCK)))
        await life.trade(10, 2)
    async with venue(folder, known, 40) as life:
        await life.trade(20, 3)


async def trade(folder: Path, known: Known) -> None:
    """Orders, checkpoints, snapshots of a running venue and of a stopped one."""
    async with venue(folder, known, 2) as life:
        await life.trade(100, 6)
        await life.project()
        await life.snapshot()
        await life.trade(200, 6)
        await life.project()


async def keys(folder: Path, known: Known) -> None:
    """Keys that are made and revoked."""
    async with venue(folder, known, 2) as life:
        first = await life.key(ALICE)
        await life.key(BOB)
        await life.revoke(first)


async def states(folder: Path, known: Known) -> None:
    """Kept states, and the way back, with an owner whose key goes."""
    async with venue(folder, known, 2) as life:
        await life.kept("a")
        await life.trade(300, 2)
        await life.do(CreateOwner("gone"))
        gone = await life.key(max(life.node.engine.ledger.accounts))
        await life.revert("a")
        known.keys[gone] = True
        await life.project()
        await life.trade(400, 2)
        await life.snapshot()


async def archive_stopped(folder: Path, known: Known) -> None:
    """A stopped venue is pruned."""
    prune(str(folder / FILE), KEEP_US)


async def archive_running(folder: Path, known: Known) -> None:
    """A running venue is pruned."""
    async with venue(folder, known, 41) as life:
        await life.trade(500, 1)
        kept = keeper(life.node, str(folder / FILE), 100)
        await Pruning(life.node, kept, str(folder / FILE), KEEP_US).round()
        await life.trade(600, 1)


async def fork_it(folder: Path, known: Known) -> None:
    """A new file goes on from a command."""
    with opened_run(str(folder / FILE)) as run:
        fork(run, run.last() - 1, str(folder / FORKED))
    known.files[FORKED] = True


async def bundle_it(folder: Path, known: Known) -> None:
    """A bundle is written, and the file that says that a venue answers."""
    with opened_run(str(folder / FILE)) as run:
        last = run.last()
    journal = open_readonly(str(folder / FILE))
    try:
        pieces = journal.read_packed(0, last)
    finally:
        journal.close()
    run_file = RunFile("1", 0, last, BEGIN_US, "", {}, b"", pieces, [])
    write(str(folder / BUNDLED), run_file)
    known.files[BUNDLED] = True
    private_files.put(folder / READY, b'{"rest": "http://127.0.0.1:1"}')
    known.files[READY] = True


async def rebuild(folder: Path, known: Known) -> None:
    """History is made again."""
    rebuild_history(str(folder / FILE))


async def mend(folder: Path, known: Known) -> None:
    """A start finds a damaged history, and makes it again."""
    async with venue(folder, known, 2) as life:
        await life.trade(700, 1)


async def restart(folder: Path, known: Known) -> None:
    """A start after a kill, and a stop at once."""
    async with venue(folder, known, 3):
        pass


ACTS: Final[dict[str, tuple[str, Act]]] = {
    "begin": ("nothing", begin),
    "trade": ("stopped", trade),
    "keys": ("stopped", keys),
    "states": ("stopped", states),
    "restart": ("killed", restart),
    "archive stopped": ("old", archive_stopped),
    "archive running": ("old", archive_running),
    "fork": ("stopped", fork_it),
    "bundle": ("stopped", bundle_it),
    "rebuild": ("stopped", rebuild),
    "mend": ("damaged", mend),
}
"""By name: the files that it begins with, and the act."""
