"""The helper at the pipe of `missed_events`: computes events again, projects them into the file."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.state.snapshot import begin
from venue.helpers.frames import FAILED
from venue.history.files import HistoryDamaged
from venue.history.process.worker import say, serve, settle
from venue.history.store import Store, open_history
from venue.journal.journal import Snapshot
from venue.journal.recovery import ENGINE, load
from venue.node.missed_events import COMMANDS, SNAPSHOT, Begun, Piece
from venue.recompute.history import Projecting

_begun = msgspec.msgpack.Decoder(Begun)
_piece = msgspec.msgpack.Decoder(Piece)


class Computing:
    """The helper's end: an engine of its own, whose events are projected."""

    def __init__(self, store: Store, frames_kept: int) -> None:
        self._sink = Projecting(store, frames_kept)
        self._engine = begin()
        self._sink.restore({}, self._engine)

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """Whether a snapshot holds; or how far the commands have come."""
        if kind == SNAPSHOT:
            return self._start(*_begun.decode(payload))
        assert kind == COMMANDS, kind
        return self._follow(*_piece.decode(payload))

    def _start(self, snapshot: Snapshot, begin: int) -> bool:
        engine = load(snapshot, begin)
        if engine is None:
            return False
        self._engine = engine
        others = {name: part for name, part in snapshot.parts.items() if name != ENGINE}
        self._sink.restore(others, engine)
        return True

    def _follow(self, first: int, commands: list[Command]) -> int:
        engine = self._engine
        assert first == engine.sequence + 1, (first, engine.sequence)
        batch: list[Applied] = []
        for sequence, command in enumerate(commands, first):
            applied = Applied(sequence, command.time, command, engine.apply(command))
            self._sink.note(applied)
            batch.append(applied)
        self._sink.follow(batch)
        self._sink.finish()
        return engine.sequence


def main() -> None:
    """Serve the history file named on the command line; the next argument is the frames to keep."""
    settle()
    path, kept = sys.argv[1:]
    try:
        store = open_history(path)
    except (HistoryDamaged, OSError) as problem:
        say(sys.stdout.buffer, FAILED, str(problem))
        return
    try:
        computing = Computing(store, int(kept))
        serve(store.reached(), computing.answer, sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        pass  # the venue is gone: the projected rows are kept
    finally:
        store.close()
