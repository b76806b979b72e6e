"""The journal as one SQLite file: WAL, synchronous=FULL, one connection, one packed row per batch.

The file is locked for one process from opening to closing (or to the end of the process), so a
second opener is refused. A journal may be used from any thread, one call at a time. Only APSW may
open the file: another SQLite library, or plain reading and closing it in the same process, would
drop the lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from typing import Annotated, Final, TypeVar

import apsw
import msgspec

import venue
from venue.core import rules
from venue.core.commands import Command
from venue.journal.chain import BLOCK, DIGEST, Chain
from venue.journal.ending import Acknowledged, torn_commit
from venue.journal.journal import JournalCorrupt, JournalFailed, Segment, Snapshot, foreign

FORMAT: Final = 2  # 1: segments name no rules
RULES_BEFORE: Final = 1  # those of segments that name none
SQLITE_MIN: Final = (3, 51, 3)  # older ones can damage a WAL when it is reset
SNAPSHOTS_KEPT: Final = 2
CHECKPOINT_BYTES: Final = 1 << 20  # about what the WAL holds before it moves into the file: 1 ms
COMMIT_BYTES: Final = 3 * 4096  # pages a commit writes beside its payload, about
WAL_BYTES_MAX: Final = 64 << 20  # what a large snapshot may leave of the WAL once it is reset
ROWS_READ: Final = 64  # rows fetched at a time; between fetches no read transaction is open

_SCHEMA: Final = """
CREATE TABLE meta(format INTEGER NOT NULL) STRICT;
CREATE TABLE segments(first_sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL,
    rules INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE batches(first_sequence INTEGER PRIMARY KEY, count INTEGER NOT NULL,
    payload BLOB NOT NULL, chain BLOB NOT NULL) STRICT;
CREATE TABLE snapshots(sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL,
    state_hash TEXT NOT NULL, parts BLOB NOT NULL, checksum BLOB NOT NULL) STRICT;
"""
_UPGRADE: Final = """
ALTER TABLE segments ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;
UPDATE meta SET format = 2;
"""
_SEGMENTS: Final = "SELECT * FROM segments ORDER BY first_sequence"
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

    What `prepare` gives and `save_snapshot` wait for the disk: call them on a thread of their own.
    """

    instant: bool = False

    def __init__(self, connection: apsw.Connection, path: str, *, refused: str, torn: bool) -> None:
        """`refused` says why this journal takes no writes; empty when it does. `torn`: the log
        ends in a torn commit."""
        self._connection = connection
        self._cursor = connection.cursor()  # of all commits: to make one for each costs more
        self._path = path
        self._refused = refused
        self._failure: BaseException | None = None
        self._closed = False
        self._wal_bytes = 0
        self._acknowledged = Acknowledged(path)
        self._format = self._known_format()
        self._torn = torn
        self._chain = self._chain_at_end()
        self._last = self._chain.sequence
        _check_end(path, self._last)
        self._written = self._last == 0
        self._segments = self._read_segments()
        # In place of SQLite's automatic checkpoint, which would swallow a failed sync.
        connection.wal_autocheckpoint(0)

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        self._check_writable()
        if not commands:
            raise ValueError("a batch holds at least one command")
        try:
            return partial(self._commit, self._rows(commands))
        except Exception as error:
            raise self._fails(error) from error

    def append(self, commands: list[Command]) -> None:
        self.prepare(commands)()

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
        return [one for one in self._segments if one.first_sequence <= self._last]

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._check_writable()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        parts = _encoder.encode(snapshot.parts)
        row = (snapshot.sequence, snapshot.engine_version, snapshot.state_hash, parts)
        self._wal_bytes += COMMIT_BYTES + len(parts)
        begin = foreign(self)
        self._written = True
        with self._writing():
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "INSERT OR REPLACE INTO snapshots VALUES(?, ?, ?, ?, ?)", (*row, _checksum(*row))
            )
            self._connection.execute(
                "DELETE FROM snapshots WHERE sequence NOT IN"
                " (SELECT sequence FROM snapshots ORDER BY sequence DESC LIMIT ?)"
                " AND sequence IS NOT"
                " (SELECT min(sequence) FROM snapshots WHERE sequence >= ? AND ? > 0)",
                (SNAPSHOTS_KEPT, begin, begin),
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
            if self._written and not self._refused:
                with self._writing():
                    self._connection.wal_checkpoint()
        finally:
            self._closed = True
            self._acknowledged.close()
            if self._refused or not self._written:
                # The WAL stays as it is; the next opener decides what of it is whole.
                self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()

    # -- writing ---------------------------------------------------------------------------------

    def _commit(self, rows: list[_Row]) -> None:
        """Make a prepared batch durable. Only SQLite's own calls, which let other threads run."""
        self._check_writable()
        self._written = True
        with self._writing():
            assert rows[0][0] == self._last + 1, "batches are written in the order of preparing"
            self._checkpoint_when_due()
            begun = self._next_segment()
            self._wal_bytes += COMMIT_BYTES + sum(len(payload) for _, _, payload, _ in rows)
            if len(rows) == 1 and begun is None:
                # A statement alone is a transaction, with one wait for the disk.
                self._cursor.execute(_INSERT, rows[0])
            else:
                self._cursor.execute("BEGIN IMMEDIATE")
                if begun is not None:
                    self._begin(begun)
                self._cursor.executemany(_INSERT, rows)
                self._cursor.execute("COMMIT")
            first, count, *_ = rows[-1]
            self._last = first + count - 1
            self._acknowledged.note(self._last)

    def _next_segment(self) -> Segment | None:
        """The segment that the next command begins, which only writing it does.

        A journal that was opened, and refused for its rules, can so be opened by the version that
        made it.
        """
        last = self._segments[-1] if self._segments else None
        now = (venue.__version__, rules.RULES)
        if last is not None and (last.engine_version, last.rules) == now:
            return None
        return Segment(self._last + 1, *now)

    def _begin(self, segment: Segment) -> None:
        """Note a segment, in the format that names its rules."""
        if self._format != FORMAT:
            self._connection.execute(_UPGRADE)
            self._format = FORMAT
        self._connection.execute(
            "INSERT OR REPLACE INTO segments VALUES(?, ?, ?)", msgspec.structs.astuple(segment)
        )
        self._segments = [*self.segments(), segment]

    def _rows(self, commands: list[Command]) -> list[_Row]:
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
            with suppress(apsw.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise self._fails(error) from error

    def _fails(self, error: BaseException) -> JournalFailed:
        """Take nothing more from now on; what to say of it."""
        self._failure = error
        self._refused = "failed earlier"
        return JournalFailed(f"the journal {self._path} cannot be written: {error}")

    def _check_writable(self) -> None:
        if self._closed:
            raise JournalFailed(f"the journal {self._path} is closed")
        if self._refused:
            raise JournalFailed(f"the journal {self._path} {self._refused}") from self._failure

    def _checkpoint_when_due(self) -> None:
        if self._torn:
            # What a torn commit left in the log must not stand behind new ones.
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._torn = False
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

    def _known_format(self) -> int:
        """JournalCorrupt when it is none of ours."""
        with _translated(self._path):
            sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'"
            known = self._connection.execute(sql).get
            found = self._connection.execute("SELECT format FROM meta").get if known else None
        if isinstance(found, int) and 1 <= found <= FORMAT:
            return found
        raise JournalCorrupt(f"{self._path} is not a journal of format {FORMAT}")

    def _read_segments(self) -> list[Segment]:
        if self._format == FORMAT:
            rows = self._fetch(list[tuple[_Sequence, str, _Sequence]], _SEGMENTS)
            return [Segment(*row) for row in rows]
        unnamed = self._fetch(list[tuple[_Sequence, str]], _SEGMENTS)
        return [Segment(*row, RULES_BEFORE) for row in unnamed]

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
        torn = _torn_log(connection, path)
        with _translated(path):
            _make_when_empty(connection, path)
        return SqliteJournal(connection, path, refused="", torn=torn)
    except BaseException:
        # Looking at a journal that cannot be opened must not change it.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        raise


def open_readonly(path: str) -> SqliteJournal:
    """Open a journal that nobody writes, and change nothing in it; errors as for `open_journal`.

    Writing to it raises JournalFailed.
    """
    connection = _connect(path)
    try:
        with _translated(path):
            connection.execute("PRAGMA query_only = ON")
        torn = _torn_log(connection, path)
        return SqliteJournal(connection, path, refused="is open for reading only", torn=torn)
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


def _torn_log(connection: apsw.Connection, path: str) -> bool:
    """Whether a torn commit ends the log; JournalCorrupt when whole ones are lost in it."""
    with _translated(path):
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # takes the lock
        taken, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    log = f"{path}-wal"
    try:
        return torn_commit(log, max(0, taken))
    except ValueError as problem:
        raise JournalCorrupt(
            f"{log} is damaged, {problem}: acknowledged commands are lost in it;"
            f" put back whole copies of {path} and all that is named after it"
        ) from problem


def _check_end(path: str, last: int) -> None:
    """JournalCorrupt when commands are missing that were acknowledged."""
    note = Acknowledged(path)
    known = note.read()
    if known > last:
        raise JournalCorrupt(
            f"{path} ends at command {last}, but command {known} was acknowledged: it or {path}-wal"
            f" is damaged or an older copy; put back whole copies of {path} and all that is named"
            f" after it or, to go on without what came after {last}, move {note.path} and"
            f" {path}.history away"
        )


def _make_when_empty(connection: apsw.Connection, path: str) -> None:
    with connection:
        if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
            _check_end(path, 0)
            connection.execute(_SCHEMA)
            connection.execute("INSERT INTO meta VALUES(?)", (FORMAT,))


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
