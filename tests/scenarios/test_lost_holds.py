"""A resting order whose money is gone opens nothing: nobody trades on a hold that is empty."""

import pytest

from support.contract_world import SYMBOL, ContractWorld, of
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderClosed, ContractTrade
from venue.vocabulary import CANCELED, IOC

pytestmark = pytest.mark.core

GROUP = ("ann", "cat", "dan")


def equities(world: ContractWorld) -> dict[str, int]:
    """Everybody's equity at mark, in atoms."""
    return {name: equity(world.cross(name)) for name in world.uids}


def emptied(money: int, price: int) -> ContractWorld:
    """ann's order to open 90 at 1,000 holds 1,845 atoms; she has closed a short of 50 at a price
    that cat named, and little is left of her money."""
    world = ContractWorld("ann", money=money)
    for name in ("cat", "dan"):
        world.owner(name, 100_000)
    for name in GROUP:
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 50))
    world.trade("dan", "ann", 50, 1_000)
    world.long("ann", 90, 1_000)
    world.short("cat", 50, price)
    assert len(of(world.close_short("ann", 50, price), ContractTrade)) == 1
    assert world.cross("ann").cash.held == 1_845
    return world


def test_an_order_whose_money_was_lost_in_a_close_opens_nothing() -> None:
    """dan sells into it; two seconds later the index has gone from 1,000 to 991. With 198 atoms of
    collateral for 90 lots the fund paid 630, and the three had 567 more than before."""
    world = emptied(2_985, 1_055)
    before = equities(world)
    assert before["ann"] == 198
    said = world.short("dan", 90, 1_000, IOC)
    assert of(said, ContractTrade) == []
    closed = {event.uid: event.status for event in of(said, ContractOrderClosed)}
    assert closed[world.uids["ann"]] == CANCELED
    for price in (995, 991):
        world.wait(1)
        world.tell(price)
        world.tick()
    after = equities(world)
    assert after["fund"] == before["fund"]
    assert sum(after[name] - before[name] for name in GROUP) <= 0


def test_not_even_the_fee_of_its_fill_is_the_funds() -> None:
    """The mark stands still; 8 atoms are left of ann's money, and the fill would cost 18."""
    world = emptied(2_945, 1_058)
    before = equities(world)
    assert before["ann"] == 8
    world.short("dan", 90, 1_000, IOC)
    world.wait(1)
    world.tick()
    assert equities(world)["fund"] == before["fund"]


def test_a_hold_that_is_there_in_part_opens_the_first_orders_only() -> None:
    """Three orders of 30 at 999 hold 615 each; ann has 1,308 left."""
    world = ContractWorld("ann", money=2_985)
    for name in ("cat", "dan"):
        world.owner(name, 100_000)
    for name in GROUP:
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 50))
    world.trade("dan", "ann", 50, 1_000)
    for _ in range(3):
        world.long("ann", 30, 999)
    world.short("cat", 50, 1_033)
    world.close_short("ann", 50, 1_033)
    assert (equity(world.cross("ann")), world.cross("ann").cash.held) == (1_299, 1_845)
    for quantity in (30, 30, 0):
        traded = of(world.short("dan", 30, 999, IOC), ContractTrade)
        assert sum(trade.quantity for trade in traded) == quantity
    assert equity(world.cross("ann")) >= 60 * 1_000 // 50
