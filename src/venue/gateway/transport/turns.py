"""The order in which requests are served when more come at once than a turn of the loop should
serve."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from venue.gateway.transport.request import Request

AT_ONCE: Final = 64  # requests in one turn of the loop: a newcomer waits for no more of others'
_KEY: Final = b"access-key"


class Turns:
    """Serves requests as they come; beyond `AT_ONCE` in a turn of the loop callers take turns.

    A caller is the key that a request names, without one its address. Keys are checked later. So a
    client with four hundred connections waits for itself, and another one for a few of its
    requests. A wrong name gains nothing but that caller's turns. Each connection has one request
    here at most.
    """

    __slots__ = ("_loop", "_served", "_waiting", "serve")

    def __init__(self, serve: Callable[[Request], None], loop: asyncio.AbstractEventLoop) -> None:
        self.serve = serve
        self._loop = loop
        self._served = 0  # in this turn of the loop
        self._waiting: dict[bytes, deque[Request]] = {}  # by caller, in the order of their turns

    def take(self, request: Request) -> None:
        """Serve a request now, or when it is its caller's turn."""
        served = self._served
        if served == 0:
            self._loop.call_soon(self._next_turn)
        if served < AT_ONCE:
            self._served = served + 1
            self.serve(request)
            return
        caller = request.headers.get(_KEY) or request.ip.encode()
        waiting = self._waiting.get(caller)
        if waiting is None:
            self._waiting[caller] = deque((request,))
        else:
            waiting.append(request)

    def _next_turn(self) -> None:
        waiting = self._waiting
        self._served = 0
        if not waiting:
            return
        self._loop.call_soon(self._next_turn)
        while waiting and self._served < AT_ONCE:
            caller = next(iter(waiting))
            own = waiting.pop(caller)
            request = own.popleft()
            if own:
                waiting[caller] = own
            self._served += 1
            self.serve(request)
