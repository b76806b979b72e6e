"""The files of the pages, as browsers get them: compressed once, named by their content."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from venue.gateway.dispatch.documents import FILES, READS
from venue.gateway.transport.request import Request

FOLDER: Final = Path(__file__).parents[2] / "pages"
BENCH: Final = "index.html"
# Nothing comes from outside, no page of others may show these in a frame, and no text becomes code.
POLICY: Final = (
    b"content-security-policy: default-src 'self'; base-uri 'none'; form-action 'none';"
    b" frame-ancestors 'none'; object-src 'none'\r\n"
    b"x-content-type-options: nosniff\r\n"
    b"referrer-policy: same-origin\r\n"
    b"cross-origin-opener-policy: same-origin\r\n"
    b"cache-control: no-cache\r\n"
)
KINDS: Final = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".txt": b"text/plain; charset=utf-8",
    ".json": b"application/json",
}
NOT_MODIFIED: Final = 304
_LEVEL: Final = 9  # of compression, once


class ServedFile:
    """One file of the pages; it is read when it is first asked for."""

    methods: tuple[bytes, ...] = READS
    weight = 1  # a page has some thirty files, and shares its address with bots

    def __init__(self, path: Path, *, page: bool) -> None:
        self.page = page
        self._path = path
        self._kind = b"content-type: %s\r\n" % KINDS[path.suffix]
        self._plain = b""
        self._packed = b""
        self._lines = b""
        self._tag = b""

    def answer(self, request: Request) -> None:
        """Answer with the file, or that the browser has it."""
        if not self._tag:
            self._read()
        request.lines += self._lines
        if request.headers.get(b"if-none-match") == self._tag:
            request.answer(NOT_MODIFIED, b"", self._kind)
        elif b"gzip" in request.headers.get(b"accept-encoding", b""):
            request.lines += b"content-encoding: gzip\r\n"
            request.answer(200, self._packed, self._kind)
        else:
            request.answer(200, self._plain, self._kind)

    def _read(self) -> None:
        self._plain = self._path.read_bytes()
        self._packed = gzip.compress(self._plain, _LEVEL, mtime=0)
        self._tag = b'"%s"' % hashlib.sha256(self._plain).hexdigest()[:32].encode()
        self._lines = POLICY + b"vary: accept-encoding\r\netag: %s\r\n" % self._tag


@cache
def page_files() -> dict[bytes, ServedFile]:
    """Return the files by the paths under which a venue serves them; one set for a process.

    Only what lies in the folder has a path, so no path leads out of it.
    """
    found = {
        FILES + path.relative_to(FOLDER).as_posix().encode(): ServedFile(path, page=False)
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in KINDS
    }
    found[b"/"] = ServedFile(FOLDER / BENCH, page=True)
    return found
