"""A venue on a machine whose clocks a test moves, by signals.

`python -m support.clocked dev ...` runs the `venue` command. At its start the time is four hours
from any at which funding is due; with CLOCK_AHEAD_S in the environment it is the machine's, so
many seconds ahead. SIGUSR1 lets time pass to just before funding is due, SIGUSR2 an hour.
SIGRTMIN sets the wall clock an hour ahead and SIGRTMIN+1 an hour back: no time passes.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Final

import venue.running.serving
from venue.cli.app import main
from venue.node.clock import Machine, SystemClock

HOUR_US: Final = 3_600_000_000
PERIOD_US: Final = 8 * HOUR_US  # funding is due at 00:00, 08:00 and 16:00
BEFORE_US: Final = 500_000
AHEAD: Final = "CLOCK_AHEAD_S"
STEP_AHEAD: Final = signal.SIGRTMIN
STEP_BACK: Final = signal.SIGRTMIN + 1


class Movable:
    """The machine's clocks, and the spans by which they were moved (µs)."""

    def __init__(self, ahead: int = 0) -> None:
        self._machine = Machine()
        self._ahead = ahead
        self._passed = 0

    def wall(self) -> int:
        return self._machine.wall() + self._ahead + self._passed

    def steady(self) -> int:
        return self._machine.steady() + self._passed

    def step(self, us: int) -> None:
        """Set the wall clock: no time passes."""
        self._ahead += us

    def let_pass(self, us: int) -> None:
        """Time passes, on both clocks."""
        self._passed += us


def _run() -> None:
    given = os.environ.get(AHEAD)
    phase = PERIOD_US // 2 - Machine().wall()
    source = Movable(phase % PERIOD_US if given is None else int(given) * 1_000_000)

    def on_signal(number: int, _: FrameType | None) -> None:
        if number == signal.SIGUSR1:
            source.let_pass(PERIOD_US - source.wall() % PERIOD_US - BEFORE_US)
        elif number == signal.SIGUSR2:
            source.let_pass(HOUR_US)
        else:
            source.step(HOUR_US if number == STEP_AHEAD else -HOUR_US)

    for number in (signal.SIGUSR1, signal.SIGUSR2, STEP_AHEAD, STEP_BACK):
        signal.signal(number, on_signal)
    vars(venue.running.serving)["SystemClock"] = lambda: SystemClock(source)
    main()


if __name__ == "__main__":
    _run()
