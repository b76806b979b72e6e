"""The store of history: one SQLite database, one connection, in a file or in memory."""

from __future__ import annotations

import fcntl
import logging
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote

import apsw

from venue.files import private_files
from venue.history import pages
from venue.history.files import HistoryDamaged
from venue.history.settled import take_out
from venue.history.sql import scalar, transaction
from venue.history.tables.every import TABLES
from venue.history.tables.spot import Progress
from venue.history.tables.table import columns, create_statements

LOCK_S: Final = 5  # how long to wait for a process that is about to end, its venue gone
LOCK_LOOK_S: Final = 0.02

log = logging.getLogger("venue.history")


class Store:
    """One connection, used from one thread at a time, and never while another one has the file."""

    __slots__ = ("_lock", "connection")

    def __init__(self, connection: apsw.Connection, lock: IO[bytes] | None) -> None:
        self.connection = connection
        self._lock = lock

    def last_sequence(self) -> int:
        """Return the sequence of the last projected command; 0 when there is none."""
        return scalar(self.connection, "SELECT sequence FROM progress")

    def goes_on(self) -> bool:
        """Return whether it goes on from an archive: rows were moved there, and it was not cleared
        since.

        The file's header says so, in a number that SQLite leaves to its user.
        """
        return scalar(self.connection, "PRAGMA application_id") != 0

    def clear(self) -> None:
        """Empty every table and go back to sequence 0: the journal can then be projected again."""
        with transaction(self.connection):
            for table in TABLES:
                if table is not Progress:
                    self.connection.execute(f"DELETE FROM {table.table}")
            self.connection.execute("UPDATE progress SET sequence = 0")
            self.connection.execute("PRAGMA application_id = 0")

    def expect_rows(self) -> None:
        """Keep in memory what a statement of many rows overwrites, until it ends: SQLite takes that
        back when a row is refused. In a file it took 40 % of the time of projecting."""
        self.connection.execute("PRAGMA temp_store = MEMORY")

    def checkpoint(self) -> None:
        """Make everything committed so far durable; until then a power cut may take it back."""
        ((busy, *_),) = self.connection.execute("PRAGMA wal_checkpoint(FULL)")
        assert busy == 0, "history is open elsewhere"

    def close(self) -> None:
        """Close the connection. A log that does not fit into its file any more stays beside it:
        nothing is lost."""
        try:
            self.connection.close()
        except apsw.Error as problem:
            log.warning("history's log stays beside its file: %s", problem)
        if self._lock is not None:
            self._lock.close()


def open_history(path: str | None) -> Store:
    """Return the history in the file at `path`, created where it is missing; None: in memory.

    Its pages are checked as they are read: a statement that meets a damaged one raises
    apsw.CorruptError. The file must be history's own: a file that another SQLite library
    has open would lose its locks. While another process has it (one about to end, its venue gone),
    this one waits, and says so. Raises HistoryDamaged when it cannot be opened or lost commands,
    OSError when there is no place or the other one keeps it.
    """
    if path is None:
        return Store(_connect(apsw.Connection(":memory:"), "memory"), None)
    with _alone(path) as lock:
        least = _reached_in_file(path)
        store = Store(_connect(pages.connect(path), path), lock)
        if store.last_sequence() < least:
            store.close()
            raise HistoryDamaged(f"{path}-wal is damaged: commands up to {least} are missing")
        return store


def open_passing(path: str) -> Store:
    """Return the history in a file that goes with its venue: no page is checked, and nothing waits
    for the disk. It outlives its process, as the next one of the same venue goes on with it.

    Raises HistoryDamaged and OSError, as `open_history`.
    """
    with _alone(path) as lock:
        opened = pages.connect_unchecked(path)
        store = Store(_connect(opened, path), lock)
        opened.execute("PRAGMA synchronous = OFF")
        return store


@contextmanager
def _alone(path: str) -> Iterator[IO[bytes]]:
    """Yield an existing file and its lock, which is released when opening the file fails."""
    lock = _open_lock(Path(f"{path}{private_files.LOCK}"))
    try:
        private_files.create(Path(path))
        with damage_told(path):
            yield lock
    except BaseException:
        lock.close()
        raise


def _open_lock(place: Path) -> IO[bytes]:
    """Return the lock file, locked. OSError when others can hold it, or another process still
    does."""
    private_files.create(place)
    private_files.own(place)
    lock = place.open("rb")
    until = time.monotonic() + LOCK_S
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not told:
                log.warning("another process holds %s: waiting for %d s", place, LOCK_S)
                told = True
            if time.monotonic() >= until:
                lock.close()
                raise OSError(
                    f"another process holds {place}: it must end first, whether it is a venue, its"
                    " history process or a program that looks at the file"
                ) from None
            time.sleep(LOCK_LOOK_S)
        else:
            return lock


def _connect(opened: apsw.Connection, path: str) -> apsw.Connection:
    """Return a connection to the file at `path` or to memory, with every table there; closed when
    it fails."""
    try:
        _settle(opened)
        _check_columns(opened, path)
        with transaction(opened):
            # The first table has the first page that a checkpoint writes: _reached_in_file.
            for text in chain(create_statements(Progress), *map(create_statements, TABLES)):
                opened.execute(text)
            if not scalar(opened, "SELECT count(*) FROM progress"):
                opened.execute("INSERT INTO progress VALUES (0)")
        for _ in take_out(opened):
            pass  # a process ended while it did
    except BaseException:
        with suppress(apsw.Error):  # the first failure says it
            opened.close()
        raise
    return opened


def _check_columns(opened: apsw.Connection, path: str) -> None:
    """HistoryDamaged when another version wrote the file, whose tables have other columns. The rows
    of history are made again from the journal, those of an archive are not."""
    for table in TABLES:
        found = [row[1] for row in opened.execute(f"PRAGMA table_info({table.table})")]
        if found and found != list(columns(table)):
            raise HistoryDamaged(f"{path}: its table {table.table} has another version's columns")


def _settle(opened: apsw.Connection) -> None:
    opened.execute("PRAGMA journal_mode = WAL")
    # NORMAL: a power cut may take back the last transactions, rows and sequence together; they
    # are then projected again from the journal.
    opened.execute("PRAGMA synchronous = NORMAL")
    opened.execute("PRAGMA cache_size = -32000")
    # Only at this moment are the pages that an earlier process left in the log known to be whole.
    opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    # A page is written into the file once for many transactions: a seventh less time.
    opened.wal_autocheckpoint(4000)


def _reached_in_file(path: str) -> int:
    """Return the sequence in the file alone, without its write-ahead log; 0 when it cannot be read.

    A log that lost its end can be older than a file that was already written from it: the file is
    then neither of the two states.
    """
    if not Path(f"{path}-wal").exists():
        return 0
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    address = f"file:{quote(path)}?immutable=1"
    try:
        with closing(apsw.Connection(address, flags=flags, vfs=pages.VFS)) as connection:
            found = connection.execute("SELECT sequence FROM progress").get
            return int(found or 0)
    except apsw.Error:
        return 0


class HistoryCopy:
    """A new file with a store's rows, for `open_passing`, made in pieces: rows that are written to
    the store between them are in it, too. OSError when it cannot be written."""

    def __init__(self, store: Store, path: str) -> None:
        self._path = path
        private_files.create(Path(path))
        with damage_told(path):
            self._target = pages.connect_unchecked(path)
            self._pages = self._target.backup("main", store.connection, "main")

    def go_on(self, most: int) -> bool:
        """Copy `most` pages; False: no more than that many are left, for `finish`."""
        copy = self._pages
        with damage_told(self._path):
            if not copy.page_count:
                copy.step(1)  # it tells how many there are
            # The last one is for `finish`: what is written after it would be left out.
            if copy.remaining > most:
                copy.step(most)
        return bool(copy.remaining > most)

    def finish(self) -> None:
        """Copy all that is left: the rows are those of now."""
        with damage_told(self._path):
            self._pages.step(-1)
        self.close()

    def close(self) -> None:
        """Leave it as it is."""
        with suppress(apsw.Error):
            self._pages.close(force=True)
            self._target.close()


def size(store: Store) -> int:
    """Return the bytes that a store's rows take."""
    return scalar(store.connection, "PRAGMA page_count") * pages.PAGE


def used_bytes(store: Store) -> int:
    """Return the bytes of its pages that hold something."""
    free = scalar(store.connection, "PRAGMA freelist_count")
    return size(store) - free * pages.PAGE


@contextmanager
def damage_told(path: str) -> Iterator[None]:
    """Turn database errors into HistoryDamaged, or OSError when the file is not to blame."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError) as problem:
        raise HistoryDamaged(f"{path} is damaged: {problem}") from problem
    except apsw.Error as problem:
        raise OSError(f"{path} cannot be used: {problem}") from problem
