"""How fast history projects, and how fast commands may come so that it is not left far behind."""

from __future__ import annotations

from typing import Final

MEASURED_S: Final = 0.5  # of work: less says little, as it is told by the transaction
SLOWEST: Final = 0.5  # of history's speed: what it is behind by shrinks then
FASTEST: Final = 1.5  # of history's speed: about where a limit begins to be felt


class Speed:
    """Commands a second, of the times in which there was something to project. Times are in s."""

    def __init__(self) -> None:
        self.per_s = 0.0  # as last measured; 0 before
        self._commands = 0
        self._worked = 0.0
        self._since = 0.0

    def begin(self, now: float) -> None:
        """There is something to project again."""
        self._since = now

    def note(self, commands: int, now: float) -> None:
        """So many more are projected."""
        self._commands += commands
        self._worked += now - self._since
        self._since = now
        if self._worked >= MEASURED_S:
            self.per_s = self._commands / self._worked
            self._commands, self._worked = 0, 0.0

    def limit(self, left: float) -> float | None:
        """Commands a second that may come; None for any. `left` is the part, 0 to 1, of the way to
        being too far behind."""
        return self.per_s * (SLOWEST + (FASTEST - SLOWEST) * left) or None
