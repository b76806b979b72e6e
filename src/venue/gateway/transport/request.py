"""Parses bytes to whole HTTP requests, and sends each request's one answer.

httptools parses; this module checks the limits of the listener.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final, NoReturn, Protocol

import httptools

from venue.gateway.access.connections import HttpLimits

IDLE: Final = 0  # between requests
HEAD: Final = 1
BODY: Final = 2
LENGTH_DIGITS_MAX: Final = 18
_LENGTH: Final = b"content-length"
_HOST: Final = b"host"
_CONNECT: Final = b"CONNECT"
_FRAGMENT: Final = ord("#")  # a number: bytes are looked for more slowly
_WITH_BODY: Final = frozenset((b"POST", b"PUT", b"PATCH"))
JSON: Final = b"content-type: application/json\r\n"
CLOSE: Final = b"connection: close\r\n"
RETRY: Final = b"retry-after: 1\r\n"
TOO_MUCH: Final = (429, 503)  # a client told so should not ask again at once
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
        """Return the user id at the other end; see `peers.owner_of`."""


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
        "old",
        "path",
        "query",
        "repeated",
        "uid",
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
        self.old = False  # of HTTP version 1.0
        self.uid = 0  # of the owner whose signature was right; below 0: of an operator

    def head(self) -> bytes:
        """Return the head, for another protocol that begins with it."""
        target = b"%s?%s" % (self.path, self.query) if self.query else self.path
        lines = [b"%s: %s\r\n" % header for header in self.headers.items()]
        return b"%s %s HTTP/1.1\r\n%s\r\n" % (self.method, target, b"".join(lines))

    def what(self) -> str:
        """Return the request in a few words, for the log."""
        return f"{self.method.decode('latin-1')} {self.path.decode('latin-1')}"

    def answer(self, status: int, body: bytes, kind: bytes = JSON) -> None:
        """Answer with JSON, or with another `kind` of content."""
        size = len(body)
        plain = not (self.lines or self.closes or self.method == b"HEAD" or kind is not JSON)
        if plain and status == 200 and size < _PREPARED_MAX:
            self.connection.answer(_OK[size] + body)
            return
        if status in TOO_MUCH:
            self.connection.rest()
        headers = self.lines + CLOSE if self.closes else self.lines
        shown = self.method != b"HEAD"
        self.connection.answer(whole(status, body, headers, kind, with_body=shown))


def whole(
    status: int, body: bytes, headers: bytes = b"", kind: bytes = JSON, *, with_body: bool = True
) -> bytes:
    """Return a whole answer; `headers` are lines beside the type and the length of the body."""
    length = b"content-length: %d\r\n\r\n" % len(body)
    return b"".join((_STATUS_LINES[status], kind, headers, length, body if with_body else b""))


# -- bytes to requests ----------------------------------------------------------------------------


class RequestRefused(Exception):
    """The bytes are not a request that can be served; nothing after them can be read."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Upgrade(Exception):
    """A request asks for another protocol and gets it; `rest` came after its head."""

    def __init__(self, request: Request, rest: bytes) -> None:
        super().__init__()
        self.request = request
        self.rest = rest


class Receiver:
    """The requests of one connection; each goes to `hand_over` when it is whole.

    `upgrades` says whether a request may change the protocol. When it may not, its wish is
    ignored and it is served like any other (RFC 9110, 7.8).
    """

    __deletable__ = ("_connection", "_parser", "_upgrades")  # by `close`; compiled, it must be said

    def __init__(
        self,
        connection: Answering,
        ip: str,
        limits: HttpLimits,
        hand_over: Callable[[Request], None],
        upgrades: Callable[[Request], bool],
    ) -> None:
        self._connection = connection
        self._ip = ip
        self._limits = limits
        self._hand_over = hand_over
        self._upgrades = upgrades
        self._parser = httptools.HttpRequestParser(self)
        # Bytes after the last request are not served; they are no reason to refuse that one.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._refusal: RequestRefused | None = None
        self._owed = 0  # bytes of a body that the parser does not see: after an ignored upgrade
        self._piece = 0  # bytes that came last
        self._unparsed = 0  # of a head without end, bytes that came after its first piece
        self._most = 0  # of those that came, a head has at most so many
        self._target = b""
        self._headers: dict[bytes, bytes] = {}
        self._repeated: tuple[bytes, ...] = ()
        self._request: Request | None = None
        self.part = IDLE
        self.begun = 0  # how many requests have begun
        self.expects = False  # the client waits for leave to send its body

    def feed(self, data: bytes) -> None:
        """Parse what came. Raises RequestRefused and Upgrade; nothing may be fed after either."""
        begun = self.part == HEAD
        self._piece = len(data)
        if begun:
            self._most += self._piece
        while data:
            if self._owed:
                data = self._fill(data)
                continue
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = self._past_upgrade(data[upgrade.args[0] :])
                continue
            except httptools.HttpParserError:
                # The parser wraps what a callback raised; ours is kept aside.
                raise self._refusal or RequestRefused(400, "Malformed HTTP request.") from None
            break
        if begun and self.part == HEAD:
            # A header without end never reaches `on_header`.
            self._unparsed += len(data)
            if self._unparsed > self._limits.header_bytes + self._limits.target_bytes:
                raise RequestRefused(431, "The headers are too long.")

    def close(self) -> None:
        """Let go of the parser and the connection, which hold this; nothing may follow."""
        del self._parser, self._connection, self._upgrades
        self._request = self._refusal = None

    # -- upgrades ---------------------------------------------------------------------------------

    def _past_upgrade(self, rest: bytes) -> bytes:
        """Upgrade, or ignore the wish; the parser stops after the head of such a request."""
        request = self._request
        assert request is not None
        length = int(request.headers.get(_LENGTH, b"0"))
        if self._upgrades(request):
            if self._parser.get_http_version() != "1.1":
                raise RequestRefused(400, "A WebSocket needs HTTP version 1.1.")
            if length:
                raise RequestRefused(400, "A request that opens a WebSocket carries no body.")
            raise Upgrade(request, rest)
        self._owed = length
        if self._owed:
            self.part = BODY
        else:
            self._complete(request)
        return rest

    def _fill(self, data: bytes) -> bytes:
        """Take the body after an ignored upgrade; what is left of the data."""
        request = self._request
        assert request is not None
        body, rest = data[: self._owed], data[self._owed :]
        request.body += body
        self._owed -= len(body)
        if not self._owed:
            self._complete(request)
        return rest

    # -- what the parser calls --------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A request begins."""
        self.part = HEAD
        self.begun += 1
        self.expects = False
        self._unparsed = 0
        self._most = self._piece
        self._target = b""
        self._headers = {}
        self._repeated = ()

    def on_url(self, url: bytes) -> None:
        """A piece of the target."""
        self._target += url
        if len(self._target) > self._limits.target_bytes:
            most = self._limits.target_bytes
            self._stop(414, f"The request target is longer than {most} bytes.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        name = name.lower()
        headers = self._headers
        if name in headers:
            if len(self._repeated) >= self._limits.headers:  # each costs as much as all before it
                self._stop(431, f"There are more than {self._limits.headers} headers.")
            self._repeated += (name,)
            value = headers[name] + b", " + value
        headers[name] = value

    def on_headers_complete(self) -> None:
        """The head is whole: check it before its body is read."""
        method = self._parser.get_method()
        target, headers, repeated = self._target, self._headers, self._repeated
        limits = self._limits
        # A header counts for at most a fourth more than the bytes that it came in.
        if 2 * self._most > limits.header_bytes or len(headers) + len(repeated) > limits.headers:
            self._check_size(headers, repeated)
        if not target.startswith(b"/") or _FRAGMENT in target or method == _CONNECT:
            self._stop(400, "The request target must be a path such as /api/v3/ping.")
        if b"transfer-encoding" in headers:
            if _LENGTH in headers:
                self._stop(400, "Content-Length and Transfer-Encoding exclude each other.")
            self._stop(411, "Transfer-Encoding is not supported; send Content-Length.")
        version = self._parser.get_http_version()
        if version != "1.1" and version != "1.0":
            self._stop(400, "The HTTP version must be 1.0 or 1.1.")
        if _HOST not in headers and version == "1.1":
            self._stop(400, "Header Host is missing.")
        if repeated and _HOST in repeated:
            self._stop(400, "Header Host is given more than once.")
        if _LENGTH in headers:
            self._check_length(headers[_LENGTH])
        elif method in _WITH_BODY:
            self._stop(411, "Header Content-Length is missing; send 0 for an empty body.")
        request = Request(self._connection, self._ip, method, target, headers, repeated)
        request.old = version == "1.0"
        request.closes = request.old or not self._parser.should_keep_alive()
        self.expects = headers.get(b"expect", b"").lower() == b"100-continue"
        self._request = request
        self.part = BODY

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        request = self._request
        assert request is not None
        request.body = request.body + body if request.body else body

    def on_message_complete(self) -> None:
        """The request is whole; after one that asks for another protocol the parser stops."""
        if not self._parser.should_upgrade():
            assert self._request is not None
            self._complete(self._request)

    def _complete(self, request: Request) -> None:
        self.part = IDLE
        self._request = None
        self._hand_over(request)

    def _check_size(self, headers: dict[bytes, bytes], repeated: tuple[bytes, ...]) -> None:
        """A name, a colon, a space, a value and the line's end, for each header."""
        limits = self._limits
        count = len(headers) + len(repeated)
        size = sum(map(len, headers)) + sum(map(len, headers.values())) + 4 * count
        size += sum(map(len, repeated)) - 2 * len(repeated)  # of joined values, but their commas
        if size > limits.header_bytes:
            self._stop(431, f"The headers are longer than {limits.header_bytes} bytes.")
        if count > limits.headers:
            self._stop(431, f"There are more than {limits.headers} headers.")

    def _check_length(self, value: bytes) -> None:
        if _LENGTH in self._repeated:
            self._stop(400, "Header Content-Length is given more than once.")
        digits = value.strip()
        if not digits.isdigit():
            self._stop(400, "Header Content-Length must be a whole number.")
        if len(digits) > LENGTH_DIGITS_MAX or int(digits) > self._limits.body_bytes:
            self._stop(413, f"The body is longer than {self._limits.body_bytes} bytes.")

    def _stop(self, status: int, message: str) -> NoReturn:
        self._refusal = RequestRefused(status, message)
        raise self._refusal
