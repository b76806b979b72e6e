"""Stream connections under random cuts and random damage, judged by what they were sent.

Whole messages must be answered in order and each once up to the damage, however the bytes are cut;
then at most one close frame, after which nothing comes. A witness beside them hears every answer
and every trade. Nothing may escape, no defect be counted, and nothing be kept of a client that has
gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import logging
import os
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, cast

from msgspec import structs
from websockets.server import ServerProtocol

from properties.stream_frames import CLOSE, PONG, TAIL, TEXT, Ack, Sent, Writer
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.origins import Origins
from venue.gateway.access.proxies import Proxies
from venue.gateway.answers.market import trade_id_text
from venue.gateway.door import Door
from venue.gateway.streams.connection import SocketConnection as Stream
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SessionLimits, SocketLimits, Timing
from venue.gateway.streams.session import Session
from venue.gateway.streams.sockets import Sockets
from venue.gateway.transport.connection import HttpConnection
from venue.gateway.transport.listener import Listener
from venue.lab import demo
from venue.lab.agents.spot import Agents
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.requests import dispatcher, operator_door

STATUS: Final = Path("/proc/self/status")
PIECES: Final = (1, 2, 7, 60, 500, 5_000)
TURNS_MAX: Final = 20_000  # of the loop, for what is under way
TRADING: Final = 20  # clients, between two steps of the market
NEWEST: Final = 500  # trades that are compared
GROWTH_MAX: Final = 64 * 1024  # kB, after the first tenth
KEPT_MAX: Final = 12  # objects of connections that may be on their way out
FREE: Final = HttpLimits(connections_per_ip=None, connections=None)
LIMITS: Final = SocketLimits(
    session=SessionLimits(changes=None, messages=None, faults=None),
    attempts=None,
    frames=None,
    connections_per_ip=None,
    connections=None,
)


class Plug:
    """The socket whose options a connection sets."""

    def setsockopt(self, *_: Any) -> None:
        """Taken."""


class Wire:
    """A transport that keeps all that is written; `pressed` says that its reader does not read."""

    def __init__(self, random: Random | None) -> None:
        self._random = random  # None: never pressed
        self.protocol: Any = None
        self.written = bytearray()
        self.closed = self.ended = self.pressed = False
        self.slow = False  # it was pressed once
        self.reading = True

    def get_extra_info(self, name: str) -> Any:
        ends = {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2), "socket": Plug()}
        return ends.get(name)

    def set_write_buffer_limits(self, **_: int) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return int(self.pressed)

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def is_closing(self) -> bool:
        return self.closed

    def write(self, data: bytes) -> None:
        assert not self.closed, "written to a client that has gone"
        assert not (self.ended and data), "written after the end"
        self.written += data
        if self._random is not None and not self.pressed and self._random.random() < 0.02:
            self.pressed = self.slow = True
            self.protocol.pause_writing()

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Streams:
    """Clients of one venue, one after another, from one seed, and a witness beside them all."""

    def __init__(self, seed: int, door: Door) -> None:
        self._random = Random(seed)
        self._front = door
        self._node = node = door.node
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(self._random, lambda: node.clock.wall() // 1000)
        origins, options = Origins(), Options(limits=False)
        requests = dispatcher(door, options, origins, operator_door(options))
        self._hub = Hub(door, Timing(depth_s=0.0, ticker_s=0.0, kline_s=0.0))
        node.outbox.follow(self._hub.follow)
        authenticator = Authenticator(door.keys.ring, node.clock)
        self._door = Sockets(door, self._hub, authenticator, LIMITS, requests.table, origins)
        self._listener = Listener(FREE, requests.serve, self._door, Proxies(), self._loop)
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        self._agents = Agents(node.engine, seed, starts)
        self._escaped: list[Any] = []
        self._witness = Wire(None)
        self._asked = 0
        self.reads = self.clients = 0

    async def run(self, reads: int) -> None:
        """Go on until so many pieces were read."""
        gc.collect()
        kept = _kept()
        for commands in (self._agents.founding, self._agents.funding):
            await self._node.submit(commands())
        self._agents.resume()
        self._loop.set_exception_handler(lambda _, context: self._escaped.append(context))
        with told() as log:
            await self._call_witness()
            files = len(os.listdir("/proc/self/fd"))
            memory = 0
            while self.reads < reads:
                if not memory and self.reads > reads // 10:
                    memory = _memory()
                await self._one()
                self.clients += 1
                if self.clients % TRADING == 0:
                    await self._trade()
                assert (self._escaped, log.getvalue()) == ([], "")
            await self._settle(kept)
            assert _memory() - memory < GROWTH_MAX
            assert len(os.listdir("/proc/self/fd")) <= files + 2
        assert self._front.stream_defects.count == 0
        self._hear_all()
        self._leave()

    # -- one client -------------------------------------------------------------------------------

    async def _one(self) -> None:
        wire = self._connected(Wire(self._random))
        stranger = self._random.random() < 0.1
        sent = None if stranger else self._writer.client()
        if sent is None:
            await self._feed(wire, self._writer.stranger())
        else:
            if self._random.random() < 0.9:  # some do not wait for the answer to their upgrade
                await self._feed(wire, sent.head)
                sent = structs.replace(sent, head=b"")
            await self._feed(wire, sent.head + sent.data)
            judge(bytes(wire.written), sent, slow=wire.slow)
        if b"HTTP/1.1 5" in wire.written:
            raise AssertionError(bytes(wire.written[:300]))
        if not wire.closed and self._random.random() < 0.5 and not wire.protocol.eof_received():
            wire.closed = True
        wire.closed = True
        wire.protocol.connection_lost(None)
        wire.protocol = None  # they name each other
        assert len(self._listener.members) == 1, "of the witness alone"

    def _connected(self, wire: Wire) -> Wire:
        wire.protocol = HttpConnection(self._listener)
        wire.protocol.connection_made(wire)
        return wire

    async def _feed(self, wire: Wire, data: bytes) -> None:
        """Send in random pieces; meanwhile read what was written, and let the loop turn."""
        random = self._random
        turns = at = 0
        whole = random.random() < 0.2  # much of it in one piece
        while (at < len(data) or wire.pressed or not wire.reading) and not wire.closed:
            if wire.ended and at >= len(data):
                break
            if wire.pressed and random.random() < 0.3:
                wire.pressed = False
                wire.protocol.resume_writing()
            if at < len(data) and wire.reading:
                size = 70_000 if whole else random.choice(PIECES)
                wire.protocol.data_received(data[at : at + size])
                at += size
                self.reads += 1
                turns = 0
                if random.random() < 0.8:
                    continue
            await asyncio.sleep(0)
            turns += 1
            assert turns < TURNS_MAX, "nobody would ever read on"

    # -- the witness ------------------------------------------------------------------------------

    async def _call_witness(self) -> None:
        wire, writer = self._connected(self._witness), self._writer
        wire.protocol.data_received(writer.head(False, "").replace(b"/contract/", b"/spot/"))
        while not wire.written.startswith(b"HTTP/1.1 101"):
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        self._say({"method": "SUBSCRIBE", "params": ["BTCUSDT@trade", "BTCUSDT@bookTicker"]})

    def _say(self, message: dict[str, Any]) -> None:
        self._asked += 1
        text = json.dumps({**message, "id": self._asked}).encode()
        self._witness.protocol.data_received(self._writer.frame(0x81, text))

    async def _trade(self) -> None:
        commands = self._agents.step()
        if commands:
            await self._node.submit(commands)
        self._say({"method": "PING"})

    def _hear_all(self) -> None:
        """The witness was answered in order, and heard every change of the book's top."""
        _, _, rest = bytes(self._witness.written).partition(b"\r\n\r\n")
        heard = [json.loads(text) for kind, text in frames(rest) if kind == TEXT]
        acks = [one["id"] for one in heard if one.get("result") is True]
        assert acks == list(range(1, self._asked + 1))
        tops = [one["u"] for one in heard if one.get("e") == "bookTicker"]
        assert tops == sorted(set(tops))
        trades = [item["t"] for one in heard if one.get("e") == "trade" for item in one["d"]]
        assert trades == sorted(set(trades))
        newest = trades[-NEWEST:]
        shown = self._node.market_data.spot.trades("BTCUSDT", len(newest))
        assert newest == [trade_id_text(trade.trade_id) for trade in shown]

    def _leave(self) -> None:
        self._witness.closed = True
        self._witness.protocol.connection_lost(None)
        self._witness.protocol = None
        assert not self._listener.members
        assert (self._hub._public, self._hub._own) == ({}, {})
        assert self._door._gate.open == self._listener.gate.open == 0

    async def _settle(self, before: int) -> None:
        """Ended connections have left nothing that only a collection of the oldest could free."""
        for _ in range(5):
            await asyncio.sleep(0)
        gc.collect(1)
        assert _kept() - before <= KEPT_MAX


def _kept() -> int:
    """How many objects of connections there are."""
    kinds = (Stream, HttpConnection, Session, ServerProtocol, asyncio.Task)
    return sum(isinstance(one, kinds) for one in gc.get_objects())


def _memory() -> int:
    """Kilobytes that this process holds."""
    (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1])


# -- what was answered ----------------------------------------------------------------------------


def judge(written: bytes, sent: Sent, *, slow: bool) -> None:
    """Check the answers to a client whose upgrade was right."""
    head, _, rest = written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 "), (head, sent)
    told = list(frames(rest))
    texts = [json.loads(text) for kind, text in told if kind == TEXT]
    assert texts[0]["event"] == "connected" if texts else slow
    acks: list[Ack] = [(one["result"], one.get("id")) for one in texts if "result" in one]
    pongs = [payload for kind, payload in told if kind == PONG]
    kinds = [kind for kind, _ in told]
    assert kinds.count(CLOSE) <= 1
    assert CLOSE not in kinds[:-1], "told after the close"
    asked = sent.items[: sent.whole]
    wanted = [item.ack for item in asked if item.ack is not None]
    answered = [pong for item in asked for pong in item.pongs]
    if sent.good:
        assert (acks, pongs, CLOSE in kinds) == (wanted, answered, False), told[-1]
        return
    if slow:  # answers that wait for a reader are dropped when its connection is closed
        wanted, answered = wanted[: len(acks)], answered[: len(pongs)]
    assert acks[: len(wanted)] == wanted, (acks, wanted)
    assert pongs[: len(answered)] == answered


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """Opcode and payload of a server's frames, of which every one is whole and unmasked."""
    found, at = [], 0
    while at < len(data):
        first, size, start = data[at], data[at + 1], at + 2
        assert size < 128
        assert first & 0x80, "in one frame"
        if size >= 126:
            width = 2 if size == 126 else 8
            size, start = int.from_bytes(data[start : start + width], "big"), start + width
        payload = data[start : start + size]
        assert len(payload) == size, "a frame in part"
        if first & 0x40:
            payload = zlib.decompressobj(-15).decompress(payload + TAIL)
        found.append((first & 0x0F, payload))
        at = start + size
    return found


@contextlib.contextmanager
def told() -> Iterator[io.StringIO]:
    """Warnings, or worse, that doors and loop log; a busy machine may delay other processes."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setLevel(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("venue.gateway", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield text
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


@contextlib.asynccontextmanager
async def streams(seed: int) -> AsyncIterator[Streams]:
    """Clients of a venue in memory."""
    options = Options(agents=False, history=False, projection=False)
    async with open_venue(options, SystemClock(), cast(Any, lambda problem: None)) as door:
        found = Streams(seed, door)
        yield found
        await found._door.finish()
