"""Snapshots of a running venue, taken by a process beside it that replays what is journaled.

Taken in the venue's own process, a large one would keep every order waiting for a second; a fork
would for as long as it copies page tables, and writing after it costs copies of pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from venue.helpers.program import environment
from venue.journal.journal import Journal, JournalFailed, Segment, earliest
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.snapshots import EVERY

REPLICA: Final = "venue.recompute.snapshot"  # the module that the process runs
ASK_S: Final = 10.0  # how often it is asked whether a snapshot is due
AGAIN_S: Final = 300.0  # after one that failed
TIME_MAX_S: Final = 3600.0  # a process that takes longer hangs
LENGTH: Final = 8  # bytes before each piece that say how long it is

log = logging.getLogger("venue")


class Task(msgspec.Struct, array_like=True):
    """The process's first message: take the state after command `last`.

    The journal has the commands after `begin`.
    """

    path: str
    begin: int
    last: int
    segments: list[Segment]
    frames_kept: int


class Piece(msgspec.Struct, array_like=True, gc=False):
    """Commands from `first` on, as msgpack."""

    first: int
    payload: bytes


class OnDiskThread(Protocol):
    """Runs a call that must not overlap with a batch being written."""

    def __call__(self, function: Callable[[], None]) -> Awaitable[None]: ...


class SnapshotFailed(Exception):
    """There is no snapshot this time; the text says why."""


class Keeper:
    """Has a snapshot taken every `EVERY` commands. Belongs to one event loop.

    `sequence` says how far the engine is, `durable` waits until history's followers have made all
    of that durable. One of `failures` raised by it is logged, and the snapshot left out.
    """

    def __init__(
        self,
        journal: Journal,
        path: str,
        frames_kept: int,
        *,
        on_disk_thread: OnDiskThread,
        sequence: Callable[[], int],
        durable: Callable[[], Awaitable[object]],
        failures: tuple[type[Exception], ...],
    ) -> None:
        self._journal = journal
        self._path = path
        self._files = SnapshotFiles(path)
        self._frames_kept = frames_kept
        self._on_disk_thread = on_disk_thread
        self._sequence = sequence
        self._durable = durable
        mine = (SnapshotFailed, JournalFailed, OSError, TimeoutError)
        self._failures: tuple[type[Exception], ...] = (*failures, *mine)
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
            except self._failures as problem:
                log.error("no snapshot: %s", problem or type(problem).__name__)
                wait_s = AGAIN_S
            await asyncio.sleep(wait_s)

    def is_due(self) -> bool:
        """Whether it is time for a snapshot; OSError when it cannot be seen which there are."""
        now = self._sequence()
        # One that is ahead, damaged or another venue's, stands for nothing.
        known = (one for one in self._files.sequences() if one <= now)
        return now - next(known, 0) >= EVERY

    async def keep(self, time_max_s: float = TIME_MAX_S) -> int:
        """Have a snapshot taken and kept now; its sequence.

        Raises SnapshotFailed, JournalFailed, OSError, TimeoutError and what `durable` does.
        """
        last = self._sequence()

        def put(pid: int) -> None:
            self._files.put(last, pid, earliest(self._journal))

        await self._take(last, put, time_max_s)
        return last

    async def keep_at(self, last: int) -> None:
        """Have a snapshot taken after an earlier command; others stay. Raises as `keep` does."""
        if last not in self._files.sequences():
            await self._take(last, lambda pid: self._files.place(last, pid), TIME_MAX_S)

    async def _take(self, last: int, put: Callable[[int], None], time_max_s: float) -> None:
        # Not by the event loop's own means: it would fork, and copy this process's page tables.
        process = subprocess.Popen(  # noqa: S603 - the venue's own module
            [sys.executable, "-P", "-m", "venue.helpers.program", REPLICA],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(os.environ),
            start_new_session=True,  # ^C is for the venue
        )
        try:
            async with asyncio.timeout(time_max_s):
                await self._feed(process, last)
                await _number(process)  # it is written
                await self._durable()
            await asyncio.to_thread(put, process.pid)
        finally:
            process.kill()
            await asyncio.shield(asyncio.to_thread(self._end, process))

    async def _feed(self, process: subprocess.Popen[bytes], last: int) -> None:
        """Give the process what it lacks of the commands up to the last."""
        journal = self._journal
        task = Task(self._path, journal.begin(), last, journal.segments(), self._frames_kept)
        await _give(process, [task])
        reached = await _number(process)
        while reached < last:
            found: list[tuple[int, bytes]] = []
            after = reached

            def read(found: list[tuple[int, bytes]] = found, after: int = after) -> None:
                found += journal.packed(after, last)

            await self._on_disk_thread(read)
            await _give(process, [Piece(*one) for one in found])
            reached = await _number(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.wait()
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        self._files.discard(process.pid)


async def _give(process: subprocess.Popen[bytes], what: list[Task] | list[Piece]) -> None:
    data = msgspec.msgpack.encode(what)
    stream = process.stdin
    assert stream is not None

    def write() -> None:
        stream.write(len(data).to_bytes(LENGTH, "big") + data)
        stream.flush()

    with contextlib.suppress(BrokenPipeError):  # its last line says more
        await asyncio.to_thread(write)


async def _number(process: subprocess.Popen[bytes]) -> int:
    """The sequence that the process says it has come to. SnapshotFailed when it gave up."""
    assert process.stdout is not None
    line = (await asyncio.to_thread(process.stdout.readline)).decode().strip()
    if not line.isdecimal():
        raise SnapshotFailed(line or "the process that takes it ended")
    return int(line)
