"""Snapshots of a running venue, taken by a process beside it that replays what is journaled.

Taken in the venue's own process, a large one would keep every order waiting for a second; a fork
would for as long as it copies page tables, and writing after it costs copies of pages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from venue.helpers.feeding import Feeder, OnDisk
from venue.helpers.link import WORKS_MAX, HelperFailed, Link
from venue.journal.journal import Journal, JournalFailed, Segment, earliest
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.snapshots import EVERY

MODULE: Final = "venue.recompute.snapshot"
ASK_S: Final = 10.0  # how often it is asked whether a snapshot is due
AGAIN_S: Final = 300.0  # after one that failed
TIME_MAX_S: Final = 3600.0  # a process that takes longer hangs
PATIENCE_S: Final = TIME_MAX_S / WORKS_MAX  # for one frame
FAILURES: Final = (HelperFailed, JournalFailed, OSError, TimeoutError)

log = logging.getLogger("venue")


class SnapshotTask(msgspec.Struct, array_like=True):
    """The helper's task: take the state after command `last`.

    The journal has the commands after `begin`.
    """

    path: str
    begin: int
    last: int
    segments: list[Segment]
    frames_kept: int


class Keeper:
    """Has a helper take a snapshot every `EVERY` commands. Belongs to one event loop.

    `sequence` says how far the engine is, `durable` waits until history has made all of that
    durable. A failure is logged, and the snapshot left out.
    """

    def __init__(
        self,
        journal: Journal,
        path: str,
        frames_kept: int,
        *,
        on_disk_thread: OnDisk,
        sequence: Callable[[], int],
        durable: Callable[[], Awaitable[object]],
    ) -> None:
        self._journal = journal
        self._path = path
        self._files = SnapshotFiles(path)
        self._frames_kept = frames_kept
        self._on_disk_thread = on_disk_thread
        self._sequence = sequence
        self._durable = durable
        self.turn = asyncio.Lock()
        """Held while snapshots come and go."""

    async def run(self) -> None:
        """Go on until cancelled; the process under way ends then."""
        while True:
            wait_s = ASK_S
            try:
                async with self.turn:
                    if self.is_due():
                        await self.keep()
            except FAILURES as problem:
                log.error("no snapshot: %s", problem or type(problem).__name__)
                wait_s = AGAIN_S
            await asyncio.sleep(wait_s)

    def is_due(self) -> bool:
        """Return whether it is time for a snapshot; OSError when it cannot be seen which there
        are."""
        now = self._sequence()
        # One that is ahead, damaged or another venue's, stands for nothing.
        known = (one for one in self._files.sequences() if one <= now)
        return now - next(known, 0) >= EVERY

    async def keep(self, time_max_s: float = TIME_MAX_S) -> int:
        """Take a snapshot and keep it now; return its sequence. Raises `FAILURES`."""
        last = self._sequence()

        def put(pid: int) -> None:
            self._files.put(last, pid, earliest(self._journal))

        await self._take(last, put, time_max_s)
        return last

    async def keep_at(self, last: int) -> None:
        """Take a snapshot after an earlier command; others stay. Raises `FAILURES`."""
        if last not in self._files.sequences():
            await self._take(last, lambda pid: self._files.place(last, pid), TIME_MAX_S)

    async def _take(self, last: int, put: Callable[[int], None], time_max_s: float) -> None:
        async with asyncio.timeout(time_max_s):
            link, _ = await Link.start(MODULE, name="snapshot", patience_s=PATIENCE_S)
            try:
                await self._feed(link, last)
                await self._durable()
                await asyncio.to_thread(put, link.pid)
            finally:
                await asyncio.shield(self._end(link))

    async def _feed(self, link: Link, last: int) -> None:
        """Give the helper what it lacks of the commands up to the last, and let it write."""
        journal = self._journal
        feeder = Feeder(link, journal, self._on_disk_thread)
        reached = await feeder.begin(
            SnapshotTask(self._path, journal.begin(), last, journal.segments(), self._frames_kept)
        )
        while reached < last:
            reached = await feeder.feed(reached, last)
        await feeder.finish()

    async def _end(self, link: Link) -> None:
        link.kill("the snapshot is taken")
        await link.close()
        self._files.discard(link.pid)
