"""A replay of a run that goes on piece by piece, with the views and history of each command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import MsgspecError

from venue.bundle.file import RunRefused
from venue.bundle.sealed import SealedJournal
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.history.opening import begin as begin_history
from venue.history.process.client import catalog_parts
from venue.history.process.unprojected import BATCH_MAX
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.store import HistoryCopy, open_passing
from venue.journal.journal import JournalCorrupt, Snapshot
from venue.journal.recovery import recover
from venue.lab.prehistory import Prehistory
from venue.node.market_data.views import MarketData
from venue.node.snapshots import RecoveryFollowers, take
from venue.recording.recorder import Recorder

BATCH: Final = 500  # commands after which the views go on


class Forward:
    """A replay from where a run begins, on one thread at a time.

    `begins` is the journal up to there, `journal` all of it; `path` is for its history. RunRefused,
    JournalCorrupt: it cannot be replayed.
    """

    def __init__(self, begins: SealedJournal, journal: SealedJournal, path: str) -> None:
        prehistory = Prehistory()
        self.engine = Engine()
        self._store = store = open_passing(path)
        self._market_data = MarketData(prehistory.spot, prehistory.contract)
        self._recorder = Recorder()
        self._projector = Projector(store, Catalog())
        self._restored = RecoveryFollowers(self._market_data, self._recorder, projected=0)
        try:
            recover(begins, begins.last_sequence(), self)
        except BaseException:
            store.close()
            raise
        self._pieces: Iterator[tuple[int, list[Command]]] = journal.read(self.engine.sequence)
        self._ahead: list[Command] = []  # read and not applied yet

    def go_to(self, sequence: int) -> None:
        """Apply the commands up to one."""
        engine = self.engine
        while engine.sequence < sequence:
            if not self._ahead:
                first, self._ahead = next(self._pieces, (0, []))
                if first != engine.sequence + 1:
                    raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
            count = min(BATCH, sequence - engine.sequence)
            now, self._ahead = self._ahead[:count], self._ahead[count:]
            batch: list[Applied] = []
            for number, command in enumerate(now, engine.sequence + 1):
                applied = Applied(number, command.time, command, engine.apply(command))
                self.note(applied)
                batch.append(applied)
            self.follow(batch)

    def take(self) -> Snapshot:
        """Return the state that it has come to."""
        return take(self.engine, self._market_data, self._recorder)

    def copy_history(self, path: str) -> None:
        """Write a file of the history so far. OSError."""
        self._project()
        HistoryCopy(self._store, path).finish()

    def close(self) -> None:
        """Let go of its history."""
        self._store.close()

    # -- what a recovery calls --------------------------------------------------------------------

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Begin where the snapshot ends."""
        self.engine = engine
        try:
            self._restored.restore(parts, engine)
        except MsgspecError as problem:
            raise RunRefused(f"the snapshot's views cannot be read: {problem}") from problem
        if engine.sequence:
            begin_history(self._store, engine)
            self._projector = Projector(self._store, Catalog.listing(*catalog_parts(engine)))

    def note(self, applied: Applied) -> None:
        """Make a command's frames again."""
        self._restored.note(applied)

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again."""
        self._restored.follow(batch)
        if len(self._restored.unprojected) >= BATCH_MAX:
            self._project()

    def _project(self) -> None:
        """Write the rows of the commands that were applied since the last time."""
        restored = self._restored
        commands, restored.unprojected = restored.unprojected, []
        frames, restored.frames = restored.frames, []
        self._projector.project(commands, frames)
