"""Moves old commands and rows to archives while the venue runs: as `prune` does, but in pieces.

A helper process writes and checks the journal's archive, history's process that of history. The
journal's thread reads and removes a few commands at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from venue.api.errors import ApiError
from venue.files import private_files
from venue.files.archive_names import archives, unfinished
from venue.helpers.feeding import Feeder
from venue.helpers.link import HelperFailed, Link
from venue.journal.archive import ArchiveSpan, archive_span
from venue.journal.chain import BLOCK
from venue.journal.journal import JournalCorrupt, JournalFailed, earliest, foreign
from venue.journal.snapshot_files import SnapshotFiles
from venue.journal.sqlite import SqliteJournal
from venue.node.keeper import Keeper
from venue.node.node import Node
from venue.pruning.cut import STEPS, Piece, Trunk, cut, last_old, time_of
from venue.pruning.helper import MODULE, ArchiveTask
from venue.pruning.states import forget_states

ASK_S: Final = 60.0  # how often the journal is asked whether enough is old
AGAIN_S: Final = 600.0  # after a round that failed
COMMANDS_MAX: Final = 500_000  # in one archive
DROPPED: Final = BLOCK  # commands taken out of the journal at a time: half a millisecond
PATIENCE_S: Final = 900.0  # for an archive that is read again
FAILURES: Final = (
    HelperFailed, JournalFailed, JournalCorrupt, ApiError, OSError, TimeoutError,
)  # fmt: skip

T = TypeVar("T")
log = logging.getLogger("venue")


class Pruning:
    """Archives commands and rows older than `keep_us` in venue time. Belongs to one event loop."""

    def __init__(self, node: Node, keeper: Keeper, path: str, keep_us: int) -> None:
        assert isinstance(node.journal, SqliteJournal)
        self._journal = node.journal
        self._node = node
        self._keeper = keeper
        self._path = path
        self._keep_us = keep_us
        self._begins: tuple[int, int, int] | None = None  # where history is to begin
        self._trunk: Trunk | None = None

    async def run(self) -> None:
        """Go on until cancelled; the process under way ends then. A failed round is logged, and
        tried again."""
        while True:
            wait_s = ASK_S
            try:
                while await self.round():
                    pass
            except FAILURES as problem:
                log.error("nothing more is archived: %s", problem or type(problem).__name__)
                wait_s = AGAIN_S
            await asyncio.sleep(wait_s)

    async def round(self) -> bool:
        """Archive once, if there is enough; whether there was. Raises `FAILURES`.

        A round that is cut short loses nothing: the next one, or the next start, goes on.
        """
        async with self._keeper.turn:
            if self._begins is not None:
                await self._cut_history(self._begins)
            epoch = self._node.engine.epoch
            last = await self._last()
            if last == 0:
                return False
            await forget_states(self._node, last)
            if self._node.engine.epoch != epoch:
                return False  # it went back meanwhile: maybe to before the last one
            await self._keeper.keep_at(last)
            begins = await self._archive(last)
            await self._take_out(last)
            self._begins = begins
            await self._cut_history(begins)
        log.info("archived up to command %d", self._journal.begin())
        return True

    async def _last(self) -> int:
        """Return the last command that goes, as the journal and its branches allow; 0: too few
        do."""
        begin, newest = self._journal.begin(), self._journal.last_sequence()
        until = self._node.clock.now() - self._keep_us
        beyond = self._keep_us // STEPS
        if newest - begin < BLOCK or await self._time(begin + 1) > until - beyond:
            return 0
        pieces = await self._pieces(begin, newest)
        asking = last_old(pieces, until, beyond)
        try:
            question = next(asking)
            while True:
                question = asking.send(await self._time(question))
        except StopIteration as found:
            old = int(found.value)
        last = cut(pieces, min(old, begin + COMMANDS_MAX)) or cut(pieces, old)
        return last if last >= self._first() else 0

    async def _pieces(self, begin: int, newest: int) -> list[Piece]:
        """Return the commands that all later ones build on: those after reverts are told by the
        journal, which is read once."""
        if self._node.engine.epoch == 0:
            return [(begin, newest)]
        trunk = self._trunk = self._trunk or Trunk(begin, begin, {})
        while trunk.reached < newest:
            read = partial(self._journal.read_packed, trunk.reached, newest)
            for first, payload in await self._on_disk(read):
                trunk.read_on(first, payload)
        return trunk.pieces(begin)

    async def _time(self, sequence: int) -> int:
        return await self._on_disk(partial(time_of, self._journal, sequence))

    def _first(self) -> int:
        """Return the snapshot that a replay of the journal begins from; 0: it begins with command
        1."""
        begin = earliest(self._journal)
        known = SnapshotFiles(self._path).sequences()
        return min((one for one in known if one >= begin), default=begin) if begin else 0

    async def _archive(self, last: int) -> tuple[int, int, int]:
        """Write the journal's archive up to the snapshot at `last`; return the sequence, time and
        first order id of that snapshot."""
        left = unfinished(self._path)
        for first, _, name in archives(self._path):
            if first > self._journal.begin():  # nothing was taken out yet: it is written again
                left.append(name)
        for name in left:
            private_files.remove(name)
        end = last // BLOCK * BLOCK
        what: ArchiveSpan = await self._on_disk(
            lambda: archive_span(self._journal, end, self._first())
        )
        task = ArchiveTask(self._path, what, last, foreign(self._journal))
        link, _ = await Link.start(MODULE, name="archive", patience_s=PATIENCE_S)
        try:
            feeder = Feeder(link, self._journal, self._node.sequencer.on_disk_thread)
            await feeder.begin(task)
            at = what.begin
            while at < end:
                at = await feeder.feed(at, end)
            sequence, time, order_id = await feeder.finish()
            return sequence, time, order_id
        finally:
            link.kill("the archive is written")
            await link.close()

    async def _take_out(self, last: int) -> None:
        """Take the archived commands out of the journal."""
        end = last // BLOCK * BLOCK
        while self._journal.begin() < end:
            to = min(self._journal.begin() + DROPPED, end)
            await self._on_disk(partial(self._journal.drop, to, last))

    async def _cut_history(self, begins: tuple[int, int, int]) -> None:
        await self._node.history.archive(begins)
        self._begins = None

    async def _on_disk(self, function: Callable[[], T]) -> T:
        found: list[T] = []
        await self._node.sequencer.on_disk_thread(lambda: found.append(function()))
        return found[0]


def begin(node: Node, keeper: Keeper, path: str, keep_us: int) -> asyncio.Task[None]:
    """Prune a venue from now on, until the task is cancelled."""
    return asyncio.create_task(Pruning(node, keeper, path, keep_us).run())
