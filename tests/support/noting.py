"""`python -m support.noting dev ...`: the venue, whose worlds write their journals into its folder.

File 0 is what all worlds begin with; each world that lives has the next number.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec

from venue import living
from venue.cli.app import main
from venue.core.messages.commands import Command
from venue.journal.memory import MemoryJournal

NUMBERS = itertools.count()


def noting(**more: Any) -> MemoryJournal:
    """A journal in memory whose commands are written too, one msgpack value behind the other."""
    journal = MemoryJournal(**more)
    path = Path(f"world-{next(NUMBERS)}.journal")
    take = journal._take

    def noted(commands: list[Command]) -> None:
        take(commands)
        with path.open("ab") as file:
            for command in commands:
                file.write(msgspec.msgpack.encode(command))

    journal._take = noted  # type: ignore[method-assign]
    return journal


if __name__ == "__main__":
    vars(living)["MemoryJournal"] = noting
    main()
