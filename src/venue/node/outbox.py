"""The outbox: applied commands handed in order to their followers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from venue.core.messages.applied import Applied


class Companion(Protocol):
    """Hears of a command while the engine stands as that command left it."""

    busy: bool  # it hears of each command, else only of those of `special` types
    special: frozenset[type]

    def note(self, applied: Applied) -> None:
        """A durable command was applied, and the next one is not. Quick, and never raises."""


class Outbox:
    """Numbered, durable facts. Followers are called with each batch, in order; the `companion` is
    told by the sequencer, command by command.
    """

    def __init__(self) -> None:
        self.companion: Companion | None = None
        self._followers: list[Callable[[list[Applied]], None]] = []

    def follow(self, follower: Callable[[list[Applied]], None]) -> None:
        """Have every later batch handed over. A follower must be quick and must not raise."""
        self._followers.append(follower)

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        for follower in self._followers:
            follower(batch)
