"""The journal's SQLite file: its schema, its opening, and the meaning of its errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from venue.journal.ending import Ending, Pages, torn_commit
from venue.journal.journal import JournalCorrupt, JournalFailed
from venue.journal.looking import looked_at, never_begun

FORMAT: Final = 3
SQLITE_MIN: Final = (3, 51, 3)  # earlier ones can damage a WAL when it is reset

PAGE_MIN: Final = 512  # bytes: SQLite takes a shorter file for an empty one
# A view may have no end, and a virtual table runs what its module does.
_FOREIGN: Final = (
    "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')"
    " OR sql LIKE 'CREATE VIRTUAL%'"
)
_NO_JOURNAL: Final = f"%s is not a journal of format {FORMAT}"

SCHEMA: Final = """
CREATE TABLE meta(format INTEGER NOT NULL) STRICT;
CREATE TABLE segments(first_sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL,
    rules INTEGER NOT NULL) STRICT;
CREATE TABLE batches(first_sequence INTEGER PRIMARY KEY, count INTEGER NOT NULL,
    payload BLOB NOT NULL, chain BLOB NOT NULL) STRICT;
-- In archives: elsewhere snapshots are files of their own.
CREATE TABLE snapshots(sequence INTEGER PRIMARY KEY, engine_version TEXT NOT NULL,
    state_hash TEXT NOT NULL, parts BLOB NOT NULL, checksum BLOB NOT NULL) STRICT;
CREATE TABLE archived(sequence INTEGER NOT NULL, chain BLOB NOT NULL) STRICT;
"""


def check_library(version: str) -> None:
    """JournalFailed when this SQLite must not be trusted with a journal."""
    if tuple(int(number) for number in version.split(".")[:3]) < SQLITE_MIN:
        needed = ".".join(str(number) for number in SQLITE_MIN)
        raise JournalFailed(f"SQLite {version} can damage a journal; {needed} or newer is needed")


def connect(path: str) -> apsw.Connection:
    check_library(apsw.sqlite_lib_version())
    _refuse_other_kinds(path)
    _refuse_log_alone(path)
    refuse_foreign(path)
    with translate_errors(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(0)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def refuse_foreign(path: str) -> None:
    """JournalCorrupt when there is a file with content that is no journal; it is not changed, and
    nothing is left beside it. JournalFailed when another process uses it."""
    if not Path(path).is_file() or not Path(path).stat().st_size or never_begun(path):
        return
    if Path(path).stat().st_size < PAGE_MIN:
        raise JournalCorrupt(_NO_JOURNAL % path)
    with translate_errors(path), looked_at(path) as connection:
        if not is_empty(connection):
            check_format(connection, path)


def _is_filled(path: str) -> bool:
    return Path(path).exists() and Path(path).stat().st_size > 0


def _refuse_other_kinds(path: str) -> None:
    """JournalFailed when there is a folder or a device: SQLite would leave a log beside it."""
    if Path(path).exists() and not Path(path).is_file():
        raise JournalFailed(f"{path} is no regular file: a journal is one")


def _refuse_log_alone(path: str) -> None:
    """JournalCorrupt when a log is there without its journal: SQLite would delete it."""
    log = Path(f"{path}-wal")
    if _is_filled(str(log)) and not _is_filled(path):
        raise JournalCorrupt(
            f"{path} is missing or empty, but {log} is there and may hold acknowledged commands:"
            " put back the journal that it belongs to or, to begin again, move all files named"
            f" after {path} away"
        )


def check_format(connection: apsw.Connection, path: str) -> None:
    """JournalCorrupt when it is no journal of ours."""
    with translate_errors(path):
        sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"
        known = connection.execute(sql).get
        if known and connection.execute(_FOREIGN).get:
            raise JournalCorrupt(f"{path} is no journal: it has views, triggers or virtual tables")
        found = connection.execute("SELECT format FROM meta LIMIT 1").get if known else None
    if found != FORMAT:
        raise JournalCorrupt(_NO_JOURNAL % path)


def torn_log(connection: apsw.Connection, path: str) -> bool:
    """Return whether a torn commit ends the log; JournalCorrupt when whole ones are lost in it."""
    with translate_errors(path):
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # takes the lock
        taken, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    log = f"{path}-wal"
    try:
        with translate_errors(path):
            return torn_commit(log, max(0, taken), _pages(connection))
    except ValueError as problem:
        raise JournalCorrupt(
            f"{log} is damaged, {problem}: acknowledged commands are lost in it;"
            f" put back whole copies of {path} and all files named after it"
        ) from problem


def _pages(connection: apsw.Connection) -> Pages:
    """Return the file's pages, read as SQLite does: to open and close it otherwise drops its
    lock."""
    size = int(connection.execute("PRAGMA page_size").get)
    return Pages(size, lambda page: connection.read("main", 0, (page - 1) * size, size)[1])


def check_end(path: str, last: int) -> None:
    """JournalCorrupt when acknowledged commands are missing."""
    note = Ending(path)
    known = note.read()
    if known > last:
        log = f"{path}-wal"
        gone = "" if _is_filled(log) else f"{log} is missing, or "
        raise JournalCorrupt(
            f"{path} ends at command {last}, but command {known} was acknowledged: {gone}it or"
            f" {log} is damaged or an older copy; put back whole copies of {path} and all files"
            f" named after it or, to go on without the commands after {last}, move {note.path} and"
            f" {path}.history away"
        )


def is_empty(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get == 0)


def make_when_empty(connection: apsw.Connection, path: str) -> None:
    with connection:
        if is_empty(connection):
            check_end(path, 0)
            connection.execute(SCHEMA)
            connection.execute("INSERT INTO meta VALUES(?)", (FORMAT,))


@contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite and of the system into the journal's own."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise JournalFailed(f"the journal {path} is in use by another process") from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.MismatchError) as error:
        raise JournalCorrupt(f"{path}: {error}") from error
    except (apsw.Error, OSError) as error:
        raise JournalFailed(f"the journal {path} cannot be used: {error}") from error
