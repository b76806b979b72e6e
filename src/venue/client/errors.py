"""The exceptions of clients and of the library."""

from __future__ import annotations

from venue.api.errors import BY_CODE, ApiError


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
    """No whole answer came. `unknown`: the request may have had its effect all the same."""

    def __init__(self, message: str, *, unknown: bool) -> None:
        super().__init__(message)
        self.unknown = unknown


class Lost(Exception):
    """Frames of a private channel cannot be had any more: read the account's state over REST, then
    open another stream."""


def refused(problem: ApiError) -> Refused:
    """The exception for a refusal at the edge."""
    return Refused(problem.code, BY_CODE[problem.code].name, problem.message, problem.status)
