"""The rows of one batch: new ones by table, changes of orders, changes of other rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from msgspec import Struct

from venue.core.messages.events import Event
from venue.history.tables.every import TABLES
from venue.history.tables.table import Table

AS_IT_WAS: Final = -1  # a status that does not change


class AppliedCommand(Protocol):
    """One applied command of the outbox: the part that history needs."""

    sequence: int
    time: int
    events: list[Event]
    agents: tuple[int, ...]


# Adds the rows of one event: of which command, and at which place among its events.
Fold = Callable[[Any, AppliedCommand, int], None]
Folds = dict[type[Any], Fold]


class Mark(Struct, gc=False):
    """The change of an order in a batch: lots and quote are added, the rest is replaced."""

    order_id: int
    executed: int
    quote: int
    reduced: int
    status: int
    update_time: int


class MinutePrices(Struct, gc=False):
    """A minute's prices so far."""

    index_open: int
    index_high: int
    index_low: int
    index_close: int
    mark_open: int
    mark_high: int
    mark_low: int
    mark_close: int
    open_interest: int


class Marks:
    """The changes of orders, new or old. However often an order changes in a batch, it is written
    once."""

    __slots__ = ("by_id",)

    def __init__(self) -> None:
        self.by_id: dict[int, Mark] = {}

    def add(
        self, order_id: int, lots: int, notional: int, reduced: int, status: int, time: int
    ) -> None:
        """Add a change."""
        mark = self.by_id.get(order_id)
        if mark is None:
            self.by_id[order_id] = Mark(order_id, lots, notional, reduced, status, time)
            return
        mark.executed += lots
        mark.quote += notional
        mark.reduced += reduced
        if status != AS_IT_WAS:
            mark.status = status
        mark.update_time = time


class Batch:
    """New rows by table; and by statement, the values with which it changes rows."""

    __slots__ = ("changes", "new")

    def __init__(self) -> None:
        self.new: dict[Table, list[Any]] = {table: [] for table in TABLES}
        self.changes: list[tuple[str, list[tuple[Any, ...]]]] = []
