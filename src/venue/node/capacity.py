"""A pace of commands that is lower than the machine's: an operator's setting, or what a follower of
the commands can keep up with."""

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
        """How many commands may go now; 0 or less: none."""
        most = max(1.0, self.rate * STORED_S)
        self._room = min(most, self._room + (now - self._at) * self.rate)
        self._at = now
        return int(self._room) if self._room >= self._least() else 0

    def ahead(self) -> int:
        """How many commands may go ahead of the pace, as of the last look at the room: those of a
        step, once between two steps, unless more went than there was room for."""
        return int(self._least()) if self._room >= 0 and not self._is_ahead else 0

    def spend(self, commands: int) -> None:
        """So many go: more than there is room for are paid for later."""
        if commands:
            self._is_ahead = self._room < self._least()
        self._room -= commands

    def wait_s(self) -> float:
        """How long until there is room again."""
        return max(0.0, self._least() - self._room) / self.rate

    def _least(self) -> float:
        """The commands of a step: fewer wait for others."""
        return max(1.0, self.rate * STEP_S)
