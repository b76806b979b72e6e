"""A capacity that is lower than the machine's, so that overload can be rehearsed on any."""

from __future__ import annotations

from typing import Final

STORED_S: Final = 0.005  # unused capacity of so long a time may be used at once
STEP_S: Final = 0.001  # the least time between two batches of a venue that is at its capacity


class Pace:
    """At most so many commands a second; times are in s."""

    def __init__(self, capacity: int, now: float) -> None:
        self._rate = float(capacity)
        self._most = max(1.0, capacity * STORED_S)
        self._room = self._most
        self._at = now

    def room(self, now: float) -> int:
        """How many commands may go now; 0 or less: none."""
        self._room = min(self._most, self._room + (now - self._at) * self._rate)
        self._at = now
        return int(self._room)

    def spend(self, commands: int) -> None:
        """So many go: more than there is room for are paid for later."""
        self._room -= commands

    def wait_s(self) -> float:
        """How long until there is room again."""
        return max(STEP_S, (1.0 - self._room) / self._rate)
