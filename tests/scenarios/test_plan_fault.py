"""A plan that does not fit the state is a defect: refused before an effect, and counted (3.12)."""

import pytest

from support.contract_world import ContractWorld, refusal
from venue.core.state import snapshot
from venue.vocabulary import IOC, Reject

pytestmark = pytest.mark.core


def test_a_plan_that_does_not_fit_refuses_its_order_and_is_counted() -> None:
    """The planted defect: ben's closing order is larger than the position that it closes."""
    world = ContractWorld("ann", "ben", "cid")
    world.trade("ben", "ann", 10, 1_000)
    world.close_long("ben", 10, 1_000)
    world.checked = False
    position = world.position("ben")
    position.quantity = 4
    before = snapshot.state_hash(world.engine)
    assert refusal(world.long("cid", 10, 1_000, IOC)) == Reject.PLAN_FAULT
    assert snapshot.state_hash(world.engine) == before
    assert world.engine.contracts.faults == 1
    position.quantity = 10
    world.checked = True
    assert len(world.long("cid", 10, 1_000, IOC)) > 1
    assert world.engine.contracts.faults == 1
