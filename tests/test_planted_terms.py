"""The auditor of money finds contracts that are unsafe as listed, and changes of terms that take
from those who are in (rules 1.6, 1.7).

Each rule is taken away in the interpreted core's own modules, so these tests are not among those
that both cores pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from properties.moving_operator import tricks
from properties.moving_search import MovingSearch
from properties.moving_terms import Push, coarse, impacts, steps
from venue.core.book.book import Order
from venue.core.contract import order_plan, records, safe_terms, terms_fit
from venue.core.contract.risk import changed_terms
from venue.core.contract.terms_change import TermsChange
from venue.core.messages.events import Event
from venue.core.units import PPM, PRICE_MAX

Patch = pytest.MonkeyPatch
COMMANDS: Final = 3_000  # a seed; then the next one
SEEDS: Final = 20


def coarse_ticks(patch: Patch) -> None:
    """A tick may be as large as it is, at whatever price."""
    patch.setattr(safe_terms, "TICK_PARTS", 0)


def long_steps(patch: Patch) -> None:
    """The index may step by more than keeps a position, and so may funding."""
    patch.setattr(safe_terms, "STEP_PPM", 10 * PPM)


def dear_fees(patch: Patch) -> None:
    """A fee may take more than keeps a position."""
    patch.setattr(safe_terms, "FEE_PPM", 10 * PPM)


def light_premiums(patch: Patch) -> None:
    """The notionals of premium and index are whatever they are."""
    patch.setattr(safe_terms, "_breach_of_notionals", lambda contract, unit, scale: None)
    patch.setattr(records, "price_highest", lambda contract, unit: PRICE_MAX)


def fees_of_now(patch: Patch) -> None:
    """A resting order pays the fee of now, for which it holds nothing."""
    meet = order_plan.Plan.meet

    def now(plan: order_plan.Plan, maker: Order[records.Terms], lots: int) -> object:
        maker.fee_ppm = max(maker.fee_ppm, maker.terms.holding.maker_rate(plan.perp.market))
        return meet(plan, maker, lots)

    patch.setattr(order_plan.Plan, "meet", now)


def defaults_for_all(patch: Patch) -> None:
    """A new default leverage is that of positions too."""
    visit = changed_terms.ChangedTerms._visit

    def everybody(
        terms: changed_terms.ChangedTerms, perp: records.Perpetual, change: TermsChange,
        modes: records.Modes, time: int, events: list[Event],
    ) -> int:  # fmt: skip
        if modes.standard(change.default):
            modes.cross = modes.long = modes.short = perp.default_leverage()
            for position in modes.longs + modes.shorts:
                position.leverage = modes.cross
                position.pool.sums = None
                terms.contracts.collateral.touch(position.pool)
        return visit(terms, perp, change, modes, time, events)

    patch.setattr(changed_terms.ChangedTerms, "_visit", everybody)


def tiers_at_once(patch: Patch) -> None:
    """New margins hold for positions that do not bear them."""
    patch.setattr(terms_fit, "_bears", lambda together, tiers, values: True)


def orders_stay(patch: Patch) -> None:
    """Orders stay that new margins do not allow."""
    patch.setattr(terms_fit, "_leverage_max", lambda tiers, value: 500)


FAULTS: Final[dict[str, tuple[Callable[[Patch], None], Push | None, int]]] = {
    "coarse ticks": (coarse_ticks, coarse, 7),
    "long steps": (long_steps, steps, 12),
    "dear fees": (dear_fees, None, 2),
    "light premiums": (light_premiums, impacts, 7),
    "fees of now": (fees_of_now, None, 9),
    "defaults for all": (defaults_for_all, None, 1),
    "tiers at once": (tiers_at_once, None, 5),
    "orders stay": (orders_stay, None, 10),
}


def search(seed: int, push: Push | None) -> MovingSearch:
    """A search whose operator never rests."""
    return MovingSearch(seed, shrinks=False, acts=tricks, push=push)


@pytest.mark.parametrize("name", FAULTS)
def test_unsafe_terms_are_found(name: str, monkeypatch: Patch) -> None:
    fault, push, first = FAULTS[name]
    for seed in range(first, first + SEEDS):
        with monkeypatch.context() as taken_away:
            fault(taken_away)
            found = next(search(seed, push).run(COMMANDS), None)
        if found is not None and search(seed, push).harmless(found):
            return
    pytest.fail(f"{name}: not found")
