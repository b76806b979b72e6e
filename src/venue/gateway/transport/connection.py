"""HTTP connections: whole requests in order, one answered at a time; deadlines and endings.

The venue stores a bounded amount for one client: its bytes are parsed in pieces, and nothing is
read or started while its own requests wait or its answers are not read.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from socket import SO_LINGER, SOL_SOCKET
from typing import Final, cast

from venue.api import errors
from venue.gateway.access.connections import LINGERING_MAX
from venue.gateway.access.operators import OPERATOR_PATHS
from venue.gateway.access.peers import NOBODY, owner_of
from venue.gateway.access.proxies import plain
from venue.gateway.transport.listener import Listener
from venue.gateway.transport.request import (
    CLOSE,
    HEAD,
    IDLE,
    RETRY,
    Receiver,
    Request,
    RequestRefused,
    Upgrade,
    whole,
)

PIECE: Final = 4 * 1024  # bytes that are parsed at once
WAITING_MAX: Final = 16  # requests that wait for their turn, before another piece is parsed
LINGERING_BYTES_MAX: Final = 256 * 1024
_UNKNOWN: Final = -1000
_BUSY: Final = -1008
_AT_ONCE: Final = struct.pack("ii", 1, 0)  # to linger, for no second
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class HttpConnection:
    """One connection, from its first byte to its end or to its upgrade."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._limits = listener.limits
        self._waiting: deque[Request] = deque()
        self._unparsed: deque[bytes] = deque()  # pieces that came while requests waited
        self._parting: bytes | None = None  # the last word, after the answers before it
        self._crowded: str | None = None  # why this connection is for operators only
        self._proxied = False  # a trusted proxy is at the other end
        self._seated = False
        self._answering = False
        self._serving = False  # inside `_go_on`
        self._queued = False  # others have their turn before its next request
        self._upgraded = False  # the transport is a stream's now
        self._paused = False  # the client does not read its answers
        self._held = False  # nothing is read of what it sends
        self._resting = False  # it was told that it asks too much, and waits for its turn
        self._last = False  # nothing is served after the answer under way
        self._stopped = False  # nothing more is parsed
        self._ended = False  # the client sends no more
        self._lingers = False
        self._closing = False  # no more is written; the client may not have read all
        self._discarded = 0
        self._begun = 0.0  # when the request that is being received began
        self._owner: int | None = None
        self.due = 0.0

    # -- the transport ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit a client, or answer that there is no room."""
        self._transport = cast(asyncio.Transport, transport)
        self._ip = peer_address(transport)
        listener = self._listener
        self._receiver = Receiver(
            self, self._ip, self._limits, self._waiting.append, self._upgrades
        )
        listener.enter(self)
        listens_s = self._limits.idle_s
        self._proxied = listener.proxies.trusts(self._ip)
        reason = listener.gate.enter(self._ip, capped=not self._proxied)
        if reason is not None:
            may_be_one = listener.operators.may_be_one(self.peer_owner)
            if not (may_be_one and listener.gate.enter_reserve(self._ip)):
                self._part(_refusal(503, _BUSY, reason))
                return
            self._crowded = reason
            listens_s = self._limits.header_s
        self._seated = True
        self.due = listener.loop.time() + listens_s

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: an answer under way goes nowhere."""
        self._stopped = self._last = True
        self._waiting.clear()
        self._unparsed.clear()
        self._listener.leave(self)
        self._give_up_seat()
        if self._lingers:
            self._listener.gate.lingering -= 1
        self._receiver.close()

    def data_received(self, data: bytes) -> None:
        """Parse what came, as far as requests may wait."""
        if self._stopped:
            self._discard(data)
        elif len(data) <= PIECE and not self._unparsed and len(self._waiting) < WAITING_MAX:
            self._parse(data)
            self._go_on()
        else:
            pieces = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
            self._unparsed.extend(pieces)
            self._parse_on()
            self._go_on()

    def eof_received(self) -> bool:
        """Return the client sends no more. It may read the answers to what it sent, then this
        ends."""
        self._ended = True
        self._go_on()
        return self._answering or self._queued or bool(self._waiting)

    def pause_writing(self) -> None:
        """The client does not read: read and start nothing more for it."""
        self._paused = True
        self.due = self._now() + self._limits.write_s
        self._hold()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._paused = False
        if self._lingers or self._closing:
            return  # the end has its own deadline
        self._await_next()
        self._go_on()

    # -- receiving --------------------------------------------------------------------------------

    def _parse_on(self) -> None:
        while self._unparsed and len(self._waiting) < WAITING_MAX and not self._stopped:
            self._parse(self._unparsed.popleft())
        if self._unparsed:
            self._hold()

    def _hold(self) -> None:
        self._held = True
        self._transport.pause_reading()

    def _parse(self, data: bytes) -> None:
        receiver = self._receiver
        begun = receiver.begun
        try:
            receiver.feed(data)
        except RequestRefused as refused:
            self._refuse(refused.status, str(refused))
            return
        except Upgrade as upgrade:
            self._upgrade(upgrade)
            return
        if receiver.part != IDLE:
            if receiver.begun != begun:
                self._begun = self._now()
                self._await_next()
            if receiver.expects and not self._answering and not self._waiting:
                receiver.expects = False
                self._transport.write(_CONTINUE)

    def _upgrades(self, request: Request) -> bool:
        streams = self._listener.streams
        return streams is not None and self._crowded is None and streams.accepts_upgrade(request)

    def _upgrade(self, upgrade: Upgrade) -> None:
        """Hand the transport over. Nothing of HTTP may be on its way: it would come between."""
        listener, transport = self._listener, self._transport
        self._stopped = True
        if self._answering or self._waiting or transport.get_write_buffer_size():
            self._refuse(400, "An upgrade must wait for the answers before it.")
            return
        request = upgrade.request
        if self._proxied:
            request.ip = listener.proxies.client(self._ip, request.headers)
        assert listener.streams is not None
        stream = listener.streams.connection(listener, request, self._give_up_seat)
        listener.leave(self)
        self._upgraded = True
        self._receiver.close()
        transport.set_protocol(stream)
        stream.connection_made(transport)
        stream.data_received(upgrade.rest + b"".join(self._unparsed))

    # -- answering --------------------------------------------------------------------------------

    def answer(self, data: bytes) -> None:
        """Send the whole answer to the request under way."""
        self._answering = False
        if self._transport.is_closing():
            return
        self._transport.write(data)
        if not self._paused:
            self._await_next()
        if not self._serving:
            self._go_on()

    def rest(self) -> None:
        """Read and start nothing for a while; a proxy's connection never rests, as it serves other
        clients."""
        listener = self._listener
        if not (self._resting or self._last or self._proxied):
            self._resting = True
            self._hold()
            listener.rest(self)

    def wake(self) -> None:
        """The rest is over."""
        self._resting = False
        if not self._transport.is_closing():
            self._go_on()

    def peer_owner(self) -> int | None:
        """Return the user id at the other end, asked of the system once."""
        if self._owner is None:
            peer = self._transport.get_extra_info("peername")
            here = self._transport.get_extra_info("sockname")
            known = peer and here  # unless it has gone already
            server = (plain(str(here[0])), here[1]) if known else ("", 0)
            self._owner = owner_of((self._ip, peer[1]), server) if known else NOBODY
        return self._owner

    def _go_on(self) -> None:
        """Serve the next waiting request. After the last answer the connection may end.

        When more of its requests wait, other connections are served first: a client cannot take the
        venue's time for thousands of requests that it sent at once.
        """
        if self._serving or self._queued or self._upgraded:
            return
        if not (self._answering or self._paused or self._resting or self._last):
            self._serving = True
            if not self._waiting:
                self._parse_on()
            if self._waiting:
                self._serve(self._waiting.popleft())
            self._serving = False
        if self._answering or self._transport.is_closing():
            return
        waits = self._waiting or (self._unparsed and not self._stopped)
        if waits and not (self._paused or self._resting or self._last):
            self._queued = True
            self._listener.loop.call_soon(self._take_turn)
            return
        if self._last:
            self._part(b"")
        elif self._paused or self._resting:
            return
        elif self._parting is not None:
            self._part(self._parting)
        elif self._ended:
            self._close()
        elif self._held:
            self._held = False
            self._transport.resume_reading()

    def _take_turn(self) -> None:
        self._queued = False
        if not self._transport.is_closing():
            self._go_on()

    def _serve(self, request: Request) -> None:
        self._answering = True
        self._last = request.closes
        if self._proxied:
            request.ip = self._listener.proxies.client(self._ip, request.headers)
        if self._crowded is not None:
            self._last = request.closes = True
            if not request.path.startswith(OPERATOR_PATHS):
                request.lines = RETRY
                request.answer(503, errors.body(503, _BUSY, self._crowded))
                return
        self._listener.serve(request)

    # -- deadlines --------------------------------------------------------------------------------

    def _now(self) -> float:
        return self._listener.loop.time()

    def _await_next(self) -> None:
        """Set the next deadline: of the request that is being received, or of idleness."""
        part = self._receiver.part
        if part == IDLE or self._stopped:
            self.due = self._now() + self._limits.idle_s
        else:
            wait_s = self._limits.header_s if part == HEAD else self._limits.request_s
            self.due = self._begun + wait_s

    def overdue(self, now: float) -> None:
        """End a connection that took too long; one that waits for the venue itself did not."""
        limits, part = self._limits, self._receiver.part
        if self._lingers or self._paused or self._closing:
            self._transport.abort()
        elif self._unparsed or part == IDLE or self._stopped:
            if self._answering or self._waiting or self._queued:
                self.due = now + limits.idle_s
            elif self._crowded is not None:
                self._part(_refusal(503, _BUSY, self._crowded))
            else:
                self._close()
        elif part == HEAD:
            self._refuse(408, f"The headers did not arrive within {limits.header_s:g} seconds.")
        elif now < self._begun + limits.request_s:
            self._await_next()
        else:
            self._refuse(408, f"The request did not arrive within {limits.request_s:g} seconds.")

    # -- endings ----------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """The server stops: the answer under way is the last."""
        self._stopped = self._last = True
        if not self._answering:
            self._close()

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def reset(self) -> None:
        """End at once with a reset (RFC 9293, 3.5), not with an end of what is sent."""
        self._transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _AT_ONCE)
        self._transport.abort()

    def _refuse(self, status: int, message: str) -> None:
        """Refuse the request that is being received, after the answers before it."""
        self._stopped = True
        self._unparsed.clear()
        self._parting = _refusal(status, _UNKNOWN, message)
        self._go_on()

    def _part(self, parting: bytes) -> None:
        """Say the last word and close; a client that still sends may read it first."""
        transport, gate = self._transport, self._listener.gate
        self._stopped = True
        if transport.is_closing() or self._lingers:
            return
        transport.write(parting)
        behind = bool(parting or self._unparsed or self._waiting)
        # Closing with unread bytes resets the connection, and the answer may be lost with it.
        if self._ended or not behind or gate.lingering >= LINGERING_MAX:
            self._close()
            return
        self._lingers = True
        gate.lingering += 1
        self.due = self._now() + self._limits.linger_s
        transport.resume_reading()
        transport.write_eof()

    def _close(self) -> None:
        """Close after all bytes are written; a client that does not read them gets little time."""
        if not self._closing:
            self._closing = True
            self.due = self._now() + self._limits.write_s
            self._transport.close()

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._discarded > LINGERING_BYTES_MAX:
            self._transport.abort()

    def _give_up_seat(self) -> None:
        """Count no longer as a connection of this address; once."""
        if self._seated:
            self._seated = False
            self._listener.gate.leave(self._ip, reserved=self._crowded is not None)


def peer_address(transport: asyncio.BaseTransport) -> str:
    """Return the address of the other end; empty when it is gone already."""
    peer = transport.get_extra_info("peername")
    return plain(str(peer[0])) if peer else ""


def _refusal(status: int, code: int, message: str) -> bytes:
    headers = CLOSE + RETRY if status == 503 else CLOSE
    return whole(status, errors.body(status, code, message), headers)
