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
from typing import Annotated, Final, TypeVar

import apsw
import msgspec

from venue.core import rules
from venue.core.messages.commands import Command
from venue.journal import built
from venue.journal.chain import BLOCK, DIGEST, START, Chain
from venue.journal.ending import Ending
from venue.journal.file import check_end, check_format, translate_errors
from venue.journal.journal import JournalCorrupt, JournalFailed, Segment, Snapshot, earliest
from venue.journal.snapshot_files import SnapshotFiles, SnapshotRow, unpack

CHECKPOINT_BYTES: Final = 1 << 20  # about the WAL's size when it moves into the file: 1 ms
COMMIT_BYTES: Final = 3 * 4096  # pages a commit writes beside its payload, about
PIECE_ROWS: Final = 8  # rows fetched at a time while orders may be waiting
PIECE_BYTES: Final = 1 << 17  # about the size of a piece of `read_packed`
ROWS_READ: Final = 64  # rows fetched at a time; between fetches no read transaction is open

_SEGMENTS: Final = "SELECT * FROM segments ORDER BY first_sequence"
_INSERT: Final = "INSERT INTO batches VALUES(?, ?, ?, ?)"
_ROWS: Final = "SELECT * FROM batches WHERE first_sequence >= ? ORDER BY first_sequence LIMIT ?"
_FIRST_ROW: Final = "SELECT * FROM batches ORDER BY first_sequence LIMIT 1"
_LAST_ROW: Final = "SELECT * FROM batches ORDER BY first_sequence DESC LIMIT 1"
_ROW_UP_TO: Final = (
    "SELECT * FROM batches WHERE first_sequence <= ? ORDER BY first_sequence DESC LIMIT 1"
)

_Sequence = Annotated[int, msgspec.Meta(ge=1, le=1 << 62)]
Row = tuple[_Sequence, Annotated[int, msgspec.Meta(ge=1, le=BLOCK)], bytes, bytes]
T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(list[Command])


class SqliteJournal:
    """See `journal.Journal`. Made in `opening`.

    The call that `prepare` returns and `save_snapshot` wait for the disk: use a thread for them.
    """

    instant: bool = False

    def __init__(self, connection: apsw.Connection, path: str, *, refused: str, torn: bool) -> None:
        """`refused` is the reason why this journal takes no writes; empty when it does. `torn`: the
        log ends in a torn commit."""
        self._connection = connection
        self._cursor = connection.cursor()  # of all commits: to make one for each costs more
        self._path = path
        self._refused = refused
        self._failure: BaseException | None = None
        self._closed = False
        self._wal_bytes = 0
        self._acknowledged = Ending(path)
        self._files = SnapshotFiles(path)
        check_format(connection, path)
        self._torn = torn
        self._begin, self._digest = self._archived_end()
        self._chain = self._chain_at_end()
        self._last = self._chain.sequence
        check_end(path, self._last)
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

    def begin(self) -> int:
        return self._begin

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        self._check_within(after)
        for first, payload, last in self._verified_rows(self._chain_before(after)):
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

    def read_packed(self, after: int, last: int) -> list[tuple[int, bytes]]:
        self._check_within(after)
        rows: list[tuple[int, bytes]] = []
        size = 0
        for first, payload, end in self._verified_rows(self._chain_before(after), PIECE_ROWS):
            if end <= after:
                continue
            if first > last or size >= PIECE_BYTES or len(rows) == ROWS_READ:
                break
            rows.append((first, payload))
            size += len(payload)
        return rows

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._check_writable()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        with self._filing():
            self._keep(snapshot)
            self._files.tidy(earliest(self), self._last)

    def snapshots(self) -> Iterator[Snapshot]:
        known = "SELECT sequence FROM snapshots"
        within = {sequence for (sequence,) in self._fetch(list[tuple[int]], known)}
        for sequence in sorted(within.union(self._files.sequences()), reverse=True):
            found = self._files.read(sequence)
            if found is None and sequence in within:
                found = self._snapshot(sequence)
            if found is not None:
                yield found

    # -- archiving -------------------------------------------------------------------------------

    def digest_at(self, boundary: int) -> bytes:
        """Return the chain's digest after a command whose number is a multiple of `BLOCK`.

        JournalCorrupt when no row ends there.
        """
        return self._chain_before(boundary).start

    def rows(self, after: int, end: int) -> Iterator[Row]:
        """Yield the packed rows after a block boundary up to another one, each one checked."""
        chain = self._chain_before(after)
        for first, payload, last in self._verified_rows(chain):
            if first > end:
                return
            yield first, last - first + 1, payload, chain.digest

    def stand(self, snapshot: Snapshot) -> None:
        """Keep a snapshot for the commands before it, which can then be dropped; JournalFailed."""
        self._check_writable()
        assert snapshot.sequence <= self._last, (snapshot.sequence, self._last)
        with self._filing():
            if self._files.read(snapshot.sequence) is None:
                self._keep(snapshot)

    def drop(self, end: int, snapshot: int) -> None:
        """Remove the rows up to a block boundary, which are in an archive; JournalFailed.

        The snapshot at sequence `snapshot`, `end` or later, replaces them; older ones are removed.
        """
        self._check_writable()
        assert self._begin < end <= snapshot, (self._begin, end, snapshot)
        with self._filing():
            assert snapshot in self._files.sequences(), "it was told to stand for them"
        digest = self.digest_at(end)
        self._wal_bytes += COMMIT_BYTES
        self._written = True
        with self._writing():
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM batches WHERE first_sequence <= ?", (end,))
            self._connection.execute("DELETE FROM archived")
            self._connection.execute("INSERT INTO archived VALUES(?, ?)", (end, digest))
            self._connection.execute("COMMIT")
            self._checkpoint_when_due()
        self._begin, self._digest = end, digest
        with self._filing():
            self._files.tidy(snapshot, self._last)

    def shrink(self) -> None:
        """Give the space of dropped rows back to the system; takes time for all rows left.

        JournalFailed.
        """
        self._check_writable()
        with self._writing():
            self._connection.execute("VACUUM")
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

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
                # The WAL stays as it is; the next opener decides how much of it is whole.
                self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            with self._writing():
                self._connection.close()

    # -- writing ---------------------------------------------------------------------------------

    def _commit(self, rows: list[Row]) -> None:
        """Make a prepared batch durable. Only SQLite's own calls, which let other threads run."""
        self._check_writable()
        self._written = True
        with self._writing():
            assert rows[0][0] == self._last + 1, "batches are written in the order of preparing"
            self._checkpoint_when_due()
            if not self._last:
                self._acknowledged.note(0)  # an end after the first commit lacks no note
            begun = self._next_segment()
            self._wal_bytes += COMMIT_BYTES + sum(len(payload) for _, _, payload, _ in rows)
            if len(rows) == 1 and begun is None:
                # A statement alone is a transaction, with one wait for the disk.
                self._cursor.execute(_INSERT, rows[0])
            else:
                self._cursor.execute("BEGIN IMMEDIATE")
                if begun is not None:
                    self._begin_segment(begun)
                self._cursor.executemany(_INSERT, rows)
                self._cursor.execute("COMMIT")
            first, count, *_ = rows[-1]
            self._last = first + count - 1
            self._acknowledged.note(self._last)

    def _next_segment(self) -> Segment | None:
        """Return the segment that the next command begins; it is only written together with that
        command.

        So a journal that was opened, and refused for its rules, can still be opened by the version
        that made it.
        """
        last = self._segments[-1] if self._segments else None
        now = (built.name(), rules.RULES)
        if last is not None and (last.engine_version, last.rules) == now:
            return None
        return Segment(self._last + 1, *now)

    def _begin_segment(self, segment: Segment) -> None:
        """Note a segment."""
        self._connection.execute(
            "INSERT OR REPLACE INTO segments VALUES(?, ?, ?)", msgspec.structs.astuple(segment)
        )
        self._segments = [*self.segments(), segment]

    def _rows(self, commands: list[Command]) -> list[Row]:
        """Return the rows of a batch: one, or two when a block of the chain ends inside it."""
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

    def _keep(self, snapshot: Snapshot) -> None:
        self._files.write(snapshot)
        self._files.place(snapshot.sequence, os.getpid())

    @contextmanager
    def _filing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalFailed(f"no snapshot of {self._path} can be written: {error}") from error

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
        """Take no more writes from now on; the exception to raise."""
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
            # The rest of a torn commit in the log must not stand before new ones.
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._torn = False
        if self._wal_bytes >= CHECKPOINT_BYTES:
            self._connection.wal_checkpoint()
            self._wal_bytes = 0

    # -- reading ---------------------------------------------------------------------------------

    def _check_within(self, after: int) -> None:
        if after > self._last:
            raise JournalCorrupt(f"the journal ends at {self._last}, before {after}")
        if after < self._begin:
            raise JournalCorrupt(f"{self._path} begins after command {self._begin}")

    def _fetch(self, shape: type[T], sql: str, *values: int) -> T:
        if self._closed:
            raise JournalFailed(f"the journal {self._path} is closed")
        with translate_errors(self._path):
            rows = self._connection.execute(sql, values).fetchall()
        try:
            return msgspec.convert(rows, shape)
        except msgspec.ValidationError as error:
            where = f"at or after {values[0]}" if values else "at an end"
            raise JournalCorrupt(f"a row {where} is not as written: {error}") from error

    def _archived_end(self) -> tuple[int, bytes]:
        """Return the last command whose row is in an archive, and the chain's digest there."""
        found = self._fetch(list[tuple[_Sequence, bytes]], "SELECT * FROM archived")
        for sequence, digest in found:
            if len(found) > 1 or sequence % BLOCK or len(digest) != DIGEST:
                raise JournalCorrupt(f"{self._path}: where it begins is not as written")
            return sequence, digest
        return 0, START

    def _read_segments(self) -> list[Segment]:
        rows = self._fetch(list[tuple[_Sequence, str, _Sequence]], _SEGMENTS)
        return [Segment(*row) for row in rows]

    def _snapshot(self, sequence: int) -> Snapshot | None:
        sql = "SELECT * FROM snapshots WHERE sequence = ?"
        try:
            rows = self._fetch(list[SnapshotRow], sql, sequence)
        except JournalCorrupt:
            return None
        return unpack(rows[0]) if rows else None

    def _chain_at_end(self) -> Chain:
        last = self._fetch(list[Row], _LAST_ROW)
        for first, count, *_ in last:
            if self._fetch(list[Row], _FIRST_ROW)[0][0] != self._begin + 1:
                raise JournalCorrupt(f"sequence {self._begin + 1}: missing")
            chain = self._chain_before(first + count - 1)
            for _ in self._verified_rows(chain):
                pass
            return chain
        return Chain(self._begin, self._digest)

    def _chain_before(self, sequence: int) -> Chain:
        """Return the chain at the last block boundary that is not after `sequence`."""
        boundary = sequence // BLOCK * BLOCK
        if boundary == self._begin:
            return Chain(boundary, self._digest)
        for first, count, _, digest in self._fetch(list[Row], _ROW_UP_TO, boundary):
            if first + count - 1 == boundary and len(digest) == DIGEST:
                return Chain(boundary, digest)
        raise JournalCorrupt(f"sequence {boundary}: no row ends here")

    def _verified_rows(
        self, chain: Chain, fetched: int = ROWS_READ
    ) -> Iterator[tuple[int, bytes, int]]:
        """Yield the rows after `chain`'s sequence as (first, payload, last), each one checked."""
        while rows := self._fetch(list[Row], _ROWS, chain.sequence + 1, fetched):
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
