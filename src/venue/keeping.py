"""The snapshots of a venue on a disk: those taken while it runs, and the last one."""

from __future__ import annotations

import logging
from functools import partial

from venue.gateway.context import Venue
from venue.history.process.link import HistoryFailed
from venue.journal.journal import Journal, JournalFailed
from venue.node.keeper import Keeper
from venue.node.snapshots import take

log = logging.getLogger("venue")


def keeper(rooms: Venue, path: str, frames_kept: int) -> Keeper:
    """The keeper, which has snapshots taken after history has durably projected their commands."""
    return Keeper(
        rooms.journal,
        path,
        frames_kept,
        on_disk_thread=rooms.sequencer.on_disk_thread,
        sequence=lambda: rooms.engine.sequence,
        durable=partial(_project, rooms),
        failures=(HistoryFailed,),
    )


async def _project(rooms: Venue) -> None:
    await rooms.history.drain()
    await rooms.history.checkpoint()


async def keep(rooms: Venue, journal: Journal) -> None:
    """Save a snapshot of a venue that takes no more commands."""
    if rooms.sequencer.failed():
        return
    snapshot = take(rooms.engine, rooms.market_data, rooms.recorder)
    try:
        await _project(rooms)
        await rooms.sequencer.on_disk_thread(lambda: journal.save_snapshot(snapshot))
    except (HistoryFailed, JournalFailed) as problem:
        log.error("no snapshot: %s", problem)
