"""The cost of moving an index by 1 % in the books as they are now (rule 6.7).

The maker quotes 100 lots at 999 and at 1,001, the index notional is 10,000, the fee 0.05 %.
"""

from __future__ import annotations

import pytest

from support.contract_world import PRICE, SYMBOL, ContractWorld
from support.index_world import index_world, pull, quote, seconds
from venue.core.contract.reference.index_cost import IndexCost, cost_of_moving, gain_by_moving
from venue.core.messages import commands
from venue.vocabulary import BUY, IOC, SELL

pytestmark = pytest.mark.core


def cost(world: ContractWorld) -> IndexCost | None:
    return cost_of_moving(world.perp, world.time)


def test_the_cheaper_way_counts() -> None:
    """Down: 100 lots at 999 lose 1 each, their fee is 50, and 10,000 that rest lose 100. Up it is
    one atom of fee more."""
    world = index_world()
    assert cost(world) == IndexCost(99_900 + 10_000, 100 + 50 + 100)
    quote(world, "maker", BUY, 100, 998)
    assert cost(world) == IndexCost(100_100 + 10_000, 100 + 51 + 100)
    quote(world, "maker", SELL, 1_000, 1_009)
    assert cost(world) == IndexCost(199_700 + 10_000, 300 + 100 + 100)


def test_levels_beyond_the_price_and_empty_sides_cost_nothing() -> None:
    world = index_world()
    quote(world, "maker", SELL, 1_000, 1_010)
    quote(world, "maker", BUY, 1_000, 990)
    assert cost(world) == IndexCost(109_900, 250)
    pull(world, "maker")
    assert cost(world) == IndexCost(10_000, 100)


def moved(world: ContractWorld, side: int, price: int) -> int:
    """ann takes what is offered before the price and rests the index notional there; an honest
    quote is on the other side. The index half a minute later."""
    ahead = 2 if side == BUY else -2
    quote(world, "ann", side, 200, price, IOC)
    quote(world, "ann", side, 11, price)
    quote(world, "maker", 1 - side, 100, price + ahead)
    return seconds(world, 30)[-1]


def test_a_price_that_is_bought_up_to_and_bid_at_is_the_index() -> None:
    world = index_world("ann")
    quote(world, "maker", SELL, 100, 1_004)
    assert moved(world, BUY, 1_010) == 1_011


def test_to_spend_so_much_moves_the_index_and_loses_it() -> None:
    """100 lots at 999 and 100 at 996 lose 500 and 100 of fees. Then 11 lots are taken at 990: 110
    and 3 of fees, where the notional of 10,000 is said to lose 100."""
    world = index_world("ann", "ben")
    quote(world, "maker", BUY, 100, 996)
    quote(world, "maker", SELL, 1_000, 1_004)
    assert cost(world) == IndexCost(199_500 + 10_000, 700)
    before = worth(world, "ann")
    assert moved(world, SELL, 990) == 989
    quote(world, "ben", BUY, 11, 990)
    assert before - worth(world, "ann") == 713


def worth(world: ContractWorld, name: str) -> int:
    """An owner's spot money with its lots at 1,000."""
    account = world.account(name)
    money, lots = (account.spot[asset] for asset in (0, 1))
    return money.free + money.locked + PRICE * (lots.free + lots.locked)


@pytest.mark.parametrize("sources", [("desk",), ("spot", "desk")])
def test_no_order_moves_an_index_that_a_posted_price_bounds(sources: tuple[str, ...]) -> None:
    world = index_world(sources=("spot",))
    world.change(index_sources=sources)
    world.tell(PRICE)
    world.tick()
    assert cost(world) is None
    seconds(world, 10)
    assert cost(world) == (IndexCost(109_900, 250) if "spot" in sources else None)


def test_no_order_moves_the_index_of_a_halted_book() -> None:
    world = index_world()
    world.ok(commands.HaltInstrument(SYMBOL, True, "a pause"))
    assert cost(world) is None


def test_the_gain_is_a_hundredth_of_the_open_interest_at_mark() -> None:
    world = index_world("ann", "ben")
    assert gain_by_moving(world.perp) == 0
    world.trade("ann", "ben", 25, PRICE)
    assert gain_by_moving(world.perp) == 250
    world.trade("ann", "ben", 1, PRICE)
    assert gain_by_moving(world.perp) == 260
