"""Hands applied commands, in order, to all parts that follow them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import RevertState
from venue.node.reverting import Reverts

Follower = Callable[[list[Applied]], None]
Limit = Callable[[], float | None]


class Companion(Protocol):
    """Receives each command while the engine is in the state after that command."""

    busy: bool  # it hears of each command, otherwise only of those of `special` types
    special: frozenset[type]

    def note(self, applied: Applied) -> None:
        """Note a durable command that was just applied, before the next one is. Must be quick and
        must not raise."""


class Outbox:
    """Calls its followers with each batch of applied commands, in the order in which they were
    added. After a revert of the state, `reverts` restores the parts outside of the engine and tells
    its listeners. The sequencer calls the `companion` after every command.

    `limit` returns how many commands a second a follower can take now, None for any number.
    """

    def __init__(self) -> None:
        self.companion: Companion | None = None
        self.limit: Limit = _no_limit
        self.reverts = Reverts()
        self._followers: list[Follower] = []

    def follow(self, follower: Follower, limit: Limit | None = None) -> None:
        """Pass every later batch to a follower. It must be quick and must not raise. One follower
        at most has a `limit`."""
        self._followers.append(follower)
        if limit is not None:
            assert self.limit is _no_limit, "a second follower has a limit"
            self.limit = limit

    def publish(self, batch: list[Applied]) -> None:
        """Pass a durable, applied batch to all followers."""
        reverts = type(batch[0].command) is RevertState
        assert not reverts or len(batch) == 1, f"a revert among {len(batch)} commands"
        for follower in self._followers:
            follower(batch)
        if reverts:
            self.reverts.follow(batch)


def _no_limit() -> None:
    """Return no limit: the followers can take any number."""
