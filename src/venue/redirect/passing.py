"""Passes the requests of a connection on to the venue, with the names that the venue has."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from venue.redirect.hosts import HERE, PLAIN_PORT, SECURE_PORT, is_exchange, split_port, venue_path
from venue.redirect.traffic import Traffic, count

HEAD_MAX: Final = 65_536
PIECE: Final = 65_536
BODY_MAX: Final = 1_000_000  # of a request in chunks
END: Final = b"\r\n\r\n"
VIA: Final = ("Via", "1.1 venue-with")
NOBODY: Final = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\nContent-Length: 44\r\n"
    b'Connection: close\r\n\r\n{"code":-1001,"msg":"No venue answers now."}'
)
BAD: Final = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Garbled(Exception):
    """The bytes are no request of HTTP/1.1."""


class Head(NamedTuple):
    """The head of a request: its first line's parts, and its fields in their order."""

    method: str
    target: str
    version: str
    fields: list[tuple[str, str]]

    def get(self, name: str) -> str:
        """Return the first field of a name; empty when there is none."""
        return next((value for one, value in self.fields if one.lower() == name), "")

    @property
    def is_stream(self) -> bool:
        """Whether it asks for a socket; programs may offer other protocols, which nobody takes."""
        return self.get("upgrade").lower() == "websocket"

    def alone(self) -> Head:
        """Return the same as the last request of a connection, unless it opens a stream."""
        if self.is_stream:
            return self
        fields = [one for one in self.fields if one[0].lower() != "connection"]
        return self._replace(fields=[*fields, ("Connection", "close")])

    def packed(self) -> bytes:
        """Return its bytes."""
        lines = [f"{self.method} {self.target} {self.version}"]
        lines += [f"{name}: {value}" for name, value in self.fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Address(NamedTuple):
    """Where the venue is; `prefix` is a world's path."""

    host: str
    port: int
    secure: bool
    prefix: str

    @property
    def place(self) -> str:
        """As requests name it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def own_port(self) -> int:
        """The port of loopback at which its programs know it; 0 when they know another host."""
        here = self.host in HERE and not self.secure
        return self.port if here and self.port not in (PLAIN_PORT, SECURE_PORT) else 0

    async def connect(self) -> Streams:
        """Return a connection. Raises OSError."""
        context = ssl.create_default_context() if self.secure else None
        return await asyncio.open_connection(self.host, self.port, ssl=context, limit=HEAD_MAX)


def address(url: str) -> Address:
    """Return the parts of a venue's address, which is right."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (SECURE_PORT if secure else PLAIN_PORT)
    return Address(parts.hostname or "", port, secure, parts.path.rstrip("/"))


def parsed(data: bytes) -> Head:
    """Return the head of a request. Garbled."""
    line, *rest = data.removesuffix(END).decode("latin-1").split("\r\n")
    parts = line.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise Garbled
    fields = []
    for one in rest:
        name, colon, value = one.partition(":")
        if not colon or not name.strip():
            raise Garbled
        fields.append((name, value.strip()))
    method, target, version = parts
    return Head(method, target, version, fields)


async def serve(client: Streams, venue: Address, traffic: Traffic, first: bytes = b"") -> None:
    """Pass on the requests of a connection, and their answers, until one side ends it. `first`
    is a head that was read before. A connection that ends early raises OSError or EOFError."""
    reader, writer = client
    upstream: Streams | None = None
    answers: asyncio.Task[None] | None = None
    try:
        while data := first or await _head(reader):
            first = b""
            head = parsed(data)
            if upstream is None:
                try:
                    upstream = await venue.connect()
                except OSError:
                    traffic.unanswered += 1
                    writer.write(NOBODY)
                    return
                answers = asyncio.create_task(_answer(upstream[0], writer))
            if is_exchange(name := _name(head)):
                count(traffic.served, name)
            body = b""
            if head.get("transfer-encoding"):
                head, body = await _whole(head, reader)
            upstream[1].write(_for_venue(head, venue).packed() + body)
            if head.is_stream:
                await copy(reader, upstream[1])
                return
            await _pass_body(head, reader, upstream[1], len(body))
        if answers is not None and upstream is not None:
            if upstream[1].can_write_eof():
                upstream[1].write_eof()
            await answers
    except (Garbled, ValueError, asyncio.LimitOverrunError):
        writer.write(BAD)
    finally:
        if answers is not None:
            answers.cancel()
        if upstream is not None:
            upstream[1].transport.abort()


async def _head(reader: asyncio.StreamReader) -> bytes:
    """Return the next head; empty when the client has no more requests."""
    try:
        return await reader.readuntil(END)
    except asyncio.IncompleteReadError as problem:
        if problem.partial:
            raise
        return b""


def _name(head: Head) -> str:
    """Return the host that a request names, in small letters: the exchange's, or this machine.
    ValueError: another one, with which a page could have its visitor's browser call the venue."""
    name = split_port(head.get("host"), PLAIN_PORT)[0].lower()
    if not is_exchange(name) and name not in HERE:
        raise ValueError("another host's name")
    return name


def _for_venue(head: Head, venue: Address) -> Head:
    """Return the same request as the venue knows it: by its own name, without the exchange's. A
    program may name the exchange as its origin; no page can, as no browser takes the certificate.
    The request says that it was passed on, so that it is never taken for the operator's.
    ValueError."""
    name = _name(head)
    exchange = is_exchange(name)
    fields = [VIA]
    for field, value in head.fields:
        if field.lower() == "host":
            fields.append((field, venue.place))
        elif not (exchange and field.lower() == "origin" and _is_exchanges(value)):
            fields.append((field, value))
    target = venue.prefix + venue_path(name, head.target) if exchange else head.target
    return head._replace(target=target, fields=fields)


def _is_exchanges(origin: str) -> bool:
    return is_exchange(urlsplit(origin).hostname or "")


async def _whole(head: Head, reader: asyncio.StreamReader) -> tuple[Head, bytes]:
    """Return a request whose body comes in chunks, as one of a length: a venue takes no chunks.
    Garbled, ValueError."""
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        if not 0 < size <= BODY_MAX - len(body):
            raise Garbled
        body += (await reader.readexactly(size + 2))[:-2]
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass  # fields after the last chunk
    left = ("transfer-encoding", "content-length", "trailer")
    fields = [one for one in head.fields if one[0].lower() not in left]
    return head._replace(fields=[*fields, ("Content-Length", str(len(body)))]), body


async def _pass_body(
    head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: int
) -> None:
    """Pass on a request's body as it comes, of which `sent` bytes are there. Garbled."""
    text = head.get("content-length") or "0"
    if not text.isdecimal():
        raise Garbled
    await _pass(int(text) - sent, reader, writer)


async def _pass(size: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while size:
        data = await reader.readexactly(min(size, PIECE))
        size -= len(data)
        writer.write(data)
        await writer.drain()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on all that the venue says; the client's connection ends with it."""
    try:
        await copy(reader, writer)
    finally:
        writer.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on bytes until the reader ends, or one of both breaks."""
    with suppress(OSError):
        while data := await reader.read(PIECE):
            writer.write(data)
            await writer.drain()


async def join(one: Streams, other: Streams) -> None:
    """Pass bytes on in both directions until both sides have ended."""
    await asyncio.gather(_half(one[0], other[1]), _half(other[0], one[1]))


async def _half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await copy(reader, writer)
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
