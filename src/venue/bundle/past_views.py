"""A venue as it was after a command of a run, brought there by a replay: it answers questions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from venue.api.profile import Profile
from venue.bundle.moments import Moments, Told
from venue.bundle.sealed import SealedJournal
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.gateway.access.limits import WEIGHT_MAX
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.bounds import DEV_FACTOR
from venue.gateway.context import Node
from venue.gateway.faults.rules import FaultRules
from venue.history.process.client import History
from venue.lab import demo
from venue.lab.prehistory import Prehistory
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.explainer import Explainer
from venue.node.market_data.views import MarketData
from venue.node.outbox import Outbox
from venue.node.sequencer import Sequencer
from venue.node.snapshots import Restored
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.recording.recorder import Recorder

TOLD_EVERY: Final = 10_000  # commands

log = logging.getLogger("venue")


class PastViews:
    """The engine and the views after a command, and what history lacks there after `begin`.

    `told` hears how far the replay is, on its thread.
    """

    def __init__(self, moments: Moments, sequence: int, begin: int, told: Told) -> None:
        self.sequence = sequence
        self.journal: SealedJournal = moments.journal(sequence, begin)
        self.prehistory = Prehistory()
        self.market_data = MarketData(self.prehistory.spot, self.prehistory.contract)
        self.recorder = Recorder()
        self.engine = Engine()
        self.missing = Restored(self.market_data, self.recorder, begin)
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
        self.missing.restore(parts, engine)

    def note(self, applied: Applied) -> None:
        """Make a command's frames again."""
        self.missing.note(applied)

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again."""
        self._moments.check_goes_on()
        self.missing.follow(batch)
        if self.engine.sequence >= self._next_told:
            self._next_told += TOLD_EVERY
            self._told(self.engine.sequence, self.sequence)


def node_of(
    moments: Moments, past: PastViews, history: History, history_told: Callable[[], str]
) -> Node:
    """A venue of these views, with the demo keys of the owners that it had then."""
    engine, sequence = past.engine, past.sequence
    clock = VenueClock(SystemClock())
    clock.begin(engine.time, ClockMode(Mode.MANUAL), None, None)
    outbox = Outbox()
    sequencer = Sequencer(engine, past.journal, outbox, clock, _defect)
    node = Node(
        engine=engine,
        sequencer=sequencer,
        market_data=past.market_data,
        history=history,
        keys=KeyStore(),
        clock=clock,
        timekeeper=Timekeeper(engine, sequencer, clock, _nothing),
        data=f"{moments.run.name}, read-only, at command {sequence} of {moments.run.last()}",
        weight_limit=WEIGHT_MAX * DEV_FACTOR,
        replays=ReplayGuard(),
        journal=past.journal,
        outbox=outbox,
        recorder=past.recorder,
        spot_changes=SpotChanges(),
        practice=True,
        faults=FaultRules("1"),
        profile=Profile(moments.run.profile),
    )
    node.epoch_line += b"x-venue-at: %d\r\n" % sequence
    node.past_wire = moments.run.wire
    node.explainer = Explainer(past.journal, sequencer.on_disk_thread)
    node.history_told = history_told
    _add_demo_keys(node)
    epoch = node.setting("historyEpoch", "")
    if epoch:
        past.prehistory.begin(int(node.setting("historySeed", "1")), int(epoch))
    return node


def _add_demo_keys(node: Node) -> None:
    """The demo keys, which are public: stock clients can read with them."""
    for account in demo.ACCOUNTS:
        uid = node.engine.uids.get(account.name)
        if uid is not None:
            node.keys.add(
                KeyCredentials(account.key, account.secret, demo.PASSPHRASE),
                KeyFacts(account.key, uid, "demo", account.permissions, [], 0, None, False),
            )


def _defect(problem: BaseException) -> None:
    log.error("a run that is read took a command: %s", problem)


async def _nothing() -> None:
    """Time stands."""
