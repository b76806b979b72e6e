"""The outbox: applied commands handed in order to their followers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import RevertState
from venue.node.reverting import Reverts

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
    came. After a revert of the state `reverts` restores and tells what is not in the engine. The
    sequencer tells the `companion`, command by command.

    `limit` says how many commands a second a follower can take now, None for as many as come.
    """

    def __init__(self) -> None:
        self.companion: Companion | None = None
        self.limit: Limit = _unlimited
        self.reverts = Reverts()
        self._followers: list[Follower] = []

    def follow(self, follower: Follower, limit: Limit | None = None) -> None:
        """Hand every later batch to a follower. It must be quick and must not raise. One at
        most has a `limit`."""
        self._followers.append(follower)
        if limit is not None:
            assert self.limit is _unlimited, "a second follower has a limit"
            self.limit = limit

    def publish(self, batch: list[Applied]) -> None:
        """Hand a durable, applied batch to all followers."""
        reverts = type(batch[0].command) is RevertState
        assert not reverts or len(batch) == 1, f"a revert among {len(batch)} commands"
        for follower in self._followers:
            follower(batch)
        if reverts:
            self.reverts.follow(batch)


def _unlimited() -> None:
    """All followers can take as many as come."""
