"""The outbox: applied commands handed in order to their followers."""

from __future__ import annotations

from collections.abc import Callable

from venue.core.messages.applied import Applied


class Outbox:
    """Numbered, durable facts. Followers are called with each batch, in order.

    Companions are called with each command while the engine stands as that command left it.
    """

    def __init__(self) -> None:
        self._companions: list[Callable[[Applied], None]] = []
        self._followers: list[Callable[[list[Applied]], None]] = []

    def follow(self, follower: Callable[[list[Applied]], None]) -> None:
        """Have every later batch handed over. A follower must be quick and must not raise."""
        self._followers.append(follower)

    def accompany(self, companion: Callable[[Applied], None]) -> None:
        """Have every later command handed over at once. As for a follower: quick, no raising."""
        self._companions.append(companion)

    def note(self, applied: Applied) -> None:
        """Hand a durable command to all companions, before the next one is applied."""
        for companion in self._companions:
            companion(applied)

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        for follower in self._followers:
            follower(batch)
