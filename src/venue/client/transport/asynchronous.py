"""Requests of an asyncio program, over kept connections; httptools reads the answers."""

from __future__ import annotations

import asyncio
import ssl
from typing import Final, cast

from httptools import HttpParserError, HttpResponseParser

from venue.client.http import ANSWER_MAX, Answer, Http, NoAnswer, Request
from venue.client.transport.idle import HasFile, Idle, has_ended

CONNECTIONS_MAX: Final = 32  # under way; a venue lets an address have 100
BODIES: Final = ("POST", "PUT", "PATCH")  # methods that tell the length of an empty body too
Whole = tuple[int, dict[str, str], bytes]  # an answer's status, headers and body


class Line(asyncio.Protocol):
    """One connection, for one request at a time."""

    def __init__(self, timeout_s: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.ended = False  # no request can go over it any more
        self._timeout_s = timeout_s
        self._waiting: asyncio.Future[Whole] | None = None  # the answer under way
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._to_the_end = False  # the answer is over when the connection is

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio has connected it."""
        self._transport = cast(asyncio.Transport, transport)

    async def ask(self, request: bytes, http: Http) -> Answer:
        """Return the answer to a request, each part of it within the time limit. NoAnswer."""
        self._waiting = self.loop.create_future()
        self._parser = HttpResponseParser(self)
        try:
            async with asyncio.timeout(self._timeout_s) as self._limit:
                self._transport.write(request)
                answer = await self._waiting
        except TimeoutError:
            raise NoAnswer(f"nothing came for {self._timeout_s:g} s") from None
        finally:
            self._waiting = None
        return http.answer(*answer)

    def data_received(self, data: bytes) -> None:
        """asyncio has read a part of an answer."""
        if self._waiting is None or self._waiting.done():
            self.close()  # nobody asked for it
            return
        self._limit.reschedule(self.loop.time() + self._timeout_s)
        try:
            self._parser.feed_data(data)
        except HttpParserError as problem:
            self._fail(f"{type(problem).__name__}: {problem}")

    def connection_lost(self, problem: Exception | None) -> None:
        """asyncio has seen the connection's end, which may be the end of an answer."""
        self.ended = True
        if self._to_the_end and problem is None:
            self._finish()
        self._fail(f"{type(problem).__name__}: {problem}" if problem else "the connection ended")

    def on_message_begin(self) -> None:
        """httptools has read the first byte of an answer."""
        self.ended = self._waiting is None or self._waiting.done()  # nobody asked for this one
        self._headers, self._body, self._to_the_end = {}, bytearray(), False

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools has read a header."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """httptools has read all headers."""
        self._to_the_end = not self._headers.keys() & {"content-length", "transfer-encoding"}

    def on_body(self, part: bytes) -> None:
        """httptools has read a part of the body."""
        self._body += part
        if len(self._body) > ANSWER_MAX:
            self._finish()

    def on_message_complete(self) -> None:
        """httptools has read the answer to its end."""
        self.ended = self.ended or not self._parser.should_keep_alive()
        self._finish()

    def _finish(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            status = self._parser.get_status_code()
            self._waiting.set_result((status, self._headers, bytes(self._body)))

    def _fail(self, words: str) -> None:
        self.ended = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(NoAnswer(words))

    def socket(self) -> HasFile:
        """Return the system's end of the connection."""
        found: HasFile = self._transport.get_extra_info("socket")
        return found

    def close(self) -> None:
        """End the connection."""
        self.ended = True
        if not self.loop.is_closed():
            self._transport.abort()


class Connections:
    """The connections to one venue, for the tasks of one event loop."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._context = ssl.create_default_context() if http.secure else None
        self._idle: Idle[Line] = Idle(lambda line: line.ended or has_ended(line.socket()))
        self._under_way = asyncio.Semaphore(CONNECTIONS_MAX)
        shown = f"[{http.host}]" if ":" in http.host else http.host
        self._host = shown if http.port is None else f"{shown}:{http.port}"

    async def ask(self, request: Request) -> Answer:
        """Return the answer to a request. NoAnswer."""
        async with self._under_way:
            line = self._idle.take() or await self._open_line()
            try:
                answer = await line.ask(self._encode_request(request), self._http)
            except BaseException:
                line.close()
                raise
            if line.ended:
                line.close()
            else:
                self._idle.keep(line)
            return answer

    async def _open_line(self) -> Line:
        http = self._http
        port = http.port or (443 if http.secure else 80)
        connecting = asyncio.get_running_loop().create_connection(
            lambda: Line(http.timeout_s), http.host, port, ssl=self._context
        )
        try:
            async with asyncio.timeout(http.timeout_s):
                _, line = await connecting
        except OSError as problem:
            raise NoAnswer(str(problem), kind=type(problem).__name__, sent=False) from None
        return line

    def _encode_request(self, request: Request) -> bytes:
        method, target, headers, body = request
        head = [f"{method} {target} HTTP/1.1", f"Host: {self._host}", "Accept-Encoding: identity"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        if body or method in BODIES:
            head.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*head, "", ""]).encode("latin-1") + body

    def close(self) -> None:
        """Close the connections."""
        self._idle.close()
