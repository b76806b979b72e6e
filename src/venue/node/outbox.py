"""What the engine said, in order: applied commands handed to those who follow."""

from __future__ import annotations

from collections.abc import Callable

from venue.core.applied import Applied


class Outbox:
    """Numbered, durable facts. Followers are called with each batch, in order."""

    def __init__(self) -> None:
        self._followers: list[Callable[[list[Applied]], None]] = []

    def follow(self, follower: Callable[[list[Applied]], None]) -> None:
        """Have every later batch handed over. A follower must be quick and must not raise."""
        self._followers.append(follower)

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        for follower in self._followers:
            follower(batch)
