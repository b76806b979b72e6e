"""Orders that may not trade are in nobody's way (rule 5.14).

The thief and ben hold 100 lots of a second contract against each other; its source falls silent,
and all of the thief's money may be lost there. Its bids in the first contract stay open, and leave
the book.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, SYMBOL, ContractWorld, of, refusal
from venue.core.contract.position import available_in
from venue.core.contract.prices_in_doubt import possible_loss
from venue.core.messages import commands
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReturned,
    ContractTrade,
)
from venue.core.messages.events import Event
from venue.core.state import snapshot
from venue.node.market_data.views import MarketData
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, POST_ONLY, SELL, SHORT, Reject

pytestmark = pytest.mark.core

OTHER = "BBBQQQ"
THIEF = 40_000


def order_there(
    world: ContractWorld, name: str, side: int, way: int, tif: int = GTC, lots: int = 100
) -> list[Event]:
    return world.ok(
        commands.PlaceContractOrder(world.uids[name], OTHER, side, way, LIMIT, tif, lots, 1_000)
    )


def robbed(*names: str) -> ContractWorld:
    """The thief has bid 50 lots at 1,080 in an empty book, and 10 at 1,000."""
    world = ContractWorld("ben", "honest", "other", *names)
    world.owner("thief", THIEF)
    world.ok(commands.RegisterAsset("BBB", 0))
    instrument = replace(CONTRACT.instrument, symbol=OTHER, base="BBB")
    world.ok(commands.ListContract(replace(CONTRACT, instrument=instrument)))
    tell_other(world, 1_000)
    order_there(world, "ben", SELL, SHORT)
    order_there(world, "thief", BUY, LONG, IOC)
    world.long("thief", 50, 1_080)
    world.long("thief", 10, 1_000)
    return world


def tell_other(world: ContractWorld, price: int) -> list[Event]:
    return world.ok(commands.PostIndex(OTHER, "desk", price, jump=True))


def proceed(world: ContractWorld) -> list[Event]:
    said: list[Event] = []
    while world.engine.pending():
        said += world.apply(commands.Proceed())
    return said


def silence(world: ContractWorld) -> list[Event]:
    return tell_other(world, 0) + proceed(world)


def bids(world: ContractWorld) -> list[tuple[int, int]]:
    return [(level.price, level.quantity) for level in world.perp.market.book.bids.walk()]


def test_they_leave_the_book_and_stay_open() -> None:
    world = robbed()
    said = silence(world)
    assert [(each.price, each.quantity) for each in of(said, ContractOrderParked)] == [
        (1_080, 50),
        (1_000, 10),
    ]
    assert bids(world) == []
    assert [order.price for order in world.holding("thief").orders.values()] == [1_080, 1_000]


def test_an_honest_ask_rests_below_them_in_every_way() -> None:
    """720 of 720 could not rest in an hour: each would have crossed the thief's bids."""
    world = robbed()
    silence(world)
    for tif in (GTC, POST_ONLY):
        (placed,) = of(world.short("honest", 5, 1_001, tif), ContractOrderPlaced)
        assert placed.resting == 5


def test_they_are_no_premium_and_move_no_mark() -> None:
    """50 lots bid at 1,080 are more than the impact notional: the rate stood at its cap."""
    world = robbed()
    silence(world)
    for _ in range(40):
        world.wait(5)
        world.tell(1_000)
        world.tick()
    assert (world.perp.premium_ppb, world.perp.premium_sum, world.perp.mark) == (0, 0, 1_000)


def test_an_honest_close_meets_honest_orders_and_a_market_order_has_no_liquidity() -> None:
    world = robbed()
    world.ok(commands.CancelContractOrders(world.uids["thief"]))
    world.trade("honest", "other", 10, 1_000)
    world.long("thief", 15, 1_080)
    silence(world)
    assert refusal(world.order("honest", SELL, LONG, 10, 0)) == Reject.NO_LIQUIDITY
    world.long("other", 10, 999)
    (trade,) = of(world.order("honest", SELL, LONG, 10, 0), ContractTrade)
    assert (trade.price, trade.quantity) == (999, 10)


def turns(world: ContractWorld, price: int = 1_000) -> list[str]:
    """Whose bids stand at a price, in their turn."""
    names = {uid: name for name, uid in world.uids.items()}
    level = world.perp.market.book.bids.levels.get(price)
    return [] if level is None else [names[order.uid] for order in level.orders()]


def test_those_of_an_owner_with_a_position_in_doubt_come_back_at_the_end() -> None:
    """honest came later at the same price, and stood there meanwhile: it could be hit."""
    world = robbed()
    silence(world)
    world.long("honest", 5, 1_000)
    world.long("other", 5, 1_000)
    said = tell_other(world, 1_000) + proceed(world)
    returned = of(said, ContractOrderReturned)
    assert [(each.price, each.late) for each in returned] == [(1_080, True), (1_000, True)]
    assert turns(world) == ["honest", "other", "thief"]
    assert world.perp.market.book.bids.levels[1_000].quantity == 20


@pytest.mark.parametrize("way", ["doubt", "halt"])
def test_those_that_the_contract_itself_keeps_come_back_to_their_old_place(way: str) -> None:
    """In doubt nobody's opening may trade, in a halt nobody's order. dan's money is at stake in a
    halt too, as his position is there."""
    world = robbed()
    world.ok(commands.CancelContractOrders(world.uids["thief"]))
    world.owner("zoe")
    world.owner("dan", 1_700)
    world.trade("dan", "other", 25, 1_000)
    world.long("honest", 5, 1_000)
    world.long("dan", 3, 1_000)
    world.long("zoe", 5, 1_000)
    before = ["honest", "dan", "zoe"]
    assert turns(world) == before
    if way == "doubt":
        said = world.post(0) + proceed(world)
        assert turns(world) == []
        said += world.post(1_000) + proceed(world)
    else:
        halt(world, SYMBOL, True)
        said = world.tick() + proceed(world)
        assert turns(world) == ["honest", "zoe"]
        halt(world, SYMBOL, False)
        said += world.tick() + proceed(world)
    returned = of(said, ContractOrderReturned)
    assert len(returned) == (3 if way == "doubt" else 1)
    assert not any(each.late for each in returned)
    assert turns(world) == before


def halt(world: ContractWorld, symbol: str, halted: bool) -> None:
    world.ok(commands.HaltInstrument(symbol, halted, "x", product=1))


def looker(*names: str) -> ContractWorld:
    """The thief has 10 lots of a halted contract, no more money than that position may cost, and
    the first bid at 1,000."""
    world = ContractWorld("ben", "honest", "taker", *names)
    world.owner("thief", 20_000)
    world.ok(commands.RegisterAsset("BBB", 0))
    instrument = replace(CONTRACT.instrument, symbol=OTHER, base="BBB")
    world.ok(commands.ListContract(replace(CONTRACT, instrument=instrument)))
    tell_other(world, 1_000)
    order_there(world, "ben", SELL, SHORT, lots=10)
    order_there(world, "thief", BUY, LONG, IOC, lots=10)
    world.long("thief", 20, 1_000)
    world.long("honest", 20, 1_000)
    halt(world, OTHER, True)
    pool = world.cross("thief")
    world.withdraw("thief", available_in(pool) - possible_loss(pool))
    proceed(world)
    return world


def marked(world: ContractWorld, price: int) -> list[Event]:
    """A tick with this mark."""
    world.wait(1)
    world.tell(price)
    world.post(price)
    return world.tick() + proceed(world)


def test_a_bid_that_nobody_could_hit_stands_behind_those_that_could_be_hit() -> None:
    """Its owner's position in a halted contract keeps it from trading exactly while the mark is
    below its price: it had a last look, and its place in front."""
    world = looker()
    assert turns(world) == ["thief", "honest"]
    marked(world, 995)
    assert turns(world) == ["honest"]
    marked(world, 1_000)
    assert turns(world) == ["honest", "thief"]
    (trade,) = of(world.short("taker", 5, 1_000, IOC), ContractTrade)
    assert trade.maker.uid == world.uids["honest"]


def test_a_doubt_of_the_contract_gives_no_lost_place_back() -> None:
    """Neither by an end of the doubt, nor when both reasons hold at one time."""
    world = looker()
    marked(world, 995)
    marked(world, 1_000)
    assert turns(world) == ["honest", "thief"]
    world.post(0)
    proceed(world)
    assert turns(world) == []
    world.post(1_000)
    proceed(world)
    assert turns(world) == ["honest", "thief"]


def test_one_that_its_owner_keeps_after_a_doubt_of_the_contract_loses_its_place() -> None:
    """The mark that ends the doubt is below its price: it may trade still not, and others may."""
    world = looker()
    world.post(0)
    proceed(world)
    assert turns(world) == []
    world.post(995)
    proceed(world)
    assert turns(world) == ["honest"]
    marked(world, 1_000)
    assert turns(world) == ["honest", "thief"]


def test_one_that_would_cross_and_may_not_trade_loses_its_place() -> None:
    world = looker()
    world.trade("taker", "ben", 1, 1_001)
    world.post(0)
    proceed(world)
    world.close_long("taker", 1, 998)
    world.post(995)
    proceed(world)
    assert turns(world) == []
    world.ok(commands.CancelContractOrders(world.uids["taker"]))
    marked(world, 1_000)
    assert turns(world) == ["honest", "thief"]


def test_a_lost_place_is_in_a_snapshot() -> None:
    for marks in ((995,), (995, 1_000), (995, 1_000, 995)):
        world = looker()
        for mark in marks:
            marked(world, mark)
        other = snapshot.load(snapshot.dump(world.engine))
        assert snapshot.state_hash(other) == snapshot.state_hash(world.engine)
        for price in (0, 1_000, 995, 1_000):
            for command in (
                commands.PostIndex(SYMBOL, "desk", price, jump=True, time=world.time),
                commands.Tick(time=world.time),
                commands.Proceed(time=world.time),
            ):
                assert world.engine.apply(command) == other.apply(command)
        assert snapshot.dump(world.engine) == snapshot.dump(other)
        assert turns(world) == ["honest", "thief"]


def test_one_that_would_cross_the_book_waits_until_it_would_not() -> None:
    """Nobody ends others' orders by an offer deep in the book: it is the first to be hit."""
    world = robbed()
    silence(world)
    world.short("honest", 5, 1_001)
    said = tell_other(world, 1_000) + proceed(world)
    assert of(said, ContractOrderClosed) == []
    assert [each.price for each in of(said, ContractOrderReturned)] == [1_000]
    assert bids(world) == [(1_000, 10)]
    world.ok(commands.CancelContractOrders(world.uids["honest"]))
    world.wait(1)
    world.tell(1_000)
    said = world.tick() + proceed(world)
    assert [each.price for each in of(said, ContractOrderReturned)] == [1_080]


def test_they_are_cancelled_like_others() -> None:
    world = robbed()
    silence(world)
    first, second = world.holding("thief").orders
    uid = world.uids["thief"]
    (closed,) = of(world.ok(commands.CancelContractOrder(uid, first)), ContractOrderClosed)
    assert closed.resting == 50
    world.ok(commands.CancelContractOrders(uid))
    assert world.cross("thief").cash.held == 0
    assert second not in world.perp.market.book.parked
    assert of(tell_other(world, 1_000) + proceed(world), ContractOrderReturned) == []


def test_an_owner_that_brings_money_has_them_back_with_the_next_tick() -> None:
    world = robbed()
    silence(world)
    world.deposit("thief", 200_000)
    world.wait(1)
    world.tell(1_000)
    said = world.tick() + proceed(world)
    assert len(of(said, ContractOrderReturned)) == 2


def test_one_that_the_slices_have_not_reached_is_in_nobodys_way() -> None:
    """Before a slice has asked its owner, an ask meets it: it leaves then."""
    world = robbed()
    tell_other(world, 0)
    world.engine.schedule.parking.left = 0
    for order in list(world.perp.market.book.parked.values()):
        world.perp.market.book.unpark(order)
    said = world.short("honest", 5, 1_001, POST_ONLY)
    assert [each.price for each in of(said, ContractOrderParked)] == [1_080]
    (placed,) = of(said, ContractOrderPlaced)
    assert placed.resting == 5


def test_a_book_in_doubt_shows_only_what_reduces() -> None:
    world = robbed()
    world.ok(commands.CancelContractOrders(world.uids["thief"]))
    world.trade("honest", "other", 10, 1_000)
    world.close_short("other", 10, 990)
    world.long("thief", 10, 1_000)
    world.post(0)
    proceed(world)
    assert bids(world) == [(990, 10)]
    world.post(1_000)
    proceed(world)
    assert bids(world) == [(1_000, 10), (990, 10)]


def test_market_data_shows_what_can_be_hit() -> None:
    """Also when a parked order is cancelled, or cut to its position, or comes back."""
    world = ContractWorld("ann", "ben", "cid", "dan")
    views = MarketData()
    views.contract.open(SYMBOL)
    views.contract_data.open(SYMBOL)

    def follow(events: list[Event]) -> None:
        engine = world.engine
        told = [*events, *proceed(world)]
        views.follow([Applied(engine.sequence, engine.time, commands.Tick(), told)])
        depth = views.contract.depth(SYMBOL, 100)
        assert depth.bids == bids(world)

    follow(world.long("cid", 10, 1_000))
    follow(world.long("dan", 5, 1_000))
    follow(world.post(0))
    assert bids(world) == []
    follow(world.ok(commands.CancelContractOrders(world.uids["cid"])))
    follow(world.post(1_000))
    assert bids(world) == [(1_000, 5)]
    views.restore(views.dump())
    follow(world.post(0))
    views.restore(views.dump())
    follow(world.post(1_000))


@pytest.mark.parametrize("slices", [0, 1, 2])
def test_a_snapshot_amid_it_has_the_same_future(slices: int) -> None:
    world = robbed()
    for number in range(4):
        world.owner(f"friend {number}", THIEF)
    tell_other(world, 0)
    for _ in range(slices):
        world.apply(commands.Proceed())
    other = snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(other) == snapshot.state_hash(world.engine)
    for number in range(30):
        world.wait(1)
        for command in (
            commands.PostIndex(OTHER, "desk", 1_000 * (number % 3), jump=True, time=world.time),
            commands.PostIndex(SYMBOL, "desk", 1_000, time=world.time),
            commands.Tick(time=world.time),
            commands.Proceed(time=world.time),
        ):
            assert world.engine.apply(command) == other.apply(command)
        assert snapshot.dump(world.engine) == snapshot.dump(other)
