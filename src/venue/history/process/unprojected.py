"""The commands that history has yet to project: encoded at once, sent in parts of a transaction.

Commands and frames are encoded one batch at a time and not kept as objects: memory that many
objects would lie in is slow to come back to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core import wide
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
    """Commands up to the sequence `last`, and the frames that they caused; both are encoded."""

    last: int
    commands: int
    events: int
    entries: msgspec.Raw
    frames: msgspec.Raw


class UnprojectedChunks:
    """Chunks in the order of their commands: `commands` in all, `unsent` of them not sent yet.

    The first `_sent` chunks are sent, in transactions that are under way; `_commands` and `_events`
    are those of the last of these while it may have more parts.
    """

    def __init__(self) -> None:
        self.commands = 0
        self.unsent = 0
        self._chunks: deque[Chunk] = deque()
        self._sent = self._commands = self._events = 0

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
            encoded, told_of = msgspec.Raw(wide.encode(entries)), msgspec.Raw(_encode(own))
            self._chunks.append(Chunk(last, len(entries), events, encoded, told_of))
            self.commands += len(entries)
            self.unsent += len(entries)

    def full(self) -> bool:
        """Return whether what is not sent yet is enough for a transaction."""
        return self.unsent >= BATCH_MAX

    def next_part(self) -> tuple[bytes, bool]:
        """Return the next frame of a transaction, and whether it may have more."""
        entries: list[msgspec.Raw] = []
        frames: list[msgspec.Raw] = []
        commands = events = 0
        for chunk in islice(self._chunks, self._sent, None):
            full = commands + chunk.commands > PART_MAX or events + chunk.events > PART_EVENTS
            if entries and full:
                break
            entries.append(chunk.entries)
            frames.append(chunk.frames)
            commands += chunk.commands
            events += chunk.events
        self._sent += len(entries)
        self.unsent -= commands
        self._commands += commands
        self._events += events
        more = self.unsent > 0 and self._commands < BATCH_MAX
        return _encode((entries, frames)), more and self._events < BATCH_EVENTS

    def end(self) -> None:
        """End a transaction: the next part is the first of another one."""
        self._commands = self._events = 0

    def begin_again(self) -> None:
        """Send all again: what is under way was lost."""
        self.unsent = self.commands
        self._sent = 0
        self.end()

    def let_go(self, reached: int) -> None:
        """Let go of projected commands."""
        while self._chunks and self._chunks[0].last <= reached:
            chunk = self._chunks.popleft()
            self.commands -= chunk.commands
            if self._sent:
                self._sent -= 1
            else:  # another process had projected it already
                self.unsent -= chunk.commands

    def clear(self) -> None:
        """Let go of all."""
        self._chunks.clear()
        self.commands = 0
        self.begin_again()


def _chunks(batch: Sequence[Applied]) -> Iterator[tuple[list[Entry], int]]:
    """Yield a batch in chunks that fit into a frame, each with the number of its events."""
    entries: list[Entry] = []
    events = 0
    for done in batch:
        entries.append(Entry(done.sequence, done.time, done.events, done.agents))
        events += len(done.events)
        if len(entries) >= PART_MAX or events >= PART_EVENTS:
            yield entries, events
            entries, events = [], 0
    if entries:
        yield entries, events
