"""A crowd before a venue whose agents trade: many listen, some stall, half-close and flood.

`make crowd ARGS="SOCKETS ACTS"` runs one against a venue of its own and prints figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import uvloop
from msgspec import Struct

from support.crowd import (
    BURST,
    CONTRACT,
    PINGS,
    SPOT,
    Client,
    Crowd,
    ask,
    side_by_side,
)
from support.listening import Book, login
from support.server import Server
from support.waits import WAIT_S
from venue.api.streams.channels import SOCKETS, streams_of

SOURCES: Final = [f"127.0.0.{n}" for n in range(21, 33)]  # a dozen, 100 streams each
PRIVATE: Final = "/spot/v3/ws/private"
OWN: Final = ("orders", "fill", "account")
OPENED_AT_ONCE: Final = 50
FLOODS_OF_ONE: Final = 10  # connections that one flooding client floods, one after another
ROOTS: Final = ("BTCUSDT", "ETHUSDT", "SOLUSDT")
# The groups of listeners: path, symbol, channels, whether compressed.
GROUPS: Final = (
    (SPOT, "BTCUSDT", ("trade", "depth200", "bookTicker"), False),
    (SPOT, "ETHUSDT", ("trade", "depth15", "bookTicker", "ticker"), False),
    (CONTRACT, "BTCSUSDT", ("trade", "depth200", "ticker"), False),
    (SPOT, "BTCUSDT", ("trade", "depth15", "kline_1m_LAST_PRICE"), True),
)


class Sizes(Struct, frozen=True):
    """How many clients do what, and how many trades the test itself makes."""

    listening: int
    stalling: int
    closing: int
    flooding: int
    acts: int


class Figures(Struct):
    """The figures of a run."""

    frames: int = 0  # that the listeners heard between the first and the last common ones
    floods: int = 0  # connections that were ended for their pings
    pongs: int = 0
    stalled: int = 0  # clients for which the venue held bytes at once
    ended: int = 0  # half-closed ones that the venue let go of
    took_s: float = 0.0
    memory: int = 0  # bytes by which the venue's process grew


class Group:
    """Listeners of the same channels of one symbol."""

    def __init__(self, path: str, symbol: str, channels: tuple[str, ...]) -> None:
        self.path, self.symbol, self.channels = path, symbol, channels
        self.clients: list[Client] = []
        self._begun = 0

    def begin(self) -> None:
        """From now on all hear the same."""
        self._begun = len(self.clients[0].heard)

    async def check(self) -> int:
        """Wait for what the first one has heard; how many frames all have heard alike."""
        return sum([await self._check(channel) for channel in self.channels])

    async def _check(self, channel: str) -> int:
        mark = b'{"e":"%s",' % channel.partition("_")[0].rstrip("0125").encode()
        first = self.clients[0]

        def wanted() -> list[bytes]:
            return [text for text in first.heard[self._begun :] if text.startswith(mark)]

        await first.until(lambda: bool(wanted()))
        alike = wanted()
        for client in self.clients:
            await client.until(partial(_has, client, alike[-1]))
            assert not client.gone, (client.status, client.closed)
            heard = [text for text in client.heard if text.startswith(mark)]
            at = heard.index(alike[0])
            assert heard[at : at + len(alike)] == alike, f"{self.symbol}@{channel}"
        return len(alike) * len(self.clients)

    def frames(self, kind: str) -> list[dict[str, Any]]:
        """The frames of one kind that the first one heard since its snapshot."""
        mark = b'{"e":"%s",' % kind.encode()
        return [json.loads(text) for text in self.clients[0].heard if text.startswith(mark)]


def _answered(client: Client, pongs: int) -> bool:
    return client.pongs >= pongs or client.closed is not None


def _has(client: Client, text: bytes) -> bool:
    return text in client.heard


class Square:
    """One run. Everything but the venue lives on this loop."""

    def __init__(self, server: Server, sizes: Sizes) -> None:
        self.server = server
        self.sizes = sizes
        self.figures = Figures()
        self.crowd = Crowd(server.port, SOURCES)
        self.groups = [Group(*group[:3]) for group in GROUPS]
        self.own = Group(PRIVATE, "", OWN)
        self._alice = server.client("alice")
        self._over = False

    async def run(self) -> Figures:
        """Have them all come, trade, and check that the listeners lost nothing."""
        began, before = time.monotonic(), _memory(self.server)
        try:
            await self._listen()
            stalling = await self._gather(self.sizes.stalling, self._stall)
            closing = await self._gather(self.sizes.closing, self._listen_to_all)
            floods = [asyncio.create_task(self._flood()) for _ in range(self.sizes.flooding)]
            for group in (*self.groups, self.own):
                group.begin()
            await self._act(stalling, closing)
            self._over = True
            self.figures.floods = sum(await asyncio.gather(*floods))
            await self._check(closing)
        finally:
            self.crowd.close()
            self._alice.close()
        self.figures.took_s = time.monotonic() - began
        self.figures.memory = _memory(self.server) - before
        return self.figures

    # -- who comes --------------------------------------------------------------------------------

    async def _gather(self, count: int, make: Callable[[], Any]) -> list[Client]:
        return await side_by_side([make] * count, OPENED_AT_ONCE)

    async def _listen(self) -> None:
        """All listeners; a few hear what is told to one owner."""
        makers = []
        for number in range(self.sizes.listening):
            if number % 25 == 0:
                makers.append(self._listen_as_owner)
            else:
                group = self.groups[number % len(GROUPS)]
                makers.append(partial(self._join, group, GROUPS[number % len(GROUPS)][3]))
        await side_by_side(makers, OPENED_AT_ONCE)

    async def _join(self, group: Group, deflated: bool) -> None:
        client = await self.crowd.open(group.path, deflated=deflated)
        names = [f"{group.symbol}@{channel}" for channel in group.channels]
        await self._subscribe(client, names)
        group.clients.append(client)

    async def _listen_as_owner(self) -> None:
        headers = login(self.server.account("alice"))
        client = await self.crowd.open(PRIVATE, headers)
        await self._subscribe(client, OWN)
        self.own.clients.append(client)

    async def _subscribe(self, client: Client, names: Any) -> None:
        assert client.status == 101, client.status
        client.transport.write(ask("SUBSCRIBE", names))
        await client.until(lambda: b'{"result":true,"id":1}' in client.heard)

    async def _stall(self) -> Client:
        """Ask for everything and read nothing more."""
        client = await self.crowd.open(SPOT, small=True)
        assert client.status == 101, client.status
        client.transport.pause_reading()
        client.transport.write(ask("SUBSCRIBE", _everything()))
        return client

    async def _listen_to_all(self) -> Client:
        client = await self.crowd.open(SPOT)
        await self._subscribe(client, _everything())
        return client

    async def _flood(self) -> int:
        """Ping as fast as the answers come, until the venue ends it; again on a new connection."""
        ended = 0
        while not self._over or not ended:
            client = await self.crowd.open(SPOT)
            if client.status == 503:  # the venue has not heard of the last one's end
                continue
            while not client.gone and client.closed is None:
                client.transport.write(PINGS * BURST)
                await client.until(partial(_answered, client, client.pongs + BURST))
                if self._over and ended:
                    break
            ended += client.closed is not None
            self.figures.pongs += client.pongs
            client.transport.abort()
            self.crowd.clients.remove(client)
        return ended

    # -- what happens -----------------------------------------------------------------------------

    async def _act(self, stalling: list[Client], closing: list[Client]) -> None:
        """Trade, each trade heard before the next one; meanwhile some clients half-close."""
        witness = self.own.clients[0]
        for number in range(self.sizes.acts):
            for client in closing[number :: self.sizes.acts]:
                client.transport.write_eof()
            fills = len(witness.frames("fill"))
            await asyncio.to_thread(self._trade, number)
            await witness.until(lambda: len(witness.frames("fill")) > fills)  # noqa: B023
            assert not witness.gone
            held = await asyncio.to_thread(_held_for, self.server.port, stalling)
            self.figures.stalled = max(self.figures.stalled, held)

    def _trade(self, number: int) -> None:
        """Alice buys what an agent offers, and sells it again."""
        side = ("BUY", "SELL")[number % 2]
        order = {"symbol": "BTCUSDT", "type": "MARKET", "quantity": "0.001", "side": side}
        answer = self._alice.post("/api/v3/order", order)
        assert answer.status == 200, answer

    # -- what must have come ----------------------------------------------------------------------

    async def _check(self, closing: list[Client]) -> None:
        for client in closing:
            await client.until(lambda client=client: client.gone)  # type: ignore[misc]
        self.figures.ended = sum(client.gone for client in closing)
        for group in (*self.groups, self.own):
            self.figures.frames += await group.check()
        for group in self.groups:
            _check_book(group)
            await asyncio.to_thread(self._check_trades, group)
        for channel in OWN:
            numbers = [told["seq"] for told in self.own.frames(channel)]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), channel

    def _check_trades(self, group: Group) -> None:
        """Check the heard trades against those that the venue shows: none missing, none twice."""
        heard = [item["t"] for told in group.frames("trade") for item in told["d"]]
        root = "/api/v3/market" if group.path == SPOT else "/capi/v3/market"
        shown = self._alice.get(f"{root}/trades?symbol={group.symbol}&limit=1000").json
        ids = [trade["id"] for trade in sorted(shown, key=lambda trade: str(trade["id"]))]
        first, last = ids.index(heard[0]), ids.index(heard[-1])
        assert ids[first : last + 1] == heard


def _check_book(group: Group) -> None:
    """Every change of the book continues the one before."""
    (snapshot,) = group.frames("depthSnapshot")
    book = Book(snapshot)
    for told in group.frames("depth"):
        book.take(told)


def _everything() -> list[str]:
    """As many channels as one connection may have; candles begin with 25 kB each."""
    names = [name for name in streams_of(SOCKETS[0]) if "checksum" not in name]
    return [f"{symbol}@{name}" for symbol in ROOTS for name in names]


def _held_for(port: int, clients: list[Client]) -> int:
    """For how many clients the system holds bytes that the venue has sent."""
    ends = {_written(*client.transport.get_extra_info("sockname")) for client in clients}
    held: set[str] = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, here, there, _, queues = line.split()[:5]
        if here.endswith(f":{port:04X}") and there in ends and not queues.startswith("00000000:"):
            held.add(there)  # a connection may stand there twice while others come and go
    return len(held)


def _written(ip: str, port: int) -> str:
    """An end of a connection as the system's table writes it (proc(5))."""
    return f"{int.from_bytes(socket.inet_aton(ip), sys.byteorder):08X}:{port:04X}"


def _memory(server: Server) -> int:
    """Bytes that the venue's process holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def _files(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def hold(server: Server, sizes: Sizes) -> Figures:
    """One run from here. Waits until the venue has let go of all."""
    sockets = 2 * (sizes.listening + sizes.stalling + sizes.closing + sizes.flooding)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < sockets:  # in this process, which holds the clients
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(sockets, hard), hard))
    before = _files(server)
    figures = uvloop.run(Square(server, sizes).run())
    end = time.monotonic() + WAIT_S
    while _files(server) > before:
        assert time.monotonic() < end, "the venue keeps files of clients that are gone"
    return figures


def main(arguments: list[str]) -> int:
    """A thousand sockets unless told otherwise; seven of ten listen."""
    sockets = int(arguments[0]) if arguments else 1_000
    acts = int(arguments[1]) if len(arguments) > 1 else 100
    tenth = sockets // 10
    sizes = Sizes(sockets - 3 * tenth, tenth, tenth, tenth, acts)
    with tempfile.TemporaryDirectory() as folder, Server(folder=Path(folder)) as server:
        figures = hold(server, sizes)
        health = server.client().get("/_venue/health").json
        print(f"{sizes}\n{figures}\n{health['status']}, defects: {health['streamDefects']}")
        print(server.errors.read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
