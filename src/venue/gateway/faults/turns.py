"""Operations over a socket that rules hit.

An answer can be late, another one, or lost; a connection is ended by a rule about frames.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from venue.gateway.faults.effects import Course, refusal

Finish = Callable[[Any, Exception | None], None]
_ANSWERED: Final = ("status", "error", "reject_rate")
_LOST: Final = ("drop_before", "drop_after", "reset")


def take_turn(way: Course, turn: Callable[[Finish], None], finish: Finish, lost: Finish) -> None:
    """Start an operation in its turn; `finish` answers it, `lost` ends it without an answer."""
    answer = finish
    if way.wait_after_s:
        answer = partial(_later, way.wait_after_s, finish)
    effect = way.effect
    if effect is None:
        _when_due(way, partial(turn, answer))
    elif way.before() is not None:
        outcome = lost if effect.kind in _LOST else answer
        refused = refusal(effect) if effect.kind in _ANSWERED else None
        _when_due(way, partial(outcome, None, refused))
    elif effect.kind in _LOST:
        _when_due(way, partial(turn, lost))
    elif effect.kind in _ANSWERED:
        _when_due(way, partial(turn, lambda _reply, _problem: answer(None, refusal(effect))))
    else:
        _when_due(way, partial(turn, answer))
        if effect.kind == "duplicate":
            _when_due(way, partial(turn, _nobody))


def _nobody(_reply: Any, _problem: Exception | None) -> None:
    """Drop the second answer of a request that came twice."""


def _when_due(way: Course, act: Callable[[], None]) -> None:
    if way.wait_before_s:
        asyncio.get_running_loop().call_later(way.wait_before_s, act)
    else:
        act()


def _later(wait_s: float, finish: Finish, reply: Any, problem: Exception | None) -> None:
    asyncio.get_running_loop().call_later(wait_s, finish, reply, problem)
