"""What the engine said, in order: a bounded ring of applied commands, read from any sequence."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from venue.core.applied import Applied

CAPACITY: Final = 65_536  # commands kept for readers that lag


class Outbox:
    """Numbered, durable facts. Followers are called with each batch, in order."""

    def __init__(self) -> None:
        self._ring: deque[Applied] = deque(maxlen=CAPACITY)
        self._followers: list[Callable[[list[Applied]], None]] = []

    def follow(self, follower: Callable[[list[Applied]], None]) -> None:
        """Have every later batch handed over. A follower must be quick and must not raise."""
        self._followers.append(follower)

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        self._ring.extend(batch)
        for follower in self._followers:
            follower(batch)

    def after(self, sequence: int) -> list[Applied]:
        """What was applied after `sequence`; LookupError when the ring no longer reaches back."""
        if self._ring and self._ring[0].sequence > sequence + 1:
            raise LookupError(f"the outbox begins at {self._ring[0].sequence}")
        return [applied for applied in self._ring if applied.sequence > sequence]
