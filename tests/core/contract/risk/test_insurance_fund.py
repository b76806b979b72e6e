"""The insurance fund and auto-deleveraging, to the last atom (rules 7.2 to 7.5).

Unless said otherwise `ann` is long 10 lots at 1,000, isolated at leverage 20. Her pool got 500 of
margin and 5 for the fee, and paid 10,000 + 5: its collateral is -9,500, its equity at mark M
10 x M - 9,500. The maintenance margin is 1 % of 10 x M, so M = 960 is safe (100 > 96) and M = 959
is not (90 <= 95.9, rounded up 96).
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    MONEY,
    SYMBOL,
    ContractWorld,
    isolated_world,
    items,
    of,
)
from venue.core.contract.position import equity
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Deleveraged,
    Income,
    Leg,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    PositionClosed,
)
from venue.core.messages.events import Event
from venue.vocabulary import (
    BUY,
    CANCELED,
    IOC,
    LIMIT,
    LONG,
    SELL,
    SHORT,
    AdlPolicy,
    Cause,
    MarginMode,
)

pytestmark = pytest.mark.core

FEES, FUND = 1, 2
START_ITEM, FINISH_ITEM = "start_liquidate", "finish_liquidate"
FEE, LIQUIDATION_FEE = "order_fill_fee_income", "order_liquidate_fee_income"
OUT, IN = "transfer_out", "transfer_in"
FIX, MOVE_IN, MOVE_OUT = "order_fix_margin_amount", "margin_move_in", "margin_move_out"


def step(events: list[Event]) -> LiquidationStep:
    (found,) = of(events, LiquidationStep)
    return found


# -- the insurance fund ----------------------------------------------------------------------------


def test_the_fund_takes_over_at_the_bankruptcy_price() -> None:
    """Without a bid, 10 lots go at 950, where the pool's 90 are gone: 9,500. There is no fee.

    The fund is long 10 at 950 with a mark of 959: the 90 are its gain.
    """
    world = isolated_world()
    ann = world.uids["ann"]
    position_id = world.position("ann").position_id
    order, bill, trade = world.next_order(), world.next_bill(), world.next_trade()

    events = world.post(959)

    assert events[1:] == [
        LiquidationStarted(order, ann, position_id, "QQQ", SYMBOL, 90, 96, -9_500),
        Income(bill, ann, position_id, "QQQ", SYMBOL, START_ITEM, 0, -9_500),
        ContractTrade(
            trade, SYMBOL, 950, 10, 9_500, SELL, 0, 0, Cause.TAKEOVER,
            Leg(FUND, order, order + 1, LONG, True, 9_500, 0, 0, -9_500, MONEY - 9_500, bill + 2),
            Leg(ann, order, position_id, LONG, False, 10_000, -500, 0, 9_500, 0, bill + 1),
        ),
        PositionClosed(
            position_id, ann, SYMBOL, LONG, MarginMode.ISOLATED, 0, 20, 10, 10_000, 5, 10, 9_500,
            0, 0, 0, -500, world.time,
        ),
        LiquidationStep(
            order, position_id, SYMBOL, LONG, 959, 0, 950, 10, 0, 10, 0, 0, 90, 10
        ),
        Income(bill + 3, ann, position_id, "QQQ", SYMBOL, FINISH_ITEM, 0, 0),
        LiquidationFinished(order, ann, 0, 0, 0, 0, MONEY + 90),
    ]  # fmt: skip
    assert world.perp.market.last_price == 1_000  # outside the book: no last price
    assert world.position("fund").quantity == 10


def test_the_book_comes_first_the_fund_takes_the_rest() -> None:
    """A bid of 3 at 951 pays the taker's fee too, one at 950 does not.

    3 lots: 2,853, fee 1.4265 -> 2, liquidation fee 14.265 -> 15; -9,500 + 2,853 - 17 = -6,664.
    7 lots at 950: 6,650 leave -14, of which the liquidation fee took 15: the fund makes up 14.
    """
    world = isolated_world("cat")
    world.long("cat", 3, 951)
    world.long("cat", 50, 950)
    ann, cat = world.uids["ann"], world.uids["cat"]
    position_id = world.position("ann").position_id
    events = world.post(959)
    cat_position = world.position("cat").position_id
    fund_position = world.position("fund").position_id
    assert items(events) == [
        (ann, position_id, START_ITEM, 0, -9_500),
        (ann, position_id, "trade", 2_853 - 17, -6_664),
        (cat, cat_position, "trade", -2_854, MONEY - 2_854),
        (FEES, 0, FEE, 3, 10),
        (FEES, 0, LIQUIDATION_FEE, 15, 25),
        (FEES, 0, OUT, -15, 10),
        (FUND, 0, IN, 15, MONEY + 15),
        (ann, position_id, "trade", 6_650, -14),
        (FUND, fund_position, "trade", -6_650, MONEY + 15 - 6_650),
        (FUND, 0, FIX, -14, MONEY + 15 - 6_650 - 14),
        (ann, position_id, FIX, 14, 0),
        (ann, position_id, FINISH_ITEM, 0, 0),
    ]
    (finished,) = of(events, LiquidationFinished)
    # The fund: + 15 - 14 + 7 x (959 - 950).
    assert (finished.compensated, finished.fund_equity) == (14, MONEY + 64)
    assert world.account("ann").isolated == {}


def test_a_bankrupt_pool_costs_the_fund_not_the_owner() -> None:
    """A gap to 900: equity -500. The fund takes 10 lots at 950 = 9,500 and is down 500 at mark."""
    world = isolated_world()
    events = world.post(900)
    (started,) = of(events, LiquidationStarted)
    assert (started.equity, started.maintenance) == (-500, 90)
    found = step(events)
    assert (found.bankruptcy_price, found.taken_over, found.fund_change) == (950, 10, -500)
    assert world.money("ann") == MONEY - 505
    assert equity(world.cross("fund")) == MONEY - 500


def test_the_fund_gives_back_a_tenth_per_tick_near_the_mark() -> None:
    """Long 30 taken over at mark 959: 3 lots per tick, not below 959 - 0 (0.1 %), with a fee."""
    world = ContractWorld("ann", "ben", "cat")
    world.isolate("ann")
    world.trade("ann", "ben", 30, 1_000)
    world.post(959)
    assert world.position("fund").quantity == 30
    world.long("cat", 2, 959)
    world.long("cat", 20, 958)
    money = world.money("fund")
    order = world.next_order()
    position_id = world.position("fund").position_id
    world.wait(1)
    events = world.tick()
    placed, trade, *_ = events
    assert placed == ContractOrderPlaced(
        order, FUND, SYMBOL, SELL, LONG, LIMIT, IOC, 3, 959, "", 0, Cause.UNWIND, 0, position_id
    )
    assert isinstance(trade, ContractTrade)
    assert (trade.price, trade.quantity, trade.cause) == (959, 2, Cause.UNWIND)
    # 1,918 less 0.959 -> 1; the open value of 2 of 30 lots at 950 is 1,900.
    assert world.money("fund") == money + 1_917
    assert trade.taker.realized == 18
    world.wait(1)
    assert of(world.tick(), ContractTrade) == []  # 958 is too far from the mark
    assert world.position("fund").quantity == 28


# -- auto-deleveraging -----------------------------------------------------------------------------


def adl_world(policy: AdlPolicy, lots: int) -> ContractWorld:
    """No fund; `ann` is long. Short: cat 6 (of 10,000), ben 12 (1,000,000), dan 12 (500,000)."""
    contract = replace(CONTRACT, adl_policy=int(policy))
    world = ContractWorld("ann", "zoe", fund=0, contract=contract)
    for name, money in (("cat", 10_000), ("ben", 1_000_000), ("dan", 500_000)):
        world.owner(name, money)
    world.isolate("ann")
    world.short("cat", 6, 1_000)
    world.short("ben", 12, 1_000)
    world.short("dan", 12, 1_000)
    world.long("ann", lots, 1_000)
    world.long("zoe", 30 - lots, 1_000)
    return world


def test_adl_takes_the_highest_scores_first() -> None:
    """At 900 ann's equity is -500, and without a fund nobody takes over at 950.

    Score = gain x value at mark / (open value x equity), in ppm; equities at 900:
    cat 10,000 + 6,000 - 2 - 5,400 = 10,598: 600 x 5,400 / (6,000 x 10,598) = 50,953
    dan 500,000 + 12,000 - 3 - 10,800 = 501,197: 1,200 x 10,800 / (12,000 x 501,197) = 2,154
    ben 1,001,197: 1,078. So cat closes 6 at 950 and dan 4.
    """
    world = adl_world(AdlPolicy.QUEUE, 10)
    ann, cat, dan = (world.uids[name] for name in ("ann", "cat", "dan"))
    cat_position = world.position("cat", SHORT).position_id
    dan_position = world.position("dan", SHORT).position_id
    position_id = world.position("ann").position_id
    order, money = world.next_order(), world.money("dan")
    events = world.post(900)
    assert of(events, Deleveraged) == [
        Deleveraged(order, cat_position, cat, SYMBOL, 6, 950, 1, 50_953),
        Deleveraged(order, dan_position, dan, SYMBOL, 4, 950, 2, 2_154),
    ]
    assert items(events) == [
        (ann, position_id, START_ITEM, 0, -9_500),
        (ann, position_id, "trade", 5_700, -3_800),
        (cat, cat_position, "trade", -5_700, 10_000 + 6_000 - 2 - 5_700),
        (ann, position_id, "trade", 3_800, 0),
        (dan, dan_position, "trade", -3_800, money - 3_800),
        (ann, position_id, FINISH_ITEM, 0, 0),
    ]
    found = step(events)
    assert (found.filled, found.taken_over, found.deleveraged) == (0, 0, 10)
    trades = of(events, ContractTrade)
    assert [trade.cause for trade in trades] == [Cause.DELEVERAGE] * 2
    assert [trade.maker.realized for trade in trades] == [6 * 50, 4 * 50]
    assert [trade.maker.fee for trade in trades] == [0, 0]
    assert world.positions("cat", SHORT) == []
    assert world.position("dan", SHORT).quantity == 8


def test_adl_in_proportion() -> None:
    """7 lots over 6, 12, 12 of 30: 1.4, 2.8, 2.8 rounded down, the first two get one more."""
    world = adl_world(AdlPolicy.PRO_RATA, 7)
    names = {uid: name for name, uid in world.uids.items()}
    found = of(world.post(900), Deleveraged)
    assert [(names[event.uid], event.quantity, event.rank) for event in found] == [
        ("cat", 2, 1),
        ("dan", 3, 2),
        ("ben", 2, 3),
    ]
    assert [world.position(name, SHORT).quantity for name in ("cat", "dan", "ben")] == [4, 9, 10]


def test_adl_trims_closing_orders_newest_first() -> None:
    """Rule 5.1: cat's closing order goes with her position; dan's 12 lots lose 4 of the newer 5."""
    world = adl_world(AdlPolicy.QUEUE, 10)
    world.close_short("cat", 6, 800)
    gone = world.next_order() - 1
    world.close_short("dan", 7, 790)
    world.close_short("dan", 5, 800)
    newer = world.next_order() - 1
    events = world.post(900)
    assert [(event.order_id, event.status, event.resting) for event in
            of(events, ContractOrderClosed)] == [(gone, CANCELED, 6)]  # fmt: skip
    uid = world.uids["dan"]
    assert of(events, ContractOrderReduced) == [
        ContractOrderReduced(newer, uid, SYMBOL, BUY, 800, 4)
    ]
    position = world.position("dan", SHORT)
    assert (position.quantity, position.closing) == (8, 8)
