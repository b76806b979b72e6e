"""Streams of a running venue: frames in order, over connections that come back by themselves.

No task of its own reads ahead: frames that a slow reader has not read wait in buffers of a fixed
size, then at the venue, which ends the connection of a reader that is too slow. Private channels
then go on after the last frame that the reader got; public ones begin with a snapshot.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final

from venue.client.connection import Connection, open_connection, wanted_of
from venue.client.errors import Lost, Misused, Refused, Unreachable
from venue.client.frames import Broken, Continuity, Frame, own_name
from venue.client.http import Http, check_seconds
from venue.client.tries import FIRST_WAIT_S, LONGEST_WAIT_S

QUIET_S: Final = 15.0  # of silence, until the stream asks the venue for a sign
PATIENCE_S: Final = 30.0  # without a connection, until a stream gives up
RANGE: Final = re.compile(r"from (\d+) to (\d+)$")
# Words of refusals that pass by themselves.
FOR_NOW: Final = ("history is not available", "too many requests")
GONE: Final = "invalid sequence"


class Patience:
    """How long a stream waits before its next connection: longer after each one without a frame."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._wait_s = 0.0
        self._since: float | None = None  # the loop's time since which there is no connection

    def rest(self) -> None:
        """A frame was read: the next trouble is a new one."""
        self._wait_s = 0.0

    def end(self) -> None:
        """There is a connection."""
        self._since = None

    async def wait(self, problem: Broken) -> None:
        """Wait after a problem. Unreachable: there has been no connection for too long."""
        now = asyncio.get_running_loop().time()
        if self._since is None:
            self._since = now
        if now - self._since >= self._most_s:
            self._since = None
            raise Unreachable(str(problem), unknown=False, operation="stream")
        await asyncio.sleep(min(max(self._wait_s, problem.after_s), LONGEST_WAIT_S))
        self._wait_s = max(self._wait_s * 2, FIRST_WAIT_S)


class Stream:
    """The frames of some channels of one product. Use it in an `async with`, by one task at a time.

    Private channels begin with the next change. Both raise Refused; Lost when private frames are
    no longer kept; Unreachable when no connection came about within `patience_s`; Misused. After
    `quiet_s` of silence the stream asks the venue for a sign, and without an answer it takes a new
    connection. `connections` came about; `trouble` ended the last one.
    """

    def __init__(
        self,
        http: Http,
        ping: Callable[[], Awaitable[object]],
        product: str,
        channels: tuple[str, ...],
        *,
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._http = http
        self._ping = ping
        check_seconds("quiet_s", quiet_s)
        check_seconds("patience_s", patience_s, or_none=True)
        self._wanted = wanted_of(product, channels, quiet_s)
        self._patience = Patience(patience_s)
        self._continuity = Continuity()
        if self._wanted.private:
            self._continuity.own = _numbers_of(channels)
        self._epoch: str | None = None
        self._entered = False
        self._busy = False
        self._connection: Connection | None = None
        self.connections = 0
        self.trouble = ""

    @property
    def sequences(self) -> dict[str, int]:
        """The last number read of each private channel: `NAME?from=NUMBER` goes on."""
        return dict(self._continuity.own)

    async def __aenter__(self) -> Stream:
        await self._connect()
        self._entered = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered = False
        await self._hang_up()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Frame:
        if not self._entered:
            raise Misused("use a stream in an `async with`, which closes its connection")
        if self._busy:
            raise Misused("another task reads this stream: give each task a stream of its own")
        self._busy = True
        try:
            return await self._following()
        finally:
            self._busy = False

    async def begin_again(self, why: str) -> None:
        """Give up the connection: public channels begin again with a snapshot."""
        await self._recover(Broken(why))

    async def _following(self) -> Frame:
        while True:
            try:
                frame = await (await self._connect()).frame()
                if self._continuity.takes(frame):
                    self._patience.rest()
                    return frame
            except Broken as problem:
                await self._recover(problem)

    async def _recover(self, problem: Broken) -> None:
        """Hang up, and wait as long as is due."""
        self.trouble = str(problem)
        await self._hang_up()
        await self._patience.wait(problem)

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _connect(self) -> Connection:
        """Return the connection, however many tries that takes. Refused, Lost, Unreachable."""
        while self._connection is None:
            try:
                self._connection = await self._open_connection()
            except Broken as problem:
                await self._recover(problem)
            else:
                self._patience.end()
                self.connections += 1
        return self._connection

    async def _open_connection(self) -> Connection:
        """Connect, log in, subscribe. Broken, Refused, Lost."""
        self._continuity.depths.clear()
        connection = await open_connection(self._http, self._wanted)
        try:
            names = list(self._wanted.channels)
            if self._wanted.private:
                await self._check_epoch()
                own = dict.fromkeys(own_name(one) for one in names)
                names = [f"{name}?from={await self._start_of(connection, name)}" for name in own]
            told = await connection.subscribe(names)
            if told:
                raise _not_subscribed(told)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _check_epoch(self) -> None:
        """Lost: the venue went back to an earlier state. Going back ends the venue's connections,
        so the question comes after there is a new one."""
        try:
            await self._ping()
        except (Refused, Unreachable) as problem:
            raise Broken(str(problem)) from None
        if self._epoch not in (None, self._http.epoch):
            raise Lost("the venue went back to an earlier state")
        self._epoch = self._http.epoch

    async def _start_of(self, connection: Connection, name: str) -> int:
        """Return the number after which a private channel goes on: at first the newest there is."""
        if name not in self._continuity.own:
            told = await connection.subscribe([f"{name}?from=now"])  # its refusal tells the range
            found = RANGE.search(told)
            if found is None:
                raise _not_subscribed(told)
            self._continuity.own[name] = int(found[2])
        return self._continuity.own[name]


def _numbers_of(channels: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers from which private channels are to go on. Misused."""
    found: dict[str, int] = {}
    for one in channels:
        _, mark, after = one.partition("?")
        number = after.removeprefix("from=")
        if mark and (number == after or not (number.isascii() and number.isdecimal())):
            raise Misused(f"channel {one!r}: must be as orders, or orders?from=17")
        if mark and found.setdefault(own_name(one), int(number)) != int(number):
            raise Misused(f"channel {one!r}: is asked for from two numbers")
    return found


def _not_subscribed(words: str) -> Exception:
    if any(part in words for part in FOR_NOW):
        return Broken(words)
    if GONE in words:
        return Lost(words)
    return Refused(0, "STREAM", words, 400)
