"""`venue verify`: the journal replayed, its chain, the invariants and history checked."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

import venue
from venue.core.applied import Applied
from venue.core.audit import problems
from venue.core.engine import Engine
from venue.core.snapshot import dump_and_hash, state_hash
from venue.gateway.recorder import Recorder
from venue.history.check import check, check_frames
from venue.history.store import open_history
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    OtherVersion,
    Snapshot,
)
from venue.journal.recovery import ENGINE, check_versions
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
    except (JournalCorrupt, JournalFailed, OtherVersion) as problem:
        findings.problems.append(str(problem))
        return findings
    recorder = Recorder()
    try:
        engine = _replay(journal, recorder, findings)
    except (JournalCorrupt, JournalFailed, OtherVersion) as problem:
        findings.problems.append(str(problem))
        return findings
    finally:
        journal.close()
    findings.facts.append(f"state: {state_hash(engine)}")
    findings.problems += problems(engine)
    _check_history(path, engine, recorder, findings)
    return findings


def _replay(journal: Journal, recorder: Recorder, findings: Findings) -> Engine:
    """The journal's commands applied from the first on; snapshots are compared on the way."""
    check_versions(journal, 0)
    snapshots = {snapshot.sequence: snapshot for snapshot in journal.snapshots()}
    engine, count = Engine(), 0
    recorder.restore(b"", engine)
    for _, commands in journal.read(0):
        for command in commands:
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


def _check_snapshot(
    snapshot: Snapshot, engine: Engine, recorder: Recorder, findings: Findings
) -> None:
    dumped, digest = dump_and_hash(engine)
    same_version = snapshot.engine_version == venue.__version__
    if same_version and (snapshot.state_hash, snapshot.parts.get(ENGINE)) != (digest, dumped):
        findings.problems.append(f"the snapshot at {snapshot.sequence} is not the replayed state")
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
