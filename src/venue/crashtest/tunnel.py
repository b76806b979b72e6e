"""Forwards a bot's socket through the proxy: frames are forwarded, recorded and held back one by
one.

Frames of the venue are parsed one by one, so that the record knows which ones a bot got, and when.
Bytes of the bot are forwarded as they come: the venue refuses bad ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Final

import msgspec
from msgspec import Struct

from venue.api.streams.channels import SOCKETS
from venue.crashtest import judge
from venue.crashtest.record import Record

PIECE: Final = 65_536
FRAME_MAX: Final = 64_000_000
HELD_MAX: Final = 10_000  # frames that wait for a bot, at most
SEND_BYTES: Final = 16_384  # on their way to a bot; the system would take megabytes
STALL_S: Final = 3.0  # a bot that takes nothing for so long does not read
MISUSE: Final = (1002, 1003, 1007, 1008, 1009)  # closed because of the client's fault
TEXT, CLOSE = 1, 8
WORDS_MAX: Final = 150

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class MarketFrame(Struct):
    """The part of a frame that names its market and the venue time of its data (ms)."""

    symbol: str = msgspec.field(name="s", default="")
    time: int = msgspec.field(name="E", default=0)


_decode: Final = msgspec.json.Decoder(MarketFrame).decode
_SOCKETS: Final = {socket.path: socket for socket in SOCKETS}


class Tunnel:
    """One stream. `wrong` is called with the bot's faults on it."""

    def __init__(
        self,
        bot: Streams,
        venue: Streams,
        path: str,
        record: Record,
        wrong: Callable[[str, str], None],
    ) -> None:
        self._bot = bot
        self._venue = venue
        self._socket = _SOCKETS.get(path.partition("?")[0])
        self._record = record
        self._wrong = wrong
        self._upgraded = False
        self._held: list[bytes] | None = None
        self.said = False  # a frame of the bot that may not have had its effect
        self.last_said = 0.0  # when the bot sent something, in the loop's time

    async def open(self) -> None:
        """Forward the venue's answer to the upgrade. IncompleteReadError: there is none."""
        transport = self._bot[1].transport
        with suppress(OSError):
            transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_SNDBUF, SEND_BYTES)
        head = await self._venue[0].readuntil(b"\r\n\r\n")
        self._upgraded = b" 101 " in head.partition(b"\r\n")[0]
        self._bot[1].write(head)

    async def run(self) -> None:
        """Forward the stream, both ways, until one side ends it."""
        both = [asyncio.create_task(self._hear()), asyncio.create_task(self._tell())]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    def hold(self) -> None:
        """Hold back the frames from now on."""
        self._held = self._held or []

    def release(self) -> None:
        """Send the held frames, in order."""
        held, self._held = self._held, None
        for frame in held or ():
            self._send(frame)

    async def _hear(self) -> None:
        """Forward the bot's bytes."""
        reader, writer = self._bot[0], self._venue[1]
        while piece := await reader.read(PIECE):
            self.last_said = asyncio.get_running_loop().time()
            self.said = True
            writer.write(piece)
            await writer.drain()

    async def _tell(self) -> None:
        """Forward the venue's frames, or its refusal of the stream."""
        reader, writer = self._venue[0], self._bot[1]
        if not self._upgraded:
            while piece := await reader.read(PIECE):
                writer.write(piece)
            await writer.drain()
            return
        while True:
            frame = await _frame(reader)
            if self._held is not None and len(self._held) < HELD_MAX:
                self._held.append(frame)
            else:
                self.release()  # so many that they cannot wait
                self._send(frame)
            try:
                async with asyncio.timeout(STALL_S):
                    await writer.drain()
            except TimeoutError:
                self._wrong(judge.UNREAD, f"a stream was not read for {STALL_S:g} s")
                writer.transport.abort()
                return

    def _send(self, frame: bytes) -> None:
        self._bot[1].write(frame)
        payload = frame[_head_length(frame) :]
        opcode = frame[0] & 15
        if opcode == CLOSE and int.from_bytes(payload[:2]) in MISUSE:
            words = " ".join(payload[2:].decode("utf-8", "replace").split())[:WORDS_MAX]
            self._wrong(judge.MISUSE, f"{int.from_bytes(payload[:2])} {words}".strip())
        elif opcode == TEXT:
            self._keep(payload)

    def _keep(self, payload: bytes) -> None:
        """Record a frame that the bot got."""
        socket = self._socket
        if socket is None or socket.private:
            self._record.add_frame(payload)
            return
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            told = _decode(payload)
            if told.symbol:
                market = (socket.product.name.lower(), told.symbol)
                self._record.add_market_seen(market, told.time, stream=True)


async def _frame(reader: asyncio.StreamReader) -> bytes:
    """Return the next whole frame of a server. IncompleteReadError: there is none."""
    head = await reader.readexactly(2)
    length = head[1] & 127
    if length > 125:
        more = await reader.readexactly(2 if length == 126 else 8)
        head, length = head + more, int.from_bytes(more)
    if length > FRAME_MAX:
        raise asyncio.IncompleteReadError(head, length)
    return head + await reader.readexactly(length)


def _head_length(frame: bytes) -> int:
    return {126: 4, 127: 10}.get(frame[1] & 127, 2)
