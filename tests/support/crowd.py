"""A crowd of raw stream clients in one process: some listen, others stall, half-close or flood."""

from __future__ import annotations

import asyncio
import json
import socket
import zlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, cast

from support.waits import WAIT_S

SPOT: Final = "/spot/v3/ws/public"
CONTRACT: Final = "/contract/v3/ws/public"
KEY: Final = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
DEFLATE: Final = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
MASK: Final = bytes(4)
PINGS: Final = b"\x89\x80" + MASK
BURST: Final = 60  # pings at once: two of these in a second are more than a stream may send
SMALL: Final = 4096  # bytes a stalled client lets the system receive for it


def frame(opcode: int, payload: bytes) -> bytes:
    """A client's frame; the mask is zero."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | opcode, 0x80 | size)) + MASK + payload
    return bytes((0x80 | opcode, 0xFE)) + size.to_bytes(2, "big") + MASK + payload


def ask(method: str, channels: Sequence[str], number: int = 1) -> bytes:
    """A message about channels."""
    message = {"method": method, "params": list(channels), "id": number}
    return frame(TEXT, json.dumps(message).encode())


class Client(asyncio.Protocol):
    """One stream from one address. `heard` are all text messages, `pongs` are counted."""

    def __init__(self, path: str, headers: dict[str, str], *, deflated: bool = False) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._head = (
            f"GET {path} HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\n{KEY}{DEFLATE if deflated else ''}{lines}\r\n"
        ).encode()
        self._data = b""
        self._changed = asyncio.Event()
        self.status = 0
        self.heard: list[bytes] = []
        self.pongs = 0
        self.closed: bytes | None = None  # the payload of the close frame
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._head)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True
        self._changed.set()

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self.status:
            head, found, rest = self._data.partition(b"\r\n\r\n")
            if not found:
                return
            self.status, self._data = int(head.split()[1]), rest
        if self.status == 101:
            self._take_frames()
        self._changed.set()

    def _take_frames(self) -> None:
        data, at = self._data, 0
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if len(data) < start + size:
                break
            self._take(data[at], data[start : start + size])
            at = start + size
        self._data = data[at:]

    def _take(self, first: int, payload: bytes) -> None:
        opcode = first & 0x0F
        if opcode == TEXT:
            if first & 0x40:
                payload = zlib.decompressobj(-15).decompress(payload + b"\x00\x00\xff\xff")
            self.heard.append(payload)
        elif opcode == PONG:
            self.pongs += 1
        elif opcode == CLOSE:
            self.closed = payload

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what comes to make this true, or for the end."""
        async with asyncio.timeout(WAIT_S):
            while not (condition() or self.gone):
                self._changed.clear()
                await self._changed.wait()

    def frames(self, channel: str) -> list[bytes]:
        """The frames of a channel after its snapshots; by the beginning of the text."""
        mark = b'{"e":"%s",' % channel.encode()
        return [text for text in self.heard if text.startswith(mark)]


class Crowd:
    """Opens clients from several addresses of this machine and ends them all."""

    def __init__(self, port: int, sources: Sequence[str]) -> None:
        self._port = port
        self._sources = sources
        self._count = 0
        self.clients: list[Client] = []

    async def open(
        self, path: str, headers: dict[str, str] | None = None, *,
        deflated: bool = False, small: bool = False,
    ) -> Client:  # fmt: skip
        """A client that was answered; `small`: the system receives little for it."""
        source = self._sources[self._count % len(self._sources)]
        self._count += 1
        made = socket.socket()
        if small:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        made.setblocking(False)
        made.bind((source, 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(made, ("127.0.0.1", self._port))
        client = Client(path, headers or {}, deflated=deflated)
        await loop.create_connection(lambda: client, sock=made)
        self.clients.append(client)
        await client.until(lambda: bool(client.status))
        return client

    def close(self) -> None:
        """End all at once."""
        for client in self.clients:
            client.transport.abort()


async def side_by_side(makers: Sequence[Callable[[], Awaitable[Any]]], at_once: int) -> list[Any]:
    """The results of all, so many of them under way at once."""
    free = asyncio.Semaphore(at_once)

    async def one(make: Callable[[], Awaitable[Any]]) -> Any:
        async with free:
            return await make()

    return list(await asyncio.gather(*(one(make) for make in makers)))
