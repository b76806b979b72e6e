"""A venue with a clock of its own, which can be set to the moment before funding falls due.

`python -m support.clocked dev ...` runs the `venue` command, its clock four hours from any due
time; SIGUSR1 sets the clock ahead to just before the next one, SIGUSR2 by an hour.
"""

from __future__ import annotations

import signal
from types import FrameType

import venue.main
from venue.cli import main
from venue.node.clock import SystemClock

HOUR_US = 3_600_000_000
PERIOD_US = 8 * HOUR_US  # funding is due at 00:00, 08:00 and 16:00
BEFORE_US = 500_000


class SetClock:
    """The machine's clock and what it was set ahead by."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._ahead = (PERIOD_US // 2 - self._clock.now()) % PERIOD_US

    def now(self) -> int:
        """Venue time in µs since the epoch."""
        return self._clock.now() + self._ahead

    def set_ahead(self, _number: int, _frame: FrameType | None) -> None:
        self._ahead += PERIOD_US - self.now() % PERIOD_US - BEFORE_US

    def skip_an_hour(self, _number: int, _frame: FrameType | None) -> None:
        self._ahead += HOUR_US


if __name__ == "__main__":
    clock = SetClock()
    signal.signal(signal.SIGUSR1, clock.set_ahead)
    signal.signal(signal.SIGUSR2, clock.skip_an_hour)
    vars(venue.main)["SystemClock"] = lambda: clock
    main()
