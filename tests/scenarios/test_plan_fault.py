"""A plan that does not fit the state is a defect: refused before an effect, and counted (3.12)."""

import pytest

from support.contract_world import ContractWorld, refusal
from venue.core.plan import Plan
from venue.terms import IOC, Reject


def test_a_plan_that_does_not_fit_refuses_its_order_and_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The planted defect plans a lot more than there is."""
    world = ContractWorld("ann", "ben")
    world.short("ben", 10, 1_000)
    walk = Plan.walk

    def forgetful(plan: Plan, limit_key: int, band_ppm: int = 0) -> Plan:
        walk(plan, limit_key, band_ppm)
        for fill in plan.fills:
            fill.lots += 1
        return plan

    with monkeypatch.context() as patch:
        patch.setattr(Plan, "walk", forgetful)
        assert refusal(world.long("ann", 10, 1_000, IOC)) == Reject.PLAN_FAULT
    assert world.engine.contracts.faults == 1
    assert len(world.long("ann", 10, 1_000, IOC)) > 1
    assert world.engine.contracts.faults == 1
