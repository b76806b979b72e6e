"""A command that was applied, and the events that the engine stated about it."""

from msgspec import Struct

from venue.core.messages.commands import Command
from venue.core.messages.events import Event


class Applied(Struct, eq=False, gc=False):
    """`sequence` and `time` (µs) of a durable command, the command and its events. `agents` are
    owners in its trades who leave no rows in history: `history.kept_events` names them."""

    sequence: int
    time: int
    command: Command
    events: list[Event]
    agents: tuple[int, ...] = ()
