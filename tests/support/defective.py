"""A venue whose engine breaks at one command: a deposit of exactly `POISON` units."""

from __future__ import annotations

import sys

from venue.cli.app import main
from venue.core.engine import Engine
from venue.core.messages.commands import Command, Deposit
from venue.core.messages.events import Event

POISON = "666"
SCALE = 10**8
_apply = Engine.apply


def apply(engine: Engine, command: Command) -> list[Event]:
    """As the engine's, but for the one."""
    if isinstance(command, Deposit) and command.amount == int(POISON) * SCALE:
        raise AssertionError("planted")
    return _apply(engine, command)


if __name__ == "__main__":
    vars(sys.modules["venue.core.engine"])["Engine"].apply = apply
    main()
