"""Archives: files beside a journal with its oldest commands.

An archive is a journal's file too, with the same rows and the same hash chain. It is complete,
synced and read again before any command is removed from the journal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import apsw
from msgspec import Struct

from venue.core.messages.commands import Command
from venue.files import private_files
from venue.files.archive_names import archives, being_written, in_place
from venue.journal.chain import Chain, commands_in
from venue.journal.file import FORMAT, SCHEMA, translate_errors
from venue.journal.journal import JournalCorrupt, Segment, Snapshot
from venue.journal.opening import open_readonly
from venue.journal.snapshot_files import SnapshotFiles, pack
from venue.journal.sqlite import SqliteJournal

DROPPED: Final = 64 * 1024  # commands taken out of the journal at a time
SYNCED: Final = 1 << 20  # bytes between two syncs


class ArchiveSpan(Struct, array_like=True):
    """The commands that an archive takes from a journal: those after `begin` up to `end`, both
    block boundaries, with the chain's digests there; and the snapshot that a replay begins with.

    `first` is the sequence of the snapshot that replaces earlier commands; 0: none does.
    """

    begin: int
    begin_digest: bytes
    end: int
    end_digest: bytes
    segments: list[Segment]
    first: int


class Archive:
    """An archive that is being written, under another name until `finish`.

    OSError, JournalFailed and JournalCorrupt when it cannot be written, or holds other bytes.
    """

    def __init__(self, path: str, told: ArchiveSpan) -> None:
        self._path, self._told = path, told
        self._new = being_written(path)
        self._chain = Chain(told.begin, told.begin_digest)
        self._unsynced = 0
        private_files.remove(self._new)
        private_files.create(Path(self._new))
        with translate_errors(self._new):
            self._connection = apsw.Connection(self._new, flags=apsw.SQLITE_OPEN_READWRITE)
            self._file = os.open(self._new, os.O_RDONLY)
            self._begin()

    def last_sequence(self) -> int:
        """Return the last command in it."""
        return self._chain.sequence

    def add(self, payloads: list[bytes]) -> None:
        """Write the next commands, as packed in the journal, up to the archive's end."""
        rows = []
        for payload in payloads:
            first, count = self._chain.sequence + 1, commands_in(payload)
            rows.append((first, count, payload, self._chain.add(payload, count)))
        with translate_errors(self._new), self._connection:
            self._connection.executemany("INSERT INTO batches VALUES(?, ?, ?, ?)", rows)
        self._unsynced += sum(map(len, payloads))
        if self._unsynced >= SYNCED:  # a venue's own batches wait for each sync
            os.fdatasync(self._file)
            self._unsynced = 0

    def finish(self) -> None:
        """Read it again and give it its name, durably."""
        self._connection.close()
        check(self._new, self._told)
        in_place(self._new, self._path, self._told.begin + 1, self._told.end)

    def leave(self) -> None:
        """Close the file, and remove it unless it has its final name."""
        self.close()
        private_files.remove(self._new)

    def close(self) -> None:
        """Close it as it is."""
        self._connection.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _begin(self) -> None:
        told, connection = self._told, self._connection
        # No process reads it before it is synced as a whole.
        connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        connection.execute(SCHEMA)
        connection.execute("INSERT INTO meta VALUES(?)", (FORMAT,))
        if told.begin:
            row = (told.begin, told.begin_digest)
            connection.execute("INSERT INTO archived VALUES(?, ?)", row)
        segments = [(one.first_sequence, one.engine_version, one.rules) for one in told.segments]
        connection.executemany("INSERT INTO segments VALUES(?, ?, ?)", segments)
        if told.first:
            first = SnapshotFiles(self._path).read(told.first)
            if first is None:
                raise JournalCorrupt(f"the snapshot at {told.first} cannot be read")
            connection.execute("INSERT INTO snapshots VALUES(?, ?, ?, ?, ?)", pack(first))


def archive_span(journal: SqliteJournal, end: int, first: int) -> ArchiveSpan:
    """Return the description of an archive of a journal's commands up to a block boundary; errors
    as for reading."""
    begin = journal.begin()
    return ArchiveSpan(
        begin=begin,
        begin_digest=journal.digest_at(begin),
        end=end,
        end_digest=journal.digest_at(end),
        segments=journal.segments(),
        first=first if first < end else 0,
    )


def write(journal: SqliteJournal, path: str, end: int, first: int) -> None:
    """Archive the commands from the start of a journal to the block boundary `end`.

    `first` is the sequence of the snapshot that replaces earlier commands; 0: none does. Errors as
    for `Archive`: the journal is unchanged.
    """
    archive = Archive(path, archive_span(journal, end, first))
    try:
        for _, _, payload, _ in journal.rows(journal.begin(), end):
            archive.add([payload])
        archive.finish()
    finally:
        archive.close()


def drop(journal: SqliteJournal, end: int, snapshot: Snapshot) -> None:
    """Remove an archive's commands from the journal, piece by piece: each piece leaves the journal
    valid.

    `snapshot` replaces them, and is the first that can.
    """
    journal.stand(snapshot)
    while journal.begin() < end:
        journal.drop(min(journal.begin() + DROPPED, end), snapshot.sequence)


class JoinedJournal:
    """A journal together with the archives that lead up to it, for reading."""

    def __init__(self, journal: SqliteJournal, before: list[SqliteJournal]) -> None:
        """`before`: oldest first, without a gap."""
        self._journal = journal
        self._before = before

    def begin(self) -> int:
        return self._before[0].begin() if self._before else self._journal.begin()

    def has_archived(self) -> bool:
        """Return whether any command was removed from the journal, wherever it is now."""
        return self._journal.begin() > 0

    def last_sequence(self) -> int:
        return self._journal.last_sequence()

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        for archive, follower in zip(self._before, [*self._before, self._journal][1:], strict=True):
            if after >= follower.begin():
                continue
            for first, commands in archive.read(after):
                if first > follower.begin():
                    break  # a pruning that was cut short: the journal has these commands too
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


def join_archives(
    journal: SqliteJournal, path: str, closing: ExitStack, written_since_s: float = 0
) -> JoinedJournal:
    """Return a journal with the archives beside it that precede it without a gap, as far as they
    were written since a time of the machine's.

    JournalCorrupt when the journal does not continue one of them; errors as for reading.
    """
    before: list[SqliteJournal] = []
    follower = journal
    for first, last, name in reversed(archives(path)):
        if not first <= follower.begin() <= last:
            continue
        if Path(name).stat().st_mtime < written_since_s:
            break
        archive = open_readonly(name)
        closing.callback(archive.close)
        if archive.digest_at(follower.begin()) != follower.digest_at(follower.begin()):
            raise JournalCorrupt(f"{name} does not lead up to {path}")
        before.insert(0, archive)
        follower = archive
    return JoinedJournal(journal, before)


def check(name: str, told: ArchiveSpan) -> None:
    """Read an archive again; JournalCorrupt unless it holds the expected commands, unchanged.

    It may begin before them.
    """
    try:
        archive = open_readonly(name)
        try:
            if not archive.begin() <= told.begin <= archive.last_sequence() == told.end:
                raise JournalCorrupt("other commands are in it")
            for _ in archive.rows(archive.begin(), told.end):
                pass
            begins = archive.digest_at(told.begin) == told.begin_digest
            if not begins or archive.digest_at(told.end) != told.end_digest:
                raise JournalCorrupt("its commands are others")
        finally:
            archive.close()
    except JournalCorrupt as problem:
        raise JournalCorrupt(
            f"{name} is not of this journal, or damaged: nothing was removed, put back a copy of"
            f" it: {problem}"
        ) from problem
