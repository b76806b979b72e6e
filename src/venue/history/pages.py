"""Checksums of history's pages: written with each page, checked whenever one is read.

A page of the file ends in the first bytes of a SHA-256 over its number and the rest, so that
neither a changed page nor one in another's place is taken for the written one: rows, indexes and
the schema alike. Pages of the write-ahead log are compared with what this process wrote there.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import apsw

if TYPE_CHECKING:
    from typing_extensions import Buffer

PAGE: Final = 4096
HEADER: Final = 100  # bytes of the first page that SQLite also reads alone, to see what changed
SUM: Final = 8  # bytes of a checksum, at the end of each page
PIECE_PAGES: Final = 256  # read and checked in one piece: some milliseconds
PIECE_BYTES: Final = 1 << 20  # written between two syncs: the journal's next sync waits for each
STATEMENTS: Final = 512  # kept ready: the projector's, of each size, and the questions
VFS: Final = "venue-history"  # the name under which SQLite knows the checks

_PAGES: Final = slice(28, 32)  # where a file's header says how many pages there are


class PageFile(apsw.VFSFile):
    """The database file: every page is read whole and checked, whichever part is asked for."""

    _unsynced = 0  # bytes

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's names
        if offset + amount <= HEADER:
            return super().xRead(amount, offset)
        within = offset % PAGE
        page = super().xRead(PAGE, offset - within)
        if within + amount > PAGE or not _is_sound(page, offset - within):
            raise apsw.CorruptError(f"page {offset // PAGE + 1} is damaged")
        return page[within : within + amount]

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        content = memoryview(data)[:-SUM]
        super().xWrite(b"".join((content, _checksum(content, offset))), offset)
        self._unsynced += PAGE
        if self._unsynced >= PIECE_BYTES:
            self.xSync(PIECE_SYNC)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._unsynced = 0


class LogFile(apsw.VFSFile):
    """The write-ahead log: a page that this process wrote there is read as it was written.

    Every page passes here first, so the checksums here are the cheapest; SQLite has its own for
    the frames that the next process finds.
    """

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._written: dict[int, int] = {}  # by offset
        self._unsynced = 0  # bytes

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        data = super().xRead(amount, offset)
        if amount == PAGE and self._written.get(offset, known := crc32(data)) != known:
            raise apsw.CorruptError("the write-ahead log is damaged")
        return data

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        if len(data) == PAGE:
            self._written[offset] = crc32(data)
        apsw.VFSFile.xWrite(self, data, offset)
        self._unsynced += len(data)
        if self._unsynced >= PIECE_BYTES:
            self.xSync(PIECE_SYNC)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._unsynced = 0


class CheckedFiles(apsw.VFS):
    """The system's files; the database and its write-ahead log are checked."""

    def __init__(self) -> None:
        super().__init__(VFS, "")

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return PageFile("", name, flags)
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            return LogFile(name, flags)
        return apsw.VFSFile("", name, flags)


PIECE_SYNC: Final = apsw.SQLITE_SYNC_NORMAL | apsw.SQLITE_SYNC_DATAONLY
_FLAGS: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
# One for the process: SQLite knows it by its name for as long as the object lives.
_FILES: Final = CheckedFiles()


def connect(path: str) -> apsw.Connection:
    """Open a file whose pages are checked, or an empty one whose pages will be."""
    connection = apsw.Connection(path, flags=_FLAGS, vfs=VFS, statementcachesize=STATEMENTS)
    connection.reserve_bytes(reserve=SUM)
    return connection


def connect_unchecked(path: str) -> apsw.Connection:
    """Open a file as it is. Checksums that its pages have are neither looked at nor kept right."""
    return apsw.Connection(path, flags=_FLAGS, statementcachesize=STATEMENTS)


def damaged_by_pieces(path: Path) -> Iterator[list[int]]:
    """Yield the numbers of the pages that are missing or not as they were written, ascending, for
    some pages of the file at a time. The file must be open nowhere in this process, and have no
    write-ahead log."""
    found: list[int] = []
    count = said = 0
    with path.open("rb") as file:
        while page := file.read(PAGE):
            count += 1
            if not _is_sound(page, (count - 1) * PAGE):
                found.append(count)
            elif count == 1:
                said = int.from_bytes(page[_PAGES])
            if count % PIECE_PAGES == 0:
                yield found
                found = []
    yield found + list(range(count + 1, said + 1))


def _is_sound(page: bytes, offset: int) -> bool:
    return len(page) == PAGE and page[-SUM:] == _checksum(page[:-SUM], offset)


def _checksum(data: Buffer, offset: int) -> bytes:
    digest = sha256(offset.to_bytes(8))
    digest.update(data)
    return digest.digest()[:SUM]
