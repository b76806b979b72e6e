"""The commands that history has yet to project: encoded at once, sent in parts of a transaction.

Commands are encoded one batch at a time and not kept as objects: memory that many objects would lie
in is slow to come back to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core.messages.applied import Applied
from venue.history.process.pipe import Entry

PART_MAX: Final = 1_000  # commands in a frame: orders wait while it is made and sent
PART_EVENTS: Final = 4_000  # events in a frame: a command may have some hundred
# Commands in a transaction: the fewer there are, the more often the same pages are written. A
# question waits for the end of one.
BATCH_MAX: Final = 4_000
BATCH_EVENTS: Final = 12_000  # events in a transaction, about

_encode: Final = msgspec.msgpack.Encoder().encode


class Chunk(msgspec.Struct, gc=False):
    """Commands up to the sequence `last`, encoded, and the frames that they caused."""

    last: int
    commands: int
    events: int
    entries: msgspec.Raw
    frames: list[KeptFrame]


class Unprojected:
    """Chunks in the order of their commands; the first `_sent` are in the transaction under way."""

    def __init__(self) -> None:
        self.commands = 0
        self._chunks: deque[Chunk] = deque()
        self._sent = self._commands_sent = self._events_sent = 0

    def __bool__(self) -> bool:
        return bool(self._chunks)

    @property
    def last(self) -> int:
        """The sequence of the last command; there is one."""
        return self._chunks[-1].last

    def add(self, batch: Sequence[Applied], frames: Sequence[KeptFrame]) -> None:
        """Add commands after all others, and the frames that they caused."""
        told = iter(frames)
        frame = next(told, None)
        for entries, events in _chunks(batch):
            last = entries[-1].sequence
            own: list[KeptFrame] = []
            while frame is not None and frame.sequence <= last:
                own.append(frame)
                frame = next(told, None)
            raw = msgspec.Raw(_encode(entries))
            self._chunks.append(Chunk(last, len(entries), events, raw, own))
            self.commands += len(entries)

    def full(self) -> bool:
        """Whether there is enough for a transaction."""
        return self.commands >= BATCH_MAX

    def next_part(self) -> tuple[bytes, bool]:
        """The next frame of the transaction under way, and whether it may have more."""
        entries: list[msgspec.Raw] = []
        frames: list[KeptFrame] = []
        commands = events = 0
        for chunk in islice(self._chunks, self._sent, None):
            full = commands + chunk.commands > PART_MAX or events + chunk.events > PART_EVENTS
            if entries and full:
                break
            entries.append(chunk.entries)
            frames += chunk.frames
            commands += chunk.commands
            events += chunk.events
        self._sent += len(entries)
        self._commands_sent += commands
        self._events_sent += events
        more = self._sent < len(self._chunks) and self._commands_sent < BATCH_MAX
        return _encode((entries, frames)), more and self._events_sent < BATCH_EVENTS

    def begin_again(self) -> None:
        """Begin a transaction again: the next part is its first."""
        self._sent = self._commands_sent = self._events_sent = 0

    def let_go(self, reached: int) -> None:
        """Let go of projected commands; no transaction is under way."""
        while self._chunks and self._chunks[0].last <= reached:
            self.commands -= self._chunks.popleft().commands

    def clear(self) -> None:
        """Let go of all."""
        self._chunks.clear()
        self.commands = 0
        self.begin_again()


def _chunks(batch: Sequence[Applied]) -> Iterator[tuple[list[Entry], int]]:
    """A batch in chunks that fit into a frame, each with the number of its events."""
    entries: list[Entry] = []
    events = 0
    for done in batch:
        entries.append(Entry(done.sequence, done.time, done.events))
        events += len(done.events)
        if len(entries) >= PART_MAX or events >= PART_EVENTS:
            yield entries, events
            entries, events = [], 0
    if entries:
        yield entries, events
