"""A journal in memory that stores its last commands, for a venue without a state file.

Snapshots replace the earlier ones, so that the stored ones can be replayed. The snapshots in
between hold the engine's state alone: a long replay begins at the nearest.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter, itemgetter
from typing import Final

import msgspec

from venue.candles import HOUR_US
from venue.core import rules
from venue.core.messages.commands import Command
from venue.core.units import DAY_US
from venue.journal import built
from venue.journal.journal import Journal, JournalCorrupt, JournalFailed, Segment, Snapshot
from venue.journal.memory import MemoryJournal
from venue.journal.recovery import ENGINE

EVERY: Final = 50_000  # commands between two snapshots
SNAPSHOTS_KEPT: Final = 2  # whole ones
BYTES_MAX: Final = 1 << 28  # of commands and states
PIECE: Final = 1024  # commands that `read_packed` hands out at a time, about
PACK: Final = 1 << 16  # bytes of commands that are compressed together
LEVEL: Final = 1  # of compression: a quarter of the size for 1.5 µs a command

Piece = tuple[int, bytes]
"""The first command's sequence, and commands as msgpack; of a pack, several pieces compressed."""

_encode = msgspec.msgpack.Encoder().encode
_commands = msgspec.msgpack.Decoder(list[Command])
_pieces = msgspec.msgpack.Decoder(list[Piece])


class Packs:
    """Pieces in order; all but the newest are compressed together, `PACK` bytes at a time."""

    __slots__ = ("_loose", "_newest", "_packs", "size")

    def __init__(self) -> None:
        self._packs: deque[Piece] = deque()
        self._newest: list[Piece] = []
        self._loose = 0  # bytes of those
        self.size = 0  # bytes of packs

    def add(self, first: int, piece: bytes) -> None:
        """Take the next piece, from command `first` on."""
        self._newest.append((first, piece))
        self._loose += len(piece)
        if self._loose >= PACK:
            packed = zlib.compress(_encode(self._newest), LEVEL)
            self._packs.append((self._newest[0][0], packed))
            self.size += len(packed)
            self._newest, self._loose = [], 0

    def holding(self, sequence: int) -> list[Piece]:
        """Return the piece with a command that is there, and some after it."""
        pieces = self._newest
        if not pieces or sequence < pieces[0][0]:
            packs = list(self._packs)
            _, packed = packs[bisect_right(packs, sequence, key=itemgetter(0)) - 1]
            pieces = _pieces.decode(zlib.decompress(packed))
        return pieces[bisect_right(pieces, sequence, key=itemgetter(0)) - 1 :]

    def forget(self, sequence: int) -> None:
        """Let go of packs of which no command after this one is needed."""
        packs = self._packs
        while len(packs) > 1 and packs[1][0] <= sequence + 1:
            self.size -= len(packs.popleft()[1])


class Point:
    """A command after which a replay can begin: at venue time `time`, when `lived` of it had
    passed. `state` is the engine's, compressed; empty: a whole snapshot holds it, or the engine is
    new."""

    __slots__ = ("digest", "lived", "sequence", "state", "time")

    def __init__(self, sequence: int, time: int, lived: int) -> None:
        self.sequence = sequence
        self.time = time
        self.lived = lived
        self.state = b""
        self.digest = ""


class RecentJournal:
    """Stores the commands of the last `span_us` of venue time, not counting reverts, and at least
    those after the older of its last two snapshots; all commands until there are two. They and the
    states take at most `bytes_max`.

    `after`: it begins after this snapshot. After every `every` commands it asks for another one.
    """

    instant: bool = True

    def __init__(
        self,
        every: int,
        after: Snapshot | None = None,
        *,
        span_us: int = 0,
        bytes_max: int = BYTES_MAX,
    ) -> None:
        self._every = every
        self._span_us = span_us
        self._bytes_max = bytes_max
        self._packs = Packs()
        self._time = 0  # of the last command, µs; 0: of none yet
        self._lived = 0  # venue time that passed, µs
        self._last = after.sequence if after is not None else 0
        self._points = deque([Point(self._last, 0, 0)])  # oldest first
        self._snapshots: list[Snapshot] = [after] if after is not None else []  # newest first
        self._closed = False

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        self._check_open()
        if not commands:
            raise ValueError("a batch holds at least one command")
        return partial(self._take, commands)

    def append(self, commands: list[Command]) -> None:
        self.prepare(commands)()

    def _take(self, commands: list[Command]) -> None:
        self._packs.add(self._last + 1, _encode(commands))
        self._last += len(commands)
        time = commands[-1].time
        if 0 < self._time < time:
            self._lived += time - self._time
        self._time = time

    def begin(self) -> int:
        return self._points[0].sequence

    def begin_time(self) -> int:
        """Return the venue time at which the stored commands begin, µs; 0: none was dropped."""
        return self._points[0].time

    def keeps(self) -> str:
        """Return a description of what is stored."""
        if not self._span_us:
            return f"its last {self._every} commands"
        hours = self._span_us // HOUR_US
        return f"the commands of {hours} hours of venue time, {self._bytes_max >> 20} MB at most"

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        self._check_has(after)
        while after < self._last:
            for first, packed in self.read_packed(after, self._last):
                commands = _commands.decode(packed)[max(0, after + 1 - first) :]
                yield after + 1, commands
                after += len(commands)

    def read_packed(self, after: int, last: int) -> list[Piece]:
        self._check_has(after)
        if after >= self._last:
            return []
        wanted = self._packs.holding(after + 1)[:PIECE]
        return [piece for piece in wanted if piece[0] <= min(last, after + PIECE)]

    def segments(self) -> list[Segment]:
        return [Segment(1, built.name(), rules.RULES)] if self._last else []

    def is_due(self) -> bool:
        """Return whether it is time for a snapshot."""
        return self._last - self._points[-1].sequence >= self._every

    def save_state(self, snapshot: Snapshot) -> None:
        """Keep the engine's state of a snapshot, which needs no other parts."""
        self._place(snapshot)
        self._strip(snapshot)
        self._forget()

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._place(snapshot)
        others = [one for one in self._snapshots if one.sequence != snapshot.sequence]
        self._snapshots = sorted([snapshot, *others], key=attrgetter("sequence"), reverse=True)
        while len(self._snapshots) > SNAPSHOTS_KEPT:
            self._strip(self._snapshots.pop())
        self._forget()

    def _place(self, snapshot: Snapshot) -> None:
        self._check_open()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        if self._points[-1].sequence != snapshot.sequence:
            self._points.append(Point(snapshot.sequence, self._time, self._lived))

    def _strip(self, snapshot: Snapshot) -> None:
        """Keep nothing of a snapshot but the engine's state."""
        for point in self._points:
            if point.sequence == snapshot.sequence:
                point.state = zlib.compress(snapshot.parts.get(ENGINE, b""), LEVEL)
                point.digest = snapshot.state_hash

    def _forget(self) -> None:
        """Drop commands and states that are older than needed, or exceed the limit."""
        points = self._points
        oldest = self._snapshots[-1].sequence if len(self._snapshots) == SNAPSHOTS_KEPT else 0
        while points[0].sequence < oldest and (
            self._lived - points[1].lived >= self._span_us or self._size() > self._bytes_max
        ):
            points.popleft()
            self._packs.forget(points[0].sequence)

    def _size(self) -> int:
        return self._packs.size + sum([len(point.state) for point in self._points])

    def snapshots(self) -> Iterator[Snapshot]:
        return iter(self._snapshots)

    def beginnings(self) -> list[int]:
        """Return the commands after which there is a `state`, in order."""
        return [point.sequence for point in self._points if point.state or self._whole(point)]

    def state(self, sequence: int) -> Snapshot | None:
        """Return a snapshot for a replay: the engine is in it, the views may not be. None: there is
        none any more."""
        for point in self._points:
            if point.sequence == sequence:
                if not point.state:
                    return self._whole(point)
                parts = {ENGINE: zlib.decompress(point.state)}
                return Snapshot(sequence, built.name(), point.digest, parts)
        return None

    def _whole(self, point: Point) -> Snapshot | None:
        found = (one for one in self._snapshots if one.sequence == point.sequence)
        return next(found, None)

    def close(self) -> None:
        self._closed = True

    def _check_has(self, after: int) -> None:
        if after > self._last:
            raise JournalCorrupt(f"the journal ends at {self._last}, before {after}")
        if after < self.begin():
            raise JournalCorrupt(f"the journal begins after {self.begin()}, later than {after}")

    def _check_open(self) -> None:
        if self._closed:
            raise JournalFailed("the journal is closed")


def in_memory(*, kept: bool) -> Journal:
    """Return a journal without a file, that keeps the commands of a day or only counts them."""
    return RecentJournal(EVERY, span_us=DAY_US) if kept else MemoryJournal(keep=False)
