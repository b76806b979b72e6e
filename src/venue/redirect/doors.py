"""Ports of loopback to which the exchange's names lead: with TLS, without it, and a proxy."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from venue.gateway.access.peers import owner_of
from venue.redirect.hosts import PLAIN_PORT, is_exchange, split_port
from venue.redirect.isolation import Isolation
from venue.redirect.outside import NotReached, Outside
from venue.redirect.passing import (
    BAD,
    END,
    HEAD_MAX,
    Address,
    Garbled,
    Head,
    Streams,
    join,
    parsed,
    serve,
)
from venue.redirect.traffic import Traffic, count

LOOPBACK: Final = "127.0.0.1"
OPENED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
HANDSHAKE_S: Final = 30.0

Served = Callable[[Streams], Awaitable[None]]


class Ports(NamedTuple):
    """The numbers of the ports: the exchange's with TLS and without, one that takes the place of
    the venue's own, and the proxy's."""

    secure: int
    plain: int
    own: int
    proxy: int


class Doors:
    """The doors of one command. `outside` is None when everything but the venue is cut."""

    def __init__(self, venue: Address, context: ssl.SSLContext, outside: Outside | None) -> None:
        self.traffic = Traffic()
        self._venue = venue
        self._context = context
        self._outside = outside
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        context.sni_callback = self._greeted

    async def open(self, isolation: Isolation | None) -> Ports:
        """Listen on free ports, and where an isolated command is; the ports that it reaches.
        Raises OSError."""
        served = (self._at_exchange, self._at_exchange, self._at_exchange, self._at_proxy)
        secured = (self._context, None, None, None)
        free = [socket.create_server((LOOPBACK, 0)) for _ in served]
        self._secure = free[0].getsockname()[1]
        for sockets in (free, *([isolation.sockets] if isolation else [])):
            ports = [one.getsockname()[1] for one in sockets]
            for accept, context, one in zip(served, secured, sockets, strict=True):
                await self._listen(accept, context, one, inside=sockets is not free)
        return Ports(*ports)

    async def close(self) -> None:
        """Let nobody in any more, and end all connections."""
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(
        self, served: Served, context: ssl.SSLContext | None, at: socket.socket, *, inside: bool
    ) -> None:
        """Serve who connects to a socket. No other user's programs are `inside` an isolation."""

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                if inside or _is_own(writer):
                    await served((reader, writer))
                else:
                    self.traffic.strangers += 1
            except (OSError, EOFError, asyncio.LimitOverrunError):
                pass  # the program has gone
            except asyncio.CancelledError:
                pass  # the command has ended
            finally:
                self._tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(
            accept, sock=at, ssl=context, limit=HEAD_MAX,
            ssl_handshake_timeout=HANDSHAKE_S if context else None,
        )  # fmt: skip
        self._servers.append(server)

    def _greeted(self, _: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> None:
        """A program begins to speak TLS; it may not like what it hears."""
        count(self.traffic.greeted, name or "a host without a name")

    async def _at_exchange(self, program: Streams) -> None:
        """Serve a program that believes to speak with the exchange."""
        await serve(program, self._venue, self.traffic)

    async def _at_proxy(self, program: Streams) -> None:
        """Serve a program that asks for a host by its name."""
        reader, writer = program
        data = await reader.readuntil(END)
        try:
            head = parsed(data)
            if head.method == "CONNECT":
                host, port = split_port(head.target, 443)
            else:
                host, port = _named(head)
        except (Garbled, ValueError):
            writer.write(BAD)
            return
        if is_exchange(host):
            await self._to_exchange(program, head, data, port)
            return
        if self._outside is None:
            count(self.traffic.cut, host)
            writer.write(_refusal(403, "Forbidden", f"{host} is cut off: --only-venue"))
            return
        await self._to_others(program, head, host, port)

    async def _to_exchange(self, program: Streams, head: Head, data: bytes, port: int) -> None:
        if head.method != "CONNECT":
            await serve(program, self._venue, self.traffic, _in_place(head).alone().packed())
            return
        program[1].write(OPENED)
        if port == PLAIN_PORT:
            await serve(program, self._venue, self.traffic)
        else:
            door = await asyncio.open_connection(LOOPBACK, self._secure)
            await _joined(program, door)

    async def _to_others(self, program: Streams, head: Head, host: str, port: int) -> None:
        """Pass a connection on as if there were no proxy, or by the proxy that was there before."""
        assert self._outside is not None
        try:
            if head.method == "CONNECT":
                other = await self._outside.tunnel(host, port)
                program[1].write(OPENED)
            else:
                other = await self._outside.ask(host, port, head, _in_place(head))
        except NotReached as problem:
            program[1].write(_refusal(502, "Bad Gateway", str(problem)))
            return
        await _joined(program, other)


def _is_own(writer: asyncio.StreamWriter) -> bool:
    """Return whether this user's program connects, as far as the system tells: the doors speak with
    the venue, and with the proxy that was there before, in this user's name."""
    ends = [writer.get_extra_info(name) for name in ("peername", "sockname")]
    return owner_of(ends[0][:2], ends[1][:2]) in (None, os.getuid())


async def _joined(program: Streams, other: Streams) -> None:
    try:
        await join(program, other)
    finally:
        other[1].transport.abort()


def _named(head: Head) -> tuple[str, int]:
    """Return the host and the port in a target such as http://host:port/path. ValueError."""
    if not head.target.lower().startswith("http://"):
        raise ValueError("no host is named")
    return split_port(head.target[7:].partition("/")[0].rpartition("@")[2], PLAIN_PORT)


def _in_place(head: Head) -> Head:
    """Return a proxy's request as the host itself gets it."""
    place, _, path = head.target[7:].partition("/")
    left = ("proxy-connection", "proxy-authorization", "host")
    fields = [("Host", place.rpartition("@")[2])]
    fields += [(name, value) for name, value in head.fields if name.lower() not in left]
    return head._replace(target=f"/{path}", fields=fields)


def _refusal(status: int, reason: str, words: str) -> bytes:
    said = f"venue with: {words}\n".encode()
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    return head.encode() + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(said) + said
