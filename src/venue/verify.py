"""`venue verify`: the journal replayed, its chain, the invariants and history checked."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from venue.core.applied import Applied
from venue.core.audit import problems
from venue.core.engine import Engine
from venue.core.snapshot import state_hash
from venue.history.check import check
from venue.history.store import open_history
from venue.journal.journal import JournalCorrupt, JournalFailed, OtherVersion
from venue.journal.recovery import recover
from venue.journal.sqlite import open_readonly


class Findings(Struct):
    """What was seen, and what is wrong."""

    facts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class _Counting:
    """A recovery's follower that counts what the engine said."""

    def __init__(self) -> None:
        self.events = 0

    def restore(self, parts: dict[str, bytes], sequence: int) -> None:
        assert sequence == 0, "a verification starts at the journal's beginning"

    def follow(self, batch: list[Applied]) -> None:
        self.events += sum(len(done.events) for done in batch)


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
    try:
        counting = _Counting()
        engine = recover(journal, 0, counting)
        findings.facts.append(
            f"journal: {engine.sequence} commands, chain intact, {counting.events} events"
        )
        for snapshot in journal.snapshots():
            findings.facts.append(f"snapshot: at command {snapshot.sequence}")
    except (JournalCorrupt, JournalFailed, OtherVersion) as problem:
        findings.problems.append(str(problem))
        return findings
    finally:
        journal.close()
    findings.facts.append(f"state: {state_hash(engine)}")
    findings.problems += problems(engine)
    _check_history(path, engine, findings)
    return findings


def _check_history(path: str, engine: Engine, findings: Findings) -> None:
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
    finally:
        store.close()
