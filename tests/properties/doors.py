"""One HTTP connection under random cuts and random damage, judged by what it was sent.

The sent bytes are known: whole requests, each with a number in its path, then perhaps damage. The
answers must be those of the requests before the damage, in order and each once; then at most one
refusal, which ends the connection. Nothing may escape, and little may be kept.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, Final, cast

from properties.streams import streams
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.proxies import Proxies
from venue.gateway.transport.connection import PIECE, WAITING_MAX, HttpConnection
from venue.gateway.transport.listener import Listener
from venue.gateway.transport.request import Request

READS: Final = 5_000_000
STREAMS_SHARE: Final = 5
REQUESTS_MAX: Final = 40
ANSWERED: Final = b"HTTP/1.1 200 OK"
SMALLEST: Final = len(b"GET / HTTP/1.1\r\nHost:h\r\n\r\n")
LATER: Final = 0.3  # of the requests are answered later, as orders are
UPGRADES: Final = (b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n")


class Wire:
    """A transport of which all is kept that is written; `pressed` says when it is full."""

    def __init__(self, random: Random, connection: Callable[[], HttpConnection]) -> None:
        self._random = random
        self._connection = connection
        self.written = b""
        self.closed = False
        self.reading = True
        self.pressed = False

    def get_extra_info(self, name: str) -> Any:
        return ("127.0.0.1", 1) if name == "peername" else None

    def get_write_buffer_size(self) -> int:
        return 1 if self.pressed else 0

    def is_closing(self) -> bool:
        return self.closed

    def write(self, data: bytes) -> None:
        assert not self.closed, "written to a client that has gone"
        self.written += data
        if not self.pressed and self._random.random() < 0.02:
            self.pressed = True
            self._connection().pause_writing()

    def write_eof(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Turns:
    """The loop of the connections: callbacks wait until a turn is taken."""

    def __init__(self) -> None:
        loop = asyncio.get_event_loop()
        self.waiting: deque[Callable[[], None]] = deque()
        self.time, self.call_later = loop.time, loop.call_later

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.waiting.append(callback)


class Doors:
    """Connections of one listener, one after another, from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._later: deque[Request] = deque()
        self._served = 0
        self.reads = 0
        self._turns = Turns()
        turning = cast(asyncio.AbstractEventLoop, self._turns)
        self._listener = Listener(HttpLimits(), self._serve, None, Proxies(), turning)

    def run(self, reads: int) -> None:
        """Go on until so many pieces were read."""
        while self.reads < reads:
            self._one()

    def _one(self) -> None:
        random = self._random
        count = random.randint(1, REQUESTS_MAX)
        sent = [self._request(number) for number in range(count)]
        whole, data = count, b"".join(sent)
        if random.random() < 0.5:
            at = random.randrange(len(data))
            whole = sum(len(b"".join(sent[: n + 1])) <= at for n in range(count))
            data = self._damaged(data, at)
        self._served = 0
        self._later.clear()
        self._turns.waiting.clear()
        made: list[HttpConnection] = []
        wire = Wire(random, lambda: made[0])
        connection = HttpConnection(self._listener)
        made.append(connection)
        connection.connection_made(wire)  # type: ignore[arg-type]  # all of one that is called
        self._feed(connection, wire, data)
        self._judge(wire, whole, data)
        connection.connection_lost(None)
        assert not self._listener.members

    def _feed(self, connection: HttpConnection, wire: Wire, data: bytes) -> None:
        """Send in random pieces; meanwhile answer, and read what was written."""
        random, turns = self._random, self._turns.waiting
        while (data or self._later or wire.pressed or turns) and not wire.closed:
            choice = random.random()
            if choice < 0.2 and self._later:
                self._answer(self._later.popleft())
            elif choice < 0.4 and wire.pressed:
                wire.pressed = False
                connection.resume_writing()
            elif choice < 0.7 and turns:
                turns.popleft()()
            elif data and wire.reading:
                size = random.choice((1, 7, 60, 500, 3 * PIECE))
                connection.data_received(data[:size])
                data = data[size:]
                self.reads += 1
            assert len(connection._waiting) <= WAITING_MAX + PIECE // SMALLEST
            if not (self._later or wire.pressed or wire.reading or turns):
                raise AssertionError("nobody would ever read on")
        if not wire.closed and random.random() < 0.5:
            connection.eof_received()
        assert not turns, "a turn is taken for nothing"

    def _judge(self, wire: Wire, whole: int, data: bytes) -> None:
        answers = wire.written.split(b"HTTP/1.1 ")[1:]
        good = [answer for answer in answers if answer.startswith(b"200 ")]
        paths = [answer.partition(b"\r\n\r\n")[2].partition(b"!")[0] for answer in good[:whole]]
        assert paths == [b"%d" % number for number in range(whole)], (paths, whole, data)
        bad = [answer for answer in answers if not answer.startswith(b"200 ")]
        assert len(bad) <= 1, data
        assert not bad or answers[-1] is bad[0], data

    def _request(self, number: int) -> bytes:
        random = self._random
        upgrade = random.choice(UPGRADES)
        if random.random() < 0.5:
            return b"GET /%d HTTP/1.1\r\nHost: h\r\n%s\r\n" % (number, upgrade)
        body = random.randbytes(random.choice((0, 3, 300, 5_000)))
        head = b"POST /%d HTTP/1.1\r\nHost: h\r\n%sContent-Length: %d\r\n\r\n"
        return head % (number, upgrade, len(body)) + body

    def _damaged(self, data: bytes, at: int) -> bytes:
        random = self._random
        piece = random.randbytes(random.randint(1, 8))
        cut = random.choice((0, 1, 20))
        return data[:at] + random.choice((b"", piece, b"\r\n", b"\x00")) + data[at + cut :]

    def _serve(self, request: Request) -> None:
        assert not self._later, "two requests of one connection at once"
        if self._random.random() < LATER:
            self._later.append(request)
        else:
            self._answer(request)

    def _answer(self, request: Request) -> None:
        request.answer(200, request.path.removeprefix(b"/") + b"!")


def main(arguments: list[str]) -> int:
    """Many reads from one seed: 5,000,000 and seed 1, unless given; of streams a fifth of them."""
    reads = int(arguments[0]) if arguments else READS
    seed = int(arguments[1]) if len(arguments) > 1 else 1

    async def requests() -> int:
        doors = Doors(seed)
        doors.run(reads)
        return doors.reads

    async def frames() -> int:
        async with streams(seed) as found:
            await found.run(reads // STREAMS_SHARE)
            return found.reads

    for name, run in (("requests", requests), ("streams", frames)):
        print(f"seed {seed}: {asyncio.run(run()):,} reads of {name}, nothing found", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
