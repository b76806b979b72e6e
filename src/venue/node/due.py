"""Lists things that fall due with time: those that are known to come, and those that were
settled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heapreplace, merge
from typing import Any, Final

from msgspec import Struct

from venue.core.contract.records import Perpetual
from venue.core.contract.reference.funding import next_due
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import (
    AlgoTriggered,
    Deleveraged,
    FundingSettled,
    FundingSkipped,
    LiquidationStarted,
)
from venue.core.messages.events import CancelAfterDue
from venue.vocabulary import Product

TOLD_MAX: Final = 1_000  # entries of one report
FUNDING: Final = "funding"
COUNTDOWN: Final = "countdown"


class Due(Struct, frozen=True, order=True):
    """Something due at venue time `at` (µs); `count` is the number of positions, orders or other
    things in it.

    A countdown has no symbol.
    """

    at: int
    kind: str
    symbol: str
    count: int


def upcoming(engine: Engine, now: int) -> Iterator[Due]:
    """Return the things known to fall due after `now`, in order; the funding of a contract recurs
    forever."""
    return merge(_funding(engine, now), _countdowns(engine, now))


def _funding(engine: Engine, now: int) -> Iterator[Due]:
    perps = list(engine.perps.values())
    queue = [(_first(perp, now), perp.symbol) for perp in perps]
    heapify(queue)
    while queue:
        at, symbol = queue[0]
        perp = engine.perps[symbol]
        yield Due(at, FUNDING, symbol, len(perp.positions))
        heapreplace(queue, (next_due(perp, at), symbol))


def _first(perp: Perpetual, now: int) -> int:
    return perp.due if perp.due > now else next_due(perp, now)


def _countdowns(engine: Engine, now: int) -> Iterator[Due]:
    for at, uid, product in list(engine.countdowns.queue):
        if product == Product.CONTRACT:
            orders = len(engine.holding(uid).orders)
        else:
            orders = len(engine.spot_account(uid).orders)
        if at > now:
            yield Due(at, COUNTDOWN, "", orders)


class Report:
    """Things that were settled during an advance of time, in order; equal ones of one instant are
    counted."""

    def __init__(self) -> None:
        self.left_out = 0  # entries beyond `TOLD_MAX`
        self._counts: dict[tuple[int, str, str], int] = {}

    def follow(self, batch: list[Applied]) -> None:
        """Note the things that a batch settled."""
        for applied in batch:
            for event in applied.events:
                settles = _SETTLES.get(type(event))
                if settles is not None:
                    self._note(applied.time, *settles(event))

    def _note(self, at: int, kind: str, symbol: str, count: int) -> None:
        key = (at, kind, symbol)
        if key not in self._counts and len(self._counts) >= TOLD_MAX:
            self.left_out += 1
            return
        self._counts[key] = self._counts.get(key, 0) + count

    def rows(self) -> list[Due]:
        """Return the entries, in the order in which they came."""
        return [Due(*key, count) for key, count in self._counts.items()]


# By type: kind, symbol and count of what an event settles.
_SETTLES: Final[dict[type, Callable[[Any], tuple[str, str, int]]]] = {
    FundingSettled: lambda event: (FUNDING, event.symbol, event.positions),
    FundingSkipped: lambda event: ("funding skipped", event.symbol, 0),
    CancelAfterDue: lambda event: (COUNTDOWN, "", event.orders),
    AlgoTriggered: lambda event: ("trigger", event.symbol, 1),
    LiquidationStarted: lambda event: ("liquidation", event.symbol, 1),
    Deleveraged: lambda event: ("deleveraging", event.symbol, 1),
}
