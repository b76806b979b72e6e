"""Passes venue time: ticks for the engine and steps for the agents, each at its instant, in order.

Ticks are at whole seconds of venue time, steps at whole multiples of their length. In the mode
`real`, instants that were missed are skipped. In all other modes no instant is skipped: commands
due at an instant are stamped with it and applied before time passes further.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from msgspec import Struct

from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import ChangeSetting, Command, Tick
from venue.core.messages.savepoints import KeepState, RevertState, StateReverted
from venue.core.units import DAY_US
from venue.node.clock_modes import (
    SETTING,
    SIGNED_AHEAD,
    AheadSpan,
    ClockMode,
    Mode,
    parse_mode,
    span_of,
)
from venue.node.due import Due, Report, upcoming
from venue.node.garbage import free_what_is_left
from venue.node.passing_time import RETRY_S, tick, time_matters
from venue.node.sequencer import Overloaded, Sequencer, Stopped
from venue.node.venue_clock import NOTED_US, VenueClock

TICK_US: Final = 1_000_000  # between ticks while contracts have prices or a countdown runs
IDLE_TICK_US: Final = 10 * TICK_US  # otherwise
# In a sparse advance. Premiums are sampled as often; a price counts for twice as long (6.1, 6.3).
SPARSE_TICK_US: Final = 5 * TICK_US
SPARSE_STEP_US: Final = 60 * TICK_US
DUE_SHOWN: Final = 10


class Stepper(Protocol):
    """Acts as time passes, as agents do."""

    def acts(self) -> bool:
        """Return whether it may have commands to give."""

    def step(self, now: int) -> list[Command]:
        """Return the commands of its next step, at venue time `now` (µs)."""

    def posts(self, now: int) -> list[Command]:
        """Return those commands of the next step that keep indexes from becoming stale."""


class Follower(Protocol):
    """A follower with work to do at instants of its own choice."""

    def due(self) -> int | None:
        """Return the next instant in venue time (µs); None when there is none."""

    def pass_time(self) -> None:
        """Do the work that is due now. Called at each instant, after its changes were published."""


class Busy(Exception):
    """Another call is moving time already."""


class GoingBack(Exception):
    """The state is being reverted, and time with it: the request was meant for another time."""

    def __init__(self) -> None:
        super().__init__("the state goes back")


class AdvanceOutcome(Struct, frozen=True):
    """The outcome of an advance: its start and end in venue time (µs), and the sequence at the end.

    `stopped`: another change of the clock ended it early.
    """

    begin: int
    end: int
    sequence: int
    settled: list[Due]
    left_out: int
    stopped: bool


class Timekeeper:
    """Passes time for a venue. Belongs to one event loop.

    `room` waits until the engine's followers keep up.
    """

    def __init__(
        self,
        engine: Engine,
        sequencer: Sequencer,
        clock: VenueClock,
        room: Callable[[], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._sequencer = sequencer
        self._clock = clock
        self._followed = [room]
        self._followers: list[Follower] = []
        self._stepper: Stepper | None = None
        self._try_submit: Callable[[list[Command]], Awaitable[None]] | None = None
        self._step_us = TICK_US
        self._ticked = self._stepped = clock.now()  # venue time up to which they are done
        self._look = asyncio.Event()  # something else is due first, or the mode is another
        self._turn = asyncio.Lock()  # held while time is moved
        self._report: Report | None = None  # of the advance under way
        self._sparse = False  # the advance under way is
        self._stopping = False
        self._reverts = 0  # that are under way, or wait for their turn
        self._changes = 0  # of the mode, that wait for the end of an advance
        self._holders: set[object] = set()  # they keep time from being skipped

    def attach(
        self,
        stepper: Stepper,
        step_us: int,
        try_submit: Callable[[list[Command]], Awaitable[None]],
    ) -> None:
        """Let a stepper act every `step_us`. In the mode `real`, `try_submit` submits its commands,
        and may drop them when the venue is busy."""
        self._stepper = stepper
        self._step_us = step_us
        self._try_submit = try_submit
        self._look.set()

    def follow(self, follower: Follower, room: Callable[[], Awaitable[None]]) -> None:
        """Call a follower at its own instants; `room` waits until it keeps up."""
        self._followers.append(follower)
        self._followed.append(room)

    def look(self, at: int) -> None:
        """Ask the followers for their next instants again: one of them has a new one."""
        self._clock.lower(at)
        self._look.set()

    def hold(self, who: object) -> None:
        """Stop time in the mode `skip` until this holder releases it."""
        self._holders.add(who)

    def release(self, who: object) -> None:
        """End a hold; does nothing if this holder has none."""
        self._holders.discard(who)
        self._look.set()

    def holders(self) -> int:
        """Return how many holders stop time."""
        return len(self._holders)

    def note(self, batch: list[Applied]) -> None:
        """Follow the outbox, to report the things that an advance settles."""
        if self._report is not None:
            self._report.follow(batch)

    def go_back(self, event: StateReverted) -> None:
        """Set time back with the state."""
        stored = self._engine.settings.get(SETTING, "")
        self._clock.go_back(parse_mode(stored), event.time)
        self._ticked = self._stepped = event.time
        self._look.set()

    def advancing(self) -> bool:
        """Return whether an advance is under way."""
        return self._report is not None

    def next_due(self) -> list[Due]:
        """Return the next things known to fall due."""
        coming = upcoming(self._engine, self._clock.now())
        return [due for due, _ in zip(coming, range(DUE_SHOWN), strict=False)]

    # -- time passes by itself --------------------------------------------------------------------

    async def run(self) -> None:
        """Pass time until cancelled, or until the sequencer has stopped."""
        while True:
            if self._report is not None or self._clock.mode is Mode.MANUAL:
                await self._wait_for_change(None)
                continue
            try:
                await self._next()
            except Stopped:
                return

    async def _next(self) -> None:
        """Wait for the next instant and do what is due."""
        clock, epoch = self._clock, self._engine.epoch
        at = self._instant(self._tick_at())
        if clock.mode is Mode.SKIP:
            if self._holders:
                await self._wait_for_change(None)
                return
            await asyncio.sleep(0)  # waiting tasks go first
            if not self._sequencer.quiet():
                return
        else:
            if not clock.real:
                clock.limit(at)
            wait_s = clock.wait_s(at)
            if wait_s > 0:
                await self._wait_for_change(wait_s)
                return
        async with self._turn:
            if self._report is not None or self._engine.epoch != epoch:
                return  # time is moved, or went back: the instant is another
            if clock.real:
                await self._catch_up()
            elif clock.mode is not Mode.MANUAL:
                if clock.mode is Mode.SKIP:
                    clock.move(at)
                clock.forgive()
                await self._live(at, ticks=at >= self._tick_at())

    async def _wait_for_change(self, wait_s: float | None) -> None:
        self._look.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._look.wait()
        except TimeoutError:
            return

    async def _catch_up(self) -> None:
        """Act in the mode `real`: skip instants that were missed."""
        await self._note_ahead()
        now = self._clock.now()
        attempt: Awaitable[None] | None = None
        if self._stepper is not None and self._try_submit is not None and now >= self._step_at():
            self._stepped = now
            commands = self._stepper.step(now)
            if commands:
                attempt = asyncio.ensure_future(self._try_submit(commands))
        if now >= self._tick_at():
            matters = self._tick_matters(now)
            self._ticked = now
            if matters:
                await tick(self._sequencer)
        if attempt is not None:
            await attempt

    async def _note_ahead(self) -> None:
        """Journal the times of a machine's clock that was set ahead, before requests signed by it
        are accepted: after a restart the venue must not accept them again when server time reaches
        them."""
        times = self._clock.unrecorded_times()
        if times is None:
            return
        first, last = times
        begin, before = self._engine.time, self._engine.settings.get(SIGNED_AHEAD, "")
        noted = span_of(before)
        if noted is not None and noted.last > self._clock.wall() - NOTED_US:  # may still come
            begin, first, last = noted.begin, min(noted.first, first), max(noted.last, last)
        await self._apply([ChangeSetting(SIGNED_AHEAD, AheadSpan(begin, first, last).text())])
        self._clock.signed_ahead = last

    # -- instants ---------------------------------------------------------------------------------

    def _tick_at(self) -> int:
        if self._sparse:
            return self._sparse_tick_at()
        return (self._ticked // TICK_US + 1) * TICK_US

    def _sparse_tick_at(self) -> int:
        """Return the next tick of a sparse advance: every few seconds while prices matter, the full
        second after the next thing due, and each 00:00 UTC, because rewards and fee tiers are
        counted by days."""
        at = (self._ticked // DAY_US + 1) * DAY_US
        due = next(upcoming(self._engine, self._ticked), None)
        if due is not None:
            at = min(at, -(-due.at // TICK_US) * TICK_US)
        if time_matters(self._engine):
            at = min(at, (self._ticked // SPARSE_TICK_US + 1) * SPARSE_TICK_US)
        return at

    def _step_at(self) -> int:
        step_us = max(self._step_us, SPARSE_STEP_US) if self._sparse else self._step_us
        return (self._stepped // step_us + 1) * step_us

    def _tick_matters(self, now: int) -> bool:
        """Return whether to tick: rarely when nothing depends on time. A sparse advance decides by
        itself."""
        if self._sparse:
            return True
        return now // IDLE_TICK_US > self._ticked // IDLE_TICK_US or time_matters(self._engine)

    def _instant(self, tick_at: int) -> int:
        """Return the next instant at which something may be due; `tick_at` is that of the next
        tick."""
        at = tick_at
        if self._report is not None and not self._sparse and not time_matters(self._engine):
            at = (self._ticked // IDLE_TICK_US + 1) * IDLE_TICK_US
        if self._stepper is not None and self._stepper.acts():
            at = min(at, self._step_at())
        if not self._clock.real:
            for follower in self._followers:
                due = follower.due()
                if due is not None and due < at:
                    at = due
        return max(at, self._clock.now())

    async def _live(self, at: int, *, ticks: bool) -> None:
        """Do all that is due at the instant at which venue time waits; `ticks`: a tick is due
        too."""
        commands: list[Command] = []
        if ticks:
            if self._tick_matters(at):
                commands.append(Tick())
            self._ticked = at
        if ticks and self._sparse:  # the indexes that the stepper sees are not five seconds old
            await self._apply(commands)
            commands = []
        if self._stepper is not None:
            if at >= self._step_at():
                self._stepped = at
                commands += self._stepper.step(at)
            elif ticks and self._sparse:
                commands += self._stepper.posts(at)
        if commands:
            await self._apply(commands)
        else:
            await asyncio.sleep(0)
        for follower in self._followers:
            follower.pass_time()
        for room in self._followed:
            await room()

    async def _apply(self, commands: list[Command]) -> None:
        """Apply commands and wait until they are worked off; an overload does not drop them."""
        while True:
            try:
                await self._sequencer.submit(commands)
                break
            except Overloaded:
                await asyncio.sleep(RETRY_S)
        await self._sequencer.worked_off()

    # -- time is moved ----------------------------------------------------------------------------

    async def advance(self, to: int, *, sparse: bool = False) -> AdvanceOutcome:
        """Pass all instants up to venue time `to`, which is not before now.

        `sparse`: the stepper acts once a minute, and ticks are at each fifth second and where
        something falls due. Where no price matters and nobody acts, time moves in one step. The
        mode `real` becomes `offset`. Raises Busy: another advance is under way; GoingBack; Stopped.
        """
        if self._reverts:
            raise GoingBack
        if self._report is not None:
            raise Busy("time is being moved")
        clock = self._clock
        report = self._report = Report()
        if clock.real:
            await self._put(ClockMode(Mode.OFFSET, offset=clock.now() - clock.wall()))
        self._sparse = sparse
        passing, clock.passing = clock.passing, True
        begin = clock.now()
        try:
            async with self._turn:
                await self._live_to(to)
        finally:
            clock.passing = passing
            self._report = None
            self._sparse = False
            stopped, self._stopping = self._stopping, False
            self._look.set()
        for follower in self._followers:
            follower.pass_time()  # some waited for time to pass: it stands now
        return AdvanceOutcome(
            begin, clock.now(), self._engine.sequence, report.rows(), report.left_out, stopped
        )

    async def _live_to(self, to: int) -> None:
        clock = self._clock
        while (at := self._instant(tick_at := self._tick_at())) <= to:
            clock.move(at)
            await self._live(at, ticks=at >= tick_at)
            if self._stopping:
                return
        clock.move(to)
        await self._note_mode()

    async def change(self, setting: ClockMode, to: int | None) -> None:
        """Change the mode, after an advance to venue time `to` if given.

        An advance that is under way ends at the instant that it has reached. Raises GoingBack;
        Busy: another change came first; Stopped.
        """
        clock = self._clock
        if self._reverts:
            raise GoingBack
        await self._end_advance()
        if to is not None and to > clock.now() and (await self.advance(to)).stopped:
            raise Busy("another change came first")
        if setting.mode is Mode.REAL:
            clock.check_real(clock.now())
        await self._put(setting)

    async def _end_advance(self) -> None:
        """End an advance that is under way; no revert begins meanwhile."""
        self._changes += 1
        try:
            while self._report is not None:
                self._stopping = True
                async with self._turn:
                    pass
                await asyncio.sleep(0)
        finally:
            self._changes -= 1

    async def keep(self, name: str, aside: Callable[[], bytes]) -> list[Applied]:
        """Save the state between two steps, with the data outside of the engine that reverts with
        it. Raises Busy and Stopped."""
        if self._report is not None:
            raise Busy("time is being moved")
        async with self._turn:
            return await self._sequencer.submit([KeepState(name, aside())])

    async def revert(self, name: str) -> list[Applied]:
        """Revert to a saved state between two steps. When it raises Busy, Overloaded or Stopped,
        nothing was done."""
        if self._report is not None or self._changes:
            raise Busy("time is being moved")
        self._reverts += 1
        try:
            async with self._turn:
                applied = await self._sequencer.submit([RevertState(name)])
                with suppress(Stopped):  # the state has gone back all the same
                    await self._note_mode()
        finally:
            self._reverts -= 1
        free_what_is_left()
        return applied

    async def _put(self, setting: ClockMode) -> None:
        async with self._turn:
            self._clock.put(setting)
            await self._note_mode()
            for follower in self._followers:
                follower.pass_time()  # some waited for time to pass: it may stand now
            self._look.set()

    async def _note_mode(self) -> None:
        """Journal the mode, and with it the venue time that was reached."""
        text = self._clock.setting.text()
        if text != self._engine.settings.get(SETTING) or (self._engine.time < self._clock.now()):
            await self._apply([ChangeSetting(SETTING, text)])
