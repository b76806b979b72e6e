"""The venue's clock: the machine's time, moved, stretched or stopped.

In every mode but `real` time passes from instant to instant: it stops at the next one, set by
`limit`, until the timekeeper has done the work that is due then.
"""

from __future__ import annotations

from typing import Final

from venue.node.clock import TOLD_US, SystemClock
from venue.node.clock_modes import RATE_UNIT, ClockMode, ClockRefused, Mode
from venue.times import US_PER_MS

FOREVER: Final = 1 << 62
# How long clients may go on with a clock that they set by ours, while ours stands.
DRIFT_US: Final = 3_600_000_000
NOTED_US: Final = 60_000_000  # more than a timestamp may be off


class VenueClock:
    """Venue time and server time, in µs since the epoch. Times advance between calls, or stay the
    same.

    `now` is venue time, `wall` server time. `server_time` is the time reported to clients: `wall`
    in the mode `real`, otherwise venue time. `passing`: time moves, by itself or by an advance.
    """

    __slots__ = (
        "_at",
        "_moved",
        "_since",
        "_until",
        "limited",
        "mode",
        "now",
        "oldest",
        "passing",
        "real",
        "real_limits",
        "scaled",
        "server_time",
        "setting",
        "signed_ahead",
        "system",
        "wall",
    )

    def __init__(self, system: SystemClock, *, real_limits: bool = False) -> None:
        self.system = system
        self.signed_ahead = 0  # clients of a machine set ahead may sign up to then, µs
        self.real_limits = real_limits
        self.wall = system.wall
        self._at = 0  # where venue time was put last,
        self._since = 0  # and when: the machine's steady time
        self._moved = 0  # steady time of the last move
        self._until = FOREVER
        self._take(ClockMode())

    def _take(self, setting: ClockMode) -> None:
        self.setting = setting
        mode = self.mode = setting.mode
        self.real = mode is Mode.REAL
        self.now = self.system.now if self.real else self._now
        self.server_time = self.system.wall if self.real else self._now
        # The earliest of the times that requests may be signed by: those near it may come again.
        self.oldest = self.system.oldest if self.real else self._oldest
        self.passing = mode is not Mode.MANUAL
        # Whether weights are counted, while time stands only on request;
        self.limited = mode is not Mode.MANUAL or self.real_limits
        self.scaled = mode in (Mode.RATE, Mode.SKIP)  # and whether by venue time

    # -- how it is put ----------------------------------------------------------------------------

    def begin(self, last: int, stored: ClockMode, asked: ClockMode | None, at: int | None) -> None:
        """Start at the time of the journal's last command, in the mode of that time or in the one
        asked for.

        The time while the venue was down is skipped. ClockRefused: time would go back.
        """
        setting = asked if asked is not None else stored
        if at is not None and at < last:
            raise ClockRefused(
                f"--at {at // US_PER_MS}: the journal's last command is of {last // US_PER_MS} ms,"
                " and time never goes back"
            )
        if setting.mode is Mode.REAL:
            if asked is not None and stored.mode is not Mode.REAL:
                self.check_real(last)
            self.system.begin(last)  # other modes are meant to be away from the machine's time
            return
        self._at = at or last or self.system.wall()
        if setting.mode is Mode.OFFSET:
            if asked is not None:
                setting = ClockMode(Mode.OFFSET, offset=self._at - self.system.wall())
            self._at = max(self._at, self.system.wall() + setting.offset)
        self._anchor(self._at)
        self._take(setting)

    def check_real(self, now: int) -> None:
        """Raise ClockRefused when venue time is ahead of server time, because it would have to go
        back."""
        lead = now - self.system.wall()
        if lead > TOLD_US:
            raise ClockRefused(
                f"venue time is {lead // 1_000_000} s ahead of the machine's, and time never goes"
                " back: take the mode offset, which goes on from here"
            )

    def put(self, setting: ClockMode) -> None:
        """Change the mode; venue time continues from its present value. Call `check_real` first."""
        now = self.now()
        if setting.mode is Mode.REAL:
            self.system.begin(now)
        self._take(setting)
        self._anchor(now)

    def move(self, at: int) -> None:
        """Set venue time to an instant that is not before now, and stop it there."""
        if self.mode is Mode.OFFSET:
            self.setting = ClockMode(Mode.OFFSET, offset=at - self.system.wall())
        self._anchor(at)

    def go_back(self, setting: ClockMode, at: int) -> None:
        """Restore an earlier mode and instant. The machine's time cannot go back: the mode `real`
        becomes an offset from it."""
        if setting.mode in (Mode.REAL, Mode.OFFSET):
            setting = ClockMode(Mode.OFFSET, offset=at - self.system.wall())
        self._take(setting)
        self._anchor(at)

    def _anchor(self, at: int) -> None:
        self._at = self._until = at
        self._since = self._moved = self.system.steady()

    def limit(self, at: int) -> None:
        """Stop venue time when it reaches this instant, which is not before now."""
        self._until = at

    def lower(self, at: int) -> None:
        """Stop venue time at an earlier instant than the present limit."""
        if not self.real:
            self._until = max(min(self._until, at), self._now())

    def forgive(self) -> None:
        """Drop what venue time is late by beyond a second of the machine's: a rate is an upper
        bound."""
        if self.mode is not Mode.RATE:
            return
        now = self._now()
        if (self._ideal() - now) * RATE_UNIT > self.setting.rate * 1_000_000:
            until = self._until
            self._anchor(now)
            self._until = until

    # -- what it says -----------------------------------------------------------------------------

    def _now(self) -> int:
        return min(self._ideal(), self._until)

    def _ideal(self) -> int:
        """Return the venue time that would be reached if nothing was due before it."""
        if self.mode is Mode.RATE:
            passed = self.system.steady() - self._since
            return self._at + passed * self.setting.rate // RATE_UNIT
        if self.mode is Mode.OFFSET:
            return max(self._at, self.system.wall() + self.setting.offset)
        return self._at

    def wait_s(self, at: int) -> float:
        """Return the machine's seconds until venue time reaches an instant; 0 or less when it
        has."""
        if self.real:
            return (at - self.now()) / 1_000_000
        return (at - self._ideal()) * RATE_UNIT / (self.setting.rate * 1_000_000)

    def ahead(self) -> int:
        """Return how far venue time is ahead of the machine's clock, in µs."""
        if self.real:
            return self.system.ahead()[0]
        return self._now() - self.system.wall() + self.system.ahead()[1]

    def problem(self) -> str:
        """Return the problem with the machine's time, in words; empty when there is none."""
        return self.system.problem() if self.real else ""

    # -- what clients sign ------------------------------------------------------------------------

    def signs(self, sent_ms: int, window_ms: int) -> bool:
        """Return whether a timestamp is near enough to the machine's wall clock, which may have
        been set, or to venue time. Time that has stopped is near for as long as it stands still, up
        to `DRIFT_US`: clients continue with the clock that they set by it."""
        apart = self.system.set_apart()
        machine_ms = (self.wall() + apart) // US_PER_MS
        if apart and abs(sent_ms - machine_ms) <= window_ms:
            known = not self.real or sent_ms * US_PER_MS <= self.signed_ahead
            if apart < 0 or known:
                return True
        if self.real:
            return False
        now = self._now()
        drift = 0
        if not self.passing:
            drift = min(self.system.steady() - self._moved, DRIFT_US)
        early, late = now // US_PER_MS - window_ms, (now + drift) // US_PER_MS + window_ms
        return early <= sent_ms <= late

    def unrecorded_times(self) -> tuple[int, int] | None:
        """Return the times (µs) by which clients may sign soon, because the machine's clock was set
        ahead, and which the journal does not contain yet. None: there are none. A restart knows the
        journal's requests by venue time only; in other modes that is enough."""
        machine = self.system.machine()
        if not self.real or self.system.set_apart() <= 0 or self.signed_ahead > machine + NOTED_US:
            return None
        return machine - NOTED_US, machine + 2 * NOTED_US

    def signed_until(self) -> int:
        """Return the latest venue time that clients may sign by before venue time moves: their
        clocks continue while it stands still."""
        return self.now() + (DRIFT_US if self.mode is Mode.MANUAL else 0)

    def _oldest(self) -> int:
        return min(self._now(), self.system.oldest())

    def machine(self) -> int:
        """Return the machine's own time, µs since the epoch."""
        return self.system.machine()
