"""Admits clients to streams, and holds the state that connections share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final
from weakref import WeakSet

from venue.api import errors
from venue.api.streams.channels import Socket
from venue.core.messages.savepoints import StateReverted
from venue.gateway.access.attempts import Attempts
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.callers import Caller
from venue.gateway.access.connections import Gate, HttpLimits
from venue.gateway.access.origins import Origins
from venue.gateway.answers.market import trade_id_text
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.door import Door
from venue.gateway.streams.connection import BY_PATH, OF_PAGES, SocketConnection
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SocketLimits
from venue.gateway.streams.logins import Logins
from venue.gateway.streams.socket_orders import SocketOrders
from venue.gateway.streams.subscriber import PageStreams
from venue.gateway.transport.listener import Listener
from venue.gateway.transport.request import Request as HttpRequest

REVERTED: Final = 4001  # the close code of a stream whose venue went back to an earlier state


class StreamCount:
    """The number of open streams in all worlds of a process: its files are limited."""

    def __init__(self) -> None:
        self.count = 0


class Sockets:
    """The entry for streams: limits of admission, and the state that all connections share.

    `taken` is shared by the doors of one listener: together they admit no more than one alone
    might.
    """

    def __init__(
        self,
        door: Door,
        hub: Hub,
        authenticator: Authenticator,
        limits: SocketLimits,
        table: OperationTable,
        origins: Origins,
        *,
        taken: StreamCount | None = None,
        pages: PageStreams | None = None,
    ) -> None:
        self.door = door
        self.hub = hub
        self.limits = limits
        self.origins = origins
        self.pages = pages
        self.logins = Logins(door, authenticator)
        self._table = table
        self._entries: WeakSet[SocketOrders] = WeakSet()  # of connections that are there or leave
        self._leaving: set[asyncio.Task[None]] = set()
        self._gate = Gate(
            HttpLimits(connections_per_ip=limits.connections_per_ip, connections=limits.connections)
        )
        self.taken = taken or StreamCount()
        self._listener: Listener | None = None
        self._attempts = Attempts(limits.attempts)
        self._count = 0
        self._entered = 0  # private connections; the next start ends those of this run first
        # Connections have names that no other run of the venue gave.
        self._first_name = door.node.clock.now() << 64

    def accepts_upgrade(self, request: HttpRequest) -> bool:
        """Return whether a request may become a stream: another protocol there is none."""
        headers = request.headers
        named = [token.strip() for token in headers.get(b"connection", b"").lower().split(b",")]
        websocket = headers.get(b"upgrade", b"").lower() == b"websocket" and b"upgrade" in named
        if request.path == OF_PAGES:
            return websocket and self.pages is not None
        return websocket and request.path.decode("latin-1") in BY_PATH

    def connection(
        self, listener: Listener, request: HttpRequest, give_up_seat: Callable[[], None]
    ) -> SocketConnection:
        """Return a protocol for one upgraded connection."""
        self._listener = listener
        return SocketConnection(self, listener, request, give_up_seat)

    def go_back(self, _: StateReverted) -> None:
        """End every connection when the state goes back; clients connect again."""
        for entry in self._entries:
            entry.go_back()
        self.end_all(REVERTED, "reverted")

    def enter(self, ip: str) -> None:
        """Count a connection; ApiError 429 or 503 when it may not come in."""
        self._attempts.note(ip, asyncio.get_running_loop().time())
        most = self.limits.connections
        if most is not None and self.taken.count >= most:
            raise errors.busy(f"The venue has its maximum of {most} connections.")
        reason = self._gate.enter(ip)
        if reason is not None:
            raise errors.busy(reason)
        self.taken.count += 1

    def leave(self, ip: str) -> None:
        """Count one less."""
        self._gate.leave(ip)
        self.taken.count -= 1

    def name(self) -> str:
        """Return a new connection's name, in the form of a UUID."""
        self._count += 1
        return trade_id_text(self._first_name + self._count)

    def entry(
        self, socket: Socket, caller: Caller, ip: str, send: Callable[[Frame], None]
    ) -> SocketOrders:
        """Return the path by which a new connection's orders are placed."""
        self._entered += 1
        entry = SocketOrders(
            self._table, socket.product, caller,
            ip=ip, most=self.limits.session.in_flight, send=send, keep=self._keep,
            number=self._entered,
        )  # fmt: skip
        self._entries.add(entry)
        return entry

    def end_all(self, code: int, reason: str) -> None:
        """Close every stream that came in here."""
        contain = self.door.stream_defects.contain
        for member in list(self._listener.members) if self._listener is not None else ():
            if isinstance(member, SocketConnection) and member.came_through(self):
                contain("a listener", member.end, code, reason)

    async def finish(self) -> None:
        """Wait for the tasks that connections left; before the sequencer stops."""
        while self._leaving:
            await asyncio.wait(self._leaving)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
