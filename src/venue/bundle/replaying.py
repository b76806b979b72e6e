"""A run replayed: its end, where two runs begin to differ, and the branches that reverts left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.bundle.file import RunRefused
from venue.bundle.runs import PastRun
from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateReverted
from venue.core.state.snapshot import begin, state_hash
from venue.journal.journal import JournalCorrupt, foreign
from venue.journal.recovery import load

OF_ONE_RUN: Final = ("request", "time")  # they may differ in runs that are otherwise the same
NOT_THERE: Final = "-"


class Replayed(Struct):
    """A command, and the events that the engine answered."""

    sequence: int
    command: Command
    events: list[Event]


class RunEnd(Struct, rename="camel"):
    """A replayed run: its commands, the time of the last one (µs), and the state after it."""

    first: int
    last: int
    time: int
    state_hash: str
    epoch: int


class FieldDifference(Struct, rename="camel"):
    """A field that two runs have different values in, in the venue's own units."""

    name: str
    first: Any
    second: Any


class RunDifference(Struct, rename="camel"):
    """The first command in which two runs differ: `what` is COMMAND, END of one of them, or STATE
    after the last command before those that both have. `first` and `second` are the command, or the
    state's digest, of each run."""

    what: str
    sequence: int
    first: str
    second: str
    fields: list[FieldDifference]


class Compared(Struct, rename="camel"):
    """Two runs from command `begin` on; `time`: the first command of which only times differ."""

    begin: int
    last: int
    time: int | None
    difference: RunDifference | None


class Branch(Struct, rename="camel"):
    """Commands in a row, from `begins` to `ends`, that go on from the state after command
    `follows`.

    `kept` is the name of that state; the first branch has none. `left` is the command that went
    back and left this branch; None: it goes on. Times in µs.
    """

    number: int
    begins: int
    ends: int
    follows: int
    kept: str
    left: int | None
    time_from: int
    time_to: int


class Replay:
    """A run's steps, on an engine of its own."""

    def __init__(self, run: PastRun) -> None:
        self.run = run
        self.engine = _engine(run)

    def steps(self, until: int) -> Iterator[Replayed]:
        """From the next command to one; RunRefused where the engine cannot take it."""
        engine = self.engine
        for first, commands in self.run.journal.read(engine.sequence):
            for sequence, command in enumerate(commands, first):
                if sequence > until:
                    return
                if sequence != engine.sequence + 1:
                    raise JournalCorrupt(
                        f"{self.run.name}: sequence {engine.sequence + 1}: missing"
                    )
                yield Replayed(sequence, command, self._applied(sequence, command))
        if engine.sequence < min(until, self.run.last()):
            raise JournalCorrupt(f"{self.run.name}: sequence {engine.sequence + 1}: missing")

    def _applied(self, sequence: int, command: Command) -> list[Event]:
        try:
            return self.engine.apply(command)
        except Exception as problem:  # a bundle may hold commands that no venue wrote
            raise RunRefused(
                f"{self.run.name}: command {sequence} cannot be replayed"
                f" ({type(problem).__name__}: {problem}): make the bundle again"
            ) from problem

    def go_to(self, sequence: int) -> None:
        """Replay up to a command."""
        for _ in self.steps(sequence):
            pass


def ending(run: PastRun) -> RunEnd:
    """Return where a run ends. RunRefused: it does not end where it did."""
    replay = Replay(run)
    replay.go_to(run.last())
    engine = replay.engine
    digest = state_hash(engine)
    run.check_end(digest)
    return RunEnd(run.begin(), run.last(), engine.time, digest, engine.epoch)


def compared(first: PastRun, second: PastRun) -> Compared:
    """Return where two runs differ first, from the first command on that both have.

    Times and the ids of requests are no difference; RunRefused when no command is in both.
    """
    one, other = Replay(first), Replay(second)
    begin_at = max(one.engine.sequence, other.engine.sequence)
    last = max(first.last(), second.last())
    if begin_at >= min(first.last(), second.last()):
        raise RunRefused(f"{first.name} and {second.name} have no command in common")
    for replay in (one, other):
        replay.go_to(begin_at)
    found = Compared(begin_at + 1, last, None, None)
    states = [state_hash(replay.engine) for replay in (one, other)]
    if states[0] != states[1]:
        found.difference = RunDifference("STATE", begin_at, states[0], states[1], [])
        return found
    # The same commands do the same to the same state: no more is replayed.
    both = zip_longest(_commands(first, begin_at), _commands(second, begin_at))
    for sequence, (left, right) in enumerate(both, begin_at + 1):
        found.difference = _difference(sequence, left, right)
        if found.difference is not None:
            return found
        if found.time is None and left.time != right.time:
            found.time = sequence
    return found


def branches(run: PastRun) -> list[Branch]:
    """Return the branches of a run, in the order in which they began."""
    replay = Replay(run)
    start = replay.engine.sequence
    found = [Branch(1, start + 1, start, start, "", None, 0, 0)]
    for step in replay.steps(run.last()):
        reverted = next((one for one in step.events if isinstance(one, StateReverted)), None)
        if reverted is not None:
            found[-1].left = step.sequence
            kept, follows = reverted.name, reverted.sequence
            number, at = len(found) + 1, step.sequence
            found.append(Branch(number, at, at, follows, kept, None, 0, 0))
        branch = found[-1]
        branch.ends = step.sequence
        branch.time_from = branch.time_from or replay.engine.time
        branch.time_to = replay.engine.time
    return found


def told(message: Command | Event) -> str:
    """Return a command or event in one line, in the venue's own units."""
    fields = [
        f"{name}={_plain(value)}"
        for name, value in _values(message).items()
        if name not in OF_ONE_RUN and value not in ("", b"", None, [])
    ]
    return " ".join([type(message).__name__, *fields])


def _engine(run: PastRun) -> Engine:
    if run.first is None:
        return begin()
    engine = load(run.first, foreign(run.journal))
    assert engine is not None, "it has been loaded before"
    return engine


def _commands(run: PastRun, after: int) -> Iterator[Command]:
    for _, commands in run.journal.read(after):
        yield from commands


def _difference(sequence: int, left: Command | None, right: Command | None) -> RunDifference | None:
    """Return how a command differs from its like; None stands for one that is not there."""
    first, second = (told(one) if one is not None else NOT_THERE for one in (left, right))
    if left is None or right is None:
        return RunDifference("END", sequence, first, second, [])
    fields = _differing(left, right)
    return RunDifference("COMMAND", sequence, first, second, fields) if fields else None


def _differing(left: Any, right: Any) -> list[FieldDifference]:
    if type(left) is not type(right):
        return [FieldDifference("what", type(left).__name__, type(right).__name__)]
    theirs = _values(right)
    return [
        FieldDifference(name, _plain(value), _plain(theirs[name]))
        for name, value in _values(left).items()
        if name not in OF_ONE_RUN and value != theirs[name]
    ]


def _values(message: Any) -> dict[str, Any]:
    names = message.__struct_fields__
    return {name: getattr(message, name) for name in names}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; bytes that only the venue reads as their size."""
    return msgspec.to_builtins(
        f"{len(value)} bytes" if isinstance(value, bytes) else value, enc_hook=str
    )
