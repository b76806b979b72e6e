"""Snapshots of a running venue: engine and market data at one sequence, behind the projector."""

from __future__ import annotations

from typing import Final

import msgspec

import venue
from venue.core import snapshot as state
from venue.core.applied import Applied
from venue.core.engine import Engine
from venue.journal.journal import JournalCorrupt, Snapshot
from venue.journal.recovery import ENGINE
from venue.node.market_data import MarketData

EVERY: Final = 200_000  # commands between two snapshots
MARKET_DATA: Final = "market_data"  # the snapshot part that is the views' own


class Restored:
    """A recovery's followers: market data goes along, history's share is gathered for it."""

    def __init__(self, market_data: MarketData, projected: int) -> None:
        self._market_data = market_data
        self._projected = projected
        self.unprojected: list[Applied] = []

    def restore(self, parts: dict[str, bytes], sequence: int) -> None:
        """Begin where the snapshot ends."""
        if not sequence:
            return
        try:
            self._market_data.restore(parts[MARKET_DATA])
        except (KeyError, msgspec.MsgspecError) as problem:
            raise JournalCorrupt(
                f"sequence {sequence}: the snapshot's market data cannot be read: {problem}"
            ) from problem

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again."""
        self._market_data.follow(batch)
        self.unprojected += [done for done in batch if done.sequence > self._projected]


def take(engine: Engine, market_data: MarketData) -> Snapshot:
    """The state between two commands, as bytes. Costs time in proportion to what is open."""
    dumped, digest = state.dump_and_hash(engine)
    return Snapshot(
        sequence=engine.sequence,
        engine_version=venue.__version__,
        state_hash=digest,
        parts={ENGINE: dumped, MARKET_DATA: market_data.dump()},
    )
