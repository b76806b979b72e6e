"""HTTP receipt with limits: uvicorn's protocol plus deadlines, sizes, framing and connections."""

from __future__ import annotations

import asyncio
import http
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from venue.api import errors
from venue.api.streams import SOCKETS
from venue.gateway.access.gate import Gate, HttpLimits

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

LINGERING_MAX: Final = 100  # refused connections that may still read their answer, at once
LINGERING_BYTES_MAX: Final = 256 * 1024
SOCKET_PATHS: Final = frozenset(socket.path.encode() for socket in SOCKETS)
_UNKNOWN: Final = -1000
_BUSY: Final = -1008
_LENGTH, _ENCODING, _HOST = b"content-length", b"transfer-encoding", b"host"
_EXPECT: Final = b"expect"
_CHECKED: Final = frozenset((_LENGTH, _ENCODING, _HOST, _EXPECT))
_WITH_BODY: Final = frozenset((b"POST", b"PUT", b"PATCH"))


def protocol(limits: HttpLimits) -> type[HttpToolsProtocol]:
    """The protocol class of one listener, for uvicorn's `http=` option."""

    class Listener(LimitedProtocol):
        pass

    Listener.limits = limits
    Listener.gate = Gate(limits)
    return Listener


class _Refused(Exception):
    """Thrown through the parser to stop it; carries the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class LimitedProtocol(HttpToolsProtocol):
    """One connection. A refusal waits for earlier pipelined answers, then closes.

    An application that waits for the rest of a refused body gets `http.disconnect`.
    """

    limits: HttpLimits
    gate: Gate

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.timeout_keep_alive = cast(int, self.limits.idle_s)
        self._ip: str | None = None  # counted at the gate under this address
        self._in_head = False
        self._in_message = False
        self._begun = 0.0
        self._timer: asyncio.TimerHandle | None = None  # deadline of a partly received request
        self._write_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._unparsed = 0  # bytes of a head that is not yet complete
        self._begins = 0  # requests that began in this chunk
        self._has_length = False
        self._encoded = False
        self._hosts = 0
        self._skipping = False  # past an upgrade that is ignored
        self._refusal: _Refused | None = None
        self._parting: bytes | None = None  # the refusal, until earlier requests are answered
        self._stopped = False
        self._lingers = False
        self._discarded = 0
        self._running: RequestResponseCycle | None = None

    # -- connection -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        ip = self.client[0] if self.client is not None else ""
        reason = self.gate.enter(ip)
        if reason is not None:
            self._stopped = True
            self._parting = _answer(503, _BUSY, reason)
            self._part()
            return
        self._ip = ip
        self._await_next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # the base keeps it when the connection broke

    def data_received(self, data: bytes) -> None:
        if self._stopped:
            self._discard(data)
            return
        waiting = self._in_message
        self._begins = 0
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._should_upgrade():
                self._hand_over()
            else:
                self._without_upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            # The parser wraps what a callback raised; ours is kept aside.
            self._refuse(self._refusal or _Refused(400, "Malformed HTTP request."))
            return
        if self._in_message:
            # Behind another request in the same chunk, the size says nothing about this one.
            self._partly_received(len(data) if self._begins == (not waiting) else 0)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _hand_over(self) -> None:
        """Nothing of HTTP may be on its way: it would come between frames, or count as theirs."""
        if self._idle() and not self.transport.get_write_buffer_size():
            self.handle_websocket_upgrade()
        else:
            self._refuse(_Refused(400, "An upgrade must wait for the answers before it."))

    def handle_websocket_upgrade(self) -> None:
        """The connection goes to the WebSocket protocol, which counts its own."""
        self._leave()
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment] # it calls this protocol, which is not needed

    def _should_upgrade(self) -> bool:
        """Only the streams' paths change the protocol; elsewhere the request stays HTTP."""
        path = self.url.partition(b"?")[0]
        return path in SOCKET_PATHS and super()._should_upgrade()

    def _without_upgrade(self, rest: bytes) -> None:
        """Ignore an upgrade to anything else: the parser would skip the body, so begin anew."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        head = [method + b" " + self.url + b" HTTP/" + version.encode()]
        for name, value in self.headers:
            if name == b"connection":
                kept = b"close" if b"close" in value.lower() else b"keep-alive"
                head.append(b"connection: " + kept)
            elif name != b"upgrade":
                head.append(name + b": " + value)
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._skipping = False
        self.data_received(b"\r\n".join([*head, b"", b""]) + rest)

    def _leave(self) -> None:
        if self._ip is not None:
            self.gate.leave(self._ip)
            self._ip = None
        if self._lingers:
            self._lingers = False
            self.gate.lingering -= 1
        for timer in (self._timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._write_timer = None
        self._unset_keepalive_if_required()

    def _await_next(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(
            self.limits.idle_s, self.timeout_keep_alive_handler
        )

    # -- parser callbacks -------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_message = self._in_head = True
        self._begins += 1
        self._head_bytes = self._unparsed = self._hosts = 0
        self._has_length = self._encoded = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def on_url(self, url: bytes) -> None:
        self.url += url
        if len(self.url) > self.limits.target_bytes:
            most = self.limits.target_bytes
            self._stop(414, f"The request target is longer than {most} bytes.")

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        self._head_bytes += len(name) + len(value) + 4
        self.headers.append((name, value))
        if self._head_bytes > self.limits.header_bytes:
            self._stop(431, f"The headers are longer than {self.limits.header_bytes} bytes.")
        if len(self.headers) > self.limits.headers:
            self._stop(431, f"There are more than {self.limits.headers} headers.")
        if name in _CHECKED:
            self._check_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._unset_keepalive_if_required()
        if not self.url.startswith(b"/") or b"#" in self.url:
            self._stop(400, "The request target must be a path such as /api/v3/ping.")
        if self._encoded:
            if self._has_length:
                self._stop(400, "Content-Length and Transfer-Encoding exclude each other.")
            self._stop(411, "Transfer-Encoding is not supported; send Content-Length.")
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1"):
            self._stop(400, "The HTTP version must be 1.0 or 1.1.")
        if not self._hosts and version == "1.1":
            self._stop(400, "Header Host is missing.")
        if not self._has_length and self.parser.get_method() in _WITH_BODY:
            self._stop(411, "Header Content-Length is missing; send 0 for an empty body.")
        if self.parser.should_upgrade() and not self._should_upgrade():
            self._skipping = True
            return
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_message = False
        if not self._skipping:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._parting is not None and self._idle():
            self._part()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _check_header(self, name: bytes, value: bytes) -> None:
        if name == _EXPECT:
            self.expect_100_continue = value.lower() == b"100-continue"
        elif name == _ENCODING:
            self._encoded = True
        elif name == _HOST:
            self._hosts += 1
            if self._hosts > 1:
                self._stop(400, "Header Host is given more than once.")
        else:
            if self._has_length:
                self._stop(400, "Header Content-Length is given more than once.")
            self._has_length = True
            digits = value.strip()
            if not digits.isdigit():
                self._stop(400, "Header Content-Length must be a whole number.")
            if len(digits) > 18 or int(digits) > self.limits.body_bytes:
                self._stop(413, f"The body is longer than {self.limits.body_bytes} bytes.")

    def _stop(self, status: int, message: str) -> NoReturn:
        self._refusal = _Refused(status, message)
        raise self._refusal

    # -- deadlines --------------------------------------------------------------------------------

    def _partly_received(self, size: int) -> None:
        if self._timer is None:
            self._begun = self.loop.time()
            self._timer = self.loop.call_later(self.limits.header_s, self._overdue)
        if self._in_head:
            self._unparsed += size
            # A header without end never reaches `on_header`.
            if self._unparsed > self.limits.header_bytes + self.limits.target_bytes:
                self._refuse(_Refused(431, "The headers are too long."))

    def _overdue(self) -> None:
        self._timer = None
        if not self._in_message or self._stopped:
            return
        left = self._begun + self.limits.request_s - self.loop.time()
        # While reading is paused, the delay is ours.
        if self.flow.read_paused or (not self._in_head and left > 0):
            wait = left if left > 0 else self.limits.header_s
            self._timer = self.loop.call_later(wait, self._overdue)
            return
        what, most = "headers", self.limits.header_s
        if not self._in_head:
            what, most = "request", self.limits.request_s
        self._refuse(_Refused(408, f"The {what} did not arrive within {most:g} seconds."))

    # -- refusals ---------------------------------------------------------------------------------

    def _refuse(self, refused: _Refused) -> None:
        """Answer the request being received with an error, after the answers before it."""
        self._stopped = True
        self._unset_keepalive_if_required()
        self._parting = _answer(refused.status, _UNKNOWN, str(refused))
        if self._in_message and not self._in_head and self.cycle is not None:
            self._take_back(self.cycle)
        if self._idle():
            self._part()
        else:
            self.flow.resume_reading()

    def _take_back(self, cycle: RequestResponseCycle) -> None:
        """Have the application drop a request whose body did not arrive as it should."""
        if cycle.scope is not self.scope:
            return  # this request was refused before it was handed over
        if cycle.response_started:
            self._parting = b""  # it has its answer, or part of one
        cycle.disconnected = True
        cycle.message_event.set()
        self.pipeline = deque(entry for entry in self.pipeline if entry[0] is not cycle)

    def _idle(self) -> bool:
        """Whether no request is being answered or waits for its turn."""
        running = self._running
        over = running is None or running.response_complete or running.disconnected
        return over and not self.pipeline

    def _part(self) -> None:
        """Say the last word and close; a client that still sends may read it first."""
        self._unset_keepalive_if_required()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.transport.is_closing():
            return
        if self._parting:
            self.transport.write(self._parting)
        # Closing with unread bytes resets the connection, and the answer may be lost with it.
        if self.gate.lingering >= LINGERING_MAX or not self.transport.can_write_eof():
            self.transport.close()
            return
        self._lingers = True
        self.gate.lingering += 1
        self.flow.resume_reading()
        self.transport.write_eof()
        self._timer = self.loop.call_later(self.limits.linger_s, self.transport.abort)

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._lingers and self._discarded > LINGERING_BYTES_MAX:
            self.transport.abort()


def _answer(status: int, code: int, message: str) -> bytes:
    body = errors.body(status, code, message)
    retry = "retry-after: 1\r\n" if status == 503 else ""
    head = (
        f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n{retry}connection: close\r\n\r\n"
    )
    return head.encode() + body
