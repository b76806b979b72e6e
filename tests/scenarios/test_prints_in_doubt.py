"""Orders that reduce tell nobody a price while nothing may be opened (rules 6.3, 8.1)."""

from __future__ import annotations

import pytest

from support.contract_world import INSTRUMENT, ContractWorld, of, refusal
from support.index_world import index_world, pull, quote, seconds
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    AlgoTriggered,
    ContractOrderPlaced,
    ContractTrade,
)
from venue.core.messages.events import Event
from venue.vocabulary import ALGO_STOP_MARKET, BUY, IOC, LONG, POST_ONLY, SELL, Reject

pytestmark = pytest.mark.core

SYMBOL = INSTRUMENT.symbol
HONEST = [f"honest{number}" for number in range(5)]


def proceed(world: ContractWorld, said: list[Event]) -> list[Event]:
    while world.engine.pending():
        said = said + world.apply(commands.Proceed())
    return said


def stops() -> ContractWorld:
    """Honest longs with stops at 980 on the last price; the thief is short against them."""
    world = index_world("maker of bids", "thief", "friend", *HONEST)
    pull(world, "maker")
    for away in range(1, 20):
        quote(world, "maker", BUY, 40, 1_000 - away)
        quote(world, "maker", SELL, 40, 1_000 + away)
    seconds(world, 3)
    for name in HONEST:
        world.trade(name, "thief", 20, 1_000)
    world.trade("friend", "thief", 1, 1_000)
    for price in range(999, 960, -1):
        world.long("maker of bids", 20, price)
    for name in HONEST:
        world.ok(
            commands.PlaceAlgo(world.uids[name], SYMBOL, SELL, LONG, ALGO_STOP_MARKET, 0, 980, 0, 0)
        )
    return world


def test_a_print_between_friends_in_doubt_triggers_no_stop() -> None:
    """Spot offers lifted by 1.1 % are doubt at once; one lot at 905 fired 19 stops into the thief's
    bid: +36,118 for 2,640 of spot."""
    world = stops()
    world.close_short("thief", 100, 905)
    quote(world, "thief", BUY, 441, 1_011)
    assert world.perp.in_doubt()
    said = proceed(world, world.close_long("friend", 1, 905, IOC))
    assert [each.price for each in of(said, ContractTrade)] == [905]
    assert of(said, AlgoTriggered) == []
    pull(world, "thief")
    pull(world, "maker")
    quote(world, "maker", BUY, 40, 999)
    quote(world, "maker", SELL, 40, 1_001)
    seconds(world, 20)
    assert not world.perp.in_doubt()
    (trade,) = of(world.close_long("honest0", 1, 990, IOC), ContractTrade)
    assert trade.price == 999
    assert [world.position(name).quantity for name in HONEST] == [19, 20, 20, 20, 20]


def test_a_trade_at_which_openings_can_trade_triggers_as_ever() -> None:
    world = stops()
    world.ok(commands.CancelContractOrders(world.uids["maker of bids"]))
    world.close_short("thief", 1, 979)
    said = proceed(world, world.close_long("friend", 1, 979, IOC))
    assert len(of(said, AlgoTriggered)) == len(HONEST)


def test_below_the_least_price_openings_leave_the_book() -> None:
    """A tick is too coarse there (rule 1.6). They stood, could not be hit, made a premium of
    2 % and funding at its cap, and closes found no room."""
    world = ContractWorld("thief", "friend", "honest")
    world.post(510)
    world.trade("honest", "thief", 150, 510)
    world.long("friend", 100, 505)
    world.post(495)
    world.wait(5)
    world.tell(495)
    proceed(world, world.tick())
    assert not world.perp.doubt
    assert refusal(world.long("thief", 1, 490)) == Reject.CONTRACT_UNSAFE
    assert len(world.perp.market.book.parked) == 1
    assert world.perp.premium_ppb == 0
    (placed,) = of(world.close_long("honest", 10, 496, POST_ONLY), ContractOrderPlaced)
    assert placed.resting == 10
    world.post(505)
    proceed(world, [])
    assert [order.uid for order in world.perp.market.book.parked.values()] == [
        world.uids["friend"]
    ]  # it would cross the close now
    world.ok(commands.CancelContractOrders(world.uids["honest"]))
    world.wait(1)
    world.tell(505)
    proceed(world, world.tick())
    assert not world.perp.market.book.parked


def test_a_lone_closing_quote_in_doubt_is_no_premium() -> None:
    """A bid of 1,090 shown at each sample, never hit, moved the mark by 0.5 %."""
    world = ContractWorld("thief", "honest", "other")
    world.trade("honest", "thief", 10, 1_000)
    world.short("other", 10, 1_001)
    proceed(world, world.tell(1_030, "wire"))  # two sources that disagree
    assert world.perp.doubt
    assert world.perp.current
    world.close_short("thief", 10, 1_090)
    for _ in range(40):
        world.wait(5)
        world.tell(1_000)
        proceed(world, world.tell(1_030, "wire"))
        proceed(world, world.tick())
        assert world.perp.doubt
    assert len(world.perp.premiums) > 20
    assert not any(world.perp.premiums)


def test_in_a_delisted_contract_neither_print_nor_quote_tells_a_price() -> None:
    """There too the book shows only those who reduce (rule 1.8)."""
    world = ContractWorld("thief", "friend", "honest")
    world.trade("honest", "thief", 20, 1_000)
    world.trade("friend", "thief", 1, 1_000)
    world.ok(
        commands.PlaceAlgo(world.uids["honest"], SYMBOL, SELL, LONG, ALGO_STOP_MARKET, 0, 980, 0, 0)
    )
    proceed(world, world.ok(commands.DelistContract(SYMBOL)))
    world.close_short("thief", 10, 905)
    said = proceed(world, world.close_long("friend", 1, 905, IOC))
    assert [each.price for each in of(said, ContractTrade)] == [905]
    assert of(said, AlgoTriggered) == []
    world.ok(commands.CancelContractOrders(world.uids["thief"]))
    world.close_short("thief", 20, 1_090)
    for _ in range(40):
        world.wait(5)
        world.tell(1_000)
        proceed(world, world.tick())
    assert not any(world.perp.premiums)
    assert world.position("honest").quantity == 20
