"""`venue verify`: the journal replayed, its chain, the invariants and history checked."""

from __future__ import annotations

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import MsgspecError, Struct, field

from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.state.audit import problems
from venue.core.state.snapshot import begin, state_hash, stored_hashes
from venue.history.archive import leading_up, merge
from venue.history.check import check, check_frames
from venue.history.compare import ExpectedHistory
from venue.history.files import HistoryDamaged, check_pages
from venue.history.opening import opening
from venue.history.store import Store, damage_told, open_history
from venue.journal import built
from venue.journal.archive import JoinedJournal, join_archives
from venue.journal.journal import (
    JournalCorrupt,
    JournalFailed,
    OtherRules,
    Readable,
    Snapshot,
    foreign,
)
from venue.journal.lacking import lacking
from venue.journal.opening import open_readonly
from venue.journal.recovery import ENGINE, beginning, load
from venue.journal.repair import DAMAGED, advice
from venue.node.snapshots import STREAMS
from venue.recording.recorder import Recorder


class Kept(Struct):
    """History with the archives that lead up to it; `begin` is the command after which it begins
    alone."""

    store: Store
    begin: int


class Findings(Struct):
    """The facts that were seen, and the problems."""

    facts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    corrupt: bool = False


def verify(path: str) -> Findings:
    """Check a stopped venue's files; problems are empty when all of it holds."""
    findings = _checked(path)
    told = advice(path) if findings.corrupt else ""
    if told:
        findings.problems[-1] += f"; {told}"
    return findings


def _checked(path: str) -> Findings:
    findings = Findings()
    if not Path(path).exists():
        findings.problems.append(f"{path}: no such journal")
        return findings
    try:
        journal = open_readonly(path)
    except (JournalCorrupt, JournalFailed, OtherRules) as problem:
        findings.problems.append(str(problem))
        findings.corrupt = isinstance(problem, JournalCorrupt)
        return findings
    recorder = Recorder()
    with contextlib.ExitStack() as closing:
        closing.callback(journal.close)
        try:
            whole = join_archives(journal, path, closing)
            findings.problems += lacking(path, journal)
            # Before any other file is opened: refused files stay as they are.
            first = beginning(whole)
            kept = _history(path, findings, closing)
            engine = _engine(_first(first, whole, kept), whole, recorder, findings)
            with damage_told("the database that this check makes"):
                expected = ExpectedHistory(
                    engine, kept.store.last_sequence() if kept is not None else 0
                )
                closing.callback(expected.close)
                _replay(whole, engine, recorder, expected, findings)
        except (JournalCorrupt, JournalFailed, OtherRules, HistoryDamaged, OSError) as problem:
            findings.problems.append(str(problem))
            findings.corrupt = isinstance(problem, JournalCorrupt)
            return findings
        findings.facts.append(f"state: {state_hash(engine)}")
        findings.problems += problems(engine)
        if kept is not None:
            _check_history(kept, engine, recorder, expected, findings)
    return findings


def _first(first: Snapshot | None, whole: JoinedJournal, kept: Kept | None) -> Snapshot | None:
    """The snapshot at which the replay begins, as today's rules, archives and history allow."""
    begin = first.sequence if first is not None else 0
    if kept is None:
        return first
    later, _ = opening(kept.store.connection)
    if later > begin and whole.has_archived():  # the archives of history are not here
        return next((one for one in whole.snapshots() if one.sequence == later), first)
    return first


def _replay(
    journal: Readable,
    engine: Engine,
    recorder: Recorder,
    expected: ExpectedHistory,
    findings: Findings,
) -> None:
    """The journal's commands applied from where the engine stands; snapshots are compared.

    Commands before it are read but not applied: the snapshot that the engine is of stands for them.
    """
    begin = engine.sequence
    snapshots = {one.sequence: one for one in journal.snapshots() if one.sequence > begin}
    count = 0
    for number, commands in journal.read(journal.begin()):
        for sequence, command in enumerate(commands, number):
            if sequence <= begin:
                continue
            events = engine.apply(command)
            count += len(events)
            applied = Applied(engine.sequence, command.time, command, events)
            recorder.note(applied)
            expected.note(applied)
            snapshot = snapshots.pop(engine.sequence, None)
            if snapshot is not None:
                _check_snapshot(snapshot, engine, recorder, findings)
        expected.follow(recorder.take())
    if engine.sequence != journal.last_sequence():
        raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
    findings.problems += [f"a snapshot lies past the end, at {at}" for at in snapshots]
    findings.facts.append(f"journal: {engine.sequence} commands, chain intact, {count} events")


def _engine(
    first: Snapshot | None, whole: JoinedJournal, recorder: Recorder, findings: Findings
) -> Engine:
    """The engine that the replay begins with: a new one, or a snapshot's."""
    if first is None:
        engine = begin()
        recorder.restore(b"", engine)
        return engine
    loaded = load(first, first.sequence)
    assert loaded is not None, "it has been loaded before"
    recorder.restore(first.parts.get(STREAMS, b""), loaded)
    before = [one for one in whole.segments() if one.first_sequence <= loaded.sequence]
    if before and before[-1].engine_version == DAMAGED:
        why = "were damaged, have been missing since a repair"
    elif loaded.sequence == foreign(whole):
        why = "were answered under other rules"
    else:
        why = "are in archives that are not here, or were damaged before a repair,"
    findings.facts.append(
        f"replay: from the snapshot at command {first.sequence}; the commands before it {why} and"
        " are not replayed"
    )
    return loaded


def _check_snapshot(
    snapshot: Snapshot, engine: Engine, recorder: Recorder, findings: Findings
) -> None:
    try:
        hashes = stored_hashes(snapshot.parts.get(ENGINE, b""))
    except MsgspecError:
        hashes = ("", "")
    if hashes != (snapshot.state_hash, state_hash(engine)):
        findings.problems.append(f"the snapshot at {snapshot.sequence} is not the replayed state")
    same_version = snapshot.engine_version == built.name()
    if same_version and snapshot.parts.get(STREAMS, recorder.dump()) != recorder.dump():
        findings.problems.append(f"the snapshot at {snapshot.sequence} has other private frames")
    findings.facts.append(f"snapshot: at command {snapshot.sequence}")


def _history(path: str, findings: Findings, closing: contextlib.ExitStack) -> Kept | None:
    """The history beside the journal, every page of it checked; None when it cannot be read.

    With the archives that lead up to it, put together in a file of its own.
    """
    history = f"{path}.history"
    if not Path(history).exists():
        findings.problems.append(f"{history}: missing; venue rebuild-history {path}")
        return None
    try:
        open_history(history).close()
        check_pages(history)
        store = open_history(history)
        closing.callback(store.close)
        begin, _ = opening(store.connection)
        before = leading_up(store, history, begin)
        if before:
            store.close()
            for name in before:
                check_pages(name)
            folder = closing.enter_context(TemporaryDirectory(prefix="venue-verify-"))
            merge([*before, history], f"{folder}/history")
            store = open_history(f"{folder}/history")
            closing.callback(store.close)
    except (HistoryDamaged, OSError) as problem:
        findings.problems.append(f"{problem}; venue rebuild-history {path}")
        return None
    return Kept(store, begin)


def _check_history(
    kept: Kept, engine: Engine, recorder: Recorder, expected: ExpectedHistory, findings: Findings
) -> None:
    store, reached = kept.store, kept.store.last_sequence()
    findings.facts.append(f"history: up to command {reached}")
    if reached > engine.sequence:
        findings.problems.append(f"history is ahead of the journal, at {reached}")
        return
    if reached < expected.begin:
        findings.problems.append(
            f"history ends at command {reached}; the commands up to {expected.begin} were answered"
            " under other rules, or are archived, and are not projected"
        )
        return
    findings.problems += expected.differences(store.connection, kept.begin)
    if reached < engine.sequence:
        findings.facts.append("history is behind; it catches up at the next start")
        return
    findings.problems += check(store.connection, engine)
    findings.problems += check_frames(
        store.connection, recorder.numbering.ranges(), later=kept.begin > 0
    )
