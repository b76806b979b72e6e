"""A venue as it was after a command of a run, brought there by a replay: it answers questions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from msgspec import structs

from venue.api.profile import Profile
from venue.bundle.moments import Moments, Told
from venue.bundle.sealed import SealedJournal
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.gateway.door import Door
from venue.history.frames_kept import FRAMES_KEPT
from venue.history.process.client import History
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.venue_clock import VenueClock
from venue.running.founding import add_demo_keys
from venue.running.options import Options
from venue.running.wiring import Views, wire_venue

TOLD_EVERY: Final = 10_000  # commands

log = logging.getLogger("venue")


class PastViews:
    """The engine and the views after a command, and what history lacks there after `begin`.

    `told` hears how far the replay is, on its thread.
    """

    def __init__(self, moments: Moments, sequence: int, begin: int, told: Told) -> None:
        self.sequence = sequence
        self.journal: SealedJournal = moments.journal(sequence, begin)
        self.views = Views(FRAMES_KEPT, begin)
        self.engine = Engine()
        self._moments = moments
        self._told = told
        self._next_told = 0

    def bring(self) -> None:
        """Replay up to the command. RunRefused, JournalCorrupt, JournalFailed, OtherRules."""
        self._moments.bring(self.journal, self)

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Begin where the snapshot ends."""
        self.engine = engine
        self._next_told = engine.sequence + TOLD_EVERY
        self.views.restored.restore(parts, engine)

    def note(self, applied: Applied) -> None:
        """Make a command's frames again."""
        self.views.restored.note(applied)

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again."""
        self._moments.check_goes_on()
        self.views.restored.follow(batch)
        if self.engine.sequence >= self._next_told:
            self._next_told += TOLD_EVERY
            self._told(self.engine.sequence, self.sequence)


def door_of(
    options: Options,
    moments: Moments,
    past: PastViews,
    history: History,
    history_told: Callable[[], str],
) -> Door:
    """Wire a venue of these views, with the demo keys of the owners that it had then."""
    engine, sequence = past.engine, past.sequence
    clock = VenueClock(SystemClock())
    clock.begin(engine.time, ClockMode(Mode.MANUAL), None, None)
    door = wire_venue(
        structs.replace(options, profile=Profile(moments.run.profile)),
        engine,
        past.views,
        journal=past.journal,
        history=history,
        clock=clock,
        on_failure=_defect,
    )
    door.node.data = f"{moments.run.name}, read-only, at command {sequence} of {moments.run.last()}"
    door.epoch_line += b"x-venue-at: %d\r\n" % sequence
    door.past_wire = moments.run.wire
    door.node.history_told = history_told
    door.observe(options.wire_log)
    add_demo_keys(door)
    past.views.begin_prehistory(engine.settings)
    return door


def _defect(problem: BaseException) -> None:
    log.error("a run that is read took a command: %s", problem)
