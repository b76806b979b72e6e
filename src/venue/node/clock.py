"""Time for everything outside the core: one object, handed down from `main`; nobody else asks."""

import time
from typing import Protocol


class Clock(Protocol):
    """Where time comes from. The core never asks: it is told with each command."""

    def now(self) -> int:
        """Venue time in µs since the epoch."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000
