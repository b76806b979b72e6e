"""Connections that wait for their next request."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, Protocol, TypeVar

IDLE_MAX: Final = 16  # connections kept open
# A venue closes a connection that is idle for 60 s, a proxy maybe sooner. A request that meets the
# end on its way fails though nothing was done.
IDLE_S: Final = 30.0


class Closable(Protocol):
    """A connection."""

    def close(self) -> None: ...


class HasFile(Protocol):
    """A socket."""

    def fileno(self) -> int: ...


C = TypeVar("C", bound=Closable)


class Idle(Generic[C]):
    """Open connections without a request, the newest last. Threads may share it.

    `ended` says whether a connection is of no use any more.
    """

    def __init__(self, ended: Callable[[C], bool]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._kept: list[tuple[C, float]] = []  # and since when, monotonic
        self._closed = False

    def take(self) -> C | None:
        """Return a connection that can be used; None: open one."""
        with self._lock:
            while self._kept:
                connection, since = self._kept.pop()
                if time.monotonic() - since <= IDLE_S and not self._ended(connection):
                    return connection
                connection.close()
        return None

    def keep(self, connection: C) -> None:
        """Keep a connection for the next request, or close it."""
        with self._lock:
            if not self._closed and len(self._kept) < IDLE_MAX:
                self._kept.append((connection, time.monotonic()))
                return
        connection.close()

    def close(self) -> None:
        """Close the connections, and those that come back later."""
        with self._lock:
            self._closed = True
            kept, self._kept = self._kept, []
        for connection, _ in kept:
            connection.close()


def has_ended(socket: HasFile) -> bool:
    """Return whether there is something to read, which is the end: no request waits for an
    answer."""
    with selectors.DefaultSelector() as selector:  # `select` takes no more than 1,024 files
        selector.register(socket, selectors.EVENT_READ)
        return bool(selector.select(0))
