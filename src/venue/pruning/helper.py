"""The helper that writes a running venue's archive: the venue sends it the journal's old commands.

It then names the snapshot with which the remaining journal begins: history begins there too.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from venue.helpers.feeding import BEGIN, COMMANDS, FINISH, decode_chunks
from venue.helpers.serving import LAST, begin_helper, serve
from venue.journal.archive import Archive, ArchiveSpan
from venue.journal.journal import JournalCorrupt
from venue.journal.recovery import load
from venue.journal.snapshot_files import SnapshotFiles

MODULE: Final = "venue.pruning.helper"


class ArchiveTask(msgspec.Struct, array_like=True):
    """The part of the journal at `path` to archive; `snapshot` is the sequence of the snapshot that
    replaces it, `foreign` the last command under former rules."""

    path: str
    told: ArchiveSpan
    snapshot: int
    foreign: int


_tasks = msgspec.msgpack.Decoder(ArchiveTask)


class Archiving:
    """The helper's end."""

    def __init__(self) -> None:
        self._task: ArchiveTask | None = None
        self._archive: Archive | None = None

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """None; the last command received; or the snapshot's sequence, time and first order id."""
        if kind == BEGIN:
            self._task = task = _tasks.decode(payload)
            self._archive = Archive(task.path, task.told)
            return None
        assert self._archive is not None, "it was told what to archive"
        assert self._task is not None, "it was told what to archive"
        if kind == COMMANDS:
            self._archive.add([chunk.payload for chunk in decode_chunks(payload)])
            return self._archive.last_sequence()
        assert kind == FINISH, kind
        return _finish(self._task, self._archive)

    def leave(self) -> None:
        """Remove an archive that is not whole."""
        if self._archive is not None:
            self._archive.leave()


def _finish(task: ArchiveTask, archive: Archive) -> tuple[int, int, int]:
    snapshot = SnapshotFiles(task.path).read(task.snapshot)
    engine = load(snapshot, task.foreign) if snapshot is not None else None
    if engine is None:
        raise JournalCorrupt(f"the snapshot at {task.snapshot} does not hold")
    archive.finish()
    return engine.sequence, engine.time, engine.counters.order


def main() -> None:
    """Write one archive."""
    begin_helper(LAST)
    archiving = Archiving()
    try:
        serve(None, archiving.answer)
    finally:
        archiving.leave()
