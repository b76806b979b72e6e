"""The service auditor finds orders that cannot trade and stay in the book (rule 5.14).

The rule is taken away in the interpreted core's own classes, so this test is not among those that
both cores pass.
"""

from __future__ import annotations

import pytest

from properties.service import service_search
from venue.core.contract.order_plan import Plan
from venue.core.contract.risk.parking import Parking

COMMANDS = 4_000
SEEDS = range(7_028, 7_040)


def test_orders_that_stay_in_the_book_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as taken_away:
        taken_away.setattr(Plan, "_leave_out", lambda plan, maker: None)
        taken_away.setattr(Parking, "tick", lambda parking, perp: [])
        taken_away.setattr(Parking, "notice", lambda parking, perp: None)
        searches = (service_search(seed, shrinks=False).run(COMMANDS) for seed in SEEDS)
        found = next(each for search in searches for each in search)
    assert service_search(found.seed).harmless(found)
