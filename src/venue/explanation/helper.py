"""The process at `node.explainer`'s pipe: replays to a command, and tells what the core did there.

Commands are applied until the one asked for is found; then the state before it is made a second
time, from the same snapshot.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any, Final

import msgspec

from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.state.snapshot import begin
from venue.explanation.finding import Finder, finder
from venue.explanation.telling import Scene, tell
from venue.helpers.program import give_way
from venue.history.process.worker import serve, settle
from venue.journal.recovery import load
from venue.node.explainer import (
    ASKED,
    COMMANDS,
    SKIP,
    SNAPSHOT,
    TELL,
    Begun,
    Explained,
    ExplainQuestion,
    Packed,
)

NICENESS: Final = 5  # orders go first, and somebody waits for this

_question = msgspec.msgpack.Decoder(ExplainQuestion)
_begun = msgspec.msgpack.Decoder(Begun)
_pieces = msgspec.msgpack.Decoder(list[Packed])
_commands = msgspec.msgpack.Decoder(list[Command])


class Explaining:
    """One explanation, from its question on."""

    def __init__(self) -> None:
        self._question = ExplainQuestion("", 0)
        self._finder: Finder | None = None
        self._begun = Begun(None, 0)
        self._engine = begin()
        self._commands: list[Command] = []

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """The venue's next frame."""
        if kind == ASKED:
            self._question = _question.decode(payload)
            self._finder = finder(self._question)
            return None
        if kind == SNAPSHOT:
            return self._begin(_begun.decode(payload))
        if kind == COMMANDS:
            return self._follow(_pieces.decode(payload))
        if kind == SKIP:
            return self._skip(_begun.decode(payload))
        assert kind == TELL, kind
        return self._tell()

    def _begin(self, begun: Begun) -> bool:
        """Whether a snapshot holds, and the thing that is asked for came after it."""
        engine = _loaded(begun)
        assert self._finder is not None
        if engine is None or not self._finder.lies_behind(engine):
            return False
        self._begun, self._engine = begun, engine
        return True

    def _follow(self, pieces: list[Packed]) -> tuple[int, bool]:
        """Apply commands; how far it has come, and whether all is found."""
        engine, found = self._engine, self._finder
        assert found is not None
        for piece in pieces:
            commands = _commands.decode(piece.payload)[engine.sequence + 1 - piece.first :]
            for command in commands[: piece.last - engine.sequence]:
                self._commands.append(command)
                found.look(engine, command, engine.apply(command))
                if found.done:
                    return engine.sequence, True
        return engine.sequence, False

    def _skip(self, begun: Begun) -> bool:
        """Go on from a later state, if nothing happened to the thing until there; whether so."""
        engine, found = _loaded(begun), self._finder
        assert found is not None
        if engine is None or not found.untouched(self._engine, engine):
            return False
        self._engine = engine
        return True

    def _tell(self) -> Explained | None:
        found = self._finder
        assert found is not None
        chosen = found.chosen(self._engine.sequence)
        if not chosen:
            return found.missing()
        sequence = chosen[0].sequence
        last = self._engine
        before = _loaded(self._begun)
        assert before is not None
        first = before.sequence
        for command in self._commands[: sequence - 1 - first]:
            before.apply(command)
        command = self._commands[sequence - 1 - first]
        return tell(Scene(self._question, before, command, last, chosen))


def _loaded(begun: Begun) -> Engine | None:
    return begin() if begun.snapshot is None else load(begun.snapshot, begun.foreign)


def main() -> None:
    """Answer one question; the process ends with its pipe."""
    settle()
    gc.disable()  # it ends soon
    give_way(NICENESS)
    with contextlib.suppress(BrokenPipeError):  # the venue is gone, or waits no longer
        serve(None, Explaining().answer, sys.stdin.buffer, sys.stdout.buffer)
