"""`python -m support.noting dev ...`: the venue, whose worlds write their journals into its folder.

Each journal has the next number: one that worlds begin with, or that of a world that lives.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec

from venue.cli.app import main
from venue.core.messages.commands import Command
from venue.journal.memory import MemoryJournal
from venue.journal.recent import RecentJournal

NUMBERS = itertools.count()


def note(journal: MemoryJournal | RecentJournal) -> None:
    """Have a journal's commands written too, one msgpack value after the other."""
    path = Path(f"world-{next(NUMBERS)}.journal")
    take = journal._take

    def noted(commands: list[Command]) -> None:
        take(commands)
        with path.open("ab") as file:
            for command in commands:
                file.write(msgspec.msgpack.encode(command))

    journal._take = noted  # type: ignore[method-assign]


def noting(kind: type[MemoryJournal] | type[RecentJournal]) -> None:
    """Have each journal of a kind noted."""
    begin = kind.__init__

    def begun(journal: Any, *how: Any, **more: Any) -> None:
        begin(journal, *how, **more)
        note(journal)

    kind.__init__ = begun  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    for kind in (MemoryJournal, RecentJournal):
        noting(kind)
    main()
