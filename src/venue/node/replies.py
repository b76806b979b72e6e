"""Holds back answers until later slices have done what a command asked for (rule 7.11)."""

from __future__ import annotations

from typing import Protocol

from venue.core.messages.applied import Applied
from venue.core.messages.commands import ClosePositions
from venue.core.messages.contract_events import ClosedAtMarket


class OutcomeReceiver(Protocol):
    """The receiver of a group's outcome, called once: a future, or a function."""

    def done(self) -> bool:
        """Return whether it has an outcome already, or wants none any more."""

    def set_result(self, applied: list[Applied], /) -> None:
        """Receive the outcome of the group."""

    def set_exception(self, problem: BaseException, /) -> None:
        """Receive the reason why the outcome will never be known."""


Reply = tuple[OutcomeReceiver, list[Applied]]


class Replies:
    """Answers of groups that close positions. An answer is complete when none of its closings is
    under way.

    The results of later slices for these positions are added to the events of the command.
    """

    def __init__(self) -> None:
        # By the sequence of a command that is under way: the reply that is not complete yet.
        self.waiting: dict[int, Reply] = {}

    def complete(self, reply: Reply) -> bool:
        """Return whether a group that was just applied can be answered now; if not, its answer is
        stored."""
        answer, done = reply
        under_way = [
            one.sequence for one in done if type(one.command) is ClosePositions and _is_partial(one)
        ]
        if not under_way:
            return True
        copied = [Applied(one.sequence, one.time, one.command, list(one.events)) for one in done]
        for sequence in under_way:
            self.waiting[sequence] = (answer, copied)
        return False

    def add(self, later: Applied) -> list[Reply]:
        """Add a slice's results to the waiting answers; return the answers that they complete."""
        completed: list[Reply] = []
        for event in later.events:
            if type(event) is not ClosedAtMarket or event.request not in self.waiting:
                continue
            reply = self.waiting[event.request]
            for one in reply[1]:
                if one.sequence == event.request:
                    one.events.append(event)
            if not event.left:
                del self.waiting[event.request]
                if all(other is not reply for other in self.waiting.values()):
                    completed.append(reply)
        return completed

    def drop(self) -> list[Reply]:
        """Remove and return the answers that will never be complete."""
        dropped = list(self.waiting.values())
        self.waiting.clear()
        return dropped


def _is_partial(done: Applied) -> bool:
    """Return whether a command closed only a part of its positions."""
    # Events that these closes triggered, or that followers repeated, come after the last close.
    for event in reversed(done.events):
        if type(event) is ClosedAtMarket and not event.request:
            return event.left > 0
    return False
