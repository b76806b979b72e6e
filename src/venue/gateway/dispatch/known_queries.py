"""Caches decoded queries by their bytes."""

from __future__ import annotations

from typing import Any, Final

QUERIES_MAX: Final = 256  # of one operation
QUERY_LENGTH_MAX: Final = 128  # bytes


class KnownQueries:
    """The requests of one operation's queries, by the bytes of the query.

    A query decodes to the same request always, and handlers leave requests as they are. When
    `QUERIES_MAX` are known they are all forgotten: queries asked often are soon known again.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[bytes, Any] = {}

    def count(self) -> int:
        """Return how many are known."""
        return len(self._known)

    def find(self, query: bytes) -> Any:
        """Return the request of a query; None when it is not known."""
        return self._known.get(query)

    def keep(self, query: bytes, request: Any) -> None:
        """Remember a request; one of a long query is not kept."""
        if len(query) > QUERY_LENGTH_MAX:
            return
        if len(self._known) >= QUERIES_MAX:
            self._known.clear()
        self._known[query] = request
