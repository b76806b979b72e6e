"""Finds the command up to which a venue can be pruned: it is old enough, and all later ones build
on it.

A revert leaves a branch. A journal that began on such a branch, or on the way back to an earlier
state, would have lost the state to which the revert went back. So a cut is never in between: no
later revert goes to before it. States that were saved before it are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

import msgspec

from venue.core.messages.commands import Command
from venue.core.messages.savepoints import KeepState, RevertState
from venue.journal.chain import BLOCK, commands_in
from venue.journal.sqlite import SqliteJournal

STEPS: Final = 10  # an archive covers at least such a part of the kept time, so that they are few
# The first bytes of these two commands: other rows need not be decoded.
MARKS: Final = tuple(msgspec.msgpack.encode(one)[:2] for one in (KeepState(""), RevertState("")))

Piece = tuple[int, int]
"""Commands after the first number up to the second one."""

_commands = msgspec.msgpack.Decoder(list[Command])


class Trunk:
    """The pieces of a journal that all later commands build on, oldest first.

    It reads the rows after command `reached`, in order. No revert is between `begin` and that, and
    `kept` has the commands after which states were saved.
    """

    def __init__(self, begin: int, reached: int, kept: dict[str, int]) -> None:
        self.reached = reached
        self._after = begin
        self._kept = kept
        self._pieces: list[Piece] = []
        self._back = (0, 0)  # the newest revert, and the command that kept the state

    def newest(self) -> int:
        """Return the command whose time is the venue's; 0 when it is not among those that were
        read."""
        revert, kept = self._back
        return kept if revert == self.reached else self.reached

    def pieces(self, begin: int) -> list[Piece]:
        """Return the pieces after command `begin`."""
        found = [*self._pieces, (self._after, self.reached)]
        return [(max(after, begin), to) for after, to in found if max(after, begin) < to]

    def read_on(self, first: int, payload: bytes) -> None:
        """Read the next packed row, which starts with command `first`."""
        if any(mark in payload for mark in MARKS):
            for sequence, command in enumerate(_commands.decode(payload), first):
                self._note(sequence, command)
        self.reached = first + commands_in(payload) - 1

    def _note(self, sequence: int, command: Command) -> None:
        if isinstance(command, KeepState):
            self._kept[command.name] = sequence
        elif isinstance(command, RevertState):
            found = [*self._pieces, (self._after, sequence - 1)]
            kept = self._kept.get(command.name, 0)  # 0: before the journal begins
            most = kept - 1  # the command that kept it stays: history knows a state by it
            self._pieces = [(after, min(to, most)) for after, to in found if after < most]
            self._after = sequence
            self._back = (sequence, kept)


def last_old(pieces: list[Piece], until_us: int, beyond_us: int) -> Generator[int, int, int]:
    """Find the last command that was stamped at a time or before, 0 if none, or if the first is not
    older by `beyond_us` more: yields a sequence, and is sent its time in µs."""
    if not pieces or (yield pieces[0][0] + 1) > until_us - beyond_us:
        return 0
    for after, to in reversed(pieces):
        low, high = after + 1, to
        if (yield low) > until_us:
            continue
        while low < high:
            middle = (low + high + 1) // 2
            if (yield middle) <= until_us:
                low = middle
            else:
                high = middle - 1
        return low
    return 0


def cut(pieces: list[Piece], last: int) -> int:
    """Return the last command, up to `last`, whose block of the chain ends the commands that may
    go; 0 when too few may. From the block's end to it all commands are of one piece."""
    begin = pieces[0][0] if pieces else 0
    for after, to in reversed(pieces):
        found = min(last, to)
        if found > after and found // BLOCK * BLOCK >= max(after, begin + 1):
            return found
    return 0


def answered(asking: Generator[int, int, int], answer: Callable[[int], int]) -> int:
    """Return the result of a search, whose questions are answered at once."""
    try:
        question = next(asking)
        while True:
            question = asking.send(answer(question))
    except StopIteration as found:
        return int(found.value)


def time_of(journal: SqliteJournal, sequence: int) -> int:
    """Return when a command was stamped, in µs; errors as for reading."""
    first, payload = journal.read_packed(sequence - 1, sequence)[0]
    return _commands.decode(payload)[sequence - first].time
