"""The proxy between a bot and its venue: it forwards bytes, counts requests, and moves venue time.

Venue time stands still, and advances a little before each request of the bot: so a run depends on
the order of its requests, not on the machine's speed. Requests are served one at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct

from venue.api.operation import VENUE
from venue.crashtest.record import Record, RecordedExchange
from venue.crashtest.tunnel import PIECE, Streams, Tunnel

HEAD_MAX: Final = 65_536
BODY_MAX: Final = 1_000_000
ANSWER_MAX: Final = 64_000_000
CONNECTIONS_MAX: Final = 100
NOT_YOURS: Final = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
SETTLE_S: Final = 0.004  # in which a bot reads the frames of its streams
HEARD_S: Final = 0.001  # in which frames that a bot has sent are read
OURS: Final = f"{VENUE.prefix}/"  # operator paths


class CutOff(Exception):
    """The connection has ended: the other side closed it, or does not speak HTTP."""


class BehindDoor(Struct, frozen=True):
    """The run that a proxy belongs to. `port()` is the venue's port, `now()` its time (ms);
    `before` is awaited before each request is served. After `look` was awaited, all due frames have
    been sent. `wrong` is called with the rule that the bot broke, and how."""

    port: Callable[[], int]
    now: Callable[[], int]
    before: Callable[[RecordedExchange], Awaitable[None]]
    look: Callable[[], Awaitable[None]]
    wrong: Callable[[str, str], None]


class BotDoor:
    """A loopback port for one bot."""

    def __init__(self, behind: BehindDoor) -> None:
        self.record = Record()
        self.flooded = False  # with connections
        self.held = False  # whether frames were ever held back
        self._holding = False
        self._last = time.monotonic()  # when the last request came
        self._behind = behind
        self._tunnels: set[Tunnel] = set()
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        """Start to listen; return the address."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=HEAD_MAX)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Accept no more connections, and end all open ones."""
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Abort all connections, as if the venue had crashed."""
        for writer in list(self._writers):
            writer.transport.abort()

    def quiet_since(self) -> float:
        """Return when the bot last sent something (monotonic, s)."""
        return max([self._last, *(one.last_said for one in self._tunnels)])

    def listens(self) -> bool:
        """Return whether the bot has an open stream."""
        return bool(self._tunnels)

    def hold(self) -> None:
        """Hold back all frames from now on, also of streams that are opened later."""
        self._holding = True
        for tunnel in self._tunnels:
            self._hold(tunnel)

    def _hold(self, tunnel: Tunnel) -> None:
        self.held = True
        tunnel.hold()

    def release(self) -> None:
        """Send the frames that were held back to the bot."""
        self._holding = False
        for tunnel in self._tunnels:
            tunnel.release()

    async def settle(self) -> None:
        """Wait until the bot's streams have sent it all frames that are due."""
        if self.listens():
            for tunnel in self._tunnels:
                tunnel.said = False
            await self._behind.look()
            await asyncio.sleep(SETTLE_S)

    async def _hear_out(self) -> None:
        """Wait until frames that the bot sent on its streams have taken effect."""
        if self.listens():
            await asyncio.sleep(HEARD_S)
            if any(tunnel.said for tunnel in self._tunnels):
                await self.settle()

    def note_time(self) -> None:
        """Note that time was advanced without a request."""
        self._last = time.monotonic()

    def in_turn(self) -> asyncio.Lock:
        """Return the lock that is held while a request is served, or time is advanced."""
        return self._turn

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._tasks) >= CONNECTIONS_MAX:
            self.flooded = True
            writer.transport.abort()
            return
        self._tasks.add(task)
        self._writers.add(writer)
        upstream: list[Streams] = []
        try:
            while await self._serve((reader, writer), upstream):
                pass
        except (CutOff, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            pass  # the run is over
        finally:
            self._tasks.discard(task)
            self._writers.discard(writer)
            for _, other in upstream:
                other.transport.abort()
            await _gone(writer)

    async def _serve(self, bot: Streams, upstream: list[Streams]) -> bool:
        """Serve one request; return whether the connection may carry another one."""
        head = await bot[0].readuntil(b"\r\n\r\n")
        lines, fields = _parsed(head)
        parts = lines.split(" ")
        if len(parts) != 3:
            raise CutOff
        method, target, _ = parts
        body = await bot[0].readexactly(_length(fields, BODY_MAX))
        if OURS in target:
            bot[1].write(NOT_YOURS)
            return False
        self._last = time.monotonic()
        async with self._turn:
            if bot[1].transport.is_closing():
                raise CutOff
            if fields.get("upgrade", "").lower() == "websocket":
                self.record.sockets += 1
                venue = await self._venue(upstream)
                venue[1].write(_without_compression(head))
                tunnel = Tunnel(bot, venue, target, self.record, self._behind.wrong)
                await tunnel.open()
                passing = asyncio.create_task(self._forward_stream(tunnel))
                await asyncio.sleep(SETTLE_S)  # a bot subscribes at once
            else:
                await self._hear_out()
                exchange = self.record.begin(method, target, body, self._last)
                await self._behind.before(exchange)
                await self.settle()
                if bot[1].transport.is_closing():  # cut by an act before the request
                    raise CutOff
                venue = await self._venue(upstream)
                venue[1].write(head + body)
                return await self._answer(venue[0], bot[1], exchange)
        await passing
        return False

    async def _venue(self, upstream: list[Streams]) -> Streams:
        """Return the connection to the venue that belongs to the bot's connection."""
        if not upstream or upstream[0][0].at_eof() or upstream[0][1].transport.is_closing():
            for _, other in upstream:
                other.transport.abort()
            made = await asyncio.open_connection("127.0.0.1", self._behind.port(), limit=HEAD_MAX)
            upstream[:] = [made]
        return upstream[0]

    async def _answer(
        self, venue: asyncio.StreamReader, bot: asyncio.StreamWriter, exchange: RecordedExchange
    ) -> bool:
        """Forward an answer after the frames that are due by then; return whether the connection
        stays open."""
        try:
            head = await venue.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            await self.settle()
            raise CutOff from None
        line, fields = _parsed(head)
        length = _length(fields, ANSWER_MAX)
        body = b""
        while len(body) < length and (piece := await venue.read(min(PIECE, length - len(body)))):
            body += piece
        await self.settle()
        bot.write(head + body)
        await bot.drain()
        if len(body) < length:
            raise CutOff
        exchange.status = int(line.split(" ")[1])
        exchange.answer = body
        with suppress(ValueError):
            exchange.retry_after = float(fields.get("retry-after", "0"))
        self.record.add_answer(exchange, self._behind.now())
        return fields.get("connection", "").lower() != "close"

    async def _forward_stream(self, tunnel: Tunnel) -> None:
        """Forward a stream until one side ends it."""
        self._tunnels.add(tunnel)
        if self._holding:
            self._hold(tunnel)
        try:
            await tunnel.run()
        finally:
            self._tunnels.discard(tunnel)


def _parsed(head: bytes) -> tuple[str, dict[str, str]]:
    """Return the first line, and the header fields by their names in lower case."""
    line, *rest = head.decode("latin-1").split("\r\n")
    pairs = [part.partition(":") for part in rest if part]
    return line, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _length(fields: dict[str, str], most: int) -> int:
    """Return the length of a body. CutOff: the header fields give it in an unsupported way."""
    text = fields.get("content-length", "0")
    if "transfer-encoding" in fields or not text.isdecimal() or int(text) > most:
        raise CutOff
    return int(text)


def _without_compression(head: bytes) -> bytes:
    """Return the request for a stream, changed so that frames are not compressed and can be read
    here."""
    lines = head.split(b"\r\n")
    kept = [one for one in lines if not one.lower().startswith(b"sec-websocket-extensions:")]
    return b"\r\n".join(kept)


async def _gone(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
