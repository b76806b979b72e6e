"""State that reverts with the engine's and does not follow from commands: that of random agents."""

from __future__ import annotations

from typing import Any, Final, Protocol

import msgspec

from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import StateReverted

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(dict[str, bytes]).decode


class AsidePart(Protocol):
    """A part with a state of its own."""

    def dump(self) -> bytes:
        """Its state."""

    def restore(self, data: bytes) -> None:
        """Become what was dumped."""


class Aside:
    """The parts by name. Their states are journaled with a kept state, so they outlive a restart.

    Follows reverts; a part that was not there then, or is not there now, stays as it is.
    """

    def __init__(self) -> None:
        self._parts: dict[str, AsidePart] = {}

    def add(self, name: str, part: AsidePart) -> None:
        """Have a part go back too."""
        self._parts[name] = part

    def dump(self) -> bytes:
        """All of them as they are now."""
        return _encode({name: part.dump() for name, part in self._parts.items()})

    def follow(self, batch: list[Applied]) -> None:
        """Go back with the state."""
        event = reverted(batch)
        if event is not None:
            self.become(event.aside)

    def become(self, dumped: bytes) -> set[str]:
        """Have all parts be as `dumped` says (b"": nothing); the names that it speaks of."""
        states = _decode(dumped) if dumped else {}
        for name, part in self._parts.items():
            if name in states:
                part.restore(states[name])
        return set(states)


def reverted(batch: list[Applied]) -> StateReverted | None:
    """The revert in a published batch, None without one: it stands alone in its batch."""
    events = batch[0].events
    event = events[0] if events else None
    return event if isinstance(event, StateReverted) else None


def random_state(state: tuple[Any, ...]) -> tuple[int, tuple[int, ...], float | None]:
    """The decoded state of a `Random`, with tuples in place of lists."""
    version, words, gauss = state
    return version, tuple(words), gauss
