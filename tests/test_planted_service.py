"""The service auditor finds orders that cannot trade and stay in the book (rule 5.14), dust that
ends a stop (3.13), stuck copies that delay others' (9.4), trailing stops that cost others (8.2),
and deleveraging out of turn (7.5).

The rules are taken away in the interpreted core's own modules, so these tests are not among those
that both cores pass.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from properties.moving_search import MovingSearch
from properties.moving_world import World
from properties.service import hindrances, service_search, two_contracts
from properties.service_judge import ServiceJudge
from venue.core.contract import order_plan
from venue.core.contract.closing import Closing
from venue.core.contract.conditional.trailing import Prices, Trailing
from venue.core.contract.order_plan import Plan
from venue.core.contract.records import Algo, Position
from venue.core.contract.risk import deleveraging, ranking
from venue.core.contract.risk.parking import Parking
from venue.core.copying import copying
from venue.core.copying.overdue import Overdue
from venue.core.copying.people import Copy

Patch = pytest.MonkeyPatch
COMMANDS: Final = 4_000  # a seed; then the next one
SEEDS: Final = 20


def orders_stay(patch: Patch) -> None:
    """Orders that cannot trade stay in the book."""
    patch.setattr(Plan, "_leave_out", lambda plan, maker: None)
    patch.setattr(Parking, "tick", lambda parking, perp: [])
    patch.setattr(Parking, "notice", lambda parking, perp: None)


def short_orders(patch: Patch) -> None:
    """An order of the venue goes through four resting orders and not 5,000; the rest goes on."""
    patch.setattr(order_plan, "PLANNED_MAX", 4)


def dust_ends(patch: Patch) -> None:
    """So, and its rest is forgotten."""
    short_orders(patch)
    patch.setattr(Closing, "go_on_with", lambda closing, orders: orders.clear())


def one_queue(patch: Patch) -> None:
    """Copies stand in one queue, the oldest is tried first, one a tick and not 200."""

    def oldest(overdue: Overdue) -> Copy | None:
        found = overdue.copies()
        if not found:
            return None
        copy = min(found, key=lambda each: each.number)
        overdue.drop(copy)
        return copy

    patch.setattr(copying, "TRIED_MAX", 1)
    patch.setattr(Overdue, "next", oldest)
    patch.setattr(
        Overdue, "retry_later", lambda overdue, copy, time, closed: overdue.put(copy, time)
    )


def each_by_itself(patch: Patch) -> None:
    """Each trailing stop looks at each price."""
    observe = Trailing.observe

    def one_by_one(trailing: Trailing[Algo], prices: Prices) -> None:
        for number in trailing.trails:
            trailing.prices_of(number)
        observe(trailing, prices)

    patch.setattr(Trailing, "observe", one_by_one)


def by_entry(patch: Patch) -> None:
    """Positions are deleveraged by the prices at which they were opened, whatever their pools."""

    def entry(position: Position, own: int) -> int:
        return -position.side * position.value // (position.quantity * position.perp.unit)

    patch.setattr(ranking, "score", entry)
    patch.setattr(deleveraging, "GROUP", 1)


def none(patch: Patch) -> None:
    """All rules stand."""


def poor(random: Random) -> World:
    """A world whose fund has next to nothing."""
    world = two_contracts(random)
    world.poor = True
    return world


FAULTS: Final[dict[str, tuple[Callable[[Patch], None], int]]] = {
    "orders stay in the book": (orders_stay, 7_006),
    "dust ends a stop": (dust_ends, 3),
    "copies stand in one queue": (one_queue, 4),
    "trailing stops look at each price": (each_by_itself, 1),
    "deleveraging goes by entry": (by_entry, 2),
}


def search(seed: int, fault: Callable[[Patch], None]) -> MovingSearch:
    """A search whose group hinders all the time."""
    if fault is orders_stay:
        return service_search(seed, shrinks=False)
    draw = poor if fault is by_entry else two_contracts
    weighs = fault is each_by_itself
    return MovingSearch(seed, None, False, draw, hindrances, ServiceJudge, weighs=weighs)


@pytest.mark.parametrize("name", FAULTS)
def test_hindrances_are_found(name: str, monkeypatch: Patch) -> None:
    fault, first = FAULTS[name]
    left = short_orders if fault is dust_ends else none
    for seed in range(first, first + SEEDS):
        with monkeypatch.context() as taken_away:
            fault(taken_away)
            found = next(search(seed, fault).run(COMMANDS), None)
        if found is None:
            continue
        with monkeypatch.context() as taken_away:
            left(taken_away)
            if search(seed, fault).harmless(found):
                return
    pytest.fail(f"{name}: not found")
