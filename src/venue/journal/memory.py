"""A journal in memory: for tests, for library use, and for a venue without a state file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import msgspec

from venue.core import rules
from venue.core.messages.commands import Command
from venue.journal import built
from venue.journal.journal import JournalCorrupt, JournalFailed, Segment, Snapshot

PIECE: Final = 1024  # commands `read` hands out at a time
SNAPSHOTS_KEPT: Final = 2

_encode = msgspec.msgpack.Encoder().encode


class MemoryJournal:
    """Stores the commands, or (`keep` False, for long runs) only counts them.

    A journal that only counts raises LookupError in `read` wherever there were commands. `after`:
    it begins after this snapshot.
    """

    instant: bool = True

    def __init__(self, *, keep: bool, after: Snapshot | None = None) -> None:
        self._keep = keep
        self._commands: list[Command] = []
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
        if self._keep:
            self._commands.extend(commands)
        self._last += len(commands)

    def begin(self) -> int:
        return self._begin

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        if after > self._last:
            raise JournalCorrupt(f"the journal ends at {self._last}, before {after}")
        if after < self._begin:
            raise JournalCorrupt(f"the journal begins after command {self._begin}")
        if after < self._last and not self._keep:
            raise LookupError("this journal only counts its commands")
        while after < self._last:
            start = after - self._begin
            piece = self._commands[start : start + PIECE]
            yield after + 1, piece
            after += len(piece)

    def read_packed(self, after: int, last: int) -> list[tuple[int, bytes]]:
        pieces = [piece for piece in self.read(after) if piece[0] <= last]
        return [(first, _encode(commands)) for first, commands in pieces]

    def segments(self) -> list[Segment]:
        return [Segment(1, built.name(), rules.RULES)] if self._last else []

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._check_open()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        others = [old for old in self._snapshots if old.sequence != snapshot.sequence]
        newest_first = sorted([snapshot, *others], key=_sequence, reverse=True)
        self._snapshots = newest_first[:SNAPSHOTS_KEPT]

    def snapshots(self) -> Iterator[Snapshot]:
        return iter(self._snapshots)

    def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise JournalFailed("the journal is closed")


def _sequence(snapshot: Snapshot) -> int:
    return snapshot.sequence
