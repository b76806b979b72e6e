"""The methods of `venue.Client` for a venue in this process, without a socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from venue.api.operation import Operation, Row
from venue.client import paging
from venue.client.calls import Items
from venue.client.methods import Methods
from venue.library.market import Asking

R = TypeVar("R")
T = TypeVar("T")


class DirectClient(Methods):
    """A client of one owner, or of the operator. Returned by `Venue.client`.

    It has the methods of `venue.Client`, with the same replies. Nothing is signed, no request is
    lost, and no rate limit applies.
    """

    def __init__(self, ask: Asking, owner: str) -> None:
        self._ask = ask
        self._owner = owner

    def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R:
        """Return the reply to a row of the table, with `values` by their names on the wire.
        Refused, Misused."""
        return self._ask(row, self._owner, **values)

    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> Iterator[T]:
        """Return the items of all pages of a row; `items` finds the list in a page."""
        return paging.each(self.send, row, values, items)
