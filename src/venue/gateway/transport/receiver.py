"""Bytes to whole requests: httptools parses, and the limits of a listener are kept here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

import httptools

from venue.gateway.access.gate import HttpLimits
from venue.gateway.transport.request import Answering, Request

IDLE: Final = 0  # between requests
HEAD: Final = 1
BODY: Final = 2
LENGTH_DIGITS_MAX: Final = 18
_LENGTH: Final = b"content-length"
_HOST: Final = b"host"
_CONNECT: Final = b"CONNECT"
_WITH_BODY: Final = frozenset((b"POST", b"PUT", b"PATCH"))


class RequestRefused(Exception):
    """The bytes are not a request that can be served; nothing after them can be read."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Upgrade(Exception):
    """A request asks for another protocol and gets it; `rest` is what came behind its head."""

    def __init__(self, request: Request, rest: bytes) -> None:
        super().__init__()
        self.request = request
        self.rest = rest


class Receiver:
    """The requests of one connection; each goes to `hand_over` when it is whole.

    `upgrades` says whether a request may change the protocol. When it may not, its wish is
    ignored and it is served like any other (RFC 9110, 7.8).
    """

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
        # What follows the last request is not served; it is no reason to refuse that one.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._refusal: RequestRefused | None = None
        self._owed = 0  # bytes of a body that the parser does not see: behind an ignored upgrade
        self._unparsed = 0  # bytes of a head without end that came behind its first piece
        self._target = b""
        self._headers: dict[bytes, bytes] = {}
        self._repeated: tuple[bytes, ...] = ()
        self._request: Request | None = None
        self.part = IDLE
        self.begun = 0  # how many requests have begun
        self.expects = False  # the client waits for leave to send its body

    def feed(self, data: bytes) -> None:
        """Parse what came. Raises Refused and Upgrade; nothing may be fed after either."""
        begun = self.part == HEAD
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
        """The parser stops behind the head of a request that asks for another protocol."""
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
        """Take the body behind an ignored upgrade; what is left of the data."""
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
        self._check_size(headers, repeated)
        if not target.startswith(b"/") or b"#" in target or method == _CONNECT:
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
        request.closes = not self._parser.should_keep_alive() or version == "1.0"
        self.expects = headers.get(b"expect", b"").lower() == b"100-continue"
        self._request = request
        self.part = BODY

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        request = self._request
        assert request is not None
        request.body = request.body + body if request.body else body

    def on_message_complete(self) -> None:
        """The request is whole; behind one that asks for another protocol the parser stops."""
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
