"""A close that leaves a larger net position at a price in doubt is an opening (rule 5.14)."""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld, of, refusal
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    AlgoTriggered,
    ClosedAtMarket,
    ContractOrderParked,
    ContractOrderReturned,
    ContractTrade,
)
from venue.core.messages.events import Event
from venue.vocabulary import (
    ALGO_STOP_MARKET,
    BUY,
    IOC,
    LONG,
    MARK_PRICE,
    SELL,
    SEPARATED,
    SHORT,
    Reject,
)

pytestmark = pytest.mark.core

LITTLE = 6_000  # both margins at leverage 50, and the fees
RICH = 1_000_000


def hedged(*, money: int = LITTLE, mode: int = 0) -> ContractWorld:
    """ann and ben are long 100 and short 100 each, at leverage 50; cid and dan have money."""
    world = ContractWorld("ann", "ben", money=money)
    for name in ("cid", "dan"):
        world.owner(name, RICH)
    for uid in (world.uids["ann"], world.uids["ben"]):
        world.ok(commands.SetLeverage(uid, SYMBOL, cross=50))
        if mode:
            world.ok(commands.SetMarginMode(uid, SYMBOL, 0, mode))
    world.trade("ann", "ben", 100, 1_000)
    world.trade("ben", "ann", 100, 1_000)
    return world


def worked_off(world: ContractWorld, events: list[Event]) -> list[Event]:
    """The events, and those of the slices that they left."""
    while world.pending():
        events += world.apply(commands.Proceed())
    return events


def silence(world: ContractWorld) -> None:
    worked_off(world, world.post(0))
    assert world.perp.doubt


def known(world: ContractWorld, price: int) -> list[Event]:
    events = worked_off(world, world.post(price))
    assert not world.perp.doubt
    return events


def sizes(world: ContractWorld, name: str) -> tuple[int, int]:
    longs, shorts = world.positions(name, LONG), world.positions(name, SHORT)
    return sum(one.quantity for one in longs), sum(one.quantity for one in shorts)


def test_two_hedged_friends_do_not_become_a_pair_at_the_old_price() -> None:
    """The true price is 1,150. ann would be left with the long, ben with a short that his 6,000
    cannot pay, and the fund would pay 11,000."""
    world = hedged()
    fund = world.money("fund")
    world.close_short("ann", 100, 1_000)
    silence(world)
    assert [order.uid for order in world.perp.market.book.parked.values()] == [world.uids["ann"]]
    said = world.close_long("ben", 100, 1_000)
    assert of(said, ContractTrade) == []
    assert len(of(said, ContractOrderParked)) == 1
    known(world, 1_150)
    assert world.money("fund") == fund
    for name in ("ann", "ben"):
        assert sizes(world, name) == (100, 100)
        assert equity(world.cross(name)) > 0


@pytest.mark.parametrize("price", [0, 1_000])
def test_a_close_that_would_trade_is_refused(price: int) -> None:
    """Even against somebody who reduces."""
    world = hedged()
    world.trade("cid", "dan", 50, 1_000)
    world.close_long("cid", 50, 1_000)
    silence(world)
    assert refusal(world.order("ann", BUY, SHORT, 50, price, IOC)) == Reject.PRICE_DOUBT
    assert refusal(world.order("ann", BUY, SHORT, 50, price)) == Reject.PRICE_DOUBT
    known(world, 1_000)
    (trade,) = of(world.order("ann", BUY, SHORT, 50, price, IOC), ContractTrade)
    assert trade.quantity == 50


def test_a_rich_friend_does_not_hand_its_loss_to_a_poor_hedge() -> None:
    """dan's short is 15,000 under water at the true price; ben's resting close would take it."""
    world = hedged()
    world.trade("cid", "dan", 100, 1_000)
    world.close_long("ben", 100, 1_000)
    silence(world)
    assert of(world.close_short("dan", 100, 1_000, IOC), ContractTrade) == []
    known(world, 1_150)
    assert sizes(world, "ben") == (100, 100)


def test_many_small_closes_count_together() -> None:
    """cid may turn 10 long and 9 short once, and no further."""
    world = hedged()
    world.owner("eve", 1_000)
    world.owner("fay", RICH)
    world.ok(commands.SetLeverage(world.uids["eve"], SYMBOL, cross=50))
    world.trade("eve", "fay", 10, 1_000)
    world.trade("fay", "eve", 9, 1_000)
    world.trade("cid", "dan", 50, 1_000)
    for _ in range(5):
        world.close_long("eve", 2, 1_000)
    silence(world)
    trades = of(world.close_short("dan", 50, 1_000, IOC), ContractTrade)
    assert sum(trade.quantity for trade in trades) == 2
    assert sizes(world, "eve") == (8, 9)


def test_who_reduces_the_net_position_goes_on() -> None:
    """A long of 100 beside a short of 40 may be closed whole: 40 are less than 60."""
    world = hedged()
    (first,) = of(
        world.close_short("ann", 60, 1_000) + world.short("cid", 60, 1_000), ContractTrade
    )
    assert first.quantity == 60
    assert sizes(world, "ann") == (100, 40)
    world.trade("dan", "cid", 1, 1_000)
    world.close_short("cid", 61, 1_000)
    silence(world)
    (trade,) = of(world.close_long("ann", 61, 1_000, IOC), ContractTrade)
    assert trade.quantity == 61
    assert sizes(world, "ann") == (39, 40)


def test_who_has_the_money_for_the_growth_goes_on() -> None:
    world = hedged(money=RICH)
    world.close_short("ann", 100, 1_000)
    silence(world)
    (trade,) = of(world.close_long("ben", 100, 1_000), ContractTrade)
    assert trade.quantity == 100


def test_separated_positions_count_together() -> None:
    world = hedged(mode=SEPARATED)
    world.trade("cid", "dan", 100, 1_000)
    world.close_short("dan", 100, 1_000)
    silence(world)
    (long,) = world.positions("ann", LONG)
    refused = world.order("ann", SELL, LONG, 100, 1_000, IOC, long.position_id)
    assert refusal(refused) == Reject.PRICE_DOUBT


def test_to_close_all_is_refused_for_each() -> None:
    world = hedged()
    world.trade("cid", "dan", 100, 1_000)
    world.close_long("cid", 100, 1_001)
    world.close_short("dan", 100, 999)
    silence(world)
    said = world.apply(commands.ClosePositions(world.uids["ann"]))
    assert [done.reason for done in of(said, ClosedAtMarket)] == [Reject.PRICE_DOUBT] * 2
    known(world, 1_000)
    said = world.apply(commands.ClosePositions(world.uids["ann"]))
    assert [done.reason for done in of(said, ClosedAtMarket)] == [0, 0]


def test_a_stop_waits_for_the_price() -> None:
    """The index follows a jump by steps: the stop of ann's short is due on the way, and enters when
    the price is known. Nobody else's waits with it."""
    world = hedged()
    world.trade("cid", "dan", 100, 1_000)
    ann, dan = world.uids["ann"], world.uids["dan"]
    for uid in (ann, dan):
        world.ok(
            commands.PlaceAlgo(uid, SYMBOL, BUY, SHORT, ALGO_STOP_MARKET, 10, 1_003, 0, MARK_PRICE)
        )
    world.close_long("cid", 60, 1_010)
    told = []
    entered: dict[int, bool] = {}
    for _ in range(60):
        world.wait(1)
        said = worked_off(world, world.tell(1_100) + world.tick())
        for event in of(said, AlgoTriggered):
            entered[event.uid] = world.perp.doubt
        told += said
    assert not world.perp.doubt
    assert entered[dan]  # in doubt
    assert not entered[ann]
    assert [event.reason for event in of(told, AlgoTriggered)] == [0, 0]
    assert sizes(world, "ann") == (100, 90)


def test_a_parked_close_returns_behind_all_others() -> None:
    world = hedged()
    world.trade("cid", "dan", 100, 1_000)
    world.close_long("ann", 10, 1_005)
    world.close_long("cid", 10, 1_005)
    silence(world)
    (back,) = of(known(world, 1_000), ContractOrderReturned)
    assert (back.uid, back.late) == (world.uids["ann"], True)
    (trade,) = of(world.close_short("dan", 10, 1_005, IOC), ContractTrade)
    assert trade.maker.uid == world.uids["cid"]


def test_with_money_for_a_lot_a_hedge_is_left_in_small_steps() -> None:
    world = hedged(money=LITTLE + 1_000)
    world.trade("cid", "dan", 50, 1_000)
    world.close_long("cid", 20, 1_001)
    world.close_short("dan", 20, 999)
    silence(world)
    assert refusal(world.close_short("ann", 5, 1_001, IOC)) == Reject.PRICE_DOUBT
    for _ in range(3):
        assert of(world.close_short("ann", 1, 1_001, IOC), ContractTrade)
        assert of(world.close_long("ann", 1, 999, IOC), ContractTrade)
    assert sizes(world, "ann") == (97, 97)
