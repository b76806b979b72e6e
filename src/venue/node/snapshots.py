"""Snapshots of a running venue: engine and views at the same sequence, never ahead of history."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.state import snapshot as state
from venue.history.kept_events import KeptEvents
from venue.journal import built
from venue.journal.journal import JournalCorrupt, Snapshot
from venue.journal.recovery import ENGINE
from venue.node.market_data.views import MarketData

EVERY: Final = 200_000  # commands between two snapshots
MARKET_DATA: Final = "market_data"  # the snapshot part that is the views' own
STREAMS: Final = "streams"  # that of what private streams said; former snapshots have none


class FrameRecorder(Protocol):
    """Makes the private frames of each command."""

    def restore(self, part: bytes, engine: Engine) -> None:
        """Start with its part of a snapshot (b"": none) and the engine of that snapshot. Raises
        MsgspecError."""

    def note(self, applied: Applied) -> None:
        """Make a command's frames."""

    def take(self) -> list[KeptFrame]:
        """Return the frames made since the last call."""

    def dump(self) -> bytes:
        """Return its part of a snapshot."""


class RecoveryFollowers:
    """The followers of a recovery: they restore the views, and collect the events that history
    lacks."""

    def __init__(self, market_data: MarketData, recorder: FrameRecorder, projected: int) -> None:
        self._market_data = market_data
        self._recorder = recorder
        self._projected = projected
        self._kept = KeptEvents(Engine())
        self.unprojected: list[Applied] = []
        self.frames: list[KeptFrame] = []  # of those

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Start from the end of the snapshot."""
        self._kept = KeptEvents(engine)
        try:
            if engine.sequence:
                self._market_data.restore(parts[MARKET_DATA])
            self._recorder.restore(parts.get(STREAMS, b""), engine)
        except (KeyError, msgspec.MsgspecError) as problem:
            raise JournalCorrupt(
                f"sequence {engine.sequence}: the snapshot's views cannot be read: {problem}"
            ) from problem

    def note(self, applied: Applied) -> None:
        """Make a command's frames again, and store them for history."""
        self._recorder.note(applied)
        kept = self._kept.of(applied)
        if applied.sequence > self._projected:
            self.unprojected.append(kept)

    def follow(self, batch: list[Applied]) -> None:
        """Follow commands that are applied again."""
        self._market_data.follow(batch)
        made = self._recorder.take()
        self.frames += [frame for frame in made if frame.sequence > self._projected]


def take(engine: Engine, market_data: MarketData, recorder: FrameRecorder) -> Snapshot:
    """Return the state between two commands, as bytes. Costs time in proportion to the open orders
    and positions."""
    dumped, digest = state.dump_and_hash(engine)
    return Snapshot(
        sequence=engine.sequence,
        engine_version=built.name(),
        state_hash=digest,
        parts={ENGINE: dumped, MARKET_DATA: market_data.dump(), STREAMS: recorder.dump()},
    )


def take_state(engine: Engine) -> Snapshot:
    """Return the engine's state alone: enough to start a replay, but not to restore the views."""
    dumped, digest = state.dump_and_hash(engine)
    return Snapshot(engine.sequence, built.name(), digest, {ENGINE: dumped})
