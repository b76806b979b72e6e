"""Closes on an owner's behalf go on after the bound of one command's work (rules 3.13, 7.11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, SYMBOL, ContractWorld, of, wide
from venue.core.book.matching import PLANNED_MAX
from venue.core.messages import commands
from venue.core.messages.contract_events import AlgoTriggered, ClosedAtMarket, ContractTrade
from venue.core.messages.events import Event
from venue.core.state import audit, snapshot
from venue.vocabulary import LONG, MARK_PRICE, SELL

pytestmark = pytest.mark.core

LOTS = 50_000
WIDE = replace(
    CONTRACT,
    instrument=replace(CONTRACT.instrument, quantity_max=10**6, market_quantity_max=LOTS),
    tiers=wide(50, 10_000),
    position_max=10**6,
    open_interest_max=10**7,
)
STOP_MARKET = 1


def dusty(price: int) -> ContractWorld:
    """ann's long of 50,000 lots before 5,000 bids of one lot, and deep ones behind at `price`."""
    world = ContractWorld("ann", "ben", money=10**10, contract=WIDE, checked=False)
    world.trade("ann", "ben", LOTS, 1_000)
    for number in range(25):
        name = f"dust{number}"
        world.owner(name)
        for _ in range(200):
            world.long(name, 1, 999)
    world.owner("cat", 10**10)
    world.long("cat", 10 * LOTS, price)
    return world


def slices(world: ContractWorld, events: list[Event]) -> list[list[Event]]:
    """Those events, and those of each slice that follows; a snapshot may part them."""
    found = [events]
    while world.engine.pending():
        world.engine = snapshot.load(snapshot.dump(world.engine))
        found.append(world.apply(commands.Proceed()))
    assert audit.problems(world.engine) == []
    return found


def closed(events: list[Event]) -> int:
    return sum(each.quantity for each in of(events, ContractTrade))


def test_a_stop_goes_on_until_its_lots_are_closed() -> None:
    """It ended at 5,000 of 50,000 lots, and was gone."""
    world = dusty(998)
    stop = commands.PlaceAlgo(
        world.uids["ann"], SYMBOL, SELL, LONG, STOP_MARKET, LOTS, 990, 0, MARK_PRICE
    )
    world.ok(stop)
    found = slices(world, world.post(990))
    assert [closed(events) for events in found if closed(events)] == [PLANNED_MAX, LOTS - 5_000]
    assert len([one for events in found for one in of(events, AlgoTriggered)]) == 1
    assert world.positions("ann") == []
    assert not world.engine.closing.running


def test_it_trades_no_further_than_its_first_order() -> None:
    """The band of 5 % begins at the first fill of the stop, not of each of its orders."""
    world = dusty(949)
    world.ok(
        commands.PlaceAlgo(
            world.uids["ann"], SYMBOL, SELL, LONG, STOP_MARKET, LOTS, 990, 0, MARK_PRICE
        )
    )
    found = slices(world, world.post(990))
    assert sum(map(closed, found)) == PLANNED_MAX
    assert world.position("ann").quantity == LOTS - PLANNED_MAX
    assert not world.engine.closing.running


def test_a_close_at_market_goes_on_and_is_not_bound_by_the_size_of_an_order() -> None:
    world = dusty(998)
    world.change(instrument=replace(WIDE.instrument, market_quantity_max=20_000))
    found = slices(world, world.ok(commands.ClosePositions(world.uids["ann"])))
    assert [closed(events) for events in found] == [PLANNED_MAX, 20_000, 20_000, 5_000]
    assert len([one for events in found for one in of(events, ClosedAtMarket)]) == 1
    assert world.positions("ann") == []


def test_others_have_turns_between() -> None:
    """dan's close at market comes after one more slice of ann's, however many hers needs."""
    world = dusty(998)
    world.change(instrument=replace(WIDE.instrument, market_quantity_max=100))
    world.owner("dan", 10**9)
    world.ok(commands.CancelContractOrders(world.uids["dust0"]))
    world.trade("dan", "ben", 300, 1_000)
    world.ok(commands.ClosePositions(world.uids["ann"]))
    world.ok(commands.ClosePositions(world.uids["dan"]))
    for _ in range(4):
        world.apply(commands.Proceed())
    assert world.positions("dan") == []
    assert world.position("ann").quantity == LOTS - 3 * 100


@pytest.mark.parametrize("asked", ["stop", "close"])
def test_nothing_of_an_owner_that_is_frozen_in_between_goes_on(asked: str) -> None:
    """Rule 2.7: the rest would have traded with a friend's bid."""
    world = dusty(998)
    if asked == "stop":
        world.ok(
            commands.PlaceAlgo(
                world.uids["ann"], SYMBOL, SELL, LONG, STOP_MARKET, LOTS, 990, 0, MARK_PRICE
            )
        )
        assert closed(world.post(990)) == PLANNED_MAX
    else:
        assert closed(world.ok(commands.ClosePositions(world.uids["ann"]))) == PLANNED_MAX
    world.ok(commands.FreezeOwner(world.uids["ann"], True))
    assert sum(map(closed, slices(world, []))) == 0
    assert world.position("ann").quantity == LOTS - PLANNED_MAX
    assert not world.engine.closing.running
