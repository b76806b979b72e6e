"""Makes history again from the journal: as far back as today's rules can replay it."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.files import private_files
from venue.files.archive_names import sync_folder
from venue.history.frames_kept import FRAMES_KEPT
from venue.history.kept_events import KeptEvents
from venue.history.mend import mend
from venue.history.opening import begin as begin_history
from venue.history.opening import opening
from venue.history.process.client import catalog_parts
from venue.history.process.unprojected import BATCH_EVENTS, BATCH_MAX
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.store import Store, damage_told, open_history
from venue.journal.archive import join_archives
from venue.journal.journal import Journal, OtherRules, Readable
from venue.journal.opening import open_journal
from venue.journal.recovery import beginning, recover
from venue.node.snapshots import STREAMS
from venue.recording.recorder import Recorder

NEW: Final = ".rebuilt"  # the end of the name of a history that is being made

log = logging.getLogger("venue")


def rebuild_history(path: str, *, drop_older: bool = False) -> tuple[int, int]:
    """Project a stopped venue's journal and its archives again, in the place of its history.

    History is as it was until all of it is made: errors, a full disk and a kill cost nothing.

    The sequence after which it begins now, 0 when it begins with the journal, and the one reached.
    Rows cannot be made again of commands that were answered under other rules, or whose archive is
    not there: OtherRules when there are some and `drop_older` is not given.
    """
    history = f"{path}.history"
    with ExitStack() as closing:
        journal = open_journal(path)
        closing.callback(journal.close)
        whole = join_archives(journal, path, closing)
        first = beginning(whole)
        begin = first.sequence if first is not None else 0
        mend(history, whole, begin)
        store = open_history(history)
        closing.callback(store.close)
        if begin and not drop_older and _has_older(store, begin):
            raise OtherRules(
                f"{history} is left as it is: its rows up to command {begin} were made"
                " under other rules, or of archives that are not here, and could not be made"
                " again, only those of later commands; keep a copy of it, then call this with"
                " --drop-older"
            )
        new = f"{history}{NEW}"
        private_files.remove(new)
        closing.callback(private_files.remove, new)
        reached = _projected(new, whole, begin)
        store.close()  # its log goes
        Path(new).replace(history)
        sync_folder(history)
        return begin, reached


def _projected(new: str, journal: Readable, begin: int) -> int:
    """Make a whole history in a new file; the sequence that it reaches."""
    store = open_history(new)
    try:
        with damage_told(new):
            projecting = Projecting(store)
            recover(journal, begin, projecting)
            return projecting.checkpoint()
    finally:
        store.close()


def _has_older(store: Store, begin: int) -> bool:
    """Return whether there are rows of commands up to `begin`."""
    own, _ = opening(store.connection)
    return own < begin and store.last_sequence() > 0


def fill_when_empty(path: str, frames_kept: int, journal: Journal, begin: int) -> None:
    """Project a long journal's history batch by batch, before anything waits for it.

    When `begin` is not 0, history can begin only after that command.
    """
    store = open_history(path)
    try:
        if store.last_sequence() == 0:
            with damage_told(path):
                projecting = Projecting(store, frames_kept)
                recover(journal, begin, projecting)
                projecting.finish()
            if begin:
                log.warning("%s was empty and begins after command %d", path, begin)
    finally:
        store.close()


class Projecting:
    """A recovery's follower that projects as it goes, and makes the private frames again.

    A store that has reached where it begins goes on; any other one begins there. A transaction
    takes what came in many small batches: what it costs does not grow with its commands.
    """

    def __init__(self, store: Store, frames_kept: int = FRAMES_KEPT) -> None:
        self._store = store
        self._frames_kept = frames_kept
        self._recorder = Recorder(frames_kept)
        self._kept = KeptEvents(Engine())
        self._noted: list[Applied] = []  # of the next transaction
        self._events = 0  # in these
        self._frames: list[KeptFrame] = []  # of these
        self._projector = Projector(store, Catalog(), frames_kept)

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Begin from a snapshot's parts and its engine; from {} and a new one without."""
        if engine.sequence:
            if self._store.last_sequence() < engine.sequence:
                begin_history(self._store, engine)
            catalog = Catalog.listing(*catalog_parts(engine))
            self._projector = Projector(self._store, catalog, self._frames_kept)
        self._kept = KeptEvents(engine)
        self._recorder.restore(parts.get(STREAMS, b""), engine)

    def note(self, applied: Applied) -> None:
        """Make a command's frames, and take out of it what history keeps."""
        self._recorder.note(applied)
        kept = self._kept.of(applied)
        self._noted.append(kept)
        self._events += len(kept.events)

    def follow(self, _: list[Applied]) -> None:
        """Project the noted commands and their frames when they fill a transaction."""
        self._frames += self._recorder.take()
        if len(self._noted) >= BATCH_MAX or self._events >= BATCH_EVENTS:
            self.finish()

    def finish(self) -> None:
        """Project what the store lacks of all noted commands and of their frames."""
        noted, self._noted, self._events = self._noted, [], 0
        frames, self._frames = self._frames, []
        self._projector.project(noted, frames)

    def checkpoint(self) -> int:
        """Project the rest and make it durable; the sequence reached."""
        self.finish()
        return self._projector.checkpoint()
