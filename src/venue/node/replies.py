"""Answers that wait until later slices have done what a command asked for (rule 7.11)."""

from __future__ import annotations

import asyncio

from venue.core.applied import Applied
from venue.core.contract_events import ClosedAtMarket

Answer = tuple["asyncio.Future[list[Applied]]", list[Applied]]


class Replies:
    """A group's answer is complete when none of its closings is under way any more.

    What later slices say of positions that a command was to close is added to its own events.
    """

    def __init__(self) -> None:
        self._answers: dict[int, Answer] = {}  # by the sequence of a command that is under way

    def waiting(self) -> bool:
        """Whether an answer is not complete yet."""
        return bool(self._answers)

    def complete(self, answer: Answer) -> bool:
        """Whether a group that was just applied can be answered; else its answer is kept."""
        future, done = answer
        under_way = [one.sequence for one in done if _left(one)]
        if not under_way:
            return True
        copied = [Applied(one.sequence, one.time, one.command, list(one.events)) for one in done]
        for sequence in under_way:
            self._answers[sequence] = (future, copied)
        return False

    def add(self, later: Applied) -> list[Answer]:
        """What a slice said of closings under way; the answers that it completes."""
        completed: list[Answer] = []
        for event in later.events:
            if type(event) is not ClosedAtMarket or event.request not in self._answers:
                continue
            answer = self._answers[event.request]
            for one in answer[1]:
                if one.sequence == event.request:
                    one.events.append(event)
            if not event.left:
                del self._answers[event.request]
                if all(other is not answer for other in self._answers.values()):
                    completed.append(answer)
        return completed

    def drop(self) -> list[Answer]:
        """The answers that will never be complete."""
        dropped = list(self._answers.values())
        self._answers.clear()
        return dropped


def _left(done: Applied) -> bool:
    """Whether a command closed only a part of the positions that it was to close."""
    last = done.events[-1] if done.events else None
    return type(last) is ClosedAtMarket and last.left > 0 and not last.request
