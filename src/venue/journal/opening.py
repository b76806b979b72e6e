"""Opens a journal's file: to write it, for one process alone, or only to read it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

import apsw

from venue.journal.file import (
    check_format,
    connect,
    is_empty,
    make_when_empty,
    torn_log,
    translate_errors,
)
from venue.journal.journal import JournalFailed
from venue.journal.sqlite import SqliteJournal

WAL_BYTES_MAX: Final = 64 << 20  # size of the WAL that may stay once it is reset


def open_journal(path: str) -> SqliteJournal:
    """Open a journal for writing, for this process alone; it is made when it is not there.

    JournalFailed when it is in use or cannot be opened; JournalCorrupt when it is not a journal
    or its end is not as written.
    """
    with translate_errors(path), suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = connect(path)
    try:
        torn = torn_log(connection, path)
        with translate_errors(path):
            if not is_empty(connection):
                check_format(connection, path)  # another program's file stays in its own mode
            # A failure to change the mode is not an error to SQLite: ask what it is now.
            if connection.execute("PRAGMA journal_mode = WAL").get != "wal":
                raise JournalFailed(f"the journal {path} cannot be written: no write-ahead log")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_MAX}")
            make_when_empty(connection, path)
        return SqliteJournal(connection, path, refused="", torn=torn)
    except BaseException:
        # Looking at a journal that cannot be opened must not change it.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        raise


def open_readonly(path: str) -> SqliteJournal:
    """Open a journal that no process writes, and change nothing in it; errors of `open_journal`.

    Writing to it raises JournalFailed.
    """
    connection = connect(path)
    try:
        with translate_errors(path):
            connection.execute("PRAGMA query_only = ON")
        torn = torn_log(connection, path)
        return SqliteJournal(connection, path, refused="is open for reading only", torn=torn)
    except BaseException:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        raise
