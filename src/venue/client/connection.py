"""One connection to a stream: opened, subscribed, read until it is of no use any more."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from venue.api.streams.private import HEARTBEAT
from venue.client.errors import Misused, Unreachable
from venue.client.frames import PRODUCTS, Broken, Frame, frame_of, head_of, own_name
from venue.client.http import Http, nobody, refusal_of
from venue.client.tries import TOO_MANY

CLOSE_S: Final = 1.0
WAITING: Final = 16  # messages that wait for the reader; more stay in the network's buffers
MESSAGE_MAX: Final = 16 * 1024 * 1024
PING: Final = '{"method":"PING","id":0}'
PONG: Final = '{"method":"PONG"}'


class WantedChannels(NamedTuple):
    """The channels of a stream, and how long it may be silent, in seconds."""

    product: str
    channels: tuple[str, ...]
    private: bool
    quiet_s: float


class Sent(NamedTuple):
    """A frame as the venue sent it, and its event."""

    event: str
    data: bytes


class Connection:
    """One socket. Its methods raise Broken when another connection may succeed."""

    def __init__(self, socket: ClientConnection, wanted: WantedChannels, timeout_s: float) -> None:
        self.socket = socket
        self._wanted = wanted
        self._timeout_s = timeout_s
        self._asked = 0
        self._earlier: deque[Sent] = deque()  # from before the acknowledgement
        # First frames of public channels that have not come.
        self._awaited = 0 if wanted.private else len(set(wanted.channels))

    async def subscribe(self, names: list[str]) -> str:
        """Subscribe; the words of a refusal, otherwise empty."""
        self._asked += 1
        message = {"method": "SUBSCRIBE", "params": names, "id": self._asked}
        try:
            async with asyncio.timeout(self._timeout_s):
                await self.socket.send(json.dumps(message))
                while True:
                    data = await self.socket.recv(decode=False)
                    head = head_of(data)
                    if head.id == self._asked and isinstance(head.result, bool):
                        return "" if head.result else head.msg or "refused"
                    if head.e:
                        self._earlier.append(Sent(head.e, data))
        except TimeoutError:
            raise Broken("a subscription was not answered") from None
        except ConnectionClosed as problem:
            raise _broken_by(problem) from None
        except msgspec.MsgspecError as problem:
            raise _strange(problem) from None

    async def frame(self) -> Frame:
        """Return the next frame, without those that tell nothing."""
        while True:
            sent = await self.sent()
            if sent.data == HEARTBEAT:
                continue
            try:
                frame = frame_of(self._wanted.product, sent.event, sent.data)
            except msgspec.MsgspecError as problem:
                raise _strange(problem) from None
            if frame is not None:
                return frame

    async def sent(self) -> Sent:
        """Return the next frame as the venue sent it."""
        try:
            found = self._earlier.popleft() if self._earlier else await self._next_frame()
        except ConnectionClosed as problem:
            raise _broken_by(problem) from None
        except msgspec.MsgspecError as problem:
            raise _strange(problem) from None
        self._awaited = max(0, self._awaited - 1)
        return found

    async def close(self) -> None:
        """End the connection."""
        with suppress(OSError, WebSocketException):
            await self.socket.close()

    async def _next_frame(self) -> Sent:
        while True:
            data = await self._message()
            head = head_of(data)
            if head.e:
                return Sent(head.e, data)
            if "ping" in (head.event, head.type):
                await self.socket.send(PONG)

    async def _message(self) -> bytes:
        """Return the next message. Broken: the connection is mute, or a first frame did not
        come."""
        quiet_s = self._wanted.quiet_s
        with suppress(TimeoutError):
            async with asyncio.timeout(quiet_s):
                return await self.socket.recv(decode=False)
        if self._awaited:
            raise Broken("a channel did not begin")
        try:
            async with asyncio.timeout(quiet_s):
                await self.socket.send(PING)
                return await self.socket.recv(decode=False)
        except TimeoutError:
            raise Broken(f"nothing was heard for {2 * quiet_s:g} s") from None


async def open_connection(http: Http, wanted: WantedChannels) -> Connection:
    """Return a new connection, logged in where that is needed. Broken, Refused, Misused."""
    door = "private" if wanted.private else "public"
    attempt = connect(
        http.socket_url(f"/{wanted.product}/v3/ws/{door}"),
        additional_headers=http.login() if wanted.private else {},
        compression=None,
        proxy=None,
        open_timeout=http.timeout_s,
        close_timeout=CLOSE_S,
        ping_interval=None,  # a slow reader would find its own connection dead
        max_size=MESSAGE_MAX,
        max_queue=WAITING,
    )
    # A redirect is not followed: the headers hold a login.
    attempt.process_redirect = _refused_redirect  # type: ignore[assignment, method-assign]
    try:
        return Connection(await attempt, wanted, http.timeout_s)
    except InvalidStatus as problem:
        answer = problem.response
        if answer.status_code == TOO_MANY or answer.status_code >= 500:
            after = answer.headers.get("Retry-After", "0")
            words = f"refused with status {answer.status_code}"
            raise Broken(words, float(after) if after.isdecimal() else 0.0) from None
        raise refusal_of(answer.status_code, bytes(answer.body or b"")) from None
    except (OSError, WebSocketException) as problem:
        raise Broken(nobody(http.url, problem)) from None


def _refused_redirect(problem: Exception) -> Exception | str:
    return problem


def wanted_of(product: str, channels: tuple[str, ...], quiet_s: float) -> WantedChannels:
    """Return the channels that a caller asks for; Misused."""
    if product not in PRODUCTS:
        raise Misused(f"product {product!r}: must be spot or contract")
    if not channels or not all(isinstance(one, str) for one in channels):
        raise Misused("channels: give their names, as BTCUSDT@trade or orders")
    kinds = {bool(own_name(one)) for one in channels}
    if len(kinds) > 1:
        raise Misused("channels: public and private ones need streams of their own")
    return WantedChannels(product, channels, kinds == {True}, quiet_s)


def _broken_by(problem: ConnectionClosed) -> Broken:
    closed = problem.rcvd
    if closed is None:
        return Broken("the stream ended: the connection was lost")
    return Broken(f"the stream ended: {closed.reason or closed.code}")


def _strange(problem: msgspec.MsgspecError) -> Unreachable:
    return Unreachable(f"a message is not this interface's: {problem}", unknown=False)
