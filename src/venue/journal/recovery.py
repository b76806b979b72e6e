"""Recovery: loads the newest valid snapshot, and applies every later command to it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

import msgspec

from venue.core import rules
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import ChangeSetting, Command, Requested
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.core.state import snapshot as state
from venue.journal import built
from venue.journal.journal import (
    JournalCorrupt,
    OtherRules,
    Readable,
    Snapshot,
    earliest,
    foreign,
)

ENGINE: Final = "engine"  # the snapshot part that is the engine's own
WINDOW: Final = 4096  # commands looked at in one step backwards
NEVER: Final = 1 << 62

# The exceptions of loading bytes that are not a state of this version.
Stamped = tuple[bytes, int]
"""A request's id, and the time (µs) that its command was stamped with."""

_NOT_A_STATE: Final = (msgspec.MsgspecError, LookupError, ValueError, TypeError, AssertionError)


class Sink(Protocol):
    """Views that are rebuilt along with the engine."""

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        """Start from a snapshot's parts and its engine; from {} and a new one without."""

    def note(self, applied: Applied) -> None:
        """Note a command that is applied again, while the engine is in the state after it."""

    def follow(self, batch: list[Applied]) -> None:
        """Follow commands that are applied again, in order."""


def recover(journal: Readable, reached: int, sink: Sink) -> Engine:
    """Return the engine after the journal's last command; `sink` is brought there too.

    `reached` is the last sequence all followers with a store of their own have durably taken in;
    later snapshots are passed over, so that these followers miss nothing.

    A snapshot is state, not rules: one written under other rules serves too. Commands are replayed
    only under the rules that answered them: OtherRules otherwise. A venue that was stopped cleanly
    has its snapshot at the end, so later rules can go on from it.

    JournalCorrupt and JournalFailed as the journal raises them.
    """
    engine, parts = _start(journal, reached)
    if engine.sequence < foreign(journal):
        raise OtherRules(_why_not(journal, engine.sequence))
    sink.restore(parts, engine)
    for first, commands in _following(journal, engine):
        if first != engine.sequence + 1:
            raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing, {first} follows")
        batch: list[Applied] = []
        try:
            for sequence, command in enumerate(commands, first):
                applied = Applied(sequence, command.time, command, engine.apply(command))
                sink.note(applied)
                batch.append(applied)
        except AssertionError as problem:
            at = first + len(batch)
            raise JournalCorrupt(f"sequence {at}: cannot be applied: {problem}") from problem
        sink.follow(batch)
    if engine.sequence != journal.last_sequence():
        raise JournalCorrupt(f"sequence {engine.sequence + 1}: missing")
    return engine


def _following(journal: Readable, engine: Engine) -> Iterator[tuple[int, list[Command]]]:
    """Yield the commands after those of an engine; JournalCorrupt when its last one was stamped at
    another time than the journal's: it comes from another venue's snapshot.
    """
    last = engine.sequence
    known = last > max(journal.begin(), foreign(journal))
    for first, commands in journal.read(last - 1 if known else last):
        # A state that was gone back to has an earlier time than the command that did.
        other = type(commands[0]) is not RevertState and commands[0].time != engine.time
        if known and first == last and other:
            raise JournalCorrupt(
                f"the snapshot at {last} is not of this journal, which has another command there:"
                " put back files that belong together or, to replay the journal's commands, move"
                " the snapshots away"
            )
        own = commands[1:] if known and first == last else commands
        if own:
            yield first + len(commands) - len(own), own
        known = False


def beginning(journal: Readable) -> Snapshot | None:
    """Return the first snapshot that a replay can begin from; None when it can begin with command
    1.

    Earlier commands were answered under other rules, or are not in this journal. OtherRules and
    JournalCorrupt when there is none.
    """
    begin = earliest(journal)
    if begin == 0:
        return None
    first = standing(journal, begin)
    if first is not None:
        return first
    if begin > foreign(journal):
        raise JournalCorrupt(_not_begun(journal))
    older = next((one.sequence for one in journal.snapshots()), 0)
    raise OtherRules(_why_not(journal, older if older < begin else 0))


def standing(journal: Readable, begin: int) -> Snapshot | None:
    """Return the first snapshot, at command `begin` or later, from which today's rules can
    continue."""
    candidates = [snapshot for snapshot in journal.snapshots() if snapshot.sequence >= begin]
    for snapshot in reversed(candidates):
        if load(snapshot, foreign(journal)) is not None:
            return snapshot
    return None


def tail_requests(
    journal: Readable, since_time_us: int, lasting: Callable[[bytes, int], bool]
) -> list[Stamped]:
    """Return the request ids of the commands stamped at or after a time, with their times, oldest
    first.

    Of commands that a revert took out of the state only the `lasting` ones. Reads the journal
    backwards, no further than needed.
    """
    found: list[Stamped] = []  # the newest first
    gone: list[Stamped] = []  # of commands after the state was kept that a revert went back to
    back_to: str | None = None
    for commands in _backwards(journal):
        for command in reversed(commands):
            if isinstance(command, Requested):
                if command.request and command.time >= since_time_us:
                    (found if back_to is None else gone).append((command.request, command.time))
            elif back_to is None:
                back_to = command.name if isinstance(command, RevertState) else None
            elif isinstance(command, KeepState | DropState) and command.name == back_to:
                # A revert to a state that had been dropped was refused.
                dropped = isinstance(command, DropState)
                found += [one for one in gone if dropped or lasting(*one)]
                back_to, gone = None, []
        if commands[0].time < since_time_us:
            break
    found += [one for one in gone if lasting(*one)]
    return found[::-1]


def time_of_last(journal: Readable, count: int) -> int:
    """Return the time of the first of the last `count` commands; 0 where the journal has none
    before these."""
    last = journal.last_sequence()
    before = max(journal.begin(), last - count)
    if before == 0:
        return 0
    return _between(journal, before, before + 1)[0].time if before < last else NEVER


def newest_setting(journal: Readable, name: str) -> str | None:
    """Return the value that a setting was given last, on whichever branch; None when the journal
    does not say. Reads the journal backwards, no further than needed."""
    for commands in _backwards(journal):
        for command in reversed(commands):
            if type(command) is ChangeSetting and command.name == name:
                return command.value
    return None


def _start(journal: Readable, reached: int) -> tuple[Engine, dict[str, bytes]]:
    begin = foreign(journal)
    for snapshot in journal.snapshots():
        if snapshot.sequence > journal.last_sequence():
            raise JournalCorrupt(
                f"sequence {journal.last_sequence() + 1}: missing, as there is a snapshot"
                f" at {snapshot.sequence}: put back files that belong together or, to go on without"
                " the later commands, move the later snapshots away"
            )
        if not journal.begin() <= snapshot.sequence <= reached:
            continue
        engine = load(snapshot, begin)
        if engine is not None:
            others = {name: part for name, part in snapshot.parts.items() if name != ENGINE}
            return engine, others
    if journal.begin():
        raise JournalCorrupt(_not_begun(journal))
    return state.begin(), {}


def load(snapshot: Snapshot, begin: int) -> Engine | None:
    """Return the snapshot's engine; None when it cannot be loaded or has another state than it
    states.

    Up to sequence `begin` other rules may have written it: under today's its hash may differ.
    """
    try:
        data = snapshot.parts[ENGINE]
        engine = state.load(data)
    except _NOT_A_STATE:
        return None
    if engine.sequence != snapshot.sequence:
        return None
    digest = state.state_hash(engine)
    if digest != snapshot.state_hash:  # it has other fields, was changed in loading, or is damaged
        written, expected = state.stored_hashes(data)
        if written != snapshot.state_hash:
            return None
        if snapshot.sequence > begin and expected != digest:
            return None
    return engine


def _why_not(journal: Readable, after: int) -> str:
    """Return the reason why the commands after a sequence cannot be replayed, and the remedy."""
    end = foreign(journal)
    began = [one for one in journal.segments() if one.rules != rules.RULES]
    first = max(after + 1, began[0].first_sequence)
    made = began[-1]
    told = (
        f"commands {first} to {end} were answered under rules {made.rules} (version"
        f" {made.engine_version}) and are not replayed under rules {rules.RULES} (version"
        f" {built.name()})"
    )
    if made.rules < rules.OLDEST:
        return f"{told}: files from before 0.2.0 stay with the version that wrote them"
    if end == journal.last_sequence():
        return (
            f"{told}: start the venue that wrote them on this journal once and stop"
            " it cleanly, then start this one"
        )
    return f"{told}, and the snapshot at {end} that stands for them is missing or damaged"


def _not_begun(journal: Readable) -> str:
    return (
        f"the journal begins after command {journal.begin()}, and the snapshot that stands for"
        " the commands before is missing, damaged or ahead of history"
    )


def _backwards(journal: Readable) -> Iterator[list[Command]]:
    """Yield a journal's commands in pieces, the newest piece first; each in its order."""
    end = journal.last_sequence()
    while end > journal.begin():
        start = max(journal.begin(), end - WINDOW)
        yield _between(journal, start, end)
        end = start


def _between(journal: Readable, after: int, end: int) -> list[Command]:
    found: list[Command] = []
    for _, commands in journal.read(after):
        found.extend(commands)
        if len(found) >= end - after:
            break
    return found[: end - after]
