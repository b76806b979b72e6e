"""A call runs its handler, and goes on when its commands are applied."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from venue.api.errors import ApiError, busy
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, Tick
from venue.gateway.door import Call, Door

APPLIED = [Applied(1, 1, Tick(), [])]


class SmallNode:
    """A venue that keeps what is submitted, or refuses it."""

    def __init__(self) -> None:
        self.entered: list[Sequence[Command]] = []
        self.full = False

    def is_agent(self, uid: int) -> bool:
        return False

    def enter(self, commands: Sequence[Command], answer: object, *, owner: int) -> None:
        if self.full:
            raise busy("full; nothing was done")
        assert owner == 7
        self.entered.append(commands)


def door_of(node: SmallNode) -> Door:
    """A door of which a call uses the node alone."""
    return cast(Door, SimpleNamespace(node=node))


class Story:
    """A call with what came of it."""

    def __init__(self) -> None:
        self.node = SmallNode()
        self.call = Call(door_of(self.node), 7, b"")
        self.ends: list[Any] = []

    def end(self, reply: Any, problem: Exception | None) -> None:
        self.ends.append(reply if problem is None else problem)


async def twice(call: Call) -> list[Applied]:
    first = await call.submit([Tick()])
    return first + await call.submit([Tick()])


async def hasty(call: Call) -> str:
    call.submit([Tick()])
    return "gone"


async def elsewhere(call: Call) -> None:
    await Call(call.door, 7, b"").submit([Tick()])


def test_a_handler_goes_on_with_what_came_of_each_group() -> None:
    story = Story()
    story.call.begin(twice(story.call), story.end)
    assert (len(story.node.entered), story.call.done()) == (1, False)
    story.call.set_result(APPLIED)
    assert (len(story.node.entered), story.call.done(), story.ends) == (2, False, [])
    story.call.set_result(APPLIED)
    assert (story.call.done(), story.ends) == (True, [APPLIED + APPLIED])


def test_a_handler_hears_why_nothing_will_be_known() -> None:
    story = Story()
    story.call.begin(twice(story.call), story.end)
    lost = RuntimeError("the disk is gone")
    story.call.set_exception(lost)
    assert story.ends == [lost]


def test_what_is_refused_ends_the_call_at_once() -> None:
    story = Story()
    story.node.full = True
    story.call.begin(twice(story.call), story.end)
    (refusal,) = story.ends
    assert isinstance(refusal, ApiError)
    assert story.call.done()


def test_a_handler_that_does_not_wait_is_answered_once() -> None:
    story = Story()
    story.call.begin(hasty(story.call), story.end)
    story.call.set_result(APPLIED)
    assert story.ends == ["gone"]


def test_a_handler_waits_for_its_own_commands_only() -> None:
    story = Story()
    story.call.begin(elsewhere(story.call), story.end)
    (defect,) = story.ends
    assert isinstance(defect, AssertionError)


def test_a_defect_in_the_answer_does_not_reach_the_sequencer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    story = Story()

    def broken(reply: Any, problem: Exception | None) -> None:
        raise ZeroDivisionError

    story.call.begin(twice(story.call), broken)
    story.call.set_result(APPLIED)
    story.call.set_result(APPLIED)
    assert "defect while answering" in caplog.text
