"""Random sessions of both products with recorded owners, and a recorder's frames of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from support import walk as spot_walk
from support.contract_walk import START, UNIT, Walk
from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, RecordStreams
from venue.core.state import snapshot
from venue.core.units import FIRST_UID
from venue.recording.recorder import Recorder


def spot_commands(count: int) -> list[Command]:
    """Orders and cancels of five owners; two are recorded from the start, one later."""
    choice = Random(count)
    found = spot_walk.opening()
    found += [RecordStreams(FIRST_UID), RecordStreams(FIRST_UID + 1)]
    for number in range(count):
        command = spot_walk.step(choice)
        command.time = number * 60 * 10**6
        found.append(command)
        if number == count // 3:
            found.append(RecordStreams(FIRST_UID + 2, command.time))
    return found


def contract_commands(seed: int, count: int) -> list[Command]:
    """All that can happen to a contract's traders; one of them is never recorded."""
    walk, engine = Walk(seed, 2 * START * UNIT), Engine()
    found = walk.opening()
    found += [RecordStreams(FIRST_UID + number) for number in range(3)]
    for command in found:
        command.time = walk.time
        engine.apply(command)
    for number in range(count):
        command = walk.step(engine)
        if number == count // 3:
            command = RecordStreams(FIRST_UID + 4, walk.time)
        engine.apply(command)
        found.append(command)
    return found


class Room:
    """An engine with a recorder beside it, as a node has them."""

    def __init__(self, kept: int = 1_000_000) -> None:
        self.engine = Engine()
        self.recorder = Recorder(kept)
        self.recorder.restore(b"", self.engine)
        self.applied: list[Applied] = []
        self.frames: list[KeptFrame] = []

    def say(self, batch: Sequence[Command]) -> None:
        """Apply a batch, and publish it."""
        for command in batch:
            events = self.engine.apply(command)
            applied = Applied(self.engine.sequence, command.time, command, events)
            self.recorder.note(applied)
            self.applied.append(applied)
        self.recorder.publish([])
        self.frames += self.recorder.published

    def restart(self) -> None:
        """Go on from a snapshot."""
        part = self.recorder.dump()
        self.engine = snapshot.load(snapshot.dump(self.engine))
        self.recorder = Recorder()
        self.recorder.restore(part, self.engine)
        assert self.recorder.dump() == part
