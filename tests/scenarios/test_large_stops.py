"""A stop closes a position of any size."""

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, INSTRUMENT, SYMBOL, ContractWorld, of
from venue.core.messages import commands
from venue.core.messages.contract_events import AlgoTriggered, ContractTrade
from venue.vocabulary import LONG, SELL, AlgoType, PriceSource

pytestmark = pytest.mark.core


def test_a_stop_closes_a_position_larger_than_a_market_order_may_be() -> None:
    """ann built 90 lots up by limit orders. At 985 her stop was refused for its size, ended, and
    left her unprotected in whatever came."""
    small = replace(INSTRUMENT, market_quantity_max=50)
    world = ContractWorld("ann", "ben", "cat", contract=replace(CONTRACT, instrument=small))
    world.trade("ann", "ben", 90, 1_000)
    stop, mark = int(AlgoType.STOP_MARKET), int(PriceSource.MARK_PRICE)
    world.ok(commands.PlaceAlgo(world.uids["ann"], SYMBOL, SELL, LONG, stop, 0, 990, 0, mark))
    world.long("cat", 90, 985)
    said = world.post(985)
    assert [event.reason for event in of(said, AlgoTriggered)] == [0]
    assert [(trade.price, trade.quantity) for trade in of(said, ContractTrade)] == [(985, 90)]
    assert world.positions("ann") == []
