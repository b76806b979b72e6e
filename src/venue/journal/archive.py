"""Archives: a journal's oldest commands in files of their own beside it.

An archive is a journal's file too, with the same rows and the same hash chain. It is whole, synced
and read again before anything is taken out of the journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import apsw

from venue import private_files
from venue.archive_names import NEW, archives, in_place
from venue.core.messages.commands import Command
from venue.journal.file import FORMAT, SCHEMA, translated
from venue.journal.journal import JournalCorrupt, Segment, Snapshot
from venue.journal.snapshot_files import packed
from venue.journal.sqlite import SqliteJournal, open_readonly

DROPPED: Final = 64 * 1024  # commands taken out of the journal at a time


def write(journal: SqliteJournal, path: str, end: int, first: Snapshot | None) -> None:
    """Archive the commands from where a journal begins to the block boundary `end`.

    `first`, if any, is the snapshot that stands for what came before them. OSError, JournalFailed
    and JournalCorrupt when it cannot be written or is not what was written: the journal is as it
    was.
    """
    new, begin = f"{path}{NEW}", journal.begin()
    private_files.remove(new)
    private_files.create(Path(new))
    with translated(new):
        connection = apsw.Connection(new, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # Nobody reads it before it is synced as a whole.
            connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            connection.execute(SCHEMA)
            connection.execute("INSERT INTO meta VALUES(?)", (FORMAT,))
            if begin:
                row = (begin, journal.digest_at(begin))
                connection.execute("INSERT INTO archived VALUES(?, ?)", row)
            segments = [
                (one.first_sequence, one.engine_version, one.rules) for one in journal.segments()
            ]
            connection.executemany("INSERT INTO segments VALUES(?, ?, ?)", segments)
            if first is not None:
                connection.execute("INSERT INTO snapshots VALUES(?, ?, ?, ?, ?)", packed(first))
            with connection:
                rows = journal.rows(begin, end)
                connection.executemany("INSERT INTO batches VALUES(?, ?, ?, ?)", rows)
        finally:
            connection.close()
    check(new, journal, end)
    in_place(new, path, begin + 1, end)


def drop(journal: SqliteJournal, end: int, snapshot: Snapshot) -> None:
    """Take what an archive has out of the journal, piece by piece: each one leaves it whole.

    `snapshot` stands for it, and is the first that can.
    """
    journal.stand(snapshot)
    while journal.begin() < end:
        journal.drop(min(journal.begin() + DROPPED, end), snapshot)


class Joined:
    """A journal together with the archives that lead up to it, for reading."""

    def __init__(self, journal: SqliteJournal, before: list[SqliteJournal]) -> None:
        """`before`: oldest first, without a gap."""
        self._journal = journal
        self._before = before

    def begin(self) -> int:
        return self._before[0].begin() if self._before else self._journal.begin()

    def archived(self) -> bool:
        """Whether anything was taken out of the journal, wherever it is now."""
        return self._journal.begin() > 0

    def last_sequence(self) -> int:
        return self._journal.last_sequence()

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        for archive, follower in zip(self._before, [*self._before, self._journal][1:], strict=True):
            if after >= follower.begin():
                continue
            for first, commands in archive.read(after):
                if first > follower.begin():
                    break  # a pruning that was cut short: the journal has them too
                yield first, commands
                after = first + len(commands) - 1
        yield from self._journal.read(after)

    def segments(self) -> list[Segment]:
        return self._journal.segments()

    def snapshots(self) -> Iterator[Snapshot]:
        seen: set[int] = set()
        for part in (self._journal, *reversed(self._before)):
            for snapshot in part.snapshots():
                if snapshot.sequence not in seen:
                    seen.add(snapshot.sequence)
                    yield snapshot


def joined(journal: SqliteJournal, path: str, closing: ExitStack) -> Joined:
    """A journal with the archives beside it that lead up to it without a gap.

    JournalCorrupt when one of them does not go on as the journal does; errors as for reading.
    """
    before: list[SqliteJournal] = []
    follower = journal
    for first, last, name in reversed(archives(path)):
        if not first <= follower.begin() <= last:
            continue
        archive = open_readonly(name)
        closing.callback(archive.close)
        if archive.digest_at(follower.begin()) != follower.digest_at(follower.begin()):
            raise JournalCorrupt(f"{name} does not lead up to {path}")
        before.insert(0, archive)
        follower = archive
    return Joined(journal, before)


def check(name: str, journal: SqliteJournal, end: int) -> None:
    """Read an archive again; JournalCorrupt unless it holds, whole and unchanged, what this journal
    had up to the block boundary `end`."""
    told = f"{name} is not of this journal, or damaged: nothing was removed, put back a copy of it"
    if end > journal.last_sequence():
        raise JournalCorrupt(f"{told}: the journal ends at command {journal.last_sequence()}")
    try:
        archive = open_readonly(name)
        try:
            if not archive.begin() <= journal.begin() <= archive.last_sequence() == end:
                raise JournalCorrupt("other commands are in it")
            for _ in archive.rows(archive.begin(), end):
                pass
            for boundary in (journal.begin(), end):
                if archive.digest_at(boundary) != journal.digest_at(boundary):
                    raise JournalCorrupt("its commands are others")
        finally:
            archive.close()
    except JournalCorrupt as problem:
        raise JournalCorrupt(f"{told}: {problem}") from problem
