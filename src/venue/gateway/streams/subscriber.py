"""A client that receives frames, as channels know it, and the key of a public channel."""

from __future__ import annotations

from typing import Protocol

from venue.gateway.streams.frames import Frame
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
