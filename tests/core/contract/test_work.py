"""The work of one command grows with what it meets, not with its square (rule 7.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, CONTRACT_WALLET, HOUR, START, ContractWorld, of, wide
from support.counted import lines_run
from venue.compiled import compiled
from venue.core.messages import commands
from venue.core.messages.contract_events import AlgoTriggered, ContractTrade
from venue.core.messages.events import Event
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT, AlgoType, Reject

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.core
interpreted = pytest.mark.skipif(compiled(), reason="compiled, no line is counted")

SYMBOL = CONTRACT.instrument.symbol
STOP_MARKET = int(AlgoType.STOP_MARKET)
TRAILING = int(AlgoType.TRAILING_STOP_MARKET)
LAST = 0  # the price that a trigger is compared with
WIDE = replace(CONTRACT, tiers=wide(50, 10_000), position_max=10**6, open_interest_max=10**7)


def lines_of(world: ContractWorld, *order: int) -> tuple[int, list[Event]]:
    """The number of lines that an order of `dan` runs through, and its events."""
    events, lines = lines_run(lambda: world.order("dan", *order))
    return lines, events


def closes_of(count: int) -> int:
    """Lines of an order that meets `count` losing closes of separated positions, in a pool that can
    hardly bear them, with funding due."""
    world = ContractWorld("dan", money=10**9, contract=WIDE, checked=False)
    uid = world.owner("ann", 325 * count)
    world.ok(commands.SetMarginMode(uid, SYMBOL, 0, 1))
    world.ok(commands.SetLeverage(uid, SYMBOL, 50))
    for _ in range(count):
        world.long("ann", 10, 1_000)
    world.short("dan", 10 * count, 1_000)
    for position in world.positions("ann"):
        world.order("ann", SELL, LONG, 10, 985, GTC, position.position_id)
    world.time = START + HOUR + 1
    lines, events = lines_of(world, BUY, LONG, 10 * count, 1_000, IOC)
    assert len(of(events, ContractTrade)) == count
    return lines


def openings_of(owners: int) -> int:
    """Lines of an order that meets an isolated opening order of each owner."""
    world = ContractWorld("dan", money=10**9, contract=WIDE, checked=False)
    for number in range(owners):
        world.owner(f"ann {number}", 10_000)
        world.isolate(f"ann {number}")
        world.order(f"ann {number}", SELL, SHORT, 10, 1_000)
    lines, events = lines_of(world, BUY, LONG, 10 * owners, 1_000, IOC)
    assert len(of(events, ContractTrade)) == owners
    return lines


@interpreted
def test_a_close_costs_the_same_however_many_were_planned_before() -> None:
    """Each was tried on a copy of all positions of its pool that had been planned before."""
    assert closes_of(200) < 2.3 * closes_of(100)


@interpreted
def test_an_opening_costs_the_same_however_many_owners_were_met_before() -> None:
    assert openings_of(200) < 2.3 * openings_of(100)


def slices_of(money: int) -> list[int]:
    """How many stops enter in each command when 20 are due: MARKET orders for more than the `money`
    that their owners have left buys, under 796 offers of one lot; none may change anything."""
    makers = ("cat", "eve", "fay", "gus")
    world = ContractWorld(*makers, money=10**6, contract=WIDE, checked=False)
    for name in makers:
        for _ in range(199):
            world.short(name, 1, 1_020)
    for number in range(4):
        uid = world.owner(f"ann {number}", 10**6)
        stop = commands.PlaceAlgo(uid, SYMBOL, BUY, LONG, STOP_MARKET, 10_000, 1_010, 0, 1)
        for _ in range(5):
            world.ok(stop)
        world.ok(commands.Withdraw(uid, CONTRACT_WALLET, "QQQ", 10**6 - money))
    fired = [of(world.post(1_015), AlgoTriggered)]
    while world.engine.pending():
        fired.append(of(world.apply(commands.Proceed()), AlgoTriggered))
    assert all(event.reason == Reject.FUNDS for events in fired for event in events)
    return [len(events) for events in fired]


def test_conditional_orders_of_one_slice_ask_a_bounded_number_of_resting_orders() -> None:
    """40,000 atoms are margin for 784 lots: each asks so many before it is refused."""
    assert slices_of(40_000) == [2] * 10


def test_who_has_no_money_makes_no_work() -> None:
    """A stop whose money was withdrawn ends at the first order it meets."""
    assert slices_of(10) == [20]


def trailed_among(others: int) -> int:
    """Lines of an order whose price sets off 40 trailing stops, while so many older ones only move
    along with it."""
    world = ContractWorld("cat", "dan", money=10**7, contract=WIDE, checked=False)
    world.short("cat", 1, 1_000)
    world.long("dan", 1, 1_000)
    for number in range(others + 40):
        uid = world.owner(f"tim {number}", 10_000)
        callback_ppm = 500_000 if number < others else 10_000
        stop = commands.PlaceAlgo(uid, SYMBOL, SELL, SHORT, TRAILING, 1, 0, 0, LAST)
        world.ok(replace(stop, callback_ppm=callback_ppm))
    world.short("cat", 1, 1_000)
    world.long("dan", 1, 1_000)  # from here on they follow
    for number in range(41):
        world.long("cat", 1, 985 - number)
    lines, events = lines_of(world, SELL, SHORT, 1, 985, IOC)
    assert len(of(events, AlgoTriggered)) == 40
    assert len(world.perp.trailing.trails) == others
    return lines


@interpreted
def test_trailing_stops_are_not_asked_again_for_each_one_that_enters() -> None:
    """Each older one cost 16 lines in every slice, of which this takes two; now all together cost
    their logarithm, 40 times."""
    assert trailed_among(400) - trailed_among(100) < 300 * 15


def test_dust_that_may_not_trade_is_met_once() -> None:
    """Fifty accounts hold a position in a contract whose source falls silent, and 200 bids each in
    another. Each order of everybody asked all 10,000 of them."""
    world = ContractWorld("desk", "dan", money=10**9, contract=WIDE, checked=False)
    instrument = replace(WIDE.instrument, symbol="BBBQQQ", base="BBB")
    world.ok(commands.RegisterAsset("BBB", 0))
    world.ok(commands.ListContract(replace(WIDE, instrument=instrument)))
    world.ok(commands.PostIndex("BBBQQQ", "desk", 1_000, jump=True))
    for number in range(50):
        uid = world.owner(f"dust {number}", 20_000)
        for who, side, way in ((world.uids["desk"], SELL, SHORT), (uid, BUY, LONG)):
            world.ok(commands.PlaceContractOrder(who, "BBBQQQ", side, way, LIMIT, GTC, 100, 1_000))
        for _ in range(200):
            world.long(f"dust {number}", 1, 1_000)
    world.ok(commands.PostIndex("BBBQQQ", "desk", 0))
    longest = 0
    while world.engine.pending():
        longest = max(longest, len(world.ok(commands.Proceed())))
    assert len(world.perp.market.book.parked) == 10_000
    assert longest <= 600  # an owner's 200 orders are asked together
    before = world.engine.contracts.looked
    lines, _ = lines_of(world, SELL, SHORT, 1, 1_000)
    assert world.engine.contracts.looked == before
    assert lines < 400
