"""Liquidation to the last atom: the ladder in the book, top-up, bounds (rule 7).

Unless said otherwise `ann` is long 10 lots at 1,000, isolated at leverage 20. Her pool got 500 of
margin and 5 for the fee, and paid 10,000 + 5: its collateral is -9,500, its equity at mark M
10 x M - 9,500. The maintenance margin is 1 % of 10 x M, so M = 960 is safe (100 > 96) and M = 959
is not (90 <= 95.9, rounded up 96).
"""

from __future__ import annotations

import pytest

from support.contract_world import (
    MONEY,
    SYMBOL,
    ContractWorld,
    isolated_world,
    items,
    of,
    refusal,
)
from venue.core.contract.consequences import LIQUIDATIONS_MAX
from venue.core.contract.margin import Tiers
from venue.core.contract.position import equity, liquidation_mark, maintenance
from venue.core.instruments import Tier
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    Income,
    Leg,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.events import Event
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import (
    BUY,
    CANCELED,
    IOC,
    LIMIT,
    LONG,
    SELL,
    SHORT,
    Cause,
    MarginMode,
    Reject,
)

pytestmark = pytest.mark.core

FEES, FUND = 1, 2
START_ITEM, FINISH_ITEM = "start_liquidate", "finish_liquidate"
FEE, LIQUIDATION_FEE = "order_fill_fee_income", "order_liquidate_fee_income"
OUT, IN = "transfer_out", "transfer_in"
FIX, MOVE_IN, MOVE_OUT = "order_fix_margin_amount", "margin_move_in", "margin_move_out"


def passed_on(bill: int, fee: int, fees: int, fund: int) -> list[Event]:
    """A liquidation fee's items, over what the fee account and the fund have without it."""
    return [
        Income(bill, FEES, 0, "QQQ", SYMBOL, LIQUIDATION_FEE, fee, fees + fee),
        Income(bill + 1, FEES, 0, "QQQ", "", OUT, -fee, fees),
        Income(bill + 2, FUND, 0, "QQQ", "", IN, fee, fund + fee),
    ]


def step(events: list[Event]) -> LiquidationStep:
    (found,) = of(events, LiquidationStep)
    return found


# -- when ------------------------------------------------------------------------------------------


def test_a_pool_is_liquidated_at_its_maintenance_margin_and_not_above() -> None:
    """Rule 7.1: 960 is safe, 959 is not."""
    world = isolated_world("cat")
    world.long("cat", 20, 955)
    assert of(world.post(960), LiquidationStarted) == []
    assert len(of(world.post(959), LiquidationStarted)) == 1


def test_equity_equal_to_maintenance_is_liquidated() -> None:
    """Rule 7.1, `<=`: with 4 atoms less margin 960 leaves 96 <= 96, and 961 106 > 96.1 -> 97."""
    world = isolated_world("cat")
    uid = world.uids["ann"]
    world.ok(commands.SetLeverage(uid, SYMBOL, long=25))
    world.ok(commands.MoveMargin(uid, world.position("ann").position_id, -4))
    assert of(world.post(961), LiquidationStarted) == []
    (started,) = of(world.post(960), LiquidationStarted)
    assert (started.equity, started.maintenance) == (96, 96)


def test_a_short_is_liquidated_above() -> None:
    """Short 10 at 1,000: in came 500 + 5 (the taker's fee is held for), the fee was a maker's 2.

    Equity 10,503 - 10 M <= 0.1 M from M = 1,039.9 on: 1,039 is safe (113 > 103.9).
    """
    world = ContractWorld("ann", "ben")
    world.isolate("ben")
    world.trade("ann", "ben", 10, 1_000)
    assert world.position("ben", SHORT).pool.cash.collateral == 505 + 10_000 - 2
    assert of(world.post(1_039), LiquidationStarted) == []
    (started,) = of(world.post(1_040), LiquidationStarted)
    assert (started.equity, started.maintenance) == (103, 104)


# -- in the book -----------------------------------------------------------------------------------


def test_an_isolated_position_is_closed_in_the_book() -> None:
    """Rules 7.1 to 7.3: bankruptcy at (9,590 - 90) / 10 = 950, with the fee at
    (9,590 - 90) / (10 x 0.9995) = 950.48, rounded up 951.

    4 lots at 955: 3,820, fee 1.91 -> 2, liquidation fee 0.5 % = 19.1 -> 20 of an equity of
    -9,500 + 6 x 959 + 3,820 - 2 = 72. 6 lots at 952: 5,712, fee 2.856 -> 3, liquidation fee
    28.56 -> 29, but only -5,702 + 5,712 - 3 = 7 are left.
    """
    world = isolated_world("cat", "dan")
    ann, cat, dan = (world.uids[name] for name in ("ann", "cat", "dan"))
    world.long("cat", 4, 955)
    world.long("dan", 6, 952)
    order, bill, trade = world.next_order(), world.next_bill(), world.next_trade()
    cat_order, dan_order = order - 2, order - 1
    position_id = world.position("ann").position_id
    fees = world.fees()

    assert world.post(959) == [
        MarkSet(SYMBOL, 959, 959, True, 0, 10, True),
        LiquidationStarted(order, ann, position_id, "QQQ", SYMBOL, 90, 96, -9_500),
        Income(bill, ann, position_id, "QQQ", SYMBOL, START_ITEM, 0, -9_500),
        ContractOrderPlaced(
            order + 1, ann, SYMBOL, SELL, LONG, LIMIT, IOC, 10, 951, "", 0, Cause.LIQUIDATION, 0,
            position_id,
        ),
        ContractTrade(
            trade, SYMBOL, 955, 4, 3_820, SELL, 0, 6, Cause.LIQUIDATION,
            Leg(cat, cat_order, order + 2, LONG, True, 3_820, 0, 1, -3_821, MONEY - 3_821,
                bill + 2),
            Leg(ann, order + 1, position_id, LONG, False, 4_000, -180, 22, 3_798, -5_702,
                bill + 1),
        ),
        Income(bill + 3, FEES, 0, "QQQ", SYMBOL, FEE, 3, fees + 3),
        *passed_on(bill + 4, 20, fees + 3, MONEY),
        ContractTrade(
            trade + 1, SYMBOL, 952, 6, 5_712, SELL, 0, 0, Cause.LIQUIDATION,
            Leg(dan, dan_order, order + 3, LONG, True, 5_712, 0, 2, -5_714, MONEY - 5_714,
                bill + 8),
            Leg(ann, order + 1, position_id, LONG, False, 6_000, -288, 10, 5_702, 0, bill + 7),
        ),
        Income(bill + 9, FEES, 0, "QQQ", SYMBOL, FEE, 5, fees + 8),
        *passed_on(bill + 10, 7, fees + 8, MONEY + 20),
        PositionClosed(
            position_id, ann, SYMBOL, LONG, MarginMode.ISOLATED, 0, 20, 10, 10_000, 5, 10, 9_532,
            32, 0, 27, -468, world.time,
        ),
        LiquidationStep(order, position_id, SYMBOL, LONG, 959, 0, 950, 10, 10, 0, 0, 27, 27, 10),
        Income(bill + 13, ann, position_id, "QQQ", SYMBOL, FINISH_ITEM, 0, 0),
        LiquidationFinished(order, ann, 0, 0, 0, 0, MONEY + 27),
    ]  # fmt: skip
    # She loses her margin, nothing of the cross pool: 505 = 5 + 468 + 32.
    assert world.money("ann") == MONEY - 505
    assert world.account("ann").isolated == {}
    assert world.perp.open_interest == 10


def test_what_remains_of_an_isolated_pool_returns_to_its_owner() -> None:
    """Closed at mark: 9,590 - 5 (4.795) - 48 (47.95) - 9,500 = 37 go back to the cross pool."""
    world = isolated_world("cat")
    world.long("cat", 10, 959)
    position_id = world.position("ann").position_id
    ann, cat = world.uids["ann"], world.uids["cat"]
    events = world.post(959)
    cross = MONEY - 505
    assert items(events) == [
        (ann, position_id, START_ITEM, 0, -9_500),
        (ann, position_id, "trade", 9_590 - 53, 37),
        (cat, world.position("cat").position_id, "trade", -9_592, MONEY - 9_592),
        (FEES, 0, FEE, 7, 14),
        (FEES, 0, LIQUIDATION_FEE, 48, 62),
        (FEES, 0, OUT, -48, 14),
        (FUND, 0, IN, 48, MONEY + 48),
        (ann, position_id, MOVE_OUT, -37, 0),
        (ann, 0, MOVE_IN, 37, cross + 37),
        (ann, position_id, FINISH_ITEM, 0, 0),
    ]


def test_a_cross_pool_is_liquidated_as_a_whole_after_its_orders_are_canceled() -> None:
    """1,000 - 10,000 - 5 = -9,005; 10 M - 9,005 <= 0.1 M from M = 909.6 down: at 909 85 <= 91.

    9,090 at mark, fee 4.545 -> 5, liquidation fee 45.45 -> 46: 34 remain of her 1,000.
    """
    world = ContractWorld("ben", "cat")
    ann = world.owner("ann", 1_000)
    world.trade("ann", "ben", 10, 1_000)
    world.long("ann", 1, 300)
    open_order = world.next_order() - 1
    world.close_long("ann", 4, 1_200)
    closing = world.next_order() - 1
    world.long("cat", 10, 909)
    position_id = world.position("ann").position_id
    order = world.next_order()

    assert of(world.post(910), LiquidationStarted) == []
    events = world.post(909)

    assert events[1:5] == [
        LiquidationStarted(order, ann, 0, "QQQ", SYMBOL, 85, 91, -9_005),
        Income(world.next_bill() - 8, ann, 0, "QQQ", SYMBOL, START_ITEM, 0, -9_005),
        ContractOrderClosed(
            open_order, ann, SYMBOL, BUY, 300, CANCELED, 1, Cause.LIQUIDATION
        ),
        ContractOrderClosed(
            closing, ann, SYMBOL, SELL, 1_200, CANCELED, 4, Cause.LIQUIDATION
        ),
    ]  # fmt: skip
    (trade,) = of(events, ContractTrade)
    assert (trade.taker.realized, trade.taker.fee, trade.taker.balance) == (-910, 51, 34)
    # 901: (9,090 - 85) / 9.995 = 900.95, rounded up.
    assert step(events) == LiquidationStep(
        order, position_id, SYMBOL, LONG, 909, 0, 901, 10, 10, 0, 0, 46, 46, 10
    )
    assert world.money("ann") == 34
    assert world.cross("ann").cash.held == 0
    assert events[-1] == LiquidationFinished(order, ann, 34, 0, 0, 0, MONEY + 46)


def test_a_cross_pool_closes_its_heaviest_position_first_and_asks_again() -> None:
    """Long 20 and short 8 of 1,500: collateral 1,500 - 20,010 + 7,996 = -10,514.

    At 897 equity 250 <= 179.4 -> 180 and 71.76 -> 72. The long's share is 250 x 180 / 252 = 178,
    its bankruptcy price 17,762 / 19.99 = 888.5 -> 889; 20 go at 890: 17,800 less 9 and 89. That
    leaves 12 <= 72: the short goes at 897 (bankrupt at 7,188 / 8.004 = 898.05 -> 898), 7,176 and 4,
    and of 8 left none remains for the liquidation fee of 36.
    """
    world = ContractWorld("ben", "cat")
    ann = world.owner("ann", 1_500)
    world.trade("ann", "ben", 20, 1_000)
    world.long("ben", 8, 1_000)
    world.short("ann", 8, 1_000)
    assert world.money("ann") == -10_514
    world.post(950)
    # The interface shows it: both sides of the hedge fall together, at the mark found below.
    holding = world.holding("ann")
    assert [liquidation_mark(held) for held in holding.positions.values()] == [897, 897]
    world.long("cat", 20, 890)
    world.short("cat", 8, 897)
    assert of(world.post(898), LiquidationStarted) == []  # 262 > 252
    events = world.post(897)
    assert [
        (found.side, found.bankruptcy_price, found.filled, found.fee, found.size)
        for found in of(events, LiquidationStep)
    ] == [(LONG, 889, 20, 89, 20), (SHORT, 898, 8, 8, 8)]
    assert [trade.taker.balance for trade in of(events, ContractTrade)] == [7_188, 0]
    (finished,) = of(events, LiquidationFinished)
    assert (finished.uid, finished.equity, finished.compensated) == (ann, 0, 0)


def test_isolated_liquidation_leaves_other_orders_and_positions_alone() -> None:
    """Rule 7.2: only what closes the isolated position is canceled."""
    world = isolated_world("cat")
    world.long("ann", 1, 500)
    world.close_long("ann", 4, 1_200)
    closing = world.next_order() - 1
    world.long("cat", 10, 959)
    events = world.post(959)
    assert [event.order_id for event in of(events, ContractOrderClosed)] == [closing]
    assert len(of(world.long("ann", 1, 500), ContractOrderPlaced)) == 1


# -- tiers -----------------------------------------------------------------------------------------


def test_a_large_position_is_reduced_to_the_next_lower_tier() -> None:
    """200 lots at 1,000: margin 10,000, collateral -190,000; MM = 2 % x 200 M - 1,000.

    At 964: equity 2,800 <= 3,856 - 1,000 = 2,856. Tier 0 holds 100,000 / 964 = 103 lots, so 97
    go: 93,508, fee 46.754 -> 47, liquidation fee 467.54 -> 468, equity 2,285 > 992.92 -> 993.
    """
    world = ContractWorld("ann", "ben", "cat")
    world.isolate("ann")
    world.trade("ann", "ben", 200, 1_000)
    position = world.position("ann")
    assert position.pool.cash.collateral == -190_000
    world.long("cat", 150, 964)
    assert of(world.post(965), LiquidationStarted) == []  # 3,000 > 2,860
    order = world.next_order()

    events = world.post(964)

    (started,) = of(events, LiquidationStarted)
    assert (started.equity, started.maintenance) == (2_800, 2_856)
    (trade,) = of(events, ContractTrade)
    assert (trade.quantity, trade.taker.open_value, trade.taker.realized) == (97, 97_000, -3_492)
    assert (trade.taker.fee, trade.taker.balance) == (515, -190_000 + 93_508 - 515)
    # (192,800 - 2,800) / (200 x 0.9995) = 950.48, rounded up.
    assert step(events) == LiquidationStep(
        order, position.position_id, SYMBOL, LONG, 964, 1, 950, 97, 97, 0, 0, 468, 468, 200
    )
    uid = world.uids["ann"]
    assert events[-1] == LiquidationFinished(order, uid, 2_285, 993, 0, 0, MONEY + 468)
    assert (position.quantity, position.value) == (103, 103_000)
    assert of(world.tick(), LiquidationStarted) == []


def test_a_step_down_that_does_not_restore_closes_all() -> None:
    """At 952 the equity is 190,400 - 190,000 = 400: after 96 lots' cost of 504 nothing is left."""
    world = ContractWorld("ann", "ben", "cat")
    world.isolate("ann")
    world.trade("ann", "ben", 200, 1_000)
    world.long("cat", 200, 952)
    found = step(world.post(952))
    assert (found.tier, found.wanted, found.filled, found.size) == (1, 200, 200, 200)


# -- automatic top-up ------------------------------------------------------------------------------


def test_automatic_top_up_restores_the_initial_margin() -> None:
    """At 959 the initial margin is 479.5 -> 480, the equity 90: 390 come from the cross pool."""
    world = isolated_world()
    ann, position = world.uids["ann"], world.position("ann")
    world.ok(commands.SetAutoMargin(ann, position.position_id, True))
    order = world.next_order()
    events = world.post(959)
    assert items(events) == [
        (ann, position.position_id, START_ITEM, 0, -9_500),
        (ann, 0, MOVE_OUT, -390, MONEY - 505 - 390),
        (ann, position.position_id, MOVE_IN, 390, -9_110),
        (ann, position.position_id, FINISH_ITEM, 0, -9_110),
    ]
    assert events[-1] == LiquidationFinished(order, ann, 480, 96, 390, 0, MONEY)
    assert of(events, LiquidationStep) == []
    assert position.quantity == 10


def test_automatic_top_up_takes_what_there_is_and_no_more() -> None:
    """600 less 505 are 95 in the cross pool; 90 + 95 = 185 > 96 is enough, at 945 45 more are not.

    At 945: equity 9,450 - 9,405 = 45 <= 94.5 -> 95, and the cross pool is empty.
    """
    world = ContractWorld("ben")
    ann = world.owner("ann", 600)
    world.isolate("ann")
    world.trade("ann", "ben", 10, 1_000)
    world.ok(commands.SetAutoMargin(ann, world.position("ann").position_id, True))
    (finished,) = of(world.post(959), LiquidationFinished)
    assert (finished.topped_up, finished.equity) == (95, 185)
    assert world.money("ann") == 0
    events = world.post(945)
    (finished,) = of(events, LiquidationFinished)
    assert finished.topped_up == 0
    assert step(events).taken_over == 10
    assert world.positions("ann") == []


# -- bounds and doubts -----------------------------------------------------------------------------


def test_a_bounded_number_of_pools_per_command_the_rest_on_the_next_tick() -> None:
    """Rule 7.6, oldest owners first."""
    extra = 5
    names = [f"owner {number}" for number in range(LIQUIDATIONS_MAX + extra)]
    world = ContractWorld("ben", *names)
    for name in names:
        world.isolate(name)
        world.trade(name, "ben", 10, 1_000)
    first = of(world.post(959), LiquidationStarted)
    assert [event.uid for event in first] == [world.uids[name] for name in names[:LIQUIDATIONS_MAX]]
    assert world.pending()
    second = of(world.tick(), LiquidationStarted)
    assert [event.uid for event in second] == [
        world.uids[name] for name in names[LIQUIDATIONS_MAX:]
    ]
    assert not world.pending()


@pytest.mark.parametrize("how", ["source says nothing", "source has no price"])
def test_no_liquidation_while_the_index_is_stale(how: str) -> None:
    """Rule 6.1: tiers that endanger ann come while the index is stale: no liquidation yet."""
    world = isolated_world()
    if how == "source has no price":
        (mark,) = of(world.post(0), MarkSet)
    else:
        world.wait(9)
        assert of(world.tick(), MarkSet) == []
        world.wait(1)
        (mark,) = of(world.tick(), MarkSet)
    assert (mark.mark, mark.current) == (1_000, False)
    # 6 % of 10,000 = 600 > 500. No command does this to a position (rule 1.7).
    world.position("ann").tiers = Tiers([Tier(AMOUNT_MAX, 10, 60_000)])
    world.engine.contracts.collateral.touch(world.position("ann").pool)
    world.position("ann").pool.sums = None
    for _ in range(5):
        world.wait(1)
        assert of(world.tick(), LiquidationStarted) == []
    (started,) = of(world.post(1_000), LiquidationStarted)
    assert (started.equity, started.maintenance) == (500, 600)


def test_no_liquidation_while_the_contract_is_halted() -> None:
    """Rule 3.8: a halted contract accepts cancels only, the ladder waits until it trades again."""
    world = isolated_world()
    world.ok(commands.HaltInstrument(SYMBOL, True, product=1))
    assert of(world.post(959), LiquidationStarted) == []
    assert of(world.tick(), LiquidationStarted) == []
    world.ok(commands.HaltInstrument(SYMBOL, False, product=1))
    assert len(of(world.tick(), LiquidationStarted)) == 1


def test_a_falling_price_is_followed_by_steps_and_liquidates_on_the_way() -> None:
    """Rules 6.1 and 7.1: 0.5 % a second; 959 endangers ann, and is reached in the tenth second. The
    index catches up: an order that reduces a position is met, the fund takes the rest over."""
    world = isolated_world()
    world.close_short("ben", 4, 952)
    marks = []
    for second in range(10):
        world.wait(1)
        events = world.tell(700)
        (mark,) = of(events, MarkSet)
        marks.append(mark.mark)
        assert mark.current
        assert len(of(events, LiquidationStarted)) == (1 if second == 9 else 0)
    assert marks == [995, 991, 987, 983, 979, 975, 971, 967, 963, 959]
    assert world.perp.doubt
    assert [(step.filled, step.taken_over) for step in of(events, LiquidationStep)] == [(4, 6)]
    assert equity(world.holding("fund").cross(0)) >= MONEY


def test_a_price_that_comes_back_in_time_has_no_effect() -> None:
    world = isolated_world()
    for _ in range(8):
        world.wait(1)
        assert of(world.tell(1), LiquidationStarted) == []
    assert world.perp.index_price == 967
    world.wait(1)
    assert of(world.tell(1_000), LiquidationStarted) == []
    assert world.perp.index_price == 971


def test_a_liquidated_owner_can_trade_again() -> None:
    """Only while the ladder runs may nothing else trade in the pool."""
    world = isolated_world("cat")
    world.long("cat", 10, 959)
    world.post(959)
    assert refusal(world.close_long("ann", 1, 959)) == Reject.NOTHING_TO_CLOSE
    world.trade("ann", "ben", 1, 960)
    assert maintenance(world.position("ann").pool) == 10  # 1 % of 959, rounded up
