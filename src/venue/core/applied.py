"""A command that was applied, and what the engine said about it."""

from venue.core.commands import Command
from venue.core.events import Event


class Applied:
    """`sequence` and `time` (µs) of a durable command, the command and its events."""

    __slots__ = ("command", "events", "sequence", "time")

    def __init__(self, sequence: int, time: int, command: Command, events: list[Event]) -> None:
        self.sequence = sequence
        self.time = time
        self.command = command
        self.events = events
