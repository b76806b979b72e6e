"""Wires the parts of a venue: one that serves, a world, or a run that is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from venue.core.engine import Engine
from venue.gateway.access.keys import KeyStore
from venue.gateway.access.limits import WEIGHT_MAX
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.door import KEY_REWRITES, Door
from venue.gateway.faults.rules import FaultRules
from venue.history.process.client import History
from venue.journal.journal import Journal
from venue.journal.recovery import newest_setting
from venue.lab.prehistory import Prehistory
from venue.node.market_data.views import MarketData
from venue.node.missed_events import MissedEvents
from venue.node.node import Node
from venue.node.outbox import Outbox
from venue.node.sequencer import Sequencer
from venue.node.snapshots import RecoveryFollowers
from venue.node.spot_changes import SpotChanges
from venue.node.timekeeper import Timekeeper
from venue.node.venue_clock import VenueClock
from venue.recording.recorder import Recorder
from venue.running.history import follow_with_history
from venue.running.options import Options
from venue.running.snapshots import keep_up


class Views:
    """The parts that a recovery restores beside the engine; history has reached `projected`."""

    def __init__(self, frames_kept: int, projected: int) -> None:
        self.prehistory = Prehistory()
        self.market_data = MarketData(self.prehistory.spot, self.prehistory.contract)
        self.recorder = Recorder(frames_kept)
        self.restored = RecoveryFollowers(self.market_data, self.recorder, projected)

    def begin_prehistory(self, settings: dict[str, str]) -> None:
        """Make the candles of the time before the venue began, where its settings name a time."""
        if epoch := settings.get("historyEpoch", ""):
            self.prehistory.begin(int(settings.get("historySeed", "1")), int(epoch))


def wire_venue(
    options: Options,
    engine: Engine,
    views: Views,
    *,
    journal: Journal,
    history: History,
    clock: VenueClock,
    on_failure: Callable[[BaseException], None],
) -> Door:
    """Wire a recovered engine and its views; history gets the events that it lacks."""
    path = options.state
    outbox = Outbox()
    outbox.companion = views.recorder
    outbox.follow(views.market_data.follow)
    spot_changes = SpotChanges()
    outbox.follow(spot_changes.follow)
    outbox.follow(views.recorder.publish)
    if options.projection:
        follow_with_history(outbox, engine, history, views.recorder)
    sequencer = Sequencer(engine, journal, outbox, clock, on_failure, capacity=options.capacity)
    timekeeper = Timekeeper(engine, sequencer, clock, partial(keep_up, history, engine))
    outbox.follow(timekeeper.note)
    missed = MissedEvents(journal, sequencer.on_disk_thread, f"{path}.history", options.frames_kept)
    history.begin(engine, missed.bring if path else None)
    history.follow(views.restored.unprojected, views.restored.frames)
    node = Node(
        engine=engine,
        sequencer=sequencer,
        market_data=views.market_data,
        history=history,
        clock=clock,
        timekeeper=timekeeper,
        data=str(Path(path).absolute()) if path else "in memory",
        journal=journal,
        outbox=outbox,
        recorder=views.recorder,
        spot_changes=spot_changes,
        practice=options.practice,
        profile=options.profile,
    )
    return Door(
        node,
        keys=_keys(path, engine, journal) if path else KeyStore(),
        replays=ReplayGuard(clock),
        faults=FaultRules(str(options.seed)),
        weight_limit=WEIGHT_MAX * options.limits_factor(),
    )


def _keys(path: str, engine: Engine, journal: Journal) -> KeyStore:
    """Return the key store beside a journal, no older than the journal knows it."""
    least = int(engine.settings.get(KEY_REWRITES, "0"))
    if engine.epoch:  # a revert took back what was noted, and may be the last command
        least = max(least, int(newest_setting(journal, KEY_REWRITES) or "0"))
    return KeyStore.open(Path(f"{path}.keys"), least)
