"""Reads a database's file that may be in use by another program: writes nothing there."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import get_ident
from typing import Final

import apsw

_VFS: Final = "venue-look-%d"  # the name under which SQLite knows what a thread only looks at
_ROLLBACK: Final = struct.Struct(">8s8xI")  # a rollback journal: magic, -, the file's pages before
_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")


@contextmanager
def looked_at(path: str) -> Iterator[apsw.Connection]:
    """Return a file and its write-ahead log as one database, for this process alone. Raises
    apsw.Error.

    After an interrupted checkpoint the file is complete only together with its log, and in a
    database that was just made the log alone may hold the schema.
    """
    name = _VFS % get_ident()
    files = _Files(name, "")
    try:
        flags = apsw.SQLITE_OPEN_READWRITE  # a lock for one process alone needs it
        with closing(apsw.Connection(path, flags=flags, vfs=name)) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(0)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # without an index
            connection.execute("PRAGMA query_only = ON")
            yield connection
    finally:
        files.unregister()


def never_begun(path: str) -> bool:
    """Return whether SQLite will take back the first transaction of a file that was empty."""
    try:
        with Path(f"{path}-journal").open("rb") as file:
            header = file.read(_ROLLBACK.size)
    except OSError:
        return False
    if len(header) < _ROLLBACK.size:
        return False
    magic, pages = _ROLLBACK.unpack(header)
    return bool(magic == _MAGIC and pages == 0)


class _Files(apsw.VFS):
    """The system's files. A missing log counts as an empty one; an unfinished transaction of
    another program is not rolled back."""

    def xOpen(  # noqa: N802 - SQLite's names
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        is_log = flags[0] & apsw.SQLITE_OPEN_WAL
        if is_log and isinstance(name, str) and not Path(name).exists():
            return apsw.VFSFile("", "/dev/null", flags)
        return apsw.VFSFile("", name, flags)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return not pathname.endswith("-journal") and super().xAccess(pathname, flags)
