"""Saved states by name, as bytes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.core.messages.events import Event, Rejected
from venue.core.messages.savepoints import DropState, StateDropped
from venue.vocabulary import Reject

KEPT_MAX: Final = 50  # states at a time: each is as large as a snapshot


class Savepoint(Struct, array_like=True):
    """The state after command `sequence` at `time` (µs); `state` has no savepoints in it."""

    name: str
    sequence: int
    time: int
    state: bytes
    aside: bytes


class Savepoints:
    """The savepoints by name, oldest first, and how often the state was reverted."""

    __slots__ = ("epoch", "kept")

    def __init__(self) -> None:
        self.epoch = 0
        self.kept: dict[str, Savepoint] = {}

    def drop(self, command: DropState) -> list[Event]:
        """Delete a saved state."""
        if command.name not in self.kept:
            return [Rejected(Reject.STATE_UNKNOWN)]
        del self.kept[command.name]
        return [StateDropped(command.name)]
