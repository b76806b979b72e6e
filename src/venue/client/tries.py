"""One call of a client: what is sent, how often, and what comes of it.

Two kinds of calls are repeated safely: those that change nothing, and placements and movements of
money under a client id or a reference, for which the venue finds the first try. All others are
repeated only after HTTP 429, which says that nothing was done.
"""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar
from uuid import uuid4

import msgspec

from venue.api.operation import Operation
from venue.api.repeating import repeated_under
from venue.client.errors import Unreachable
from venue.client.http import Answer, Http, NoAnswer, Request, plain, refusal_of
from venue.vocabulary import Access

R = TypeVar("R")
FIRST_WAIT_S: Final = 0.2  # before the first repetition; twice as long before each next one
LONGEST_WAIT_S: Final = 10.0
TOO_MANY: Final = 429


class Tries(Generic[R]):
    """The tries of a call. A client sends each `request`, and tells what came of it: `read` an
    answer, or `fail`. Then it waits for `pause` seconds."""

    def __init__(self, http: Http, row: Operation[..., Any, R], values: dict[str, Any]) -> None:
        given = {name: plain(name, value) for name, value in values.items() if value is not None}
        under = repeated_under(row)
        if under:
            given.setdefault(under, f"c-{uuid4().hex}")
        self._http = http
        self._row = row
        self._given = given
        self._repeatable = bool(under) or row.method == "GET"
        self._repeatable |= row.access in (Access.PUBLIC, Access.READ)
        self._left = http.retries
        self._wait_s = FIRST_WAIT_S

    def request(self) -> Request:
        """The next request. Misused."""
        return self._http.request(self._row, self._given)

    def read(self, answer: Answer) -> R | None:
        """The reply; None: try again. Refused; NoAnswer: it is not this interface's."""
        if answer.status < 300:
            try:
                return msgspec.json.decode(answer.body, type=self._row.reply)
            except msgspec.MsgspecError as problem:
                raise NoAnswer(f"the answer is not this interface's: {problem}") from None
        busy = answer.status == TOO_MANY or (answer.status >= 500 and self._repeatable)
        if not (self._left and busy):
            raise refusal_of(answer.status, answer.body)
        self._wait_s = max(self._wait_s, answer.after)
        return None

    def fail(self, problem: NoAnswer) -> None:
        """Note that no answer came. Unreachable: the call is not tried again."""
        row = self._row
        if not (self._left and self._repeatable):
            unknown = problem.sent and row.access is not Access.PUBLIC and row.method != "GET"
            raise Unreachable(f"{row.name}: {problem}", unknown=unknown) from None

    def pause(self) -> float:
        """The seconds to wait before the next try."""
        wait_s = min(self._wait_s, LONGEST_WAIT_S)
        self._left -= 1
        self._wait_s *= 2
        return wait_s
