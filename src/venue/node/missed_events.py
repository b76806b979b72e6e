"""Events that memory no longer holds, made again for history from the journal of a running venue.

A process of its own computes them, from a snapshot and the commands after it. The journal is the
venue's alone, so the venue reads it and sends its commands over a pipe.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from typing import Final, TypeVar

import msgspec

from venue.core.messages.commands import Command
from venue.helpers.link import HistoryFailed, Link
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    Snapshot,
    earliest,
    foreign,
)

MODULE: Final = "venue.recompute.missed_events"
SNAPSHOT: Final = b"s"
COMMANDS: Final = b"c"
PATIENCE_S: Final = 60.0  # for one frame; a large snapshot takes seconds

Begun = tuple[Snapshot, int]  # and the last command under former rules
Piece = tuple[int, list[Command]]  # the first one's sequence
OnDisk = Callable[[Callable[[], None]], Awaitable[None]]
T = TypeVar("T")

_encode = msgspec.msgpack.Encoder().encode


class MissedEvents:
    """The venue's end: reads the journal where its other calls are made, one after another."""

    def __init__(self, journal: Journal, on_disk: OnDisk, path: str, frames_kept: int) -> None:
        self._journal = journal
        self._on_disk = on_disk
        self._path = path
        self._frames_kept = str(frames_kept)

    async def bring(self, reached: int, to: int) -> None:
        """Have the history file, which nobody has open, reach command `to`. HistoryFailed."""
        link, there = await Link.start(
            MODULE, self._path, self._frames_kept, name="replay", patience_s=PATIENCE_S
        )
        try:
            at = await self._begin(link, min(reached, there))
            commands = self._journal.read(at)
            while at < to:
                piece = await self._next(commands)
                if piece is None:
                    raise HistoryFailed(f"the journal ends at command {at}, before {to}")
                first, some = piece
                at = await link.send(COMMANDS, _encode((first, some[: to - first + 1])))
        finally:
            await link.close()

    async def _begin(self, link: Link, reached: int) -> int:
        """Begin at the newest snapshot that holds and that history has reached; its sequence."""
        begin = earliest(self._journal)
        former = foreign(self._journal)
        snapshots = self._journal.snapshots()
        while (snapshot := await self._next(snapshots)) is not None:
            if not begin <= snapshot.sequence <= reached:
                continue
            if await link.send(SNAPSHOT, _encode((snapshot, former))):
                return snapshot.sequence
        if begin:
            raise HistoryFailed(f"no valid snapshot leads to the commands after {begin}")
        return 0

    async def _next(self, iterator: Iterator[T]) -> T | None:
        """The next events; None at the end. HistoryFailed when the journal cannot be read."""
        found: list[T] = []
        try:
            await self._on_disk(lambda: found.extend(islice(iterator, 1)))
        except (JournalCorrupt, JournalFailed) as problem:
            raise HistoryFailed(str(problem)) from problem
        return found[0] if found else None
