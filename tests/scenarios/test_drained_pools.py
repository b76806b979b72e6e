"""Money that a position may cost is not traded away while its price is unknown (5.14).

ann is long 100 lots of AAA at 1,000 against dan. The price of AAA falls to 850 at once; its index
follows by half a percent a second, and is in doubt meanwhile. cat is their friend.
"""

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    INSTRUMENT,
    ISOLATED,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
)
from venue.core.contract.position import available_in, equity
from venue.core.contract.prices_in_doubt import possible_loss
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractTrade, LiquidationFinished
from venue.core.messages.events import Event
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT, Product, Reject

pytestmark = pytest.mark.core

OTHER = "BBBQQQ"
GROUP = ("ann", "cat", "dan")


def three(money: int) -> ContractWorld:
    """The three at leverage 50 in both contracts; ann brings `money` atoms."""
    world = ContractWorld("cat", "dan", money=100_000)
    world.owner("ann", money)
    world.ok(commands.RegisterAsset("BBB", 0))
    other = replace(CONTRACT, instrument=replace(INSTRUMENT, symbol=OTHER, base="BBB"))
    world.ok(commands.ListContract(other))
    world.ok(commands.PostIndex(OTHER, "desk", 1_000, jump=True))
    for name in GROUP:
        for symbol in (SYMBOL, OTHER):
            world.ok(commands.SetLeverage(world.uids[name], symbol, 50))
    world.trade("ann", "dan", 100, 1_000)
    return world


def other(
    world: ContractWorld, name: str, side: int, way: int, lots: int, price: int, tif: int = GTC
) -> list[Event]:
    """An order in BBB."""
    uid = world.uids[name]
    return world.apply(commands.PlaceContractOrder(uid, OTHER, side, way, LIMIT, tif, lots, price))


def wealth(world: ContractWorld) -> dict[str, int]:
    return {name: equity(world.cross(name)) for name in (*GROUP, "fund")}


def falls(world: ContractWorld, price: int) -> None:
    """The source of AAA says another price; a second later the index is on its way."""
    world.wait(1)
    world.tell(price)
    world.ok(commands.PostIndex(OTHER, "desk", 1_000))
    world.tick()
    assert world.perp.doubt


def arrives(world: ContractWorld, price: int) -> None:
    """The index reaches its source."""
    for _ in range(40):
        world.wait(1)
        world.tell(price)
        world.ok(commands.PostIndex(OTHER, "desk", 1_000))
        world.tick()
    assert (world.perp.doubt, world.perp.mark) == (False, price)


def test_her_money_does_not_leave_by_opening_elsewhere_at_a_friends_price() -> None:
    """Bought at 1,100, 74 lots of BBB were a loss of 7,400: the fund paid 10,491."""
    world = three(12_000)
    falls(world, 850)
    other(world, "cat", SELL, SHORT, 74, 1_100)
    assert refusal(other(world, "ann", BUY, LONG, 74, 1_100, IOC)) == Reject.PRICE_DOUBT
    arrives(world, 850)
    # So much a fall of 15,000 costs it, with the 11,950 that ann had.
    assert wealth(world)["fund"] == 1_000_000 - 3_050


def test_nor_by_a_resting_order_that_a_friend_meets() -> None:
    """It was placed before; its hold is no part of the available money."""
    world = three(12_000)
    other(world, "ann", BUY, LONG, 70, 1_090)
    falls(world, 850)
    assert of(other(world, "cat", SELL, SHORT, 70, 1_090, IOC), ContractTrade) == []
    arrives(world, 850)
    assert wealth(world)["fund"] == 1_000_000 - 3_050
    # Her pool was liquidated with all its orders.
    assert world.engine.contracts.markets[OTHER].market.book.bid == 0


def test_nor_by_a_resting_order_that_the_mark_has_overtaken() -> None:
    """Bought at 1,000 when BBB is at 985, 70 lots cost 1,050 more than the order holds."""
    world = three(102_300)
    other(world, "ann", BUY, LONG, 35, 1_000)
    other(world, "ann", BUY, LONG, 35, 1_000)
    falls(world, 850)
    world.apply(commands.PostIndex(OTHER, "desk", 985, jump=True))
    pool = world.cross("ann")
    assert possible_loss(pool) + 525 < available_in(pool) < possible_loss(pool) + 1_050
    said = other(world, "cat", SELL, SHORT, 70, 1_000, IOC)
    assert [trade.quantity for trade in of(said, ContractTrade)] == [35]
    assert available_in(pool) >= possible_loss(pool)
    book = world.engine.contracts.markets[OTHER].market.book
    assert (book.bid, len(book.parked)) == (0, 1)  # the other one stays open


@pytest.mark.parametrize("taker", ["ann", "cat"])
def test_nor_by_closing_elsewhere_at_a_friends_price(taker: str) -> None:
    """Closed at 900, 50 lots of BBB cost 5,000: the fund paid 8,098."""
    world = three(12_000)
    other(world, "cat", SELL, SHORT, 50, 1_000)
    other(world, "ann", BUY, LONG, 50, 1_000)
    falls(world, 850)
    both = [("cat", BUY, SHORT), ("ann", SELL, LONG)]
    for name, side, way in both if taker == "ann" else both[::-1]:
        said = other(world, name, side, way, 50, 900)
    assert of(said, ContractTrade) == []
    arrives(world, 850)
    assert wealth(world)["fund"] == 1_000_000 - 3_075


@pytest.mark.parametrize("halted", [False, True])
def test_nor_by_topping_up_an_isolated_position_elsewhere(halted: bool) -> None:
    """BBB falls by 1.5 %: her isolated 20 lots would take 294 of what AAA may cost."""
    world = three(12_000)
    world.ok(commands.SetMarginMode(world.uids["ann"], OTHER, ISOLATED))
    world.ok(commands.SetLeverage(world.uids["ann"], OTHER, long=50, short=50))
    other(world, "cat", SELL, SHORT, 20, 1_000)
    other(world, "ann", BUY, LONG, 20, 1_000)
    (isolated,) = [each for each in world.positions("ann") if each.pool.position_id]
    world.ok(commands.SetAutoMargin(world.uids["ann"], isolated.position_id, True))
    if halted:
        world.ok(commands.HaltInstrument(SYMBOL, True, "", product=int(Product.CONTRACT)))
    else:
        falls(world, 850)
    before = world.money("ann")
    said = world.apply(commands.PostIndex(OTHER, "desk", 985, jump=True))
    (finished,) = of(said, LiquidationFinished)
    assert finished.topped_up == 0
    assert world.money("ann") == before


def test_near_its_mark_she_closes_elsewhere() -> None:
    world = three(12_000)
    other(world, "cat", SELL, SHORT, 50, 1_000)
    other(world, "ann", BUY, LONG, 50, 1_000)
    falls(world, 850)
    other(world, "cat", BUY, SHORT, 50, 999)
    (trade,) = of(other(world, "ann", SELL, LONG, 50, 900, IOC), ContractTrade)
    assert (trade.price, trade.quantity) == (999, 50)


def test_who_has_all_that_it_may_cost_trades_elsewhere() -> None:
    """The position of ann is worth 99,500 at the mark, and she has more than twice that."""
    world = three(250_000)
    falls(world, 850)
    other(world, "cat", SELL, SHORT, 74, 1_010)
    assert len(of(other(world, "ann", BUY, LONG, 74, 1_010, IOC), ContractTrade)) == 1


def test_a_part_closed_far_below_the_mark_leaves_the_rest_what_it_had() -> None:
    """AAA falls to 950. Of 6,450 she lost 5,220 on 58 lots at a friend's 905, and the other 42
    were the fund's loss: 1,187. At 935 and better she gets rid of a part, or of all."""
    world = three(6_500)
    falls(world, 950)
    world.close_short("dan", 58, 905)
    assert of(world.close_long("ann", 58, 905, IOC), ContractTrade) == []
    world.close_short("dan", 30, 940)
    (trade,) = of(world.close_long("ann", 58, 905, IOC), ContractTrade)
    assert (trade.price, trade.quantity) == (940, 30)
    arrives(world, 950)
    assert wealth(world)["fund"] == 1_000_000


def test_in_a_halt_nothing_is_taken_out_that_the_position_may_cost() -> None:
    """Both sides at leverage 1; in the halt the margin of leverage 50 was enough to stay. Then the
    price came back 10 % away, and 7,200 of the fund were somebody's."""
    world = ContractWorld("ann", "dan", money=100_000)
    world.trade("ann", "dan", 90, 1_000)
    product = int(Product.CONTRACT)
    world.ok(commands.HaltInstrument(SYMBOL, True, "", product=product))
    for name in ("ann", "dan"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 50))
        assert refusal(world.withdraw(name, 20_000)) == Reject.FUNDS
        world.withdraw(name, 9_000)  # the rest is as much as the position is worth
    for _ in range(40):
        world.wait(1)
        world.tell(1_100)
        world.tick()
    world.ok(commands.HaltInstrument(SYMBOL, False, "", product=product))
    world.wait(1)
    world.tick()
    assert equity(world.cross("fund")) == 1_000_000
