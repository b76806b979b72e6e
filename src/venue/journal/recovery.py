"""Recovery: the newest snapshot that holds, and every later command applied to it again."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

import venue
from venue.core import snapshot as state
from venue.core.applied import Applied
from venue.core.commands import Command, Requested
from venue.core.engine import Engine
from venue.journal.journal import Journal, JournalCorrupt, OtherVersion, Snapshot

ENGINE: Final = "engine"  # the snapshot part that is the engine's own
WINDOW: Final = 4096  # commands looked at in one step backwards

# What loading bytes can raise that are not a state of this version.
_NOT_A_STATE: Final = (msgspec.MsgspecError, LookupError, ValueError, TypeError, AssertionError)


class Sink(Protocol):
    """Views that are rebuilt along with the engine."""

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Begin from a snapshot's parts and its engine; from {} and a new one without."""

    def note(self, applied: Applied) -> None:
        """Look at a command applied again while the engine stands as it left it."""

    def follow(self, batch: list[Applied]) -> None:
        """Go on with commands applied again, in order."""


def recover(journal: Journal, reached: int, sink: Sink) -> Engine:
    """The engine after the journal's last command; `sink` is brought there too.

    `reached` is the last sequence all followers with a store of their own have durably taken in;
    later snapshots are passed over, so that these followers miss nothing.

    A snapshot is state, not rules: one written by another engine version serves too (its hash is
    compared only when this version wrote it, as a newer state may have more fields). Commands
    are replayed only by the version that wrote them: OtherVersion otherwise. A venue that was
    stopped cleanly has its snapshot at the end, so any version can go on from it.

    JournalCorrupt and JournalFailed as the journal raises them.
    """
    engine, parts = _start(journal, reached)
    check_versions(journal, engine.sequence)
    sink.restore(parts, engine)
    for first, commands in journal.read(engine.sequence):
        if first != engine.sequence + 1:
            raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing, {first} follows")
        batch: list[Applied] = []
        for sequence, command in enumerate(commands, first):
            applied = Applied(sequence, command.time, command, engine.apply(command))
            sink.note(applied)
            batch.append(applied)
        sink.follow(batch)
    if engine.sequence != journal.last_sequence():
        raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
    return engine


def tail_requests(journal: Journal, since_time_us: int) -> list[bytes]:
    """The request ids of the commands stamped at or after a time, oldest first.

    Reads the journal backwards, no further than needed.
    """
    steps: list[list[Command]] = []
    end = journal.last_sequence()
    while end > 0:
        start = max(0, end - WINDOW)
        commands = _between(journal, start, end)
        steps.append(commands)
        if commands[0].time < since_time_us:
            break
        end = start
    return [
        command.request
        for commands in reversed(steps)
        for command in commands
        if command.time >= since_time_us and isinstance(command, Requested) and command.request
    ]


def _start(journal: Journal, reached: int) -> tuple[Engine, dict[str, bytes]]:
    for snapshot in journal.snapshots():
        if snapshot.sequence > journal.last_sequence():
            raise JournalCorrupt(
                f"sequence {journal.last_sequence() + 1}: missing, as there is a snapshot"
                f" at {snapshot.sequence}"
            )
        if snapshot.sequence > reached:
            continue
        engine = _load(snapshot)
        if engine is not None:
            others = {name: part for name, part in snapshot.parts.items() if name != ENGINE}
            return engine, others
    return Engine(), {}


def _load(snapshot: Snapshot) -> Engine | None:
    """The snapshot's engine; None when it is not the state it says it is."""
    try:
        engine = state.load(snapshot.parts[ENGINE])
    except _NOT_A_STATE:
        return None
    if engine.sequence != snapshot.sequence:
        return None
    same_version = snapshot.engine_version == venue.__version__
    if same_version and state.state_hash(engine) != snapshot.state_hash:
        return None
    return engine


def check_versions(journal: Journal, after: int) -> None:
    """OtherVersion when other rules than ours have answered a command after this sequence."""
    segments = journal.segments()
    ends = [segment.first_sequence - 1 for segment in segments[1:]] + [journal.last_sequence()]
    for segment, end in zip(segments, ends, strict=True):
        first = max(segment.first_sequence, after + 1)
        if first <= end and segment.engine_version != venue.__version__:
            raise OtherVersion(
                f"commands {first} to {end} were answered by version {segment.engine_version}:"
                f" start that version on this journal once and stop it cleanly,"
                f" then start {venue.__version__}"
            )


def _between(journal: Journal, after: int, end: int) -> list[Command]:
    found: list[Command] = []
    for _, commands in journal.read(after):
        found.extend(commands)
        if len(found) >= end - after:
            break
    return found[: end - after]
