"""The states of a run: at any of its commands, with the history up to there.

The whole run is replayed once, which checks it. States at some commands are kept; any other state
is made from the last kept one before it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import count
from threading import Lock
from typing import Final

from msgspec import MsgspecError, Struct

from venue.bundle.file import RunRefused
from venue.bundle.runs import PastRun
from venue.bundle.sealed import SealedJournal
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.history.store import open_history
from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules, Snapshot
from venue.journal.recovery import recover
from venue.lab.prehistory import Prehistory
from venue.node.market_data.views import MarketData
from venue.node.snapshots import Restored, take
from venue.rebuild import Projecting
from venue.recording.recorder import Recorder

KEPT_MOST: Final = 16  # states of the first replay
LEAST_APART: Final = 2_000  # commands between two of them

Told = Callable[[int, int], None]


class Moment(Struct):
    """The state after a command, and the file of the history up to there ("": none yet)."""

    snapshot: Snapshot
    history: str


class Moments:
    """The states of a run, made in a folder of their own. One call at a time."""

    def __init__(self, run: PastRun, folder: str) -> None:
        self.run = run
        self.lock = Lock()
        self._folder = folder
        self._numbers = count(1)
        self._kept: list[Moment] = []
        self._stopped = False

    def stop(self) -> None:
        """Have a replay that is under way on another thread end soon, with RunRefused."""
        self._stopped = True

    def replay(self, told: Told = lambda reached, last: None) -> Moment:
        """Replay all of it, and keep some states; the last one.

        RunRefused: it cannot be replayed, or ends in another state than where it was made.
        """
        first, last = self.run.begin(), self.run.last()
        step = max(LEAST_APART, (last - first) // KEPT_MOST + 1)
        for end in range(first + step, last, step):
            self._kept.append(self.reach(end))
            told(end, last)
        self._kept.append(self.reach(last))
        told(last, last)
        self.run.check_end(self._kept[-1].snapshot.state_hash)
        return self._kept[-1]

    def snapshots(self, sequence: int) -> list[Snapshot]:
        """The snapshots that a replay up to a command may begin from, newest first."""
        known = [one.snapshot for one in self._kept if one.snapshot.sequence <= sequence]
        first = self.run.first
        return [*known[::-1], *([first] if first is not None else [])]

    def journal(self, moment: Moment) -> SealedJournal:
        """The journal up to a moment."""
        at = moment.snapshot.sequence
        others = [one for one in self.snapshots(at) if one.sequence < at]
        return SealedJournal(self.run.journal, self.lock, at, [moment.snapshot, *others])

    def reach(self, sequence: int) -> Moment:
        """The state after a command, in files of its own. RunRefused."""
        path = f"{self._folder}/history-{next(self._numbers)}"
        nearest = [one for one in self._kept if one.snapshot.sequence <= sequence]
        if nearest:
            shutil.copyfile(nearest[-1].history, path)
        journal = SealedJournal(self.run.journal, self.lock, sequence, self.snapshots(sequence)[:1])
        store = open_history(path)
        try:
            lived = _Lived(Projecting(store), self._go_on)
            recover(journal, sequence, lived)
            snapshot = take(lived.engine, lived.market_data, lived.recorder)
            lived.projecting.checkpoint()
        except (JournalCorrupt, JournalFailed, OtherRules, RunRefused):
            raise
        except Exception as problem:  # a bundle may hold commands that no venue wrote
            raise RunRefused(
                f"{self.run.name} cannot be replayed up to command {sequence}"
                f" ({type(problem).__name__}: {problem}): make the bundle again"
            ) from problem
        finally:
            store.close()
        return Moment(snapshot, path)

    def _go_on(self) -> None:
        if self._stopped:
            raise RunRefused("it was told to end")


class _Lived:
    """A replay's followers: the views, and history."""

    def __init__(self, projecting: Projecting, go_on: Callable[[], None]) -> None:
        self._go_on = go_on
        prehistory = Prehistory()
        self.market_data = MarketData(prehistory.spot, prehistory.contract)
        self.recorder = Recorder()
        self.projecting = projecting
        self.engine = Engine()
        self._restored = Restored(self.market_data, self.recorder, projected=1 << 62)

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Begin where the snapshot ends."""
        self.engine = engine
        try:
            self._restored.restore(parts, engine)
        except MsgspecError as problem:
            raise RunRefused(f"the snapshot's views cannot be read: {problem}") from problem
        self.projecting.restore(parts, engine)

    def note(self, applied: Applied) -> None:
        """Make a command's frames again."""
        self._restored.note(applied)
        self.projecting.note(applied)

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again."""
        self._go_on()
        self._restored.follow(batch)
        self.projecting.follow(batch)
