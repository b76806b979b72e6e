"""The HTTP server around the application: one process, one loop, ready when it listens."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Generator
from typing import Any, Final, cast

import uvicorn

POLL_S: Final = 0.002  # how often start-up looks whether the server listens
SHUTDOWN_S: Final = 3  # how long open connections may take to finish


class Server(uvicorn.Server):
    """A server whose signals belong to `main`: it must close the rooms before the process ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def make_server(
    app: Callable[..., Any],
    protocol: type[asyncio.Protocol],
    streams: Callable[..., Any] | None = None,
) -> Server:
    """A server for the application; `protocol` parses HTTP, `streams` takes upgrades."""
    config = uvicorn.Config(
        app,
        loop="none",
        http=protocol,
        ws="none" if streams is None else cast(type[asyncio.Protocol], streams),
        lifespan="off",
        proxy_headers=False,  # who calls is who is connected: X-Forwarded-For is the caller's word
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    return Server(config)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; OSError when the address is taken or not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(2048)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound


async def started(server: Server, serving: asyncio.Task[None]) -> None:
    """Wait until the server listens; raises what ended it instead."""
    while not server.started:
        if serving.done():
            serving.result()
            raise RuntimeError("the server ended before it listened")
        await asyncio.sleep(POLL_S)
