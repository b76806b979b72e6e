"""State shared by the connections of one listening socket: limits, counts, deadlines, server."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from venue.gateway.access.connections import Gate, HttpLimits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.proxies import Proxies
from venue.gateway.transport.request import Request

SWEEP_S: Final = 0.25  # how exactly deadlines are kept
REST_S: Final = 0.01  # the least rest of a connection that was told that it asks too much
WOKEN_MAX: Final = 20  # of those at once: this bounds the cost of all refusals


class Member(Protocol):
    """A connection: HTTP, or what became of it. `due` is when it is overdue; 0.0 is never."""

    due: float

    def overdue(self, now: float) -> None:
        """The time `due` has passed."""

    def shutdown(self) -> None:
        """The server stops: finish what is being answered, then end."""

    def abort(self) -> None:
        """End at once."""


class Resting(Protocol):
    """A connection of which nothing is read for a while."""

    def wake(self) -> None:
        """It is its turn again."""


class StreamAcceptor(Protocol):
    """The receiver of upgraded connections."""

    def accepts_upgrade(self, request: Request) -> bool:
        """Return whether a request may become a stream."""

    def connection(
        self, listener: Listener, request: Request, give_up_seat: Callable[[], None]
    ) -> asyncio.Protocol:
        """Return the protocol that takes the transport over; it must leave the listener at its end.

        It keeps its seat among the connections until it has one among the streams, or ends.
        """


class Listener:
    """One listening socket's connections. `serve` gets each whole request and answers it.

    A client that may be one of its `operators` comes in beyond the limits.
    """

    def __init__(
        self,
        limits: HttpLimits,
        serve: Callable[[Request], None],
        streams: StreamAcceptor | None,
        proxies: Proxies,
        loop: asyncio.AbstractEventLoop,
        *,
        operators: OperatorDoor | None = None,
    ) -> None:
        self.limits = limits
        self.serve = serve
        self.streams = streams
        self.proxies = proxies
        self.loop = loop
        self.operators = operators or OperatorDoor()
        self.gate = Gate(limits)
        self.members: dict[Member, None] = {}
        self._resting: deque[Resting] = deque()
        self._waking: asyncio.TimerHandle | None = None
        self._sweeping: asyncio.TimerHandle | None = None
        self._empty: asyncio.Future[None] | None = None

    def enter(self, member: Member) -> None:
        """A connection is there."""
        self.members[member] = None
        if self._sweeping is None:
            self._sweeping = self.loop.call_later(SWEEP_S, self._sweep)

    def leave(self, member: Member) -> None:
        """Forget a connection that is gone, or that another member replaces."""
        del self.members[member]
        if not self.members and self._empty is not None and not self._empty.done():
            self._empty.set_result(None)

    def rest(self, connection: Resting) -> None:
        """Wake a connection after those that rest already were woken, a few at a time."""
        self._resting.append(connection)
        if self._waking is None:
            self._waking = self.loop.call_later(REST_S, self._wake)

    async def stop(self, within_s: float) -> None:
        """End all connections: in good order within a while, then the others at once."""
        for member in list(self.members):
            member.shutdown()
        if self.members:
            self._empty = self.loop.create_future()
            await asyncio.wait([self._empty], timeout=within_s)
        for member in list(self.members):
            member.abort()
        for timer in (self._sweeping, self._waking):
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        for _ in range(min(WOKEN_MAX, len(self._resting))):
            self._resting.popleft().wake()
        again = bool(self._resting)
        self._waking = self.loop.call_later(REST_S, self._wake) if again else None

    def _sweep(self) -> None:
        """End overdue connections; look again in a while, as long as there are connections."""
        now = self.loop.time()
        for member in list(self.members):
            if member.due and now >= member.due:
                member.overdue(now)
        again = bool(self.members)
        self._sweeping = self.loop.call_later(SWEEP_S, self._sweep) if again else None
