"""The registry of reverts: the parts outside of the engine that go back with its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import StateReverted

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(dict[str, bytes]).decode


class Revertible(Protocol):
    """A part whose state does not follow from the journal's commands."""

    def dump(self) -> bytes:
        """Return its state."""

    def restore(self, data: bytes) -> None:
        """Take a dumped state."""


class Reverts:
    """The one registry of reverts. It restores the parts first, then tells the listeners in turn.

    The parts' states are journaled with a kept state (its `aside`), so they outlive a restart. A
    part without a state in it stays as it is.
    """

    def __init__(self) -> None:
        self._parts: dict[str, Revertible] = {}
        self._listeners: dict[str, Callable[[StateReverted], None]] = {}

    def restore(self, name: str, part: Revertible) -> None:
        """Restore this part at each revert."""
        self._parts[name] = part

    def tell(self, name: str, listener: Callable[[StateReverted], None]) -> None:
        """Tell this listener of each revert. It must be quick and must not raise."""
        assert name not in self._listeners, f"two listeners are called {name}"
        self._listeners[name] = listener

    def names(self) -> set[str]:
        """Return the names of all parts and listeners."""
        return {*self._parts, *self._listeners}

    def dump(self) -> bytes:
        """Return the states of all parts."""
        return _encode({name: part.dump() for name, part in self._parts.items()})

    def take(self, dumped: bytes) -> set[str]:
        """Restore all parts that `dumped` (b"": none) names; return these names."""
        states = _decode(dumped) if dumped else {}
        for name, part in self._parts.items():
            if name in states:
                part.restore(states[name])
        return set(states)

    def follow(self, batch: list[Applied]) -> None:
        """Restore parts and tell listeners if a published batch is a revert of the state."""
        event = find_revert(batch)
        if event is not None:
            self.take(event.aside)
            for listener in self._listeners.values():
                listener(event)


def find_revert(batch: list[Applied]) -> StateReverted | None:
    """Return the revert in a published batch, None without one: it stands alone in its batch."""
    events = batch[0].events
    event = events[0] if events else None
    return event if isinstance(event, StateReverted) else None


def random_state(state: tuple[Any, ...]) -> tuple[int, tuple[int, ...], float | None]:
    """Return the decoded state of a `Random`, with tuples in place of lists."""
    version, words, gauss = state
    return version, tuple(words), gauss
