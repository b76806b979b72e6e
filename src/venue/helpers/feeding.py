"""Feeds a helper with a state and the commands after it, so that it can replay them.

The journal is the venue's alone: the venue reads it and sends its commands to the helper.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec

from venue.core.messages.commands import Command
from venue.helpers.link import Link
from venue.journal.journal import Journal, Snapshot, foreign

BEGIN: Final = b"b"  # the helper's task
SNAPSHOT: Final = b"s"  # a `StartPoint`; the answer: whether it serves
COMMANDS: Final = b"c"  # `CommandChunk`s; the answer: the sequence that the helper has reached
FINISH: Final = b"f"  # there are no more commands

OnDisk = Callable[[Callable[[], None]], Awaitable[None]]
"""Runs a call that must not overlap with a batch being written."""

T = TypeVar("T")
_encode = msgspec.msgpack.Encoder().encode
_commands = msgspec.msgpack.Decoder(list[Command])


class StartPoint(msgspec.Struct, array_like=True):
    """A snapshot (None: a new engine), and the last command that other rules answered."""

    snapshot: Snapshot | None
    foreign: int


class CommandChunk(msgspec.Struct, array_like=True, gc=False):
    """Commands from `first` on, as msgpack; those after `last` do not count."""

    first: int
    last: int
    payload: bytes

    def after(self, sequence: int) -> list[Command]:
        """Unpack the commands after a sequence, up to `last`."""
        return _commands.decode(self.payload)[
            sequence + 1 - self.first : self.last + 1 - self.first
        ]


decode_start = msgspec.msgpack.Decoder(StartPoint).decode
decode_chunks = msgspec.msgpack.Decoder(list[CommandChunk]).decode


class Feeder:
    """Feeds one helper from the journal, which is read where its other calls are made."""

    def __init__(self, link: Link, journal: Journal, on_disk: OnDisk) -> None:
        self._link = link
        self._journal = journal
        self._on_disk = on_disk

    async def begin(self, task: msgspec.Struct) -> Any:
        """Send the helper its task; return its answer. HelperFailed."""
        return await self._link.send(BEGIN, _encode(task))

    async def suggest(self, snapshot: Snapshot | None, kind: bytes = SNAPSHOT) -> bool:
        """Suggest a state to replay from; return whether the helper takes it. HelperFailed."""
        point = StartPoint(snapshot, foreign(self._journal))
        return bool(await self._link.send(kind, _encode(point)))

    async def feed(self, after: int, last: int) -> Any:
        """Send some of the commands after `after` up to `last`; return the helper's answer.

        HelperFailed; JournalCorrupt and JournalFailed when they cannot be read.
        """
        packed = await self.read(lambda: self._journal.read_packed(after, last))
        chunks = [CommandChunk(first, last, payload) for first, payload in packed]
        return await self._link.send(COMMANDS, _encode(chunks))

    async def finish(self) -> Any:
        """Tell the helper that it has received all commands; return its answer. Raises
        HelperFailed."""
        return await self._link.send(FINISH, b"")

    async def read(self, function: Callable[[], T]) -> T:
        """Call a function of the journal where its other calls are made."""
        found: list[T] = []
        await self._on_disk(lambda: found.append(function()))
        return found[0]
