"""A venue's own history: started on the file that belongs to its journal, waited for, and kept
before a snapshot counts on it."""

from __future__ import annotations

import contextlib
import logging
from functools import partial
from typing import Final

from venue.core.engine import Engine
from venue.gateway.context import Venue
from venue.history.mend import mend
from venue.history.process.client import LAG_MAX, History
from venue.history.process.link import HistoryFailed
from venue.journal.journal import Journal, JournalCorrupt, JournalFailed, OtherRules
from venue.journal.recovery import beginning
from venue.node.keeper import Keeper
from venue.node.snapshots import EVERY, take

CATCH_UP_S: Final = 1.0  # how long time that is moved waits for history at once

log = logging.getLogger("venue")


async def start_history(path: str | None, frames_kept: int, journal: Journal) -> History:
    """History's process on the journal's own file; JournalCorrupt when it is another's.

    OtherRules when the journal, or what history lacks of it, cannot be replayed.
    """
    first = beginning(journal)
    begin = first.sequence if first is not None else 0
    if path:
        mend(f"{path}.history", journal, begin)
    if path and (begin or journal.last_sequence() > EVERY):
        from venue.rebuild import fill_when_empty

        fill_when_empty(f"{path}.history", frames_kept, journal, begin)
    history = await History.start(f"{path}.history" if path else None, frames_kept)
    reached = history.reached()
    if begin <= reached <= journal.last_sequence():
        return history
    await history.close()
    if reached < begin:
        raise OtherRules(
            f"{path}.history ends at command {reached}; what follows up to {begin} was answered"
            " under other rules, or is archived, and is not projected: put back the file that"
            f" belongs here, or move it away, and history begins after command {begin}"
        )
    raise JournalCorrupt(
        f"{path}.history is at command {reached}, the journal ends at {journal.last_sequence()}:"
        " they do not belong together"
    )


async def keep_up(history: History, engine: Engine) -> None:
    """Wait for a history that is far behind, unless it has failed: time that is moved goes as fast
    as its followers take it."""
    with contextlib.suppress(HistoryFailed, TimeoutError):
        if history.lag() > LAG_MAX // 2:
            await history.reach(engine.sequence - LAG_MAX // 4, CATCH_UP_S)


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
