"""An index that one book decides: far levels, empty books beside a feed (rule 6.1).

The index notional is 10 lots at 1,000.
"""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld
from support.index_world import endow, index_world, pull, quote, seconds, spread
from venue.core.messages import commands
from venue.vocabulary import BUY, SELL

pytestmark = pytest.mark.core


def thin(world: ContractWorld, bids: int, asks: int) -> None:
    """The honest maker has so many lots at 999 and at 1,001."""
    pull(world, "maker")
    quote(world, "maker", BUY, bids, 999)
    quote(world, "maker", SELL, asks, 1_001)


def doubts(world: ContractWorld) -> list[bool]:
    return [perp.doubt for perp in world.engine.contracts.markets.values()]


@pytest.mark.parametrize("price", [1_050, 1_099, 1_101, 1_500, 3_000])
def test_one_far_ask_in_a_thin_book_does_not_move_the_index(price: int) -> None:
    """Four of ten lots are honest; six more at three times the price moved the mark to 1,166."""
    world = index_world("ann")
    thin(world, 100, 4)
    quote(world, "ann", SELL, 6, price)
    for _ in range(60):
        seconds(world, 1)
        assert 999 <= world.perp.index_price <= 1_001
        assert 999 <= world.perp.mark <= 1_001


@pytest.mark.parametrize("price", [950, 901, 899, 500, 10])
def test_one_far_bid_in_a_thin_book_does_not_move_the_index(price: int) -> None:
    world = index_world("ann")
    thin(world, 4, 100)
    quote(world, "ann", BUY, 100_000 // price, price)
    for _ in range(60):
        seconds(world, 1)
        assert 999 <= world.perp.index_price <= 1_001


@pytest.mark.parametrize("price", [1_100, 3_000])
def test_a_side_that_is_bought_and_shown_far_away_does_not_move_the_index(price: int) -> None:
    """All honest asks are gone: what is left of that side says nothing, the bids stand."""
    world = index_world("ann")
    thin(world, 100, 4)
    quote(world, "ann", BUY, 4, 1_001)
    quote(world, "ann", SELL, 100, price)
    for _ in range(60):
        seconds(world, 1)
        assert 999 <= world.perp.index_price <= 1_001


def test_who_bids_for_the_notional_moves_the_index() -> None:
    """The far ask says nothing, a bid that anybody can hit does."""
    world = index_world("ann")
    thin(world, 100, 4)
    quote(world, "ann", BUY, 4, 1_001)
    quote(world, "ann", SELL, 100, 3_000)
    quote(world, "ann", BUY, 20, 1_020)
    assert seconds(world, 30)[-1] == 1_020


@pytest.mark.parametrize("price", [700, 900, 980, 1_020, 1_201, 3_000])
def test_an_empty_book_that_two_fill_moves_nothing_beside_a_feed(price: int) -> None:
    """The operator posts 1,000 each second; the mark went to 1,201 in a minute."""
    world = index_world("ann", "bob", sources=("spot", "desk"))
    endow(world, "ann")
    pull(world, "maker")
    for _ in range(15):
        world.tell(1_000)
        seconds(world, 1)
    assert doubts(world) == [False]
    quote(world, "ann", BUY, 100, price - 1)
    quote(world, "bob", SELL, 100, price + 1)
    for _ in range(60):
        world.tell(1_000)
        assert seconds(world, 1) == [1_000]
    assert world.perp.mark == 1_000
    assert doubts(world) == [True]  # the sources disagree
    world.ok(commands.CancelOrders(world.uids["ann"], SYMBOL))
    for _ in range(11):
        world.tell(1_000)
        seconds(world, 1)
    assert doubts(world) == [False]


def test_a_book_near_its_feed_counts() -> None:
    """0.5 % away it is the price, beyond that the feed is."""
    world = index_world("ann", sources=("spot", "desk"))
    for price, index in ((1_005, 1_005), (1_006, 1_000), (995, 995), (994, 1_000)):
        spread(world, "maker", price)
        for _ in range(15):
            world.tell(1_000)
            seconds(world, 1)
        assert world.perp.index_price == index
