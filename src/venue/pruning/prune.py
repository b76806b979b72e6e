"""`venue prune`: old commands and rows move from journal and history to archives beside them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from venue import private_files
from venue.archive_names import archives, being_written, unfinished
from venue.core.messages.commands import Command
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
)
from venue.journal.opening import open_journal
from venue.journal.recovery import beginning, load, recover, standing
from venue.journal.sqlite import SqliteJournal
from venue.lab.prehistory import Prehistory
from venue.node.market_data.views import MarketData
from venue.node.snapshots import Restored, take
from venue.recording.recorder import Recorder

HISTORY: Final = ".history"
STEPS: Final = 10  # an archive made at a start covers at least such a part of the kept time

log = logging.getLogger("venue")
_commands = msgspec.msgpack.Decoder(list[Command])


class Pruned(msgspec.Struct):
    """The command after which journal and history of a venue begin now; 0: with the first."""

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
        until_us = _time(journal) - keep_us
        if _last_until(journal, until_us - beyond_us) > journal.begin():
            snapshot = _standing(journal, path, until_us)
            if snapshot is not None:
                _prune_journal(journal, path, snapshot)
        _prune_history(journal, path)
        return Pruned(journal.begin(), _history_begins(path))
    finally:
        journal.close()


def prune_at_start(path: str, keep_us: int) -> None:
    """Prune before a venue runs, when there is enough; the log says what prevents it. A venue that
    cannot be pruned can run: its start tells what is wrong with its files."""
    try:
        prune(path, keep_us, beyond_us=keep_us // STEPS)
    except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
        log.warning("nothing more is archived: %s", problem)


def _finish(journal: SqliteJournal, path: str) -> None:
    """Go on with a pruning of the journal that was cut short. JournalCorrupt: an archive does not
    hold the commands that were taken, or are to be taken, out of this journal."""
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
    archive.check(name, archive.told(journal, last, 0))


def _standing(journal: SqliteJournal, path: str, until_us: int) -> Snapshot | None:
    """The snapshot that lets the commands before it go; None when these are too few."""
    last = min(_last_until(journal, until_us), _reached(path))
    first, end = beginning(journal), last // BLOCK * BLOCK
    if end <= journal.begin() or (first and last < first.sequence):
        return None
    known = standing(journal, end)
    if known is not None and known.sequence <= last:
        return known
    prehistory, recorder = Prehistory(), Recorder()
    market_data = MarketData(prehistory.spot, prehistory.contract)
    engine = recover(_Until(journal, last), last, Restored(market_data, recorder, last))
    return take(engine, market_data, recorder)


def time_of(journal: SqliteJournal, sequence: int) -> int:
    """When a command was stamped, in µs; errors as for reading."""
    first, payload = journal.packed(sequence - 1, sequence)[0]
    return _commands.decode(payload)[sequence - first].time


def _time(journal: SqliteJournal) -> int:
    """The venue's time; 0 when it has not begun."""
    last = journal.last_sequence()
    return time_of(journal, last) if last > journal.begin() else 0


def _last_until(journal: SqliteJournal, until_us: int) -> int:
    """The last command that was stamped at a time or before; where the journal begins if none."""
    low, high = journal.begin(), journal.last_sequence()
    while low < high:
        middle = (low + high + 1) // 2
        if time_of(journal, middle) <= until_us:
            low = middle
        else:
            high = middle - 1
    return low


def _prune_journal(journal: SqliteJournal, path: str, snapshot: Snapshot) -> None:
    end = snapshot.sequence // BLOCK * BLOCK
    first = beginning(journal)
    with nothing_left(being_written(path)):
        archive.write(journal, path, end, first.sequence if first else 0)
    archive.drop(journal, end, snapshot)
    journal.shrink()


def _prune_history(journal: SqliteJournal, path: str) -> None:
    """Have history begin where the journal's replay does, its settled rows in an archive."""
    history = f"{path}{HISTORY}"
    first = beginning(journal)
    if first is None or not journal.begin() or not Path(history).exists():
        return
    engine = load(first, first.sequence)
    assert engine is not None, "it has been loaded before"
    store = open_history(history)
    try:
        reached = store.reached()
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
        return store.reached()
    finally:
        store.close()


def _history_begins(path: str) -> int:
    history = f"{path}{HISTORY}"
    if not Path(history).exists():
        return 0
    store = open_history(history)
    try:
        with damage_told(history), store.connection.begin():
            return opening(store.connection)[0]
    finally:
        store.close()


class _Until:
    """A journal as it was when it ended with a command."""

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
