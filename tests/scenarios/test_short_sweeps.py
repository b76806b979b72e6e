"""A MARKET order that finds less than it asks for pays for all that it finds."""

import pytest

from support.contract_world import SYMBOL, ContractWorld, refusal
from venue.core.contract.collateral import available
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.vocabulary import SELL, SHORT, Reject

pytestmark = pytest.mark.core

MONEY = 95_048


def test_an_isolated_sell_that_begins_high_and_finds_too_little_costs_what_it_costs() -> None:
    """ann asks for 200 lots at leverage 1; bob bids for 94 at 1,050 and for one at 1,000. At its
    worst price her sweep needs 95,048, at its own prices 99,751: her cross pool was left 4,703 in
    debt, the fund paid that, and the margin came back when she closed. The two had 4,561 more than
    they had brought. Index and mark never moved."""
    world = ContractWorld("bob", money=1_000_000)
    world.owner("ann", MONEY)
    world.isolate("ann", 1)
    world.long("bob", 94, 1_050)
    world.long("bob", 1, 1_000)
    before = equity(world.cross("fund"))
    assert refusal(world.order("ann", SELL, SHORT, 200, 0)) == Reject.FUNDS
    assert available(world.holding("ann"), 0) == MONEY
    for _ in range(3):
        world.wait(1)
        world.post(1_000)
        world.tick()
    assert equity(world.cross("fund")) == before


def test_with_all_that_it_costs_it_goes_through() -> None:
    world = ContractWorld("bob", money=1_000_000)
    world.owner("ann", 99_751)
    world.isolate("ann", 1)
    world.long("bob", 94, 1_050)
    world.long("bob", 1, 1_000)
    world.ok(commands.SetLeverage(world.uids["ann"], SYMBOL, 1, 1, 1))
    world.order("ann", SELL, SHORT, 200, 0)
    assert world.position("ann", SHORT).quantity == 95
    assert available(world.holding("ann"), 0) >= 0
