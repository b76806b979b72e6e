"""Reads a running venue's streams for a command: frames as they were sent, until a stream ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from venue.client.connection import Connection, open_connection, wanted_of
from venue.client.errors import Lost, Misused, Refused, Unreachable
from venue.client.frames import Broken, own_name
from venue.client.http import Http
from venue.client.streams import QUIET_S
from venue.lab.credentials import Credentials

OPEN_S: Final = 10.0
WAITING_MAX: Final = 1_000  # frames between the sockets and the command

Frame = dict[str, Any]


class Streams:
    """Frames of a venue's streams, private and public ones from a socket each. Use it in a `with`,
    from one thread: the sockets are read while it waits in `next`."""

    def __init__(self, url: str, product: str, account: Credentials | None) -> None:
        key = account or Credentials(url, "", "", "")
        self._http = Http(url, **key.given(), timeout_s=OPEN_S)
        self._product = product.lower()
        self._account = account
        self._runner = asyncio.Runner()
        self._waiting: asyncio.Queue[Frame | str | Lost] = asyncio.Queue(WAITING_MAX)
        self._connections: list[Connection] = []
        self._tasks: list[asyncio.Task[None]] = []

    def listen(self, channels: list[str]) -> None:
        """Subscribe to channels, private ones first. Refused, Unreachable, Misused."""
        own = [channel for channel in channels if own_name(channel)]
        public = [channel for channel in channels if not own_name(channel)]
        if own and self._account is None:
            raise Misused(f"{own[0]} is a private channel: name the owner with --as NAME")
        for names in filter(None, (own, public)):
            self._runner.run(self._begin(names))

    def next(self, wait_s: float | None = None) -> Frame | str:
        """Return the next frame, or text of `put`. Lost: a stream ended. TimeoutError: none came
        for `wait_s` seconds."""
        if self._waiting.empty():
            found = self._runner.run(self._arrived(wait_s))
        else:
            found = self._waiting.get_nowait()
        if isinstance(found, Lost):
            raise found
        return found

    def put(self, text: str) -> None:
        """Add a text that `next` returns; any thread may call this."""
        asyncio.run_coroutine_threadsafe(self._waiting.put(text), self._runner.get_loop())

    async def _arrived(self, wait_s: float | None) -> Frame | str | Lost:
        async with asyncio.timeout(wait_s):
            return await self._waiting.get()

    async def _begin(self, names: list[str]) -> None:
        """Subscribe over a new connection, and start to read it."""
        try:
            connection = await open_connection(
                self._http, wanted_of(self._product, tuple(names), QUIET_S)
            )
            self._connections.append(connection)
            told = await connection.subscribe(names)
        except Broken as problem:
            raise Unreachable(str(problem), unknown=False) from None
        if told:
            raise Refused(0, "UNKNOWN", told, 0)
        self._tasks.append(asyncio.create_task(self._follow(connection)))

    async def _follow(self, connection: Connection) -> None:
        try:
            while True:
                await self._waiting.put(json.loads((await connection.sent()).data))
        except (Broken, Unreachable) as problem:
            await self._waiting.put(Lost(str(problem)))

    async def _close(self) -> None:
        for connection in self._connections:
            await connection.close()

    def __enter__(self) -> Streams:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._close())
        self._runner.close()
