"""Notes the messages and frames of one socket in the wire log.

Market data of public sockets is left out: each listener gets the same, and it would fill the log.
"""

from __future__ import annotations

from typing import Final

from venue.api.errors import ApiError
from venue.gateway.dispatch.wire_log import PATH_BYTES, SocketExchange, WireLog
from venue.gateway.streams.frames import Frame
from venue.gateway.streams.subscriber import Subscriber
from venue.gateway.transport.request import Request

_OF_A_CHANNEL: Final = b'{"e":'  # how frames of channels begin


class Tap:
    """Takes the place of a connection for all senders of its frames; uid 0: it is a public one."""

    def __init__(self, log: WireLog, listener: Subscriber, uid: int) -> None:
        self._log = log
        self._listener = listener
        self._uid = uid

    def hear(self, text: bytes) -> None:
        """Note what the client says."""
        self._log.say(self._uid, text, heard=True)

    def send(self, frame: Frame) -> None:
        """Note a frame and send it."""
        if self._uid or not frame.payload.startswith(_OF_A_CHANNEL):
            self._log.say(self._uid, frame.payload, heard=False)
        self._listener.send(frame)

    def send_all(self, frames: list[Frame]) -> None:
        """Note frames and send them."""
        if self._uid:
            for frame in frames:
                self._log.say(self._uid, frame.payload, heard=False)
        self._listener.send_all(frames)

    def end(self, code: int, reason: str) -> None:
        """Close with a code and a reason."""
        self._log.say(self._uid, f"closed: {code} {reason}".encode(), heard=False)
        self._listener.end(code, reason)

    def drop(self) -> None:
        """End the connection at once."""
        self._listener.drop()

    def fits(self, frames: int, size: int) -> bool:
        """Return whether the queue may hold so many frames of so many bytes together."""
        return self._listener.fits(frames, size)

    def mute(self, seconds: float | None) -> None:
        """Send nothing for a while, or from now on."""
        self._listener.mute(seconds)

    async def ready(self) -> None:
        """Wait while the reader does not keep up."""
        await self._listener.ready()


def note_refused(log: WireLog | None, request: Request, refusal: ApiError) -> None:
    """Note a refused socket, if there is a log."""
    if log is not None:
        SocketExchange(log, "GET", request.path.decode("latin-1")[:PATH_BYTES], 0, b"").end(refusal)
