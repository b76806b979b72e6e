"""`venue prune`: moves old commands and rows from journal and history to archives beside them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from venue.core.messages.commands import Command
from venue.files import private_files
from venue.files.archive_names import archives, being_written, unfinished
from venue.history import archive as history_archive
from venue.history.archive import nothing_left
from venue.history.files import HistoryDamaged
from venue.history.opening import opening
from venue.history.store import damage_told, open_history
from venue.journal import archive
from venue.journal.chain import BLOCK
from venue.journal.journal import (
    JournalCorrupt,
    JournalFailed,
    OtherRules,
    Readable,
    Segment,
    Snapshot,
    foreign,
)
from venue.journal.opening import open_journal
from venue.journal.recovery import beginning, load, recover, standing
from venue.journal.sqlite import SqliteJournal
from venue.lab.prehistory import Prehistory
from venue.node.market_data.views import MarketData
from venue.node.snapshots import RecoveryFollowers, take
from venue.pruning.cut import STEPS, Trunk, answered, cut, last_old, time_of
from venue.recording.recorder import Recorder

HISTORY: Final = ".history"

log = logging.getLogger("venue")


class Pruned(msgspec.Struct):
    """The command after which a venue's journal and history now begin; 0: with the first."""

    journal: int
    history: int


def prune(path: str, keep_us: int, *, beyond_us: int = 0) -> Pruned:
    """Archive a stopped venue's commands and rows that are older than its last command by more than
    `keep_us`: venue time stands while it is stopped.

    Nothing is archived until the oldest command is older by `beyond_us` more: few archives, not
    many.

    Commands move in whole blocks of the hash chain, and only after a snapshot that stands for them,
    which is made when there is none, and after history has taken them in. A kill at any moment
    loses nothing; the next call goes on. JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged
    and OSError: commands and rows that were not archived whole are where they were.
    """
    journal = open_journal(path)
    try:
        _finish(journal, path)
        last = _last(journal, path, keep_us, beyond_us)
        if last:
            _prune_journal(journal, path, _standing(journal, last))
        _prune_history(journal, path)
        return Pruned(journal.begin(), _history_begins(path))
    finally:
        journal.close()


def prune_at_start(path: str, keep_us: int) -> None:
    """Prune before a venue runs, when there is enough; log the reason when that fails. A venue that
    cannot be pruned can run: its start reports damage to its files."""
    try:
        prune(path, keep_us, beyond_us=keep_us // STEPS)
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        log.warning("nothing more is archived: %s", problem)


def _finish(journal: SqliteJournal, path: str) -> None:
    """Continue an interrupted pruning of the journal. JournalCorrupt: an archive does not hold the
    commands that were removed, or are to be removed, from this journal."""
    for name in unfinished(path):
        private_files.remove(name)
    for first, last, name in archives(path):
        if last <= journal.begin():
            continue
        _check(name, journal, last)
        if first > journal.begin():  # nothing was taken out yet: it is written again
            private_files.remove(name)
        else:
            snapshot = standing(journal, last)
            if snapshot is not None:
                archive.drop(journal, last, snapshot)


def _check(name: str, journal: SqliteJournal, last: int) -> None:
    if last > journal.last_sequence():
        raise JournalCorrupt(
            f"{name} is not of this journal, or damaged: nothing was removed, put back a copy of"
            f" it: the journal ends at command {journal.last_sequence()}"
        )
    archive.check(name, archive.archive_span(journal, last, 0))


def _last(journal: SqliteJournal, path: str, keep_us: int, beyond_us: int) -> int:
    """Return the last command that goes, as the journal, its branches and history allow; 0: too few
    do."""
    begin, newest = journal.begin(), journal.last_sequence()
    if newest - begin < BLOCK:
        return 0
    if time_of(journal, begin + 1) > time_of(journal, newest) - keep_us - beyond_us:
        return 0  # nearly always
    trunk = _trunk(journal)
    pieces, newest = trunk.pieces(begin), trunk.newest()
    if newest <= begin:
        return 0
    until_us = time_of(journal, newest) - keep_us
    old = answered(last_old(pieces, until_us, beyond_us), partial(time_of, journal))
    first, last = beginning(journal), cut(pieces, min(old, _reached(path)))
    return last if first is None or last >= first.sequence else 0


def _standing(journal: SqliteJournal, last: int) -> Snapshot:
    """Return the snapshot that replaces the commands up to one; make it if there is none."""
    known = standing(journal, last // BLOCK * BLOCK)
    if known is not None and known.sequence <= last:
        return known
    prehistory, recorder = Prehistory(), Recorder()
    market_data = MarketData(prehistory.spot, prehistory.contract)
    engine = recover(_Until(journal, last), last, RecoveryFollowers(market_data, recorder, last))
    return take(engine, market_data, recorder)


def _trunk(journal: SqliteJournal) -> Trunk:
    """Return the commands that all later ones build on; most venues never went back, as their
    newest snapshot says."""
    begin, last = journal.begin(), journal.last_sequence()
    trunk = Trunk(begin, begin, {})
    newest = next((one for one in journal.snapshots() if begin <= one.sequence <= last), None)
    engine = load(newest, foreign(journal)) if newest is not None else None
    if engine is not None and engine.epoch == 0:
        kept = {name: one.sequence for name, one in engine.kept_states.items()}
        trunk = Trunk(begin, engine.sequence, kept)
    for first, _, payload, _ in journal.rows(trunk.reached // BLOCK * BLOCK, last):
        trunk.read_on(first, payload)
    return trunk


def _prune_journal(journal: SqliteJournal, path: str, snapshot: Snapshot) -> None:
    end = snapshot.sequence // BLOCK * BLOCK
    first = beginning(journal)
    with nothing_left(being_written(path)):
        archive.write(journal, path, end, first.sequence if first else 0)
    archive.drop(journal, end, snapshot)
    journal.shrink()


def _prune_history(journal: SqliteJournal, path: str) -> None:
    """Make history begin where the journal's replay does, and archive its settled rows."""
    history = f"{path}{HISTORY}"
    first = beginning(journal)
    if first is None or not journal.begin() or not Path(history).exists():
        return
    engine = load(first, first.sequence)
    assert engine is not None, "it has been loaded before"
    store = open_history(history)
    try:
        reached = store.last_sequence()
        if reached < engine.sequence:
            raise HistoryDamaged(
                f"{history} ends at command {reached}, the journal begins after {engine.sequence}:"
                " it is an older copy, or of another venue"
            )
        cut = history_archive.Cut(engine.sequence, engine.time, engine.counters.order)
        with damage_told(history):
            pieces = sum(1 for _ in history_archive.move(store, history, cut))
            if pieces:
                history_archive.shrink(store)
    finally:
        store.close()


def _reached(path: str) -> int:
    history = f"{path}{HISTORY}"
    if not Path(history).exists():
        return 0
    store = open_history(history)
    try:
        return store.last_sequence()
    finally:
        store.close()


def _history_begins(path: str) -> int:
    history = f"{path}{HISTORY}"
    if not Path(history).exists():
        return 0
    store = open_history(history)
    try:
        with damage_told(history):
            return opening(store.connection)[0]
    finally:
        store.close()


class _Until:
    """A view of a journal up to a command."""

    def __init__(self, journal: Readable, last: int) -> None:
        self._journal = journal
        self._last = last

    def begin(self) -> int:
        return self._journal.begin()

    def last_sequence(self) -> int:
        return self._last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        for first, commands in self._journal.read(after):
            if first > self._last:
                return
            yield first, commands[: self._last + 1 - first]

    def segments(self) -> list[Segment]:
        return [one for one in self._journal.segments() if one.first_sequence <= self._last]

    def snapshots(self) -> Iterator[Snapshot]:
        return (one for one in self._journal.snapshots() if one.sequence <= self._last)
