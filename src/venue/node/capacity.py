"""A capacity below the machine's own: one that was set, so that overload can be rehearsed on any
machine, or one that history can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

STORED_S: Final = 0.005  # unused capacity of so long a time may be used at once
STEP_S: Final = 0.001  # the least time between two batches of a venue that is at its capacity
UNBOUNDED: Final = 1e9  # commands a second: more than any machine takes
FOLLOWED: Final = 20_000.0  # commands a second when history has fallen behind half of the way
FOLLOWED_LEAST: Final = 1_000.0  # and when it has all of it: cancels never wait for history


class Pace:
    """At most so many commands a second; times are in s.

    `capacity` is one that was set. `slack` says how much of the way history has left before no new
    orders may come in: below 1.0 the fewer commands go, the less there is. So owners take turns
    before all of them would be refused.
    """

    def __init__(self, capacity: int | None, slack: Callable[[], float], now: float) -> None:
        self._capacity = UNBOUNDED if capacity is None else float(capacity)
        self._slack = slack
        self._rate = self._capacity
        self._room = self._most()
        self._at = now

    def room(self, now: float) -> int:
        """How many commands may go now; 0 or less: none."""
        slack = self._slack()
        self._rate = self._capacity
        if slack < 1.0:
            self._rate = min(self._rate, max(FOLLOWED_LEAST, FOLLOWED * slack))
        self._room = min(self._most(), self._room + (now - self._at) * self._rate)
        self._at = now
        return int(self._room)

    def spend(self, commands: int) -> None:
        """So many go: more than there is room for are paid for later."""
        self._room -= commands

    def wait_s(self) -> float:
        """How long until there is room again."""
        return max(STEP_S, (1.0 - self._room) / self._rate)

    def _most(self) -> float:
        return max(1.0, self._rate * STORED_S)
