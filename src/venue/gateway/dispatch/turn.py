"""A handler's turn: it runs until it submits, and goes on when its commands are applied.

The sequencer calls back: an order needs neither a task nor a future. A handler that waits for
anything else than its commands cannot run like this.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from venue.core.messages.applied import Applied

log = logging.getLogger("venue.gateway")
Finish = Callable[[Any, Exception | None], None]


class Submission:
    """Commands on their way, for the one handler that awaits them; a future as the sequencer sees
    it."""

    __slots__ = ("_applied", "_problem", "_turn")

    def __init__(self) -> None:
        self._applied: list[Applied] | None = None
        self._problem: BaseException | None = None
        self._turn: Turn | None = None

    def done(self) -> bool:
        """Whether it is known what came of them."""
        return self._applied is not None or self._problem is not None

    def set_result(self, applied: list[Applied]) -> None:
        """They are applied: the handler goes on at once."""
        self._applied = applied
        self._go_on()

    def set_exception(self, problem: BaseException) -> None:
        """It will never be known: the handler hears why."""
        self._problem = problem
        self._go_on()

    def _go_on(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.go_on()

    def wake(self, turn: Turn) -> None:
        """Go on with this turn when it is known."""
        self._turn = turn

    def __await__(self) -> Generator[Submission, None, list[Applied]]:
        if not self.done():
            yield self
        if self._problem is not None:
            raise self._problem
        assert self._applied is not None
        return self._applied


class Turn:
    """Runs one handler; `finish` gets its reply, or what it raised."""

    __slots__ = ("_coroutine", "_finish")

    def __init__(self, coroutine: Coroutine[Submission, None, Any], finish: Finish) -> None:
        self._coroutine = coroutine
        self._finish = finish

    def go_on(self) -> None:
        """Run to the next submission, or to the end."""
        try:
            waits_for = self._coroutine.send(None)
            assert type(waits_for) is Submission, "a handler of orders waits for its commands only"
        except StopIteration as stop:
            self._end(stop.value, None)
        except Exception as problem:  # noqa: BLE001 - handed on, whatever it is
            self._end(None, problem)
        else:
            waits_for.wake(self)

    def _end(self, reply: Any, problem: Exception | None) -> None:
        """A defect in the answer to one order must not reach the sequencer, which calls this."""
        try:
            self._finish(reply, problem)
        except Exception:
            log.exception("defect while answering")
