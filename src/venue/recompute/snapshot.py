"""A process beside the venue: the venue sends it the journaled commands, and it writes a snapshot.

It recovers as a start does: it loads the newest snapshot that holds, and applies the commands after
it again. Its standard input gets a `Task`, then pieces of commands. Its output says after each how
far it is, and at the end once more that the snapshot is written.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from typing import BinaryIO, Final

import msgspec

from venue.core.messages.commands import Command
from venue.helpers.program import give_way
from venue.journal.journal import JournalCorrupt, OtherRules, Segment, Snapshot
from venue.journal.recovery import recover
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.keeper import LENGTH, Piece, Task
from venue.node.market_data.views import MarketData
from venue.node.snapshots import Restored, take
from venue.recording.recorder import Recorder

NICENESS: Final = 19  # orders go first, history too

_commands = msgspec.msgpack.Decoder(list[Command])
_tasks = msgspec.msgpack.Decoder(list[Task])
_pieces = msgspec.msgpack.Decoder(list[Piece])


class Left(Exception):
    """The venue is gone."""


class SentLog:
    """The venue's journal, as far as it is sent."""

    def __init__(self, task: Task, incoming: BinaryIO) -> None:
        self._task = task
        self._incoming = incoming
        self._files = SnapshotFiles(task.path)

    def begin(self) -> int:
        return self._task.begin

    def last_sequence(self) -> int:
        return self._task.last

    def segments(self) -> list[Segment]:
        return self._task.segments

    def snapshots(self) -> Iterator[Snapshot]:
        for sequence in self._files.sequences():
            found = self._files.read(sequence) if sequence <= self._task.last else None
            if found is not None:
                yield found

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        _say(str(after))
        while after < self._task.last:
            for piece in _pieces.decode(_frame(self._incoming)):
                first, last = piece.first, self._task.last  # which may stand within a row
                commands = _commands.decode(piece.payload)[after + 1 - first : last + 1 - first]
                yield after + 1, commands
                after += len(commands)
            _say(str(after))


def snapshot(task: Task, incoming: BinaryIO) -> Snapshot:
    """The snapshot of a venue that has come to `task.last`."""
    market_data = MarketData()
    recorder = Recorder(task.frames_kept)
    restored = Restored(market_data, recorder, projected=task.last)
    return take(recover(SentLog(task, incoming), task.last, restored), market_data, recorder)


def _frame(incoming: BinaryIO) -> bytes:
    length = int.from_bytes(_exactly(incoming, LENGTH), "big")
    return _exactly(incoming, length)


def _exactly(incoming: BinaryIO, length: int) -> bytes:
    data = incoming.read(length)
    if len(data) < length:
        raise Left
    return data


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> int:
    """Take one snapshot; the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    gc.disable()  # it ends soon
    give_way(NICENESS)
    try:
        (task,) = _tasks.decode(_frame(sys.stdin.buffer))
        taken = snapshot(task, sys.stdin.buffer)
        SnapshotFiles(task.path).write(taken)
        _say(str(taken.sequence))
    except (Left, BrokenPipeError):
        return 0
    except (JournalCorrupt, OtherRules, OSError) as problem:
        _say(str(problem))
        return 1
    return 0
