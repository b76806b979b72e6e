"""The helper of `node.missed_events`: computes events again and projects them into the file."""

from __future__ import annotations

import sys
from typing import Any

from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.state.snapshot import begin
from venue.helpers.feeding import COMMANDS, SNAPSHOT, StartPoint, decode_chunks, decode_start
from venue.helpers.frames import FAILED
from venue.helpers.serving import begin_helper, say, serve
from venue.history.files import HistoryDamaged
from venue.history.store import Store, open_history
from venue.journal.recovery import ENGINE, load
from venue.recompute.history import Projecting


class Computing:
    """The helper's end: an engine of its own, whose events are projected."""

    def __init__(self, store: Store, frames_kept: int) -> None:
        self._sink = Projecting(store, frames_kept)
        self._engine = begin()
        self._sink.restore({}, self._engine)

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """Return whether a snapshot serves, or how far the commands have come."""
        if kind == SNAPSHOT:
            return self._start(decode_start(payload))
        assert kind == COMMANDS, kind
        for chunk in decode_chunks(payload):
            self._follow(chunk.after(self._engine.sequence))
        return self._engine.sequence

    def _start(self, point: StartPoint) -> bool:
        snapshot = point.snapshot
        engine = load(snapshot, point.foreign) if snapshot is not None else begin()
        if engine is None:
            return False
        self._engine = engine
        parts = snapshot.parts if snapshot is not None else {}
        self._sink.restore({name: part for name, part in parts.items() if name != ENGINE}, engine)
        return True

    def _follow(self, commands: list[Command]) -> None:
        engine = self._engine
        batch: list[Applied] = []
        for sequence, command in enumerate(commands, engine.sequence + 1):
            applied = Applied(sequence, command.time, command, engine.apply(command))
            self._sink.note(applied)
            batch.append(applied)
        self._sink.follow(batch)
        self._sink.finish()


def main() -> None:
    """Serve the history file named on the command line; the next argument is the frames to keep."""
    begin_helper()
    path, kept = sys.argv[1:]
    try:
        store = open_history(path)
    except (HistoryDamaged, OSError) as problem:
        say(FAILED, str(problem))
        return
    try:
        serve(store.last_sequence(), Computing(store, int(kept)).answer)
    finally:
        store.close()
