"""One call of a client: what is sent, how often, and what comes of it.

Two kinds of calls are repeated safely: those that change nothing, and placements and movements of
money under a client id or a reference, for which the venue finds the first try. All others are
repeated only after HTTP 429, which says that nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Generic, TypeVar
from uuid import uuid4

import msgspec

from venue.api.operation import Operation, Row
from venue.api.repeating import repeated_under
from venue.client.http import Answer, Http, NoAnswer, Request, refusal_of, unreachable
from venue.vocabulary import Access

R = TypeVar("R")
FIRST_WAIT_S: Final = 0.2  # before the first repetition; twice as long before each next one
LONGEST_WAIT_S: Final = 10.0
TOO_MANY: Final = 429


class Tries(Generic[R]):
    """The tries of a call; `read` makes the reply of a body. A client sends each `request`, and
    says what came of it: an answer that `is_last`, or none: `fail`. Then it waits for `pause`
    seconds."""

    def __init__(
        self, http: Http, row: Row, values: dict[str, Any], read: Callable[[bytes], R]
    ) -> None:
        given = dict(values)
        under = repeated_under(row)
        if under:
            given.setdefault(under, f"c-{uuid4().hex}")
        self._http = http
        self._row = row
        self._read = read
        self._given = given
        self._repeatable = bool(under) or row.method == "GET"
        self._repeatable |= row.access in (Access.PUBLIC, Access.READ)
        self._left = http.retries
        self._wait_s = FIRST_WAIT_S
        self._reply: R | None = None

    def request(self) -> Request:
        """Return the next request. Misused."""
        return self._http.request(self._row, self._given)

    def is_last(self, answer: Answer) -> bool:
        """Return whether this answer is the call's, be it a refusal. NoAnswer: it is not this
        interface's."""
        if answer.status < 300:
            try:
                self._reply = self._read(answer.body)
            except msgspec.MsgspecError as problem:
                raise NoAnswer(f"the answer is not this interface's: {problem}") from None
            return True
        busy = answer.status == TOO_MANY or (answer.status >= 500 and self._repeatable)
        if not (self._left and busy):
            return True
        self._wait_s = max(self._wait_s, answer.after)
        return False

    def reply(self, answer: Answer) -> R:
        """Return the reply in the last answer. Refused."""
        if answer.status >= 300:
            raise refusal_of(answer.status, answer.body)
        assert self._reply is not None, "the last answer was read"
        return self._reply

    def fail(self, problem: NoAnswer) -> None:
        """Note that no answer came. Unreachable: the call is not tried again."""
        if not (self._left and self._repeatable):
            raise unreachable(self._http, self._row, problem) from None

    def pause(self) -> float:
        """Return the seconds to wait before the next try."""
        wait_s = min(self._wait_s, LONGEST_WAIT_S)
        self._left -= 1
        self._wait_s *= 2
        return wait_s


def reader(row: Operation[..., Any, R]) -> Callable[[bytes], R]:
    """Reads a row's reply. MsgspecError."""
    return partial(msgspec.json.decode, type=row.reply)
