"""One WebSocket connection: upgrade, login, framing, and a bounded queue for its reader."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any, Final, Protocol, cast

from websockets.frames import Frame as Received
from websockets.frames import Opcode
from websockets.http11 import Request
from websockets.protocol import OPEN

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.streams.channels import SOCKETS, Socket
from venue.gateway.access.callers import Caller
from venue.gateway.access.origins import Origins
from venue.gateway.door import Door
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.hub import POLICY, Hub
from venue.gateway.streams.limits import Allowance, SocketLimits
from venue.gateway.streams.logins import Logins
from venue.gateway.streams.session import Session
from venue.gateway.streams.socket_orders import SocketOrders
from venue.gateway.streams.subscriber import Conversation, PageStreams
from venue.gateway.streams.tap import Tap, note_refused
from venue.gateway.streams.upgrade import (
    check_faults,
    keep_alive,
    protocol,
    refusal_response,
    window_bits,
)
from venue.gateway.transport.listener import Listener
from venue.gateway.transport.request import Request as HttpRequest

PIECE: Final = 1024  # bytes that are parsed at once
TURN: Final = 64 * 1024  # bytes of one socket that are parsed before others have their turn
TOGETHER_BYTES: Final = 32 * 1024  # of frames that leave with one write
UNSUPPORTED: Final = 1003
NOT_TEXT: Final = 1007
RESTARTING: Final = 1012
OF_PAGES: Final = b"/_venue/events"
BY_PATH: Final = {socket.path: socket for socket in SOCKETS}

log = logging.getLogger("venue.gateway")


class StreamServer(Protocol):
    """The parts of the server of streams that a connection uses."""

    door: Door
    hub: Hub
    limits: SocketLimits
    logins: Logins
    origins: Origins
    pages: PageStreams | None

    def enter(self, ip: str) -> None:
        """Count a stream; ApiError 429 or 503 when it may not come in."""

    def leave(self, ip: str) -> None:
        """Count one less."""

    def name(self) -> str:
        """Return a new connection's name."""

    def entry(
        self, socket: Socket, caller: Caller, ip: str, send: Callable[[Frame], None]
    ) -> SocketOrders:
        """Return the path by which a new connection's orders are placed."""


class SocketConnection(asyncio.Protocol):
    """One upgraded connection: an asyncio protocol, made when HTTP hands its transport over.

    While the reader does not keep up, frames wait here and nothing from the client is read. Frames
    that were handed to the transport cannot be taken back, so a refusal to wait any longer is sent
    after them.
    """

    due = 0.0  # deadlines are the session's own

    def __init__(
        self,
        server: StreamServer,
        listener: Listener,
        request: HttpRequest,
        give_up_seat: Callable[[], None],
    ) -> None:
        self._server = server
        self._listener = listener
        self._request = request
        self._give_up_seat = give_up_seat
        self._defects = server.door.stream_defects
        self._loop = asyncio.get_running_loop()
        self._conn = protocol(server.limits.message_bytes)
        self._window_bits = 0  # of what is sent; 0: not compressed
        self._ip: str | None = None  # counted at the gate under this address
        self._session: Conversation | None = None
        self._tap: Tap | None = None  # where the wire log is kept
        self._opening: asyncio.Task[None] | None = None
        self._early = b""  # bytes that came with the upgrade, before its answer
        self._rest = b""  # bytes that wait for their turn; no others are read until then
        self._text = bytearray()  # a message in fragments, so far
        self._frames = Allowance(server.limits.frames, 1.0)
        self._flooded = False  # nothing it sends is looked at, or read, any more
        self._paused = False
        self._room = asyncio.Event()  # the reader takes more, or there is none any more
        self._room.set()
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._ended = False
        self._muted = False
        self._speak_timer: asyncio.TimerHandle | None = None  # ends a silence that is not for good
        self._close_timer: asyncio.TimerHandle | None = None

    # -- the transport ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The transport is ours."""
        self._transport = cast(asyncio.Transport, transport)
        limits = self._server.limits
        self._transport.set_write_buffer_limits(high=limits.send_bytes)
        # Without it the system would take megabytes for a reader that has stopped.
        connected = transport.get_extra_info("socket")
        connected.setsockopt(SOL_SOCKET, SO_SNDBUF, limits.send_bytes)
        keep_alive(connected)
        self._listener.enter(self)
        self._do(self._receive, self._request.head())

    def connection_lost(self, _: Exception | None) -> None:
        """The connection is gone. Everything it held is given back before its session ends."""
        self._listener.leave(self)
        self._give_up_seat()
        if self._ip is not None:
            self._server.leave(self._ip)
            self._ip = None
        for waiting in (self._close_timer, self._speak_timer, self._opening):
            if waiting is not None:
                waiting.cancel()
        self._defects.contain("the end of a connection", self._finish)
        # No cycle of references is left: nobody collects garbage on an order's way.
        self._session = self._tap = self._opening = None
        self._close_timer = self._speak_timer = None
        self._conn.parser.close()
        self._conn.parser_exc = None

    def data_received(self, data: bytes) -> None:
        """Parse what came; but nothing before the upgrade is answered."""
        if self._opening is not None and not self._opening.done():
            self._early += data  # one read at most: no other follows until then
        elif self._rest:
            self._rest += data  # read when it was paused already
        else:
            self._take_turn(data)

    def _take_turn(self, data: bytes) -> None:
        """Parse as much as a turn allows; the rest in another turn of the loop."""
        self._do(self._receive, data[:TURN])
        if len(data) > TURN:
            self._rest = data[TURN:]
            self._transport.pause_reading()
            self._loop.call_soon(self._next_turn)

    def _next_turn(self) -> None:
        data, self._rest = self._rest, b""
        if self._flooded or self._transport.is_closing():
            return
        if not self._paused:
            self._transport.resume_reading()
        self._take_turn(data)

    def _receive(self, data: bytes) -> None:
        """Parse in pieces: a flood of the smallest frames is noticed within one of them."""
        for at in range(0, len(data), PIECE):
            if self._flooded:
                break
            self._conn.receive_data(data[at : at + PIECE])
            for event in self._conn.events_received():
                if isinstance(event, Request):
                    self._transport.pause_reading()  # a client waits for the answer to it
                    self._opening = self._loop.create_task(self._open(event))
                elif isinstance(event, Received):
                    self._count(event)
                    if not self._ended:
                        self._take(event)
            self._flush()

    def _count(self, frame: Received) -> None:
        """Frames that are no whole message are counted here, messages in the session."""
        whole = frame.fin and frame.opcode in (Opcode.TEXT, Opcode.BINARY)
        if frame.opcode is Opcode.PING and self._session is not None:
            self._session.answer_ping(bytes(frame.data), self._conn.writes)
        if not whole and not self._frames.take(self._loop.time()):
            self._flooded = True
            self.end(POLICY, f"more than {self._server.limits.frames} pings or fragments a second")
            self._transport.pause_reading()  # it may go on sending until it is aborted

    def eof_received(self) -> bool:
        """End the session: a client that sends no more gets no more frames.

        The transport closes when it has written its buffer. It is aborted when nobody reads.
        """
        self._do(self._hang_up)
        return False

    def _hang_up(self) -> None:
        self._finish()
        self._conn.receive_eof()
        self._flush()
        self._close_soon()

    def pause_writing(self) -> None:
        """Enough is on its way: further frames wait, and no request for more is read."""
        self._paused = True
        self._room.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """The transport calls this when the reader takes bytes again."""
        self._do(self._resume)

    def _resume(self) -> None:
        self._paused = False
        while self._waiting and not self._paused:
            data = self._waiting.popleft()
            self._waiting_bytes -= len(data)
            self._transport.write(data)
        if not (self._paused or self._flooded):
            self._room.set()
            self._transport.resume_reading()

    def overdue(self, now: float) -> None:
        """Never: deadlines are the session's own."""

    def shutdown(self) -> None:
        """The server stops."""
        self._do(self._shut_down)

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def _shut_down(self) -> None:
        if self._conn.state is OPEN:
            self.end(RESTARTING, "the venue is stopping")
        else:
            self._finish()
            self._transport.close()

    def _do(self, act: Callable[..., None], *given: Any) -> None:
        """Do what the transport calls for; a defect on the way ends this connection only."""
        if not self._defects.contain("a connection", act, *given):
            self._ended = True
            self._transport.abort()

    # -- opening ----------------------------------------------------------------------------------

    async def _open(self, request: Request) -> None:
        """Admit the client, or send it the reason for the refusal."""
        try:
            await self._let_in(request)
        except ApiError as refusal:
            self._refuse(refusal)
        except Exception:
            log.exception("defect while opening a stream")
            self._defects.count += 1
            if self._conn.state is OPEN:
                self.drop()
            else:
                self._refuse(errors.internal())
        finally:
            early, self._early = self._early, b""
            if not self._transport.is_closing():
                self._transport.resume_reading()
                self._take_turn(early)

    async def _let_in(self, request: Request) -> None:
        server, asked = self._server, self._request
        ip = asked.ip
        server.origins.check(asked.headers)
        of_page = asked.path == OF_PAGES
        if not of_page:
            check_faults(server.door, asked)
        server.enter(ip)
        self._ip = ip
        response = self._conn.accept(request)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            raise ApiError(-1000, f"{self._conn.handshake_exc}.", response.status_code)
        socket = BY_PATH.get(request.path.partition("?")[0])
        caller = None
        if socket is not None and socket.private:
            caller = await server.logins.login(socket, asked, ip)
        if self._ended or self._transport.is_closing():
            return
        self._give_up_seat()
        self._window_bits = window_bits(self._conn)
        self._conn.send_response(response)
        self._flush()
        self._session = self._talk(socket, caller, ip)
        self._session.begin(server.name())

    def _talk(self, socket: Socket | None, caller: Caller | None, ip: str) -> Conversation:
        """Return what the open connection is about: the channels of a socket, or a page."""
        server, door = self._server, self._server.door
        if socket is None:
            assert server.pages is not None, "the door admits no other path"
            return server.pages(self._request, self)
        uid = caller.uid if caller is not None else 0
        self._tap = Tap(door.wire, self, uid) if door.wire is not None else None
        link = self._tap or self
        return Session(
            door, server.hub, socket,
            uid=uid,
            limits=server.limits.session,
            link=link,
            key=door.keys.by_key(caller.key.encode()) if caller is not None else None,
            entry=server.entry(socket, caller, ip, link.send) if caller is not None else None,
        )  # fmt: skip

    def _refuse(self, refusal: ApiError) -> None:
        """Answer the upgrade as HTTP."""
        note_refused(self._server.door.wire, self._request, refusal)
        self._conn.send_response(refusal_response(refusal))
        self._flush()

    # -- what comes in ----------------------------------------------------------------------------

    def _take(self, frame: Received) -> None:
        if frame.opcode is Opcode.BINARY:
            self._fail(UNSUPPORTED, "messages are text")
        elif frame.opcode is Opcode.TEXT or frame.opcode is Opcode.CONT:
            self._text += frame.data
            if frame.fin:
                data = bytes(self._text)
                self._text.clear()
                self._hear(data)

    def _hear(self, data: bytes) -> None:
        try:
            data.decode()
        except UnicodeDecodeError:
            self._fail(NOT_TEXT, "messages are UTF-8")
            return
        if self._tap is not None:
            self._tap.hear(data)
        if self._session is not None:
            self._session.hear(data)

    # -- what goes out ----------------------------------------------------------------------------

    def send(self, frame: Frame) -> None:
        """Send a frame, or queue it after those that the reader has not taken."""
        if self._ended or self._muted:
            return
        data = frame.deflate(self._window_bits) if self._window_bits else frame.plain
        if not self._paused:
            self._transport.write(data)
            return
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if not self.fits(len(self._waiting), self._waiting_bytes):
            self.end(POLICY, f"too slow: {len(self._waiting)} messages waited to be read")

    def send_all(self, frames: list[Frame]) -> None:
        """Send frames in order: few small ones with one write, others each as `send` does."""
        bits = self._window_bits
        if not (self._paused or self._ended or self._muted):
            data = b"".join([frame.deflate(bits) if bits else frame.plain for frame in frames])
            if len(data) <= TOGETHER_BYTES:
                self._transport.write(data)
                return
        for frame in frames:
            self.send(frame)

    async def ready(self) -> None:
        """Wait while the reader does not keep up; its requests of that time are heard first."""
        while self._paused and not self._ended:
            await self._room.wait()
            await asyncio.sleep(0)

    def mute(self, seconds: float | None) -> None:
        """Send nothing for a while, or from now on; frames of that time are lost.

        Of several silences the one that ends last counts.
        """
        timer = self._speak_timer
        if self._muted and timer is None:
            return  # for good
        if timer is not None:
            if seconds is not None and timer.when() >= self._loop.time() + seconds:
                return
            timer.cancel()
        self._muted = True
        self._speak_timer = (
            self._loop.call_later(seconds, self._speak) if seconds is not None else None
        )

    def _speak(self) -> None:
        self._muted = False
        self._speak_timer = None

    def fits(self, frames: int, size: int) -> bool:
        """Return whether the queue may hold so many frames of so many bytes together."""
        limits = self._server.limits
        return frames <= limits.queue_frames and size <= limits.queue_bytes

    def end(self, code: int, reason: str) -> None:
        """Close with a code and a reason; waiting frames are dropped."""
        if self._ended:
            return
        self._finish()
        if self._conn.state is OPEN:
            self._conn.send_close(code, reason)
        self._flush()
        if self._paused:
            self._transport.resume_reading()  # its answer to the close

    def came_through(self, server: StreamServer) -> bool:
        """Return whether this is the server that it came in by."""
        return self._server is server

    def drop(self) -> None:
        """Abort the connection without a close frame."""
        try:
            self._finish()
        finally:
            self._transport.abort()

    def _fail(self, code: int, reason: str) -> None:
        """Close on a client that breaks the protocol: nothing more is read."""
        self._finish()
        self._conn.fail(code, reason)
        self._flush()

    def _finish(self) -> None:
        """Send nothing more but the close of the connection.

        Called before every end of the transport, so no frame is written to one that has ended.
        """
        self._ended = True
        self._room.set()
        self._waiting.clear()
        self._waiting_bytes = 0
        if self._session is not None:
            self._session.quit()

    def _flush(self) -> None:
        """Send the bytes of the protocol itself."""
        transport = self._transport
        for data in self._conn.data_to_send():
            if transport.is_closing():
                break
            if data:
                transport.write(data)
            else:
                self._finish()
                transport.write_eof()
        if self._conn.close_expected():
            if not self._ended:
                self._finish()
            self._close_soon()

    def _close_soon(self) -> None:
        """Give the client a while to close, or to read what is on its way; then abort."""
        if self._close_timer is None:
            abort = self._transport.abort
            self._close_timer = self._loop.call_later(self._server.limits.close_s, abort)
