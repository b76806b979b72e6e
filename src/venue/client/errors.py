"""The exceptions of clients and of the library."""

from __future__ import annotations

from typing import Final

from venue.api.errors import BY_CODE, ApiError

FOREIGN: Final = "HTTP"  # the rule of a refusal that is not a venue's


class Refused(Exception):
    """The venue refused a call; nothing has changed.

    `code` is the interface's (negative), `rule` its name, `status` the HTTP status that a client
    would get. `message` names field, rule and range.
    """

    def __init__(self, code: int, rule: str, message: str, status: int) -> None:
        super().__init__(f"{rule} ({code}): {message}")
        self.code = code
        self.rule = rule
        self.message = message
        self.status = status


class Misused(Exception):
    """The caller used a client or the library in a way that it does not serve."""


class Unreachable(Exception):
    """No whole answer came to an `operation`; `message` says why. `unknown`: the request may have
    had its effect all the same."""

    def __init__(self, message: str, *, unknown: bool, operation: str = "") -> None:
        super().__init__(f"{operation}: {message}" if operation else message)
        self.message = message
        self.unknown = unknown


class Lost(Exception):
    """Frames of a channel cannot be had any more. Of a private one: read the account's state over
    REST, then open another stream."""


FAILURES: Final = (Refused, Misused, Unreachable, Lost)  # the one family of a client's exceptions


def refusal(problem: ApiError) -> Refused:
    """Return the exception for a refusal at the edge."""
    return Refused(problem.code, BY_CODE[problem.code].name, problem.message, problem.status)


def words(problem: Exception) -> str:
    """Return the words of a call that failed, for a person who knows what was called."""
    if isinstance(problem, Unreachable):
        return problem.message
    if not isinstance(problem, Refused):
        return str(problem)
    if problem.rule == FOREIGN:
        return "refused by a server that is not a venue"
    return f"refused: {problem.message}"
