"""The HTTP server: one process, one loop; it listens when it is started."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final, cast

from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.proxies import Proxies
from venue.gateway.transport.connection import HttpConnection
from venue.gateway.transport.listener import Listener, StreamAcceptor
from venue.gateway.transport.request import Request

BACKLOG: Final = 2048
SHUTDOWN_S: Final = 3.0  # how long open connections may take to finish


class Server:
    """A listening socket and the connections that came through it."""

    def __init__(self, listener: Listener, accepting: asyncio.Server) -> None:
        self.listener = listener
        self._accepting = accepting

    @classmethod
    async def start(
        cls,
        bound: socket.socket,
        limits: HttpLimits,
        serve: Callable[[Request], None],
        streams: StreamAcceptor | None = None,
        proxies: Proxies | None = None,
        *,
        operators: OperatorDoor | None = None,
    ) -> Server:
        """Accept connections; each whole request goes to `serve`, upgrades go to `streams`."""
        loop = asyncio.get_running_loop()
        listener = Listener(limits, serve, streams, proxies or Proxies(), loop, operators=operators)
        accepting = await loop.create_server(
            lambda: cast(Any, HttpConnection(listener)), sock=bound, backlog=BACKLOG
        )
        return cls(listener, accepting)

    async def stop(self) -> None:
        """Take no more connections; open ones finish the answers under way."""
        self._accepting.close()
        await self.listener.stop(SHUTDOWN_S)


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket; OSError when the address is in use or not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
