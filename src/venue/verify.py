"""`venue verify`: the journal replayed, its chain, the invariants and history checked."""

from __future__ import annotations

from pathlib import Path

from msgspec import MsgspecError, Struct, field

import venue
from venue.core.applied import Applied
from venue.core.audit import problems
from venue.core.engine import Engine
from venue.core.snapshot import state_hash, stored_hashes
from venue.gateway.recorder import Recorder
from venue.history.check import check, check_frames
from venue.history.store import open_history
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
    try:
        engine = _replay(journal, recorder, findings)
    except (JournalCorrupt, JournalFailed, OtherRules) as problem:
        findings.problems.append(str(problem))
        return findings
    finally:
        journal.close()
    findings.facts.append(f"state: {state_hash(engine)}")
    findings.problems += problems(engine)
    _check_history(path, engine, recorder, findings)
    return findings


def _replay(journal: Journal, recorder: Recorder, findings: Findings) -> Engine:
    """The journal's commands applied from the first on; snapshots are compared on the way.

    Commands that were answered under other rules are read but not applied: the first snapshot
    behind them stands for them.
    """
    first = beginning(journal)
    begin = first.sequence if first is not None else 0
    engine = _engine(first, recorder, findings)
    snapshots = {one.sequence: one for one in journal.snapshots() if one.sequence > begin}
    count = 0
    for number, commands in journal.read(0):
        for sequence, command in enumerate(commands, number):
            if sequence <= begin:
                continue
            events = engine.apply(command)
            count += len(events)
            recorder.note(Applied(engine.sequence, command.time, command, events))
            snapshot = snapshots.pop(engine.sequence, None)
            if snapshot is not None:
                _check_snapshot(snapshot, engine, recorder, findings)
        recorder.take()  # what counts here is how many there are
    if engine.sequence != journal.last_sequence():
        raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
    findings.problems += [f"a snapshot lies past the end, at {at}" for at in snapshots]
    findings.facts.append(f"journal: {engine.sequence} commands, chain intact, {count} events")
    return engine


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


def _check_history(path: str, engine: Engine, recorder: Recorder, findings: Findings) -> None:
    history = f"{path}.history"
    if not Path(history).exists():
        findings.problems.append(f"{history}: missing; venue rebuild-history {path}")
        return
    store = open_history(history)
    try:
        reached = store.reached()
        findings.facts.append(f"history: up to command {reached}")
        if reached > engine.sequence:
            findings.problems.append(f"history is ahead of the journal, at {reached}")
        elif reached < engine.sequence:
            findings.facts.append("history is behind; it catches up at the next start")
        else:
            findings.problems += check(store.connection, engine)
            findings.problems += check_frames(store.connection, recorder.numbers())
    finally:
        store.close()
