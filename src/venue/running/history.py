"""Starts the history process on the file of a venue's journal, and has it follow the venue."""

from __future__ import annotations

from venue.core.engine import Engine
from venue.helpers.process import HelperProcess
from venue.history.kept_events import KeptEvents
from venue.history.mend import mend
from venue.history.process.client import History
from venue.journal.journal import Journal, JournalCorrupt, OtherRules
from venue.journal.recovery import beginning
from venue.node.outbox import Outbox
from venue.node.snapshots import EVERY
from venue.recording.recorder import Recorder


async def start_history(
    path: str | None, frames_kept: int, journal: Journal, process: HelperProcess | None = None
) -> History:
    """History's process on the journal's own file; JournalCorrupt when it is another's.

    OtherRules when the journal, or the part that history lacks of it, cannot be replayed. `process`
    is one that waits for its file.
    """
    first = beginning(journal)
    begin = first.sequence if first is not None else 0
    if path:
        mend(f"{path}.history", journal, begin)
    if path and (begin or journal.last_sequence() > EVERY):
        from venue.recompute.history import fill_when_empty

        fill_when_empty(f"{path}.history", frames_kept, journal, begin)
    history = await History.start(f"{path}.history" if path else None, frames_kept, process)
    reached = history.last_sequence()
    if begin <= reached <= journal.last_sequence():
        return history
    await history.close()
    if reached < begin:
        raise OtherRules(
            f"{path}.history ends at command {reached}; the commands up to {begin} were answered"
            " under other rules, or are archived, and are not projected: put back the file that"
            f" belongs here, or move it away, and history begins after command {begin}"
        )
    raise JournalCorrupt(
        f"{path}.history is at command {reached}, the journal ends at {journal.last_sequence()}:"
        " they do not belong together"
    )


def follow_with_history(
    outbox: Outbox, engine: Engine, history: History, recorder: Recorder
) -> None:
    """Send history each batch, without what it keeps no rows of, and the batch's frames."""
    kept = KeptEvents(engine)
    outbox.follow(
        lambda batch: history.follow(kept.batch(batch), recorder.published), history.limit
    )
