"""How fast history projects, and how fast commands may come so that it is not left far behind."""

from __future__ import annotations

from typing import Final

MEASURED_S: Final = 0.5  # of work: less says little, as it is told by the transaction
STILL_S: Final = 1.0  # beyond a transaction's time: without an end of one it stands still
UNKNOWN_PER_S: Final = 10_000.0  # commands: taken for its speed before it is measured
LEAST_PER_S: Final = 1_000.0  # commands that may come always: of many owners, each its cancels
SLOWEST: Final = 0.5  # times its speed: what it is behind by shrinks then
FASTEST: Final = 1.5  # times its speed: about where a limit begins to be felt


class Speed:
    """Commands a second, of the times in which there was something to project. Times are in s."""

    def __init__(self) -> None:
        self._per_s = UNKNOWN_PER_S  # as last measured
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
            self._per_s = self._commands / self._worked
            self._commands, self._worked = 0, 0.0

    def per_s(self, now: float) -> float:
        """Commands a second, while there is something to project: as last measured, and less the
        longer it stands still."""
        return self._per_s * STILL_S / max(now - self._since, STILL_S)

    def limit(self, left: float, now: float) -> float:
        """Commands a second that may come. `left` is the part, 0 to 1, of the way to where it must
        catch up."""
        factor = SLOWEST + (FASTEST - SLOWEST) * left
        return max(LEAST_PER_S, factor * self.per_s(now))
