"""A run's journal up to one of its commands; it takes nothing more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Final

import msgspec

from venue.core.messages.commands import Command
from venue.journal.journal import JournalFailed, Readable, Segment, Snapshot

PACKED_MAX: Final = 4_096  # commands that `read_packed` hands out at a time, about

_encode = msgspec.msgpack.Encoder().encode


class SealedJournal:
    """See `journal.Journal`. `lock` lets one thread at a time read the journal that several of
    these share.

    `snapshots` gives those that a replay may begin from, newest first.
    """

    instant: bool = True

    def __init__(
        self, inner: Readable, lock: Lock, last: int, snapshots: Callable[[], Iterator[Snapshot]]
    ) -> None:
        self._inner = inner
        self._lock = lock
        self._last = last
        self._snapshots = snapshots

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        raise JournalFailed("this run is opened for reading only")

    def append(self, commands: list[Command]) -> None:
        self.prepare(commands)

    def begin(self) -> int:
        return self._inner.begin()

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        pieces = self._inner.read(after)
        while True:
            with self._lock:
                piece = next(pieces, None)
            if piece is None or piece[0] > self._last:
                return
            first, commands = piece
            yield first, commands[: self._last + 1 - first]

    def read_packed(self, after: int, last: int) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for first, commands in self.read(after):
            if first > last or first > after + PACKED_MAX:
                break
            found.append((first, _encode(commands)))
        return found

    def segments(self) -> list[Segment]:
        return [one for one in self._inner.segments() if one.first_sequence <= self._last]

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self.prepare([])

    def snapshots(self) -> Iterator[Snapshot]:
        return self._snapshots()

    def close(self) -> None:
        """Nothing: the caller that opened the run closes it."""
