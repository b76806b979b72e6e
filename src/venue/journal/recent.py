"""A journal in memory that keeps its last commands, for a venue without a state file.

A snapshot stands for the earlier ones, so that the kept ones can be replayed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import msgspec

from venue.core import rules
from venue.core.messages.commands import Command
from venue.journal import built
from venue.journal.journal import Journal, JournalCorrupt, JournalFailed, Segment, Snapshot
from venue.journal.memory import MemoryJournal

EVERY: Final = 50_000  # commands between two snapshots
SNAPSHOTS_KEPT: Final = 2
PIECE: Final = 1024  # commands that `packed` hands out at a time, about

_encode = msgspec.msgpack.Encoder().encode
_commands = msgspec.msgpack.Decoder(list[Command])


class RecentJournal:
    """Keeps the commands after the older of its last two snapshots; all commands until there are
    two.

    `after`: it begins after this snapshot. Every `every` commands it wants another one.
    """

    instant: bool = True

    def __init__(self, every: int, after: Snapshot | None = None) -> None:
        self._every = every
        self._pieces: deque[tuple[int, bytes]] = deque()  # first sequence, commands as msgpack
        self._begin = self._last = after.sequence if after is not None else 0
        self._snapshots: list[Snapshot] = [after] if after is not None else []
        self._closed = False

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        self._check_open()
        if not commands:
            raise ValueError("a batch holds at least one command")
        return partial(self._take, commands)

    def append(self, commands: list[Command]) -> None:
        self.prepare(commands)()

    def _take(self, commands: list[Command]) -> None:
        self._pieces.append((self._last + 1, _encode(commands)))
        self._last += len(commands)

    def begin(self) -> int:
        return self._begin

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        self._check_has(after)
        while after < self._last:
            for first, packed in self.packed(after, self._last):
                commands = _commands.decode(packed)[max(0, after + 1 - first) :]
                yield after + 1, commands
                after += len(commands)

    def packed(self, after: int, last: int) -> list[tuple[int, bytes]]:
        self._check_has(after)
        pieces = list(self._pieces)
        low, high = 0, len(pieces)
        while high - low > 1:  # the piece that holds the command after `after`
            middle = (low + high) // 2
            low, high = (middle, high) if pieces[middle][0] <= after + 1 else (low, middle)
        wanted = pieces[low : low + PIECE] if after < self._last else []
        return [piece for piece in wanted if piece[0] <= min(last, after + PIECE)]

    def segments(self) -> list[Segment]:
        return [Segment(1, built.name(), rules.RULES)] if self._last else []

    def is_due(self) -> bool:
        """Whether it is time for a snapshot."""
        newest = self._snapshots[0].sequence if self._snapshots else 0
        return self._last - newest >= self._every

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._check_open()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        others = [one for one in self._snapshots if one.sequence != snapshot.sequence]
        newest_first = sorted([snapshot, *others], key=lambda one: -one.sequence)
        self._snapshots = newest_first[:SNAPSHOTS_KEPT]
        if len(self._snapshots) < SNAPSHOTS_KEPT:
            return
        oldest = self._snapshots[-1].sequence
        while len(self._pieces) > 1 and self._pieces[1][0] <= oldest + 1:
            self._pieces.popleft()
        self._begin = oldest

    def snapshots(self) -> Iterator[Snapshot]:
        return iter(self._snapshots)

    def close(self) -> None:
        self._closed = True

    def _check_has(self, after: int) -> None:
        if after > self._last:
            raise JournalCorrupt(f"the journal ends at {self._last}, before {after}")
        if after < self._begin:
            raise JournalCorrupt(f"the journal begins after {self._begin}, later than {after}")

    def _check_open(self) -> None:
        if self._closed:
            raise JournalFailed("the journal is closed")


def in_memory(*, kept: bool) -> Journal:
    """A journal without a file, that keeps its last commands or only counts them."""
    return RecentJournal(EVERY) if kept else MemoryJournal(keep=False)
