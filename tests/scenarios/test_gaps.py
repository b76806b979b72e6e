"""Two accounts of one person can win across a halt no more than the fund has.

Ann is long, Ben short, 100 lots each at 1,000 and leverage 50, 4,050 of money each. The contract is
halted, its price comes back 10 % away, and then it is traded again.
"""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.vocabulary import Product

pytestmark = pytest.mark.core

BROUGHT = 4_050
LOTS = 100


def gap(fund: int, price: int) -> tuple[int, int]:
    """The gain of the two accounts, and the money that the fund has left."""
    world = ContractWorld("ann", "ben", money=BROUGHT, fund=fund)
    for name in ("ann", "ben"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=50))
    world.trade("ann", "ben", LOTS, 1_000)
    product = int(Product.CONTRACT)
    world.ok(commands.HaltInstrument(SYMBOL, True, "", product=product))
    for _ in range(40):
        world.wait(1)
        world.tell(price)
        world.tick()
    world.ok(commands.HaltInstrument(SYMBOL, False, "", product=product))
    for _ in range(20):
        world.wait(1)
        world.tell(price)
        world.tick()
        while world.pending():
            world.ok(commands.Proceed())
    have = sum(max(0, equity(world.cross(name))) for name in ("ann", "ben"))
    return have - 2 * BROUGHT, equity(world.cross("fund"))


@pytest.mark.parametrize("price", [900, 1_100])
@pytest.mark.parametrize("fund", [0, 1_000, 5_000, 1_000_000])
def test_the_fund_bounds_what_a_gap_pays(fund: int, price: int) -> None:
    """With a small fund the winner is deleveraged at the price where the loser's money ends: both
    together have no more than they brought and the fund had."""
    gained, left = gap(fund, price)
    assert left >= 0
    assert gained <= fund - left
    assert gained <= LOTS * 100 - BROUGHT  # size x move, less what the loser had


def test_without_a_fund_a_gap_pays_nothing() -> None:
    assert gap(0, 900)[0] <= 0
