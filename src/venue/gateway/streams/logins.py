"""Logins to private sockets: one signature opens one connection of each product."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.api import errors, signing
from venue.api.streams.channels import Socket
from venue.core.messages.commands import RecordStreams
from venue.gateway.access.auth import Authenticator, permit
from venue.gateway.access.callers import Caller
from venue.gateway.access.replay import WINDOW_MS
from venue.gateway.door import Door
from venue.gateway.transport.request import Request
from venue.node.sequencer import Overloaded, Stopped
from venue.vocabulary import Access, Product

# Stock clients that open the sockets of both products at once sign them in the same millisecond:
# the two logins are one. An eavesdropper's comes later, or from elsewhere.
TOGETHER_US: Final = 5_000_000
REMEMBERED_US: Final = 2 * WINDOW_MS * 1_000


class _Use(Struct):
    """A login's first use, in server time (µs), and the time it was signed with (ms)."""

    time: int
    signed: int
    ip: str
    products: set[Product]


class Logins:
    """Checks the logins of all private sockets."""

    def __init__(self, door: Door, authenticator: Authenticator) -> None:
        self._door = door
        self._node = door.node
        self._authenticator = authenticator
        self._used: dict[bytes, _Use] = {}
        self._looked = 0  # server time (µs) when those that are over were let go

    async def login(self, socket: Socket, request: Request, ip: str) -> Caller:
        """Return the owner that opens a private socket; ApiError when the login is refused.

        That the login was used is in the journal before this returns.
        """
        signed = self._authenticator.precheck(
            request.headers, request.repeated, self._node.clock.wall()
        )
        text = signing.websocket_payload(signed.timestamp)
        caller = self._authenticator.verify(signed, text, ip)
        if caller is None:
            caller = await self._authenticator.verify_slowly(signed, text, ip)
        permit(caller, Access.READ)
        self._once(socket.product, caller, ip)
        await self._record(caller)
        key = self._door.keys.by_key(signed.key)
        if key is None or not key.usable(self._node.clock.wall()):  # revoked meanwhile
            raise errors.error(-1044)
        return caller

    def _once(self, product: Product, caller: Caller, ip: str) -> None:
        """Accept a login for one connection only: somebody who overhears it cannot open another."""
        now = self._node.clock.wall()
        if now >= self._looked + REMEMBERED_US:
            self._looked = now
            self._let_go(now)
        use = self._used.get(caller.request)
        if use is None:
            replays, signed = self._door.replays, caller.timestamp_ms
            if replays.is_answer_gone(signed, caller.request) or replays.refuses_time(signed):
                raise _used_before()
            self._used[caller.request] = _Use(now, caller.timestamp_ms, ip, {product})
            return
        if product in use.products or use.ip != ip or now - use.time > TOGETHER_US:
            raise _used_before()
        use.products.add(product)

    def _let_go(self, now: int) -> None:
        """Hand the logins that no clock accepts now to the memory of requests: venue time may come
        to theirs."""
        for request, use in list(self._used.items()):
            if self._is_over(use, now):
                del self._used[request]
                self._door.replays.remember(use.signed, request)

    def _is_over(self, use: _Use, now: int) -> bool:
        """Return whether a login could not be used now, by either time; a login by a venue time
        that stands still could."""
        if use.time >= now - REMEMBERED_US:
            return False
        clock, signed = self._node.clock, use.signed * 1_000
        between = clock.signed_until() + REMEMBERED_US < signed < now - REMEMBERED_US
        return between or signed < clock.oldest() - REMEMBERED_US

    async def _record(self, caller: Caller) -> None:
        """Journal the login, so that it is known after a restart, and record the owner's channels
        from the first login on.

        It goes directly to the sequencer: a client can log in while history lags behind.
        """
        command = RecordStreams(caller.uid, request=caller.request)
        try:
            await self._node.sequencer.submit([command])
        except Overloaded:
            raise errors.busy("too many commands are waiting; nothing was done") from None
        except Stopped:
            raise errors.busy("the venue is stopping; nothing was done") from None


def _used_before() -> errors.ApiError:
    return errors.error(-1048, detail="This login was used before; sign a new one.")
