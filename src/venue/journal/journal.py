"""The interface of a journal: numbered commands, durable before they are answered, and snapshots.

The calls of one journal must not overlap, but may come from different threads one after another.
Only `prepare` may be called while another call is under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec import Struct

from venue.core import rules
from venue.core.messages.commands import Command


class JournalFailed(Exception):
    """A write or sync failed, or the journal cannot be opened. Commands that were not acknowledged
    may or may not be in it: stop, and recover from the file. Never retried: after a failed sync
    the system may report success for bytes that it has dropped.
    """


class JournalCorrupt(Exception):
    """The journal's contents are not as written; the message names sequence and fault."""


class OtherRules(Exception):
    """A replay would apply commands under other rules than those under which they were answered."""


class Snapshot(Struct):
    """The state after command `sequence`, as written by `engine_version`.

    `parts` are opaque, by owner: "engine" is `core.state.snapshot.dump`, the others belong to
    views. `state_hash` is `core.state.snapshot.state_hash` of the engine.
    """

    sequence: int
    engine_version: str
    state_hash: str
    parts: dict[str, bytes]


class Segment(Struct):
    """From `first_sequence` on (to the next segment) the commands were answered under these rules.

    `engine_version` is the version that answered them, for messages.
    """

    first_sequence: int
    engine_version: str
    rules: int


def foreign(journal: Readable) -> int:
    """Return the last sequence that was answered under rules other than today's; 0 when none
    was."""
    segments = journal.segments()
    ends = [segment.first_sequence - 1 for segment in segments[1:]] + [journal.last_sequence()]
    pairs = zip(segments, ends, strict=False)  # one end is too many while there is no command
    return max([end for segment, end in pairs if segment.rules != rules.RULES], default=0)


def earliest(journal: Readable) -> int:
    """Return the earliest command after which a replay can begin, with the commands of this journal
    and under today's rules; 0: with the first."""
    return max(foreign(journal), journal.begin())


class Readable(Protocol):
    """The readable part of a `Journal`, or of one together with its archives."""

    def begin(self) -> int: ...

    def last_sequence(self) -> int: ...

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]: ...

    def segments(self) -> list[Segment]: ...

    def snapshots(self) -> Iterator[Snapshot]: ...


class Journal(Protocol):
    """The venue's commands, numbered consecutively from 1."""

    instant: bool
    """Writing does not wait for a disk, so it may be done on the event loop."""

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        """Encode the next batch; a call of what is returned writes it, whole or not at all.

        It is durable when that call returns. A batch is written before the next one is prepared.
        ValueError when it is empty; JournalFailed, from both calls, on any failure and from then on
        always.
        """

    def append(self, commands: list[Command]) -> None:
        """Prepare a batch and write it."""

    def begin(self) -> int:
        """Return the command after which this journal has its commands; 0: it has all of them.

        Earlier ones are in archives; the oldest stored snapshot replaces them.
        """

    def last_sequence(self) -> int:
        """Return the last durable command's number; 0 when there is none."""

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        """Return the commands after a sequence, in order, in pieces: (first sequence, commands).

        JournalCorrupt when they are not as written, or the journal ends before `after`, or begins
        after it;
        JournalFailed when it cannot be read.
        """

    def read_packed(self, after: int, last: int) -> list[tuple[int, bytes]]:
        """Return a small piece of what `read` gives up to about `last`, still as msgpack; whole
        batches.

        Errors as for `read`.
        """

    def segments(self) -> list[Segment]:
        """Under which rules the commands were answered, oldest first; none is empty."""

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Make a snapshot durable. The newest two are kept, and the first from which a replay can
        begin. JournalFailed when it cannot be stored: the journal continues without it."""

    def snapshots(self) -> Iterator[Snapshot]:
        """Return the intact snapshots, newest first."""

    def close(self) -> None:
        """Give the journal up; a second call does nothing.

        JournalFailed when tidying up fails: the journal is closed, and holds all it acknowledged.
        """
