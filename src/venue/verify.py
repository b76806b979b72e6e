"""`venue verify`: the journal replayed, its chain, the invariants and history checked."""

from __future__ import annotations

import contextlib
from pathlib import Path

from msgspec import MsgspecError, Struct, field

import venue
from venue.core.applied import Applied
from venue.core.audit import problems
from venue.core.engine import Engine
from venue.core.snapshot import state_hash, stored_hashes
from venue.gateway.recorder import Recorder
from venue.history.check import check, check_frames
from venue.history.compare import Expected
from venue.history.store import HistoryDamaged, Store, check_pages, open_history
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    OtherRules,
    Snapshot,
)
from venue.journal.recovery import ENGINE, beginning, load
from venue.journal.sqlite import open_readonly
from venue.node.snapshots import STREAMS


class Findings(Struct):
    """What was seen, and what is wrong."""

    facts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def verify(path: str) -> Findings:
    """Check a stopped venue's files; problems are empty when all of it holds."""
    findings = Findings()
    if not Path(path).exists():
        findings.problems.append(f"{path}: no such journal")
        return findings
    try:
        journal = open_readonly(path)
    except (JournalCorrupt, JournalFailed, OtherRules) as problem:
        findings.problems.append(str(problem))
        return findings
    recorder = Recorder()
    with contextlib.ExitStack() as closing:
        closing.callback(journal.close)
        try:
            engine = _engine(beginning(journal), recorder, findings)
            store = _history(path, findings)
            if store is not None:
                closing.callback(store.close)
            expected = Expected(engine, store.reached() if store is not None else 0)
            closing.callback(expected.close)
            _replay(journal, engine, recorder, expected, findings)
        except (JournalCorrupt, JournalFailed, OtherRules) as problem:
            findings.problems.append(str(problem))
            return findings
        findings.facts.append(f"state: {state_hash(engine)}")
        findings.problems += problems(engine)
        if store is not None:
            _check_history(store, engine, recorder, expected, findings)
    return findings


def _replay(
    journal: Journal,
    engine: Engine,
    recorder: Recorder,
    expected: Expected,
    findings: Findings,
) -> None:
    """The journal's commands applied from where the engine stands; snapshots are compared.

    Commands before it, which were answered under other rules, are read but not applied: the
    snapshot that the engine is of stands for them.
    """
    begin = engine.sequence
    snapshots = {one.sequence: one for one in journal.snapshots() if one.sequence > begin}
    count = 0
    for number, commands in journal.read(0):
        batch: list[Applied] = []
        for sequence, command in enumerate(commands, number):
            if sequence <= begin:
                continue
            events = engine.apply(command)
            count += len(events)
            batch.append(Applied(engine.sequence, command.time, command, events))
            recorder.note(batch[-1])
            snapshot = snapshots.pop(engine.sequence, None)
            if snapshot is not None:
                _check_snapshot(snapshot, engine, recorder, findings)
        expected.follow(batch, recorder.take())
    if engine.sequence != journal.last_sequence():
        raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
    findings.problems += [f"a snapshot lies past the end, at {at}" for at in snapshots]
    findings.facts.append(f"journal: {engine.sequence} commands, chain intact, {count} events")


def _engine(first: Snapshot | None, recorder: Recorder, findings: Findings) -> Engine:
    """Where the replay begins: a new engine, or the first snapshot of today's rules."""
    if first is None:
        engine = Engine()
        recorder.restore(b"", engine)
        return engine
    loaded = load(first, first.sequence)
    assert loaded is not None, "it has been loaded before"
    recorder.restore(first.parts.get(STREAMS, b""), loaded)
    findings.facts.append(
        f"replay: from the snapshot at command {first.sequence}; what came before was answered"
        " under other rules and is not replayed"
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
    same_version = snapshot.engine_version == venue.__version__
    if same_version and snapshot.parts.get(STREAMS, recorder.dump()) != recorder.dump():
        findings.problems.append(f"the snapshot at {snapshot.sequence} has other private frames")
    findings.facts.append(f"snapshot: at command {snapshot.sequence}")


def _history(path: str, findings: Findings) -> Store | None:
    """The history beside the journal, every page of it checked; None when it cannot be read."""
    history = f"{path}.history"
    if not Path(history).exists():
        findings.problems.append(f"{history}: missing; venue rebuild-history {path}")
        return None
    try:
        open_history(history).close()
        check_pages(history)
        return open_history(history)
    except (HistoryDamaged, OSError) as problem:
        findings.problems.append(f"{problem}; venue rebuild-history {path}")
        return None


def _check_history(
    store: Store, engine: Engine, recorder: Recorder, expected: Expected, findings: Findings
) -> None:
    reached = store.reached()
    findings.facts.append(f"history: up to command {reached}")
    if reached > engine.sequence:
        findings.problems.append(f"history is ahead of the journal, at {reached}")
        return
    if reached < expected.begin:
        findings.problems.append(
            f"history ends at command {reached}; what follows up to {expected.begin} was answered"
            " under other rules and cannot be projected any more"
        )
        return
    findings.problems += expected.differences(store.connection)
    if reached < engine.sequence:
        findings.facts.append("history is behind; it catches up at the next start")
        return
    findings.problems += check(store.connection, engine)
    findings.problems += check_frames(store.connection, recorder.numbers())
