"""Who opens a private socket: one signature, one connection."""

from __future__ import annotations

from typing import Final

from venue.api import errors, signing
from venue.api.streams import Socket
from venue.core.commands import RecordStreams
from venue.gateway.access.auth import Authenticator, Caller, permit
from venue.gateway.access.replay import WINDOW_MS
from venue.gateway.context import Venue
from venue.gateway.transport.request import Request
from venue.node.sequencer import Stopped
from venue.terms import Access

US_PER_MS: Final = 1000


class Logins:
    """Checks the logins of all private sockets."""

    def __init__(self, rooms: Venue, authenticator: Authenticator) -> None:
        self._rooms = rooms
        self._authenticator = authenticator
        self._used: dict[tuple[Socket, bytes], int] = {}  # until when each login is remembered, ms

    async def login(self, socket: Socket, request: Request, ip: str) -> Caller:
        """Who opens a private socket; ApiError when nobody may."""
        signed = self._authenticator.precheck(request.headers, request.repeated)
        text = signing.websocket_payload(signed.timestamp)
        caller = self._authenticator.verify(signed, text, ip)
        if caller is None:
            caller = await self._authenticator.verify_slowly(signed, text, ip)
        permit(caller, Access.READ)
        self._once(socket, caller)
        await self._record(caller.uid)
        return caller

    def _once(self, socket: Socket, caller: Caller) -> None:
        """A login opens one connection: who overheard it cannot open another."""
        now = self._rooms.clock.now() // US_PER_MS
        while self._used and next(iter(self._used.values())) < now:
            del self._used[next(iter(self._used))]
        login = (socket, caller.request)
        if login in self._used:
            raise errors.error(-1048, detail="This login was used before; sign a new one.")
        self._used[login] = now + 2 * WINDOW_MS

    async def _record(self, uid: int) -> None:
        """From an owner's first private socket on, what its channels say is kept."""
        if self._rooms.engine.account(uid).recorded:
            return
        try:
            await self._rooms.submit([RecordStreams(uid)])
        except Stopped:
            raise errors.busy("the venue failed; nothing was done") from None
