"""A whole HTTP request, and its one answer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final, Protocol

JSON: Final = b"content-type: application/json\r\n"
CLOSE: Final = b"connection: close\r\n"
RETRY: Final = b"retry-after: 1\r\n"
TOO_MUCH: Final = (429, 503)  # who hears this should not ask again at once
_PREPARED_MAX: Final = 4 * 1024  # bytes of a body whose head is kept ready
_STATUS_LINES: Final = {
    status.value: b"HTTP/1.1 %d %s\r\n" % (status.value, status.phrase.encode())
    for status in HTTPStatus
}
_OK: Final = [
    b"%s%scontent-length: %d\r\n\r\n" % (_STATUS_LINES[200], JSON, size)
    for size in range(_PREPARED_MAX)
]


class Answering(Protocol):
    """The receiver of an answer."""

    def answer(self, data: bytes) -> None:
        """Send the whole answer to the request under way, if anybody is still there."""

    def abort(self) -> None:
        """End the connection at once."""

    def reset(self) -> None:
        """As `abort`, and tell the client that what it still waits for is lost."""

    def rest(self) -> None:
        """Read what follows the request under way only when it is this client's turn to."""

    def peer_owner(self) -> int | None:
        """The user id at the other end; see `peers.owner_of`."""


class Request:
    """One client's request. Headers by their names in lower case.

    Values of a header that came more than once are joined by a comma (RFC 9110, 5.3), and
    `repeated` names it.
    """

    __slots__ = (
        "body",
        "closes",
        "connection",
        "headers",
        "ip",
        "lines",
        "method",
        "path",
        "query",
        "repeated",
    )

    def __init__(
        self,
        connection: Answering,
        ip: str,
        method: bytes,
        target: bytes,
        headers: dict[bytes, bytes],
        repeated: tuple[bytes, ...],
    ) -> None:
        self.connection = connection
        self.ip = ip
        self.method = method
        self.path, _, self.query = target.partition(b"?")
        self.headers = headers
        self.repeated = repeated
        self.body = b""
        self.lines = b""  # headers of the answer beside the usual ones
        self.closes = False  # no request follows on this connection

    def head(self) -> bytes:
        """The head, for another protocol that begins with it."""
        target = b"%s?%s" % (self.path, self.query) if self.query else self.path
        lines = [b"%s: %s\r\n" % header for header in self.headers.items()]
        return b"%s %s HTTP/1.1\r\n%s\r\n" % (self.method, target, b"".join(lines))

    def what(self) -> str:
        """The request in a few words, for the log."""
        return f"{self.method.decode('latin-1')} {self.path.decode('latin-1')}"

    def answer(self, status: int, body: bytes) -> None:
        """Answer with JSON."""
        size = len(body)
        plain = not (self.lines or self.closes or self.method == b"HEAD")
        if plain and status == 200 and size < _PREPARED_MAX:
            self.connection.answer(_OK[size] + body)
            return
        if status in TOO_MUCH:
            self.connection.rest()
        headers = self.lines + CLOSE if self.closes else self.lines
        self.connection.answer(whole(status, body, headers, with_body=self.method != b"HEAD"))


def whole(status: int, body: bytes, headers: bytes = b"", *, with_body: bool = True) -> bytes:
    """A whole answer; `headers` are lines beside the type and the length of the body."""
    length = b"content-length: %d\r\n\r\n" % len(body)
    return b"".join((_STATUS_LINES[status], JSON, headers, length, body if with_body else b""))
