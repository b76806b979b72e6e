"""Orders that an owner places and takes back leave no trace, however often."""

import pytest

from support.contract_world import SYMBOL, ContractWorld, of
from venue.core.messages import commands
from venue.core.messages.contract_events import AlgoPlaced
from venue.vocabulary import LONG, SELL, AlgoType

pytestmark = pytest.mark.core


def test_conditional_orders_that_ended_or_were_changed_leave_no_place_behind() -> None:
    """Far from every price nothing would ever come by to clear it: 427 bytes for each."""
    world = ContractWorld("ann", "ben", checked=False)
    world.trade("ann", "ben", 10, 1_000)
    ann = world.uids["ann"]
    kind = int(AlgoType.STOP_MARKET)
    for number in range(100):
        stop = commands.PlaceAlgo(ann, SYMBOL, SELL, LONG, kind, 0, 500 + number, 0, number % 2)
        (placed,) = of(world.ok(stop), AlgoPlaced)
        world.ok(commands.ChangeAlgo(ann, placed.algo_id, 400 + number, 0, 1 - number % 2))
        assert sum(queue.count for queue in world.perp.waiting) == 1
        world.ok(commands.CancelAlgos(ann, ""))
        assert sum(queue.count for queue in world.perp.waiting) == 0
