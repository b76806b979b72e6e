"""The states of a run: at any of its commands, with the history up to there.

A replay of the whole run checks it, piece by piece, and keeps states on its way: at most so many,
so that they lie further apart the longer the run is. Any other state is made from the last kept one
before it. Until the replay has come there, it is made from a snapshot of the run's own.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from venue.bundle.file import RunRefused
from venue.bundle.runs import PastRun
from venue.bundle.sealed import SealedJournal
from venue.core.engine import Engine
from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules, Snapshot, foreign
from venue.journal.recovery import Sink, load, recover
from venue.journal.snapshot_files import SnapshotRow, pack, unpack

if TYPE_CHECKING:  # it needs a database, and the first answer would wait for its import
    from venue.bundle.forward import Forward

KEPT_MOST: Final = 128  # states of the replay
KEPT_BYTES: Final = 512 << 20  # of their files, together
LEAST_APART: Final = 2_000  # commands between two of them
PIECE: Final = 1_000  # commands that are replayed before requests have their turn
LEVEL: Final = 1  # of packing: it takes as long as a hundred commands

Told = Callable[[int, int], None]

log = logging.getLogger("venue")
_encode = msgspec.msgpack.Encoder().encode
_rows = msgspec.msgpack.Decoder(SnapshotRow)


class Moment(Struct):
    """The state after a command, in a file; the base of the histories that go on from there."""

    sequence: int
    base: int
    file: Path
    size: int  # of both files


class Moments:
    """The states of a run, in a folder of their own. One call at a time, but for `snapshots`."""

    def __init__(self, run: PastRun, folder: str) -> None:
        self.run = run
        self.lock = Lock()  # held while the journal is read
        self.reached = 0
        """The command that the replay has come to."""
        self.wanted: dict[int, int] = {}
        """The bases of histories that somebody waits for, by the command that they end with."""
        self.state_hash = ""  # of the state after the last command
        self.folder = folder
        self._kept: list[Moment] = []
        self._apart = LEAST_APART
        self._forward: Forward | None = None
        self._stopped = False
        self._at_work = Lock()  # held while a piece is replayed or kept
        self._own = self._own_snapshots()
        for name in run.damaged:
            log.warning("%s is damaged, and passed over", name)

    def stop(self) -> None:
        """End the work of another thread soon, with RunRefused."""
        self._stopped = True

    def close(self) -> None:
        """Let go of the replay, after the piece that is under way on another thread."""
        with self._at_work:
            if self._forward is not None:
                self._forward.close()

    # -- the replay -------------------------------------------------------------------------------

    def go_on(self) -> bool:
        """Replay a piece; whether the state there is to be kept.

        RunRefused and JournalCorrupt: the run cannot be replayed, or comes to another state than
        the venue that made it.
        """
        with self._at_work, self._in_words(self.reached + 1):
            if self._forward is None:
                self._forward = self._begin()
                stop = self.run.begin()
            else:
                stop = min(self._stop(), self.reached + PIECE)
            self._forward.go_to(stop)
        self.reached = stop
        return self._is_kept(stop)

    def keep(self, base: int, path: str) -> None:
        """Keep the state that the replay has come to, and write its history to the base's file."""
        forward = self._forward
        assert forward is not None
        with self._at_work:
            snapshot = forward.take()
            self._check(snapshot)
            file = Path(self.folder) / f"state-{snapshot.sequence}"
            file.write_bytes(zlib.compress(_encode(pack(snapshot)), LEVEL))
            forward.copy_history(path)
        size = file.stat().st_size + Path(path).stat().st_size
        self._kept.append(Moment(snapshot.sequence, base, file, size))

    def thin_out(self, used: set[int]) -> list[int]:
        """Drop kept states that are too many, but none whose base is `used`; the bases of these."""
        gone: list[Moment] = []
        while self._too_many() and self._apart < self.run.last():
            self._apart *= 2
            gone += [
                one for one in self._kept if not self._lies_right(one) and one.base not in used
            ]
            self._kept = [one for one in self._kept if one not in gone]
        for one in gone:
            one.file.unlink(missing_ok=True)
        return [one.base for one in gone]

    def _begin(self) -> Forward:
        from venue.bundle.forward import Forward

        first = self.run.first
        begin = first.sequence if first is not None else 0
        begins = self._sealed(begin, self._first)
        journal = self._sealed(self.run.last(), self._first)
        return Forward(begins, journal, f"{self.folder}/history")

    def _stop(self) -> int:
        """Return the next command at which a state is to be kept."""
        begin, last = self.run.begin(), self.run.last()
        next_one = begin + ((self.reached - begin) // self._apart + 1) * self._apart
        others = [*self.wanted, *[one.sequence for one in self._own]]
        return min([next_one, last, *[one for one in others if one > self.reached]])

    def _is_kept(self, sequence: int) -> bool:
        begin = self.run.begin()
        others = [self.run.last(), *self.wanted, *[one.sequence for one in self._own]]
        return (sequence - begin) % self._apart == 0 or sequence in others

    def _too_many(self) -> bool:
        return len(self._kept) > KEPT_MOST or sum(one.size for one in self._kept) > KEPT_BYTES

    def _lies_right(self, one: Moment) -> bool:
        return (one.sequence - self.run.begin()) % self._apart == 0 or one is self._kept[-1]

    def _check(self, snapshot: Snapshot) -> None:
        """RunRefused when the run has another state there."""
        for own in self._own:
            if own.sequence == snapshot.sequence and own.state_hash != snapshot.state_hash:
                raise RunRefused(
                    f"{self.run.name} has a snapshot at command {own.sequence} of the state"
                    f" {own.state_hash}, and its commands lead to {snapshot.state_hash}: it is not"
                    " the same venue, or it was changed"
                )
        if snapshot.sequence == self.run.last():
            self.state_hash = snapshot.state_hash
            self.run.check_end(snapshot.state_hash)

    # -- any state --------------------------------------------------------------------------------

    def kept(self) -> list[int]:
        """Return the commands whose states are kept, in order."""
        return [one.sequence for one in self._kept]

    def is_near(self, sequence: int) -> bool:
        """Return whether a state can be made without what the replay has not come to yet."""
        return sequence <= self.reached or any(
            self.reached < one.sequence <= sequence for one in self._own
        )

    def before(self, sequence: int) -> Moment | None:
        """Return the last kept state up to a command."""
        found = [one for one in self._kept if one.sequence <= sequence]
        return max(found, key=lambda one: one.sequence) if found else None

    def journal(self, sequence: int, begin: int) -> SealedJournal:
        """Return the journal up to a command; a replay begins with the state at `begin`, or
        before."""
        return self._sealed(sequence, lambda: self.snapshots(begin))

    def bring(self, journal: SealedJournal, sink: Sink) -> Engine:
        """Return the engine at the end of a journal, and the views in `sink`. RunRefused,
        JournalCorrupt, OtherRules."""
        last = journal.last_sequence()
        with self._in_words(last):
            return recover(journal, last, sink)

    def check_goes_on(self) -> None:
        """RunRefused when it was told to stop."""
        if self._stopped:
            raise RunRefused("it was told to end")

    def snapshots(self, sequence: int) -> Iterator[Snapshot]:
        """States up to a command that a replay may begin from, newest first: the older they are,
        the further apart, as each takes time to read."""
        kept = {one.sequence: one for one in self._kept if one.sequence <= sequence}
        own = {one.sequence: one for one in self._own if one.sequence <= sequence}
        known = sorted({**kept, **own}, reverse=True)
        for at in [known[number] for number in range(len(known)) if number & (number - 1) == 0]:
            found = own.get(at) or _read(kept[at].file)
            if found is not None:
                yield found
        yield from self._first()

    def _first(self) -> Iterator[Snapshot]:
        return iter([self.run.first] if self.run.first is not None else [])

    def _own_snapshots(self) -> list[Snapshot]:
        """Return the run's intact snapshots after the one that it begins with; the others are
        told."""
        begin, last = self.run.begin(), self.run.last()
        former = foreign(self.run.journal)
        found: list[Snapshot] = []
        for one in self.run.journal.snapshots():
            if not begin < one.sequence <= last:
                continue
            if load(one, former) is not None:
                found.append(one)
            else:
                told = "the snapshot of %s at command %d does not hold, and is passed over"
                log.warning(told, self.run.name, one.sequence)
        return found

    def _sealed(self, last: int, snapshots: Callable[[], Iterator[Snapshot]]) -> SealedJournal:
        return SealedJournal(self.run.journal, self.lock, last, snapshots)

    @contextmanager
    def _in_words(self, sequence: int) -> Iterator[None]:
        self.check_goes_on()
        try:
            yield
        except (JournalCorrupt, JournalFailed, OtherRules, RunRefused):
            raise
        except Exception as problem:  # a bundle may hold commands that no venue wrote
            raise RunRefused(
                f"{self.run.name} cannot be replayed up to command {sequence}"
                f" ({type(problem).__name__}: {problem}): make the bundle again"
            ) from problem


def _read(file: Path) -> Snapshot | None:
    """Return a kept state; None when it is kept no longer, or damaged, which is told."""
    try:
        found = unpack(_rows.decode(zlib.decompress(file.read_bytes())))
    except FileNotFoundError:
        return None
    except (OSError, zlib.error, msgspec.MsgspecError):
        found = None
    if found is None:
        log.warning("%s is damaged, and passed over", file)
    return found
