"""A client that receives frames, as channels know it, and the key of a public channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from venue.gateway.streams.frames import Frame
from venue.gateway.transport.request import Request
from venue.vocabulary import Product

PublicKey = tuple[Product, str, str]  # product, symbol, channel


class Subscriber(Protocol):
    """A client that receives frames. Only `ready` waits, until the client takes more.

    `end` closes with a code and a reason. `drop` ends it at once, after a defect in it.
    """

    def send(self, frame: Frame) -> None: ...

    def send_all(self, frames: list[Frame]) -> None: ...

    def end(self, code: int, reason: str) -> None: ...

    def drop(self) -> None: ...

    def fits(self, frames: int, size: int) -> bool: ...

    def mute(self, seconds: float | None) -> None: ...

    async def ready(self) -> None: ...


class Conversation(Protocol):
    """The use of an open connection: it hears the client's messages until it quits."""

    def begin(self, cid: str) -> None:
        """The connection is open, and has this name."""

    def hear(self, data: bytes) -> None:
        """Take one text message, of valid UTF-8."""

    def answer_ping(self, data: bytes, writes: list[bytes]) -> None:
        """A ping of the protocol came, whose answer is in `writes`."""

    def quit(self) -> None:
        """The connection is gone, or will be."""


PageStreams = Callable[[Request, Subscriber], Conversation]  # makes the stream of a page
