"""Time for everything outside the core: `running` makes one clock, and all other parts get it from
there.

The machine's wall clock tells the time, but it may be wrong, and it steps when somebody sets it.
The machine's monotonic clock tells how much time passes, and it never steps. Time passes here as
the monotonic clock says, and approaches the wall clock gradually, never by a jump.
"""

from __future__ import annotations

import logging
import time
from typing import Final, Protocol

from venue.candles import SECOND_US

# A tenth of the time that passes: a countdown of 5 s ends after 4.5 to 5.6 s. A step as wide as the
# window of signed requests, 30 s, is taken over within five minutes, one of an hour in ten hours.
SLEW: Final = 10
LOOK_US: Final = 1_000_000  # how often the machine's clock is looked at
READING_US: Final = 1_000  # two clocks that are read within so much are read together
STEP_US: Final = 100_000  # a greater difference between two looks is a step, not a drift
TOLD_US: Final = 1_000_000  # health tells of a greater distance

_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

log = logging.getLogger("venue.clock")


class MachineClocks(Protocol):
    """The two clocks of a machine."""

    def wall(self) -> int:
        """Return the machine's wall clock, in µs since the epoch; it may step."""

    def steady(self) -> int:
        """µs since some moment; it never steps, and goes on while the machine sleeps."""


class Machine:
    """This machine's clocks."""

    def wall(self) -> int:
        """Return the time, in µs since the epoch."""
        return time.time_ns() // 1_000

    def steady(self) -> int:
        """µs since the machine was started."""
        return time.clock_gettime_ns(_STEADY) // 1_000


class Clock(Protocol):
    """The source of time. The core never asks it: time arrives with each command."""

    def now(self) -> int:
        """Venue time in µs since the epoch: the time of all that happens on the venue."""

    def wall(self) -> int:
        """Return server time in µs since the epoch, independent of venue time: clients' signed
        timestamps are compared with it. Within one run of the venue it never goes back."""


class ServerClock(Protocol):
    """The times that the gateway sends to clients and compares with their timestamps."""

    real: bool  # `server_time` and `oldest` are server time

    def now(self) -> int:
        """See `Clock.now`."""

    def wall(self) -> int:
        """See `Clock.wall`."""

    def server_time(self) -> int:
        """Return the time that the venue reports to clients, µs: venue time, or the machine's in
        the mode `real`."""

    def signs(self, sent_ms: int, window_ms: int) -> bool:
        """Return whether a timestamp that is far from server time is near another time by which
        clients may sign: venue time, or the machine's wall clock."""

    def oldest(self) -> int:
        """Return the earliest of the times that a timestamp is compared with, µs."""


class SystemClock:
    """The machine's time without its steps. Both times advance between calls, or stay the same.

    Venue time is never behind server time, and is ahead of it only while the journal's time is. The
    wall clock's time, `machine`, steps; clients on the same machine sign with it.
    """

    def __init__(self, source: MachineClocks | None = None) -> None:
        self._source = source if source is not None else Machine()
        self._passed = self._source.steady  # bound once: every order asks some five times
        self.steps = 0  # of the machine's clock, seen since the start
        while (read := self._read()) is None:
            pass
        self._true, steady = read  # from steady time to what the machine takes for the time
        self._server = _Offset(self._true, steady)
        self._venue = _Offset(self._true, steady)
        self._look_at = steady + LOOK_US

    def begin(self, last: int) -> None:
        """Start venue time at the journal's last command if that is ahead of the machine."""
        steady = self._steady()
        lead = last - steady - self._server.at(steady)
        if lead <= 0:
            return
        self._venue = _Offset(last - steady, steady)
        self._venue.aim(self._true, steady)
        if lead >= TOLD_US:
            log.warning(
                "the journal's last command is %s s ahead of the machine's clock: one of the two is"
                " or was wrong. Venue time goes on from there, slower by one part in %d, until the"
                " machine's clock has come up to it; signed requests are compared with the"
                " machine's clock",
                _seconds(lead),
                SLEW,
            )

    def now(self) -> int:
        """Venue time in µs since the epoch."""
        steady = self._passed()
        if steady >= self._look_at:
            steady = self._look(steady)
        return steady + self._venue.at(steady)

    def wall(self) -> int:
        """Server time in µs since the epoch."""
        steady = self._passed()
        if steady >= self._look_at:
            steady = self._look(steady)
        return steady + self._server.at(steady)

    def machine(self) -> int:
        """Return the machine's own time as of the last look, µs since the epoch."""
        return self._steady() + self._true

    def set_apart(self) -> int:
        """Return how far the machine's clock is ahead of server time since somebody set it, µs;
        negative when it is behind."""
        server = self._server.at(self._steady())
        apart = self._true - server
        return apart if abs(apart) >= STEP_US else 0

    def oldest(self) -> int:
        """Return the earlier of server time and the machine's: requests signed near it may come
        again."""
        steady = self._steady()
        return steady + min(self._server.at(steady), self._true)

    def steady(self) -> int:
        """Return µs of the monotonic clock: for measuring how long something takes."""
        return self._passed()

    def ahead(self) -> tuple[int, int]:
        """Return how far venue time and server time are ahead of the machine's clock, in µs."""
        steady = self._steady()
        return self._venue.at(steady) - self._true, self._server.at(steady) - self._true

    def problem(self) -> str:
        """Return the problem with the time, in words; empty when there is none."""
        venue, server = self.ahead()
        if abs(venue) < TOLD_US and abs(server) < TOLD_US:
            return ""
        return (
            f"venue time is {_distance(venue)} the machine's clock and server time"
            f" {_distance(server)} it: they approach it by one part in {SLEW} of the time that"
            " passes; a restart takes server time from the machine at once, and venue time too"
            " when it is behind"
        )

    def _steady(self) -> int:
        steady = self._passed()
        return steady if steady < self._look_at else self._look(steady)

    def _look(self, steady: int) -> int:
        """Compare with the machine's clock, move towards it, and return the steady time of the
        comparison."""
        read = self._read()
        if read is None:
            return steady  # held up between the two: again with the next call
        true, steady = read
        self._look_at = steady + LOOK_US
        moved = true - self._true
        if abs(moved) < READING_US:
            return steady
        self._true = true
        self._venue.aim(true, steady)
        self._server.aim(true, steady)
        if abs(moved) >= STEP_US:
            self.steps += 1
            log.warning(
                "the machine's clock was set %s by %s s. The venue's follows by one part in %d of"
                " the time that passes: health tells how far it is. Signed requests are compared"
                " with both. A restart takes server time from the machine at once",
                "ahead" if moved > 0 else "back",
                _seconds(abs(moved)),
                SLEW,
            )
        return steady

    def _read(self) -> tuple[int, int] | None:
        """Return the offset between the two clocks, and steady time; None when they were not read
        together."""
        before = self._source.steady()
        wall = self._source.wall()
        steady = self._source.steady()
        return None if steady - before > READING_US else (wall - steady, steady)


class _Offset:
    """The offset added to steady time. It moves to its target by one part in `SLEW`.

    Two offsets with the same target keep their order: the time of each never goes back.
    """

    __slots__ = ("_aim", "_from", "_since")

    def __init__(self, offset: int, steady: int) -> None:
        self._aim = self._from = offset
        self._since = steady

    def at(self, steady: int) -> int:
        """Return the offset at a steady time, which is not before the last `aim`."""
        if self._aim == self._from:
            return self._aim
        gap = self._aim - self._from
        most = (steady - self._since) // SLEW
        if abs(gap) <= most:
            return self._aim
        return self._from + (most if gap > 0 else -most)

    def aim(self, offset: int, steady: int) -> None:
        """Move towards `offset` from now on."""
        self._from = self.at(steady)
        self._since = steady
        self._aim = offset


def _seconds(us: int) -> str:
    return f"{us / SECOND_US:.1f}"


def _distance(us: int) -> str:
    return f"{_seconds(abs(us))} s {'ahead of' if us >= 0 else 'behind'}"
