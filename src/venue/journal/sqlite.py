"""The journal as one SQLite file: WAL, synchronous=FULL, one connection, one packed row per batch.

The file is locked for one process from opening to closing (or to the end of the process), so a
second opener is refused. A journal may be used from any thread, one call at a time. Only APSW may
open the file: another SQLite library, or plain reading and closing it in the same process, would
drop the lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import Annotated, Final, TypeVar

import apsw
import msgspec

import venue
from venue.core.commands import Command
from venue.journal.chain import BLOCK, DIGEST, Chain
from venue.journal.journal import JournalCorrupt, JournalFailed, Segment, Snapshot

FORMAT: Final = 1
SQLITE_MIN: Final = (3, 51, 3)  # older ones can damage a WAL when it is reset
SNAPSHOTS_KEPT: Final = 2
CHECKPOINT_BYTES: Final = 16 << 20  # about what the WAL holds before it moves into the file
COMMIT_BYTES: Final = 3 * 4096  # pages a commit writes beside its payload, about
WAL_BYTES_MAX: Final = 64 << 20  # what a large snapshot may leave of the WAL once it is reset
ROWS_READ: Final = 64  # rows fetched at a time; between fetches no read transaction is open

_SCHEMA: Final = """
CREATE TABLE meta(format INTEGER NOT NULL) STRICT;
CREATE TABLE segments(first_sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL) STRICT;
CREATE TABLE batches(first_sequence INTEGER PRIMARY KEY, count INTEGER NOT NULL,
    payload BLOB NOT NULL, chain BLOB NOT NULL) STRICT;
CREATE TABLE snapshots(sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL,
    state_hash TEXT NOT NULL, parts BLOB NOT NULL, checksum BLOB NOT NULL) STRICT;
"""
_INSERT: Final = "INSERT INTO batches VALUES(?, ?, ?, ?)"
_ROWS: Final = "SELECT * FROM batches WHERE first_sequence >= ? ORDER BY first_sequence LIMIT ?"
_FIRST_ROW: Final = "SELECT * FROM batches ORDER BY first_sequence LIMIT 1"
_LAST_ROW: Final = "SELECT * FROM batches ORDER BY first_sequence DESC LIMIT 1"
_ROW_UP_TO: Final = (
    "SELECT * FROM batches WHERE first_sequence <= ? ORDER BY first_sequence DESC LIMIT 1"
)

_Sequence = Annotated[int, msgspec.Meta(ge=1, le=1 << 62)]
_Row = tuple[_Sequence, Annotated[int, msgspec.Meta(ge=1, le=BLOCK)], bytes, bytes]
_SnapshotRow = tuple[int, str, str, bytes, bytes]
T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(list[Command])
_parts = msgspec.msgpack.Decoder(dict[str, bytes])


class SqliteJournal:
    """See `journal.Journal`. Made by `open_journal` and `open_readonly`.

    `append` and `save_snapshot` wait for the disk: call them on a thread of their own.
    """

    instant: bool = False

    def __init__(self, connection: apsw.Connection, path: str, *, refused: str) -> None:
        """`refused` says why this journal takes no writes; empty when it does."""
        self._connection = connection
        self._path = path
        self._refused = refused
        self._failure: BaseException | None = None
        self._closed = False
        self._wal_bytes = 0
        self._chain = self._chain_at_end()
        self._last = self._chain.sequence
        # In place of SQLite's automatic checkpoint, which would swallow a failed sync.
        connection.wal_autocheckpoint(0)

    def append(self, commands: list[Command]) -> None:
        self._check_writable()
        if not commands:
            raise ValueError("a batch holds at least one command")
        with self._writing():
            self._checkpoint_when_due()
            rows = self._rows(commands)
            self._wal_bytes += COMMIT_BYTES + sum(len(payload) for _, _, payload, _ in rows)
            if len(rows) == 1:  # a statement alone is a transaction, with one wait for the disk
                self._connection.execute(_INSERT, rows[0])
            else:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(_INSERT, rows)
                self._connection.execute("COMMIT")
        self._last = self._chain.sequence

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        if after > self._last:
            raise JournalCorrupt(f"the journal ends at {self._last}, before {after}")
        for first, payload, last in self._verified(self._chain_before(after)):
            if last <= after:
                continue
            try:
                commands = _commands.decode(payload)
            except msgspec.MsgspecError as error:
                raise JournalCorrupt(f"sequence {first}: {error}") from error
            if first > after:
                yield first, commands
            else:
                yield after + 1, commands[after + 1 - first :]

    def segments(self) -> list[Segment]:
        sql = "SELECT * FROM segments ORDER BY first_sequence"
        rows = self._fetch(list[tuple[_Sequence, str]], sql)
        return [Segment(first, engine_version) for first, engine_version in rows]

    def begin_segment(self, engine_version: str) -> None:
        """Note that what follows is written by this version, unless the last commands were too."""
        self._check_writable()
        segments = self.segments()
        if segments and segments[-1].engine_version == engine_version:
            return
        with self._writing():
            # A segment that stayed without commands is replaced.
            self._connection.execute(
                "INSERT OR REPLACE INTO segments VALUES(?, ?)", (self._last + 1, engine_version)
            )

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._check_writable()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        parts = _encoder.encode(snapshot.parts)
        row = (snapshot.sequence, snapshot.engine_version, snapshot.state_hash, parts)
        self._wal_bytes += COMMIT_BYTES + len(parts)
        with self._writing():
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "INSERT OR REPLACE INTO snapshots VALUES(?, ?, ?, ?, ?)", (*row, _checksum(*row))
            )
            self._connection.execute(
                "DELETE FROM snapshots WHERE sequence NOT IN"
                " (SELECT sequence FROM snapshots ORDER BY sequence DESC LIMIT ?)",
                (SNAPSHOTS_KEPT,),
            )
            self._connection.execute("COMMIT")
            self._checkpoint_when_due()

    def snapshots(self) -> Iterator[Snapshot]:
        known = "SELECT sequence FROM snapshots ORDER BY sequence DESC"
        for (sequence,) in self._fetch(list[tuple[int]], known):
            found = self._snapshot(sequence)
            if found is not None:
                yield found

    def close(self) -> None:
        if self._closed:
            return
        try:
            if not self._refused:
                with self._writing():
                    self._connection.wal_checkpoint()
        finally:
            self._closed = True
            if self._refused:
                # The WAL stays as it is; the next opener decides what of it is whole.
                self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()

    # -- writing ---------------------------------------------------------------------------------

    def _rows(self, commands: list[Command]) -> list[tuple[int, int, bytes, bytes]]:
        """The rows of a batch: one, or two when a block of the chain ends inside it."""
        chain = self._chain
        rows = []
        start = 0
        while start < len(commands):
            part = commands[start : start + chain.room()]
            payload = _encoder.encode(part)
            first = chain.sequence + 1
            rows.append((first, len(part), payload, chain.add(payload, len(part))))
            start += len(part)
        return rows

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._failure = error
            self._refused = "failed earlier"
            with suppress(apsw.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise JournalFailed(f"the journal {self._path} cannot be written: {error}") from error

    def _check_writable(self) -> None:
        if self._closed:
            raise JournalFailed(f"the journal {self._path} is closed")
        if self._refused:
            raise JournalFailed(f"the journal {self._path} {self._refused}") from self._failure

    def _checkpoint_when_due(self) -> None:
        if self._wal_bytes >= CHECKPOINT_BYTES:
            self._connection.wal_checkpoint()
            self._wal_bytes = 0

    # -- reading ---------------------------------------------------------------------------------

    def _fetch(self, shape: type[T], sql: str, *values: int) -> T:
        if self._closed:
            raise JournalFailed(f"the journal {self._path} is closed")
        with _translated(self._path):
            rows = self._connection.execute(sql, values).fetchall()
        try:
            return msgspec.convert(rows, shape)
        except msgspec.ValidationError as error:
            where = f"at or after {values[0]}" if values else "at an end"
            raise JournalCorrupt(f"a row {where} is not as written: {error}") from error

    def _snapshot(self, sequence: int) -> Snapshot | None:
        sql = "SELECT * FROM snapshots WHERE sequence = ?"
        try:
            rows = self._fetch(list[_SnapshotRow], sql, sequence)
        except JournalCorrupt:
            return None
        for _, engine_version, state_hash, parts, checksum in rows:
            if checksum == _checksum(sequence, engine_version, state_hash, parts):
                return Snapshot(sequence, engine_version, state_hash, _parts.decode(parts))
        return None

    def _chain_at_end(self) -> Chain:
        last = self._fetch(list[_Row], _LAST_ROW)
        for first, count, *_ in last:
            if self._fetch(list[_Row], _FIRST_ROW)[0][0] != 1:
                raise JournalCorrupt("sequence 1: missing")
            chain = self._chain_before(first + count - 1)
            for _ in self._verified(chain):
                pass
            return chain
        return Chain()

    def _chain_before(self, sequence: int) -> Chain:
        """The chain at the last block boundary that is not after `sequence`."""
        boundary = sequence // BLOCK * BLOCK
        if boundary == 0:
            return Chain()
        for first, count, _, digest in self._fetch(list[_Row], _ROW_UP_TO, boundary):
            if first + count - 1 == boundary and len(digest) == DIGEST:
                return Chain(boundary, digest)
        raise JournalCorrupt(f"sequence {boundary}: no row ends here")

    def _verified(self, chain: Chain) -> Iterator[tuple[int, bytes, int]]:
        """The rows after `chain`'s sequence as (first, payload, last), each one checked."""
        while rows := self._fetch(list[_Row], _ROWS, chain.sequence + 1, ROWS_READ):
            for first, count, payload, digest in rows:
                expected = chain.sequence + 1
                if first != expected:
                    raise JournalCorrupt(f"sequence {expected}: missing, a row at {first} follows")
                try:
                    right = chain.add(payload, count) == digest
                except ValueError as error:
                    raise JournalCorrupt(f"sequence {first}: {error}") from error
                if not right:
                    raise JournalCorrupt(f"sequence {first}: the digest does not fit")
                yield first, payload, chain.sequence


def open_journal(path: str) -> SqliteJournal:
    """Open a journal for writing, for this process alone; it is made when it is not there.

    JournalFailed when it is in use or cannot be opened; JournalCorrupt when it is not a journal
    or its end is not what was written.
    """
    with _translated(path), suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = _connect(path)
    try:
        with _translated(path):
            # A failure to change the mode is not an error to SQLite: ask what it is now.
            if connection.execute("PRAGMA journal_mode = WAL").get != "wal":
                raise JournalFailed(f"the journal {path} cannot be written: no write-ahead log")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_MAX}")
            _make_when_empty(connection)
        _check_format(connection, path)
        journal = SqliteJournal(connection, path, refused="")
        journal.begin_segment(venue.__version__)
    except BaseException:
        # Looking at a journal that cannot be opened must not change it.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        raise
    return journal


def open_readonly(path: str) -> SqliteJournal:
    """Open a journal that nobody writes, and change nothing in it; errors as for `open_journal`.

    Writing to it raises JournalFailed.
    """
    connection = _connect(path)
    try:
        with _translated(path):
            connection.execute("PRAGMA query_only = ON")
        _check_format(connection, path)
        return SqliteJournal(connection, path, refused="is open for reading only")
    except BaseException:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        raise


def check_library(version: str) -> None:
    """JournalFailed when this SQLite must not be trusted with a journal."""
    if tuple(int(number) for number in version.split(".")[:3]) < SQLITE_MIN:
        needed = ".".join(str(number) for number in SQLITE_MIN)
        raise JournalFailed(f"SQLite {version} can damage a journal; {needed} or newer is needed")


def _connect(path: str) -> apsw.Connection:
    check_library(apsw.sqlite_lib_version())
    with _translated(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(0)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def _make_when_empty(connection: apsw.Connection) -> None:
    with connection:
        if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
            connection.execute(_SCHEMA)
            connection.execute("INSERT INTO meta VALUES(?)", (FORMAT,))


def _check_format(connection: apsw.Connection, path: str) -> None:
    with _translated(path):
        known = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").get
        found = connection.execute("SELECT format FROM meta").get if known else None
    if found != FORMAT:
        raise JournalCorrupt(f"{path} is not a journal of format {FORMAT}")


@contextmanager
def _translated(path: str) -> Iterator[None]:
    """Turn what SQLite and the system say into the journal's own errors."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise JournalFailed(f"the journal {path} is in use by another process") from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.MismatchError) as error:
        raise JournalCorrupt(f"{path}: {error}") from error
    except (apsw.Error, OSError) as error:
        raise JournalFailed(f"the journal {path} cannot be used: {error}") from error


def _checksum(sequence: int, engine_version: str, state_hash: str, parts: bytes) -> bytes:
    encoded = _encoder.encode((sequence, engine_version, state_hash, parts))
    return blake2b(encoded, digest_size=DIGEST).digest()
