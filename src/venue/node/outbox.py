"""The outbox: applied commands handed in order to their followers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import RevertState

Follower = Callable[[list[Applied]], None]
Limit = Callable[[], float | None]


class Companion(Protocol):
    """Hears of a command while the engine stands as that command left it."""

    busy: bool  # it hears of each command, otherwise only of those of `special` types
    special: frozenset[type]

    def note(self, applied: Applied) -> None:
        """A durable command was applied, and the next one is not. Quick, and never raises."""


class Outbox:
    """Numbered, durable facts. Followers are called with each batch, in the order in which they
    came; followers of reverts are called only with the batch of a revert. The sequencer tells the
    `companion`, command by command.

    `limit` says how many commands a second a follower can take now, None for as many as come.
    """

    def __init__(self) -> None:
        self.companion: Companion | None = None
        self.limit: Limit = _unlimited
        self._followers: list[Follower] = []
        self._of_reverts: list[Follower] = []  # and all others

    def follow(self, follower: Follower, limit: Limit | None = None) -> None:
        """Have every later batch handed over. A follower must be quick and must not raise. One at
        most has a `limit`."""
        self._followers.append(follower)
        self._of_reverts.append(follower)
        if limit is not None:
            assert self.limit is _unlimited, "a second follower has a limit"
            self.limit = limit

    def follow_reverts(self, follower: Follower) -> None:
        """Have only those batches handed over that take the state back, or were to."""
        self._of_reverts.append(follower)

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        reverts = type(batch[0].command) is RevertState
        assert not reverts or len(batch) == 1, f"a revert among {len(batch)} commands"
        for follower in self._of_reverts if reverts else self._followers:
            follower(batch)


def _unlimited() -> None:
    """All followers can take as many as come."""
