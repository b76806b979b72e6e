"""The helper process of `node.explainer`: replays to a command, and explains what the core did
there.

It applies commands until it finds the one in question; then it makes the state before that one a
second time, from the same snapshot.
"""

from __future__ import annotations

import gc
from typing import Any

import msgspec

from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.state.snapshot import begin
from venue.explanation.finding import Finder, finder
from venue.explanation.telling import Scene, tell
from venue.helpers.feeding import (
    BEGIN,
    COMMANDS,
    FINISH,
    SNAPSHOT,
    CommandChunk,
    StartPoint,
    decode_chunks,
    decode_start,
)
from venue.helpers.serving import SOON, begin_helper, serve
from venue.journal.recovery import load
from venue.node.explainer import SKIP, ExplainQuestion, ExplanationText

_question = msgspec.msgpack.Decoder(ExplainQuestion)


class Explaining:
    """One explanation, from its question on."""

    def __init__(self) -> None:
        self._question = ExplainQuestion("", 0)
        self._finder: Finder | None = None
        self._start = StartPoint(None, 0)
        self._engine = begin()
        self._commands: list[Command] = []

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """Return the venue's next frame."""
        if kind == BEGIN:
            self._question = _question.decode(payload)
            self._finder = finder(self._question)
            return None
        if kind == SNAPSHOT:
            return self._begin(decode_start(payload))
        if kind == COMMANDS:
            return self._follow(decode_chunks(payload))
        if kind == SKIP:
            return self._skip(decode_start(payload))
        assert kind == FINISH, kind
        return self._tell()

    def _begin(self, start: StartPoint) -> bool:
        """Begin at a state; return whether it holds and the thing asked for came after it."""
        engine = _loaded(start)
        assert self._finder is not None
        if engine is None or not self._finder.lies_behind(engine):
            return False
        self._start, self._engine = start, engine
        return True

    def _follow(self, chunks: list[CommandChunk]) -> tuple[int, bool]:
        """Apply commands; return how far it has come, and whether all is found."""
        engine, found = self._engine, self._finder
        assert found is not None
        for chunk in chunks:
            for command in chunk.after(engine.sequence):
                self._commands.append(command)
                found.look(engine, command, engine.apply(command))
                if found.done:
                    return engine.sequence, True
        return engine.sequence, False

    def _skip(self, start: StartPoint) -> bool:
        """Continue from a later state if nothing happened to the thing until there; return whether
        it did so."""
        engine, found = _loaded(start), self._finder
        assert found is not None
        if engine is None or not found.untouched(self._engine, engine):
            return False
        self._engine = engine
        return True

    def _tell(self) -> ExplanationText | None:
        found = self._finder
        assert found is not None
        chosen = found.chosen(self._engine.sequence)
        if not chosen:
            return found.missing()
        sequence = chosen[0].sequence
        last = self._engine
        before = _loaded(self._start)
        assert before is not None
        first = before.sequence
        for command in self._commands[: sequence - 1 - first]:
            before.apply(command)
        command = self._commands[sequence - 1 - first]
        return tell(Scene(self._question, before, command, last, chosen))


def _loaded(start: StartPoint) -> Engine | None:
    return begin() if start.snapshot is None else load(start.snapshot, start.foreign)


def main() -> None:
    """Answer one question; the process ends with its pipe."""
    begin_helper(SOON)
    gc.disable()  # it ends soon
    serve(None, Explaining().answer)
