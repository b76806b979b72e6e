"""Has events that memory no longer holds made again for history, while the venue runs.

A process of its own computes them from the journal, from a snapshot and the commands after it.
"""

from __future__ import annotations

from typing import Final, TypeVar

from venue.helpers.feeding import Feeder, OnDisk
from venue.helpers.link import HelperFailed, Link
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    earliest,
)

MODULE: Final = "venue.recompute.missed_events"
PATIENCE_S: Final = 60.0  # for one frame; a large snapshot takes seconds

T = TypeVar("T")


class MissedEvents:
    """Brings a closed history file up to a later command of the journal."""

    def __init__(self, journal: Journal, on_disk: OnDisk, path: str, frames_kept: int) -> None:
        self._journal = journal
        self._on_disk = on_disk
        self._path = path
        self._frames_kept = str(frames_kept)

    async def bring(self, reached: int, to: int) -> None:
        """Bring the closed history file, which ends at `reached`, up to command `to` by replaying
        the journal in a helper process. HelperFailed."""
        link, there = await Link.start(
            MODULE, self._path, self._frames_kept, name="replay", patience_s=PATIENCE_S
        )
        try:
            feeder = Feeder(link, self._journal, self._on_disk)
            at = await self._begin(feeder, min(reached, there))
            while at < to:
                before, at = at, await feeder.feed(at, to)
                if at == before:
                    raise HelperFailed(f"the journal ends at command {at}, before {to}")
        except (JournalCorrupt, JournalFailed) as problem:
            raise HelperFailed(str(problem)) from problem
        finally:
            await link.close()

    async def _begin(self, feeder: Feeder, reached: int) -> int:
        """Begin at the newest snapshot that holds and that history has reached; its sequence."""
        begin = earliest(self._journal)
        snapshots = self._journal.snapshots()
        while (snapshot := await feeder.read(lambda: next(snapshots, None))) is not None:
            if begin <= snapshot.sequence <= reached and await feeder.suggest(snapshot):
                return snapshot.sequence
        if begin:
            raise HelperFailed(f"no valid snapshot leads to the commands after {begin}")
        return 0
