"""The wire log: the last requests and frames of all clients, in bounded memory.

While an order is processed its data is only stored. It is parsed, named and masked when somebody
reads the log. Of the headers, passphrases are never stored; of a key only the last characters
are, and of a signature the first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container
from itertools import count
from time import perf_counter
from typing import Any, Final

import msgspec

from venue.api import own
from venue.api.errors import ApiError
from venue.api.operator import wire
from venue.core.engine import Engine
from venue.gateway.access.sessions import PAGE
from venue.gateway.transport.request import Answering, Request
from venue.node.venue_clock import VenueClock

KEPT_BYTES: Final = 4 * 1024  # of a query, a body or a frame, each; of a path a quarter
PATH_BYTES: Final = 1024
ANSWER_BYTES: Final = KEPT_BYTES + PATH_BYTES  # of an answer with its head
KEY_BYTES: Final = 4  # the last of a key
SIGNATURE_BYTES: Final = 8  # the first of a signature: too few to use it
STAMP_BYTES: Final = 16  # of a time: those that are right have 13
READS: Final = frozenset((wire.wire.path.encode(), own.own_wire.path.encode()))
REQUEST_ID: Final = b"\r\nx-venue-request-id: %d\r\n"
ACT_AS: Final = b"x-venue-act-as"
_OK: Final = b"HTTP/1.1 200"
_KEY: Final = b"access-key"
_encode = msgspec.json.Encoder().encode

Finish = Callable[[Any, Exception | None], None]


class WireLog:
    """The last `size` requests of owners and operators, as many of strangers, and as many frames of
    either: requests of strangers replace only those of strangers. All numbers are of one ascending
    series.

    A stranger is a caller that has shown neither a right signature nor an operator's right, or that
    asks for public data.
    """

    __slots__ = (
        "clock", "engine", "exchanges", "frames", "numbers", "public_frames", "size", "strangers",
    )  # fmt: skip

    def __init__(self, size: int, clock: VenueClock, engine: Engine) -> None:
        self.size = size
        self.engine = engine
        self.clock = clock
        self.numbers = count(1)
        self.exchanges: deque[Exchange | SocketExchange] = deque(maxlen=size)
        self.strangers: deque[Exchange | SocketExchange] = deque(maxlen=size)
        self.frames: deque[LoggedFrame] = deque(maxlen=size)
        self.public_frames: deque[LoggedFrame] = deque(maxlen=size)

    def serving(self, serve: Callable[[Request], None]) -> Callable[[Request], None]:
        """Serve as `serve` does, and note every request and its answer."""

        def serve_and_note(request: Request) -> None:
            if request.path not in READS:  # reading the log leaves no entry in it
                request.connection = Exchange(self, request)
            serve(request)

        return serve_and_note

    def keep(self, noted: Exchange | SocketExchange) -> None:
        """Keep a request that is over, and number it."""
        noted.ended = perf_counter()
        noted.number = next(self.numbers)
        (self.exchanges if noted.uid else self.strangers).append(noted)

    def say(self, uid: int, text: bytes, *, heard: bool, fault: str = "") -> None:
        """Note a frame of an owner's socket; uid 0: of a public one."""
        kept = text[:KEPT_BYTES] if len(text) > KEPT_BYTES else text
        said = LoggedFrame(next(self.numbers), self.clock.server_time(), uid, kept, len(text))
        said.heard = heard
        said.fault = fault
        (self.frames if uid else self.public_frames).append(said)

    def withdraw(self, owners: Container[int]) -> None:
        """Let nobody have the entries of other uids: they are gone, and new owners get them."""
        for noted in self.exchanges:
            if noted.uid > 0 and noted.uid not in owners:
                noted.uid = -1 if noted.acts else 0  # requests of operators stay theirs
        for frame in self.frames:
            if frame.uid not in owners:
                frame.uid = 0


class LoggedFrame:
    """A frame. Times in µs; `size` is that of the whole text."""

    __slots__ = ("fault", "heard", "number", "size", "text", "time", "uid")

    def __init__(self, number: int, time: int, uid: int, text: bytes, size: int) -> None:
        self.number = number
        self.time = time
        self.uid = uid
        self.text = text
        self.size = size
        self.heard = False
        self.fault = ""


class Exchange:
    """A request over HTTP and its outcome; it takes the place of the connection for the request's
    handler.

    `status` 0: the connection ended without an answer. `answered` is the answer with its head;
    `sequence` is the venue's when it was sent. `uid` is the owner whose signature was right, below
    0 an operator, 0 nobody. `acts` is the owner for which the request asked to act, `page` whether
    it says that it is the venue's page's. `signed` are its time, the last characters of its key and
    the first of its signature; `began` and `ended` are seconds of the same clock.

    Every order of a practice venue waits for this code, so work that can wait is done at reading.
    """

    __slots__ = (
        "_connection", "_log", "_request", "_whole", "acts", "answered", "began", "body", "ended",
        "fault", "method", "number", "page", "path", "query", "sequence", "signed", "status",
        "time", "uid",
    )  # fmt: skip
    number: int
    ended: float

    def __init__(self, log: WireLog, request: Request) -> None:
        self._log = log
        self._connection: Answering | None = request.connection
        self.time = log.clock.server_time()
        self.began = perf_counter()
        self.method = request.method
        self.path = path = request.path
        self.query = query = request.query
        self.body = body = request.body
        self._whole = 0  # bytes that query and body had, where they are cut
        if len(query) + len(body) > KEPT_BYTES or len(path) > PATH_BYTES:
            self._whole = len(query) + len(body)
            self.path, self.query = path[:PATH_BYTES], query[:KEPT_BYTES]
            self.body = body[:KEPT_BYTES]
        headers = request.headers
        self._request: Request | None = request  # until it is answered
        self.uid = 0
        self.acts = headers[ACT_AS][:PATH_BYTES] if ACT_AS in headers else b""
        self.page = PAGE in headers
        self.signed = _signed(headers) if _KEY in headers else None
        self.fault = ""

    @property
    def size(self) -> int:
        """Bytes of its query and its body."""
        return self._whole or len(self.query) + len(self.body)

    def answer(self, data: bytes) -> None:
        """Note an answer and send it. An answer with another status than 200 contains the request's
        number."""
        connection = self._connection
        if connection is None:
            return
        self._connection = None
        self.answered = data if len(data) <= ANSWER_BYTES else data[:ANSWER_BYTES]
        self.status = 200
        self.sequence = self._log.engine.sequence
        self._know()
        self._log.keep(self)
        if not data.startswith(_OK):
            self.status = int(data[9:12])
            data = data.replace(b"\r\n", REQUEST_ID % self.number, 1)
        connection.answer(data)

    def abort(self) -> None:
        """End the connection without an answer."""
        if self._connection is not None:
            self._lose().abort()

    def reset(self) -> None:
        """Abort the connection with a reset."""
        if self._connection is not None:
            self._lose().reset()

    def rest(self) -> None:
        """Read nothing more for a while."""
        if self._connection is not None:
            self._connection.rest()

    def peer_owner(self) -> int | None:
        """Return the user id at the other end; never asked after the answer."""
        assert self._connection is not None, "the answered end is not asked"
        return self._connection.peer_owner()

    def _know(self) -> None:
        """Note the owner that was identified meanwhile, and drop the request."""
        request = self._request
        if request is not None:
            self.uid = request.uid
            self._request = None

    def _lose(self) -> Answering:
        """Note the end without an answer. The log keeps no connection."""
        self.answered = b""
        self.status = 0
        self.sequence = self._log.engine.sequence
        self._know()
        self._log.keep(self)
        connection = self._connection
        assert connection is not None
        self._connection = None
        return connection


class SocketExchange:
    """An operation over a socket, as `Exchange` is one over HTTP.

    `reply` is what it was answered with: a record, or the beginning of its JSON, which has
    `reply_size` bytes. `ignored` names its parameters that the venue does not know.
    """

    __slots__ = (
        "_log", "acts", "began", "body", "ended", "fault", "ignored", "method", "number", "path",
        "query", "reply", "reply_size", "sequence", "size", "status", "time", "uid",
    )  # fmt: skip

    def __init__(self, log: WireLog, method: str, path: str, uid: int, params: bytes) -> None:
        self._log = log
        self.time = log.clock.server_time()
        self.began = perf_counter()
        self.method = method.encode()
        self.path = path.encode()
        self.query = b""
        self.body = b"" if params == b"null" else params[:KEPT_BYTES]
        self.size = len(params)
        self.uid = uid
        self.acts = b""
        self.fault = ""
        self.ignored: list[str] = []
        self.reply: Any = None
        self.reply_size = 0
        self.status = 0
        self.number = 0
        self.sequence = 0
        self.ended = 0.0

    def finishing(self, finish: Finish) -> Finish:
        """Call `finish` and note the outcome."""

        def note_finish(reply: Any, problem: Exception | None) -> None:
            self.end(problem, reply)
            finish(reply, problem)

        return note_finish

    def losing(self, lost: Finish) -> Finish:
        """Call `lost`, and note that there is no answer."""

        def note_lost(reply: Any, problem: Exception | None) -> None:
            self._end()
            lost(reply, problem)

        return note_lost

    def end(self, problem: Exception | None, reply: Any = None) -> None:
        """Note that it is answered. The record of one order is kept; a list may be long."""
        if isinstance(problem, ApiError):
            self.status = problem.status
            self._keep(problem.body())
        elif problem is None:
            self.status = 200
            if type(reply) is list:
                self._keep(_encode(reply))
            else:
                self.reply = reply
        else:
            self.status = 500
        self._end()

    def _keep(self, reply: bytes) -> None:
        self.reply = reply[:KEPT_BYTES]
        self.reply_size = len(reply)

    def _end(self) -> None:
        self.sequence = self._log.engine.sequence
        self._log.keep(self)


def _signed(headers: dict[bytes, bytes]) -> tuple[bytes, bytes, bytes]:
    """Return the time of a request, the end of its key and the beginning of its signature."""
    return (
        headers.get(b"access-timestamp", b"")[:STAMP_BYTES],
        headers[_KEY][-KEY_BYTES:],
        headers.get(b"access-sign", b"")[:SIGNATURE_BYTES],
    )
