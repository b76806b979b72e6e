"""The helper of `node.keeper`: it gets the journaled commands, and writes a snapshot.

It recovers as a start does: it loads the newest snapshot that holds, and applies the commands after
it again. Recovery asks for commands when it needs them, so each of its steps answers a frame.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import msgspec

from venue.core.messages.commands import Command
from venue.helpers.feeding import BEGIN, COMMANDS, FINISH, decode_chunks
from venue.helpers.frames import DONE, FAILED
from venue.helpers.serving import LAST, begin_helper, hear, say
from venue.journal.journal import JournalCorrupt, OtherRules, Segment, Snapshot
from venue.journal.recovery import recover
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.keeper import SnapshotTask
from venue.node.market_data.views import MarketData
from venue.node.snapshots import RecoveryFollowers, take
from venue.recording.recorder import Recorder

_task = msgspec.msgpack.Decoder(SnapshotTask)


class VenueExited(Exception):
    """The venue closed the pipe; nobody waits for the snapshot."""


class SentLog:
    """The venue's journal, as far as it is sent: each read answers a frame and waits for the next.
    VenueExited."""

    def __init__(self, task: SnapshotTask) -> None:
        self._task = task
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
        say(DONE, after)
        while after < self._task.last:
            for chunk in decode_chunks(_frame(COMMANDS)):
                commands = chunk.after(after)
                yield after + 1, commands
                after += len(commands)
            say(DONE, after)


def snapshot(task: SnapshotTask) -> Snapshot:
    """Return the snapshot of a venue that has come to `task.last`. VenueExited."""
    market_data = MarketData()
    recorder = Recorder(task.frames_kept)
    restored = RecoveryFollowers(market_data, recorder, projected=task.last)
    return take(recover(SentLog(task), task.last, restored), market_data, recorder)


def _frame(expected: bytes) -> bytes:
    frame = hear()
    if frame is None:
        raise VenueExited
    assert frame[0] == expected, frame[0]
    return frame[1]


def main() -> None:
    """Take one snapshot."""
    begin_helper(LAST)
    gc.disable()  # it ends soon
    try:
        say(DONE, None)
        try:
            task = _task.decode(_frame(BEGIN))
            taken = snapshot(task)
            _frame(FINISH)
            SnapshotFiles(task.path).write(taken)
            say(DONE, taken.sequence)
        except (JournalCorrupt, OtherRules, OSError) as problem:
            if isinstance(problem, ConnectionError):
                raise
            say(FAILED, str(problem))
    except (VenueExited, ConnectionError):
        pass
