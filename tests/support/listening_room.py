"""The venue in this process, with limits for its streams that a test can reach."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import uvloop

from support.client import Client
from support.waits import WAIT_S
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.origins import Origins
from venue.gateway.streams.connection import SocketConnection
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SocketLimits, Timing
from venue.gateway.streams.sockets import Sockets
from venue.gateway.transport.server import Server, listen
from venue.history.frames_kept import FRAMES_KEPT
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.requests import dispatcher, operator_door

T = TypeVar("T")
KEYS = {
    account.name: {"key": account.key, "secret": account.secret, "passphrase": demo.PASSPHRASE}
    for account in demo.ACCOUNTS
}


class ListeningRoom:
    """Serves on a thread; ready when constructed. Use it in a `with`."""

    def __init__(
        self,
        limits: SocketLimits,
        http: HttpLimits | None = None,
        frames_kept: int = FRAMES_KEPT,
        clock: SystemClock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._limits = limits
        self._frames_kept = frames_kept
        self._http = http or HttpLimits()
        self._bound = listen("127.0.0.1", 0)
        self.port: int = self._bound.getsockname()[1]
        self._ready = threading.Event()
        self._server: Server | None = None
        self._clients: list[Client] = []
        self._thread = threading.Thread(target=lambda: uvloop.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(WAIT_S)

    async def _serve(self) -> None:
        options = Options(
            port=self.port, agents=False, history=False, limits=False,
            frames_kept=self._frames_kept,
        )  # fmt: skip
        self._loop = asyncio.get_running_loop()
        async with open_venue(options, self._clock, lambda problem: None) as door:
            node = door.node
            hub = Hub(door, Timing(depth_s=0.0, ticker_s=0.0, kline_s=0.0))
            node.outbox.follow(hub.follow)
            origins = Origins()
            requests = dispatcher(door, options, origins, operator_door(options))
            authenticator = Authenticator(door.keys.ring, node.clock)
            sockets = Sockets(door, hub, authenticator, self._limits, requests.table, origins)
            node.reverts.tell("sockets", sockets.go_back)
            self._server = await Server.start(self._bound, self._http, requests.serve, sockets)
            self._node, self._sockets = node, sockets
            self.door, self.hub, self._stopping = door, hub, asyncio.Event()
            self._ready.set()
            await self._stopping.wait()
            await self._server.stop()
            await sockets.finish()

    def do(self, act: Callable[[Node], T]) -> T:
        """The result of an act on the venue's node, done in its own thread."""
        found: Future[T] = Future()

        def done() -> None:
            found.set_result(act(self._node))

        self._loop.call_soon_threadsafe(done)
        return found.result(WAIT_S)

    def settle(self) -> None:
        """Wait until nothing is left to do for connections that have ended."""
        asyncio.run_coroutine_threadsafe(self._sockets.finish(), self._loop).result(WAIT_S)

    def connection(self, port: int) -> Any:
        """The venue's end of the stream from a client's port; None when there is none. In `do`."""
        assert self._server is not None
        for found in self._server.listener.members:
            if isinstance(found, SocketConnection):
                peer = found._transport.get_extra_info("peername")
                if peer is not None and peer[1] == port:
                    return found
        return None

    def unsent(self, port: int) -> int | None:
        """How many bytes the transport holds for a client; None when its stream is gone."""
        found = self.do(lambda _: self.connection(port))
        return None if found is None else self.do(lambda _: _held(found))

    def client(self, name: str = "") -> Client:
        """A client of this venue, as a demo account; closed with it."""
        made = Client(self.port, KEYS[name] if name else None)
        self._clients.append(made)
        return made

    def __enter__(self) -> ListeningRoom:
        return self

    def __exit__(self, *_: Any) -> None:
        for client in self._clients:
            client.close()
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


def _held(connection: SocketConnection) -> int:
    return int(connection._transport.get_write_buffer_size())
