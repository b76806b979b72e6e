"""Limits the commands a second to less than the machine could do: to an operator's setting, or to
what a follower of the commands can take."""

from __future__ import annotations

from typing import Final

STORED_S: Final = 0.005  # unused capacity of so long a time may be used at once
STEP_S: Final = 0.0025  # the least time between two batches at this pace: each batch has a cost


class Pace:
    """At most `rate` commands a second; times are in s."""

    def __init__(self, rate: float, now: float) -> None:
        self.rate = rate
        self._room = max(1.0, rate * STORED_S)
        self._at = now
        self._is_ahead = False  # the last batch went ahead

    def room(self, now: float) -> int:
        """Return how many commands may go now; 0 or less: none."""
        most = max(1.0, self.rate * STORED_S)
        self._room = min(most, self._room + (now - self._at) * self.rate)
        self._at = now
        return int(self._room) if self._room >= self._least() else 0

    def ahead(self) -> int:
        """Return how many commands may be sent before the pace has room for them, as of the last
        call of `room`: the commands of one step, once between two steps, unless the pace was
        already exceeded."""
        return int(self._least()) if self._room >= 0 and not self._is_ahead else 0

    def spend(self, commands: int) -> None:
        """Count commands that were sent. A number above the room is paid for by later waiting."""
        if commands:
            self._is_ahead = self._room < self._least()
        self._room -= commands

    def wait_s(self) -> float:
        """Return how many seconds pass until there is room again."""
        return max(0.0, self._least() - self._room) / self.rate

    def _least(self) -> float:
        """Return the number of commands in a step: fewer commands wait until more arrive."""
        return max(1.0, self.rate * STEP_S)
