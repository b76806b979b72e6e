"""A bot's stream on its way through a crash test: passed on, held back, and watched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from support.waits import WAIT_S
from venue.crashtest import judge, tunnel
from venue.crashtest.record import Record
from venue.crashtest.tunnel import Streams, Tunnel

HEAD = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"


class Between:
    """A tunnel between the two ends of real connections; the far ends are a bot's and a venue's."""

    def __init__(self, record: Record, path: str) -> None:
        self.record = record
        self.path = path
        self.wrong: list[tuple[str, str]] = []

    async def __aenter__(self) -> Between:
        self.bot, bot_side = await pair()
        self.venue, venue_side = await pair()
        self.ends = (self.bot, bot_side, self.venue, venue_side)
        self.tunnel = Tunnel(bot_side, venue_side, self.path, self.record, self.found)
        self.say(HEAD)
        await self.tunnel.open()
        self.running = asyncio.create_task(self.tunnel.run())
        assert await self.heard(len(HEAD)) == HEAD
        return self

    async def __aexit__(self, *_: object) -> None:
        self.running.cancel()
        await asyncio.wait([self.running])
        for end in self.ends:
            end[1].transport.abort()
        for end in self.ends:
            with suppress(OSError):
                await end[1].wait_closed()

    def found(self, rule: str, words: str) -> None:
        self.wrong.append((rule, words))

    def say(self, data: bytes) -> None:
        self.venue[1].write(data)

    async def heard(self, size: int) -> bytes:
        """The next `size` bytes that reached the bot."""
        return await self.bot[0].readexactly(size)


async def pair() -> tuple[Streams, Streams]:
    """Both ends of a connection."""
    came: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(
        lambda reader, writer: came.set_result((reader, writer)), "127.0.0.1", 0
    )
    near = await asyncio.open_connection(*server.sockets[0].getsockname())
    far = await came
    server.close()
    return near, far


def frame(payload: bytes, opcode: int = 1) -> bytes:
    """A server's frame."""
    size = len(payload)
    if size < 126:
        return bytes([128 | opcode, size]) + payload
    return bytes([128 | opcode, 126]) + size.to_bytes(2) + payload


def between(test: Callable[[Between], Awaitable[None]], path: str = "/spot/v3/ws/private") -> None:
    async def run() -> None:
        async with asyncio.timeout(WAIT_S), Between(Record(), path) as made:
            await test(made)

    asyncio.run(run())


def test_frames_pass_and_those_of_the_account_are_kept() -> None:
    async def test(made: Between) -> None:
        long = b"x" * 300
        sent = frame(b'{"orderId":"17"}') + frame(b"", 9) + frame(long)
        made.say(sent)
        assert await made.heard(len(sent)) == sent
        assert [one for _, one in made.record.frames] == [b'{"orderId":"17"}', long]

    between(test)


def test_what_is_held_comes_later_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "HELD_MAX", 3)
    frames = [frame(bytes([65 + at])) for at in range(6)]

    async def test(made: Between) -> None:
        made.tunnel.hold()
        made.say(b"".join(frames[:2]))
        made.bot[1].write(b"hello")  # nobody holds back what the bot says
        assert await made.venue[0].readexactly(5) == b"hello"
        assert made.record.frames == []
        made.tunnel.release()
        assert await made.heard(6) == b"".join(frames[:2])
        made.tunnel.hold()
        made.say(b"".join(frames[2:]))  # more than can wait
        assert await made.heard(12) == b"".join(frames[2:])

    between(test)


def test_a_market_is_seen_when_its_frame_has_come() -> None:
    async def test(made: Between) -> None:
        sent = frame(b'{"e":"depth","E":7,"s":"BTCUSDT"}') + frame(b"no json")
        made.say(sent)
        await made.heard(len(sent))
        body = b'{"symbol":"BTCUSDT","side":"BUY","quantity":"1"}'
        assert made.record.begin("POST", "/api/v3/order", body, 0.0).seen == 7
        other = body.replace(b"BTC", b"ETH")
        assert made.record.begin("POST", "/api/v3/order", other, 0.0).seen is None
        assert made.record.frames == []

    between(test, "/spot/v3/ws/public")


@pytest.mark.parametrize(
    ("code", "found"),
    [(1008, [(judge.MISUSE, "1008 too slow")]), (1001, []), (1012, [])],
)
def test_a_stream_that_the_venue_closes(code: int, found: list[tuple[str, str]]) -> None:
    async def test(made: Between) -> None:
        sent = frame(code.to_bytes(2) + b"too slow", 8)
        made.say(sent)
        assert await made.heard(len(sent)) == sent
        assert made.wrong == found

    between(test)


def test_a_bot_that_reads_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "STALL_S", 0.01)

    async def test(made: Between) -> None:
        made.bot[1].transport.pause_reading()  # type: ignore[attr-defined]
        made.say(frame(b"x" * 60_000) * 200)
        await asyncio.wait([made.running])
        assert made.wrong == [(judge.UNREAD, "a stream was not read for 0.01 s")]

    between(test)
