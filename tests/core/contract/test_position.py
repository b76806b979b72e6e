"""Positions and their cash to the last atom: open, add, reduce, close, isolated pools (rule 5).

The contract: a lot at 1,000 is 1,000 atoms; maker 0.02 %, taker 0.05 %, leverage 20 by default.
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
from venue.core.contract.collateral import available
from venue.core.contract.position import equity, profit, wallet
from venue.core.contract.records import Position
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    Income,
    Leg,
    LeverageSet,
    PositionClosed,
)
from venue.vocabulary import (
    BUY,
    CANCELED,
    GTC,
    IOC,
    LIMIT,
    LONG,
    SELL,
    SHORT,
    Cause,
    MarginMode,
    Reject,
    SelfTrade,
)

pytestmark = pytest.mark.core

FEES = 1
FEE, MOVE_IN, MOVE_OUT = "order_fill_fee_income", "margin_move_in", "margin_move_out"


def size(position: Position) -> tuple[int, int]:
    return position.quantity, position.value


# -- cross -----------------------------------------------------------------------------------------


def test_opening_to_the_last_atom() -> None:
    """Rule 5.2: 3 lots at 1,001 are 3,003; the taker pays 1.5015 -> 2, the maker 0.6006 -> 1."""
    world = ContractWorld("ann", "ben")
    ann, ben = world.uids["ann"], world.uids["ben"]
    order, bill, trade = world.next_order(), world.next_bill(), world.next_trade()
    assert world.short("ben", 7, 1_001) == [
        ContractOrderPlaced(
            order, ben, SYMBOL, SELL, SHORT, LIMIT, GTC, 7, 1_001, "", 7, Cause.USER, 0, 0
        )
    ]
    assert world.long("ann", 3, 1_002) == [
        ContractOrderPlaced(
            order + 1, ann, SYMBOL, BUY, LONG, LIMIT, GTC, 3, 1_002, "", 0, Cause.USER, 0, 0
        ),
        ContractTrade(
            trade, SYMBOL, 1_001, 3, 3_003, BUY, 4, 0, Cause.USER,
            Leg(ben, order, order + 3, SHORT, True, 3_003, 0, 1, 3_002, MONEY + 3_002, bill + 1),
            Leg(ann, order + 1, order + 2, LONG, True, 3_003, 0, 2, -3_005, MONEY - 3_005, bill),
        ),
        Income(bill + 2, FEES, 0, "QQQ", SYMBOL, FEE, 3, 3),
    ]  # fmt: skip
    assert size(world.position("ann")) == (3, 3_003)
    assert size(world.position("ben", SHORT)) == (3, 3_003)
    assert world.perp.open_interest == 3
    # Rule 5.3, at mark 1,000: wallets are the money less the fee, profits -3 and +3.
    assert wallet(world.cross("ann")) == MONEY - 2
    assert wallet(world.cross("ben")) == MONEY - 1
    assert equity(world.cross("ann")) == MONEY - 2 - 3
    assert profit(world.position("ben", SHORT)) == 3


def test_adding_and_reducing_in_proportion() -> None:
    """Rule 5.4: 3 at 1,001 and 4 at 1,003 are 7,015; of 7 lots 2 take out 2,004.28 -> 2,004.

    Of the 5 left 3 take out 5,011 x 3 / 5 = 3,006.6 -> 3,006, and the last 2 all that is there.
    """
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 3, 1_001)
    world.trade("ann", "ben", 4, 1_003)
    position = world.position("ann")
    assert size(position) == (7, 7_015)
    money = world.money("ann")
    found = []
    world.long("cat", 7, 1_010)
    for lots in (2, 3, 2):
        (trade,) = of(world.close_long("ann", lots, 1_010), ContractTrade)
        leg = trade.taker
        found.append((leg.open_value, leg.realized, leg.fee, leg.amount, position.value))
    assert found == [
        (2_004, 16, 2, 2_018, 5_011),  # 2,020; fee 1.01
        (3_006, 24, 2, 3_028, 2_005),  # 3,030; fee 1.515
        (2_005, 15, 2, 2_018, 0),
    ]
    assert world.money("ann") == money + 2_018 + 3_028 + 2_018
    # In all: 7,070 - 7,015 - 6, and 2 + 3 (1.5015, 2.006) for opening.
    assert world.money("ann") == MONEY + 55 - 6 - 5
    assert world.positions("ann") == []
    assert world.perp.open_interest == 7  # cat's


def test_a_full_close_states_the_whole_life() -> None:
    """Interface 2.6: sums of all openings and closings, in lots and atoms."""
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 3, 1_001)
    world.trade("ann", "ben", 4, 1_003)
    opened, position_id = world.time, world.position("ann").position_id
    world.wait(5)
    world.long("cat", 5, 1_010)
    world.long("cat", 2, 990)
    events = world.close_long("ann", 7, 990)
    (closed,) = of(events, PositionClosed)
    # 5,050 (fee 2.525 -> 3) and 1,980 (0.99 -> 1) less 7,015; fees of opening 2 and 3.
    assert closed == PositionClosed(
        position_id, world.uids["ann"], SYMBOL, LONG, MarginMode.CROSSED, 0, 20, 7, 7_015, 5, 7,
        7_030, 4, 0, 0, 15, opened,
    )  # fmt: skip
    trades = of(events, ContractTrade)
    # 7,015 x 5 / 7 = 5,010.7 -> 5,010; the rest is 2,005.
    assert [(trade.taker.open_value, trade.taker.realized) for trade in trades] == [
        (5_010, 40),
        (2_005, -25),
    ]


def test_a_short_earns_when_the_price_falls() -> None:
    """Sold 10 at 1,000, bought back at 940: + 600 - 2 - 5 (4.7)."""
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 10, 1_000)
    world.post(940)
    world.short("cat", 10, 940)
    (trade,) = of(world.close_short("ben", 10, 940), ContractTrade)
    assert (trade.taker.realized, trade.taker.fee, trade.taker.amount) == (600, 5, -9_405)
    assert world.money("ben") == MONEY + 600 - 7
    assert world.positions("ben", SHORT) == []


def test_both_sides_stand_beside_each_other() -> None:
    """Rule 5.1: to turn from long to short takes two orders; opening the other closes nothing."""
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 5, 1_000)
    world.trade("cat", "ann", 8, 1_000)  # opens a short beside the long
    assert size(world.position("ann", LONG)) == (5, 5_000)
    assert size(world.position("ann", SHORT)) == (8, 8_000)
    world.long("cat", 5, 1_000)
    (closed,) = of(world.close_long("ann", 5, 1_000), PositionClosed)
    assert closed.side == LONG
    assert size(world.position("ann", SHORT)) == (8, 8_000)
    # Fees: 2.5 -> 3 taker, 1.6 -> 2 maker, 2.5 -> 3 taker.
    assert world.money("ann") == MONEY + 8_000 - 8


def test_a_closing_order_is_no_larger_than_what_is_left_to_close() -> None:
    world = ContractWorld("ann", "ben")
    assert refusal(world.close_long("ann", 1, 1_000)) == Reject.NOTHING_TO_CLOSE
    world.trade("ann", "ben", 5, 1_000)
    assert refusal(world.close_long("ann", 6, 1_000)) == Reject.NOTHING_TO_CLOSE
    world.close_long("ann", 3, 1_050)
    assert refusal(world.close_long("ann", 3, 1_060)) == Reject.NOTHING_TO_CLOSE
    assert len(of(world.close_long("ann", 2, 1_060), ContractOrderPlaced)) == 1


def test_closing_at_market_cancels_closing_orders_in_its_way() -> None:
    """Rule 5.1: 4 + 6 lots wait to close 10; the newest goes first. The book takes 7 of 10."""
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 10, 1_000)
    uid, position = world.uids["ann"], world.position("ann")
    world.close_long("ann", 4, 1_050)
    older = world.next_order() - 1
    world.close_long("ann", 6, 1_060)
    newer = world.next_order() - 1
    world.long("cat", 7, 990)
    market = world.next_order()
    events = world.ok(commands.ClosePositions(uid, SYMBOL, position.position_id))
    assert [(event.order_id, event.resting) for event in of(events, ContractOrderClosed)] == [
        (newer, 6),
        (older, 4),
        (market, 0),
    ]
    assert events[-1] == ClosedAtMarket(position.position_id, market, 0)
    assert (position.quantity, position.closing) == (3, 0)


# -- fees ------------------------------------------------------------------------------------------


def test_an_owner_has_a_fee_tier_of_its_own() -> None:
    """Rule 9.1: 0 and 0.4 % of 10,000: ann pays 40, ben nothing, the fee account earns 40."""
    world = ContractWorld("ann", "ben")
    for name in ("ann", "ben"):
        world.ok(commands.SetFees(world.uids[name], 0, 4_000, product=1))
    world.trade("ann", "ben", 10, 1_000)
    assert world.money("ann") == MONEY - 10_040
    assert world.money("ben") == MONEY + 10_000
    assert world.fees() == 40


def test_without_fees_there_is_no_fee_item() -> None:
    world = ContractWorld("ann", "ben")
    for name in ("ann", "ben"):
        world.ok(commands.SetFees(world.uids[name], 0, 0, product=1))
    world.short("ben", 10, 1_000)
    assert of(world.long("ann", 10, 1_000), Income) == []


# -- one owner on both sides -----------------------------------------------------------------------


def test_a_trade_of_one_owner_with_itself() -> None:
    """Rule 3.7, NONE: long and short 10 at 1,000, 7 of fees; the taker's item stands first."""
    world = ContractWorld("ann")
    ann = world.uids["ann"]
    world.short("ann", 10, 1_000)
    events = world.long("ann", 10, 1_000)
    long_id, short_id = (world.position("ann", side).position_id for side in (LONG, SHORT))
    assert items(events) == [
        (ann, long_id, "trade", -10_005, MONEY - 10_005),
        (ann, short_id, "trade", 9_998, MONEY - 7),
        (FEES, 0, FEE, 7, 7),
    ]
    assert world.perp.open_interest == 10
    # Both are closed by one more trade with itself.
    world.close_long("ann", 10, 1_000)
    events = world.close_short("ann", 10, 1_000)
    assert [event.side for event in of(events, PositionClosed)] == [SHORT, LONG]
    assert world.money("ann") == MONEY - 14
    assert world.perp.open_interest == 0


def test_self_trade_prevention_keeps_positions_as_they_are() -> None:
    world = ContractWorld()
    world.owner("ann", MONEY, int(SelfTrade.EXPIRE_TAKER))
    world.short("ann", 10, 1_000)
    events = world.long("ann", 10, 1_000)
    assert of(events, ContractTrade) == []
    assert world.money("ann") == MONEY
    assert world.perp.open_interest == 0


# -- isolated --------------------------------------------------------------------------------------


def test_opening_isolated_moves_initial_margin_and_fee_in() -> None:
    """Rule 5.5: 10 at 1,000 at leverage 20 need 500 and a fee of 5."""
    world = ContractWorld("ann", "ben")
    world.isolate("ann")
    world.short("ben", 10, 1_000)
    ann, ben = world.uids["ann"], world.uids["ben"]
    events = world.long("ann", 10, 1_000)
    position_id = world.position("ann").position_id
    assert items(events) == [
        (ann, 0, MOVE_OUT, -505, MONEY - 505),
        (ann, position_id, MOVE_IN, 505, 505),
        (ann, position_id, "trade", -10_005, -9_500),
        (ben, world.position("ben", SHORT).position_id, "trade", 9_998, MONEY + 9_998),
        (FEES, 0, FEE, 7, 7),
    ]
    assert wallet(world.position("ann").pool) == 500


def test_an_isolated_maker_gets_in_what_its_order_held() -> None:
    """Rests at 1,020 above the mark of 1,000: 10,200 / 20 = 510, 200 of loss, fee 5.1 -> 6.

    Filled in two parts: 4 lots move 204 + 80 + 3 = 287 (716 x 0.4 = 286.4 -> 287), pay 4,080 + 1.
    """
    world = ContractWorld("ann", "ben")
    world.isolate("ann")
    ann = world.uids["ann"]
    world.long("ann", 10, 1_020)
    assert world.cross("ann").cash.held == 716
    events = world.short("ben", 4, 1_020)
    position = world.position("ann")
    assert items(events)[:2] == [
        (ann, 0, MOVE_OUT, -287, MONEY - 287),
        (ann, position.position_id, MOVE_IN, 287, 287),
    ]
    assert position.pool.cash.collateral == 287 - 4_081
    assert world.cross("ann").cash.held == 430  # 716 x 0.6 = 429.6 -> 430
    assert available(world.holding("ann"), 0) == MONEY - 287 - 430


def test_closing_a_part_of_an_isolated_position() -> None:
    """Rule 5.5: of 500 3 / 10 are 150, with a profit of 90 less a fee of 1.545 -> 2: 238 go out.

    Left: 500 - 238 + 88 = 350 = the initial margin of 7 lots at 1,000.
    """
    world = isolated_world("cat")
    ann = world.uids["ann"]
    position = world.position("ann")
    world.long("cat", 10, 1_030)
    events = world.close_long("ann", 3, 1_030)
    cross = MONEY - 505
    # 3,090 less 2; 3 lots take out 3,000 of the open value.
    assert items(events) == [
        (ann, position.position_id, "trade", 3_088, -6_412),
        (world.uids["cat"], world.position("cat").position_id, "trade", -3_091, MONEY - 3_091),
        (FEES, 0, FEE, 3, 10),
        (ann, position.position_id, MOVE_OUT, -238, -6_650),
        (ann, 0, MOVE_IN, 238, cross + 238),
    ]
    assert wallet(position.pool) == 350
    events = world.close_long("ann", 7, 1_030)
    # 7,210 less 3.605 -> 4: 556 are left, and all go.
    assert items(events)[-2:] == [
        (ann, position.position_id, MOVE_OUT, -556, 0),
        (ann, 0, MOVE_IN, 556, cross + 238 + 556),
    ]
    assert world.account("ann").isolated == {}
    # 300 of profit, fees 5 + 2 + 4.
    assert world.money("ann") == MONEY + 300 - 11


def test_closing_a_part_takes_its_share_of_added_margin() -> None:
    """With 300 added: 3 / 10 of 800, 90 of profit, less 2: 328 go out, 560 stay, 350 are needed."""
    world = isolated_world("cat")
    ann, position = world.uids["ann"], world.position("ann")
    world.ok(commands.MoveMargin(ann, position.position_id, 300))
    world.long("cat", 3, 1_030)
    events = world.close_long("ann", 3, 1_030)
    assert items(events)[-1] == (ann, 0, MOVE_IN, 328, MONEY - 805 + 328)
    assert wallet(position.pool) == 560


@pytest.mark.parametrize(("mark", "moved"), [(1_100, 505), (950, 1_005)])
def test_an_isolated_fill_moves_what_it_needs_when_the_mark_has_overtaken_it(
    mark: int, moved: int
) -> None:
    """10 at 1,000 held 505 at mark 1,000. At 1,100, a gain, that must do; at 950 the position has
    lost 500 at once and gets all of its 1,005: otherwise the loss would be the insurance fund's."""
    world = ContractWorld("ann", "ben")
    world.isolate("ann")
    world.long("ann", 10, 1_000)
    world.post(mark)
    events = world.short("ben", 10, 1_000)
    assert items(events)[0] == (world.uids["ann"], 0, MOVE_OUT, -moved, MONEY - moved)


def test_closing_a_part_leaves_the_rest_its_initial_margin() -> None:
    """At a loss of 40 a lot: 5 of 10 would move 250 - 200 - 3 (2.4) = 47 out, leaving 250.

    At mark 1,010 the rest needs 5,050 / 20 = 252.5 -> 253, so only 44 go.
    """
    world = isolated_world("cat")
    ann, position = world.uids["ann"], world.position("ann")
    world.long("cat", 5, 960)
    world.post(1_010)
    events = world.close_long("ann", 5, 960)
    assert items(events)[-2:] == [
        (ann, position.position_id, MOVE_OUT, -44, -4_747),
        (ann, 0, MOVE_IN, 44, MONEY - 505 + 44),
    ]
    assert wallet(position.pool) == 253


def test_closing_a_part_at_a_great_loss_moves_nothing() -> None:
    """250 - 5 x 51 - 3 (2.3725) < 0: the money that the loss left stays with the position."""
    world = isolated_world("cat")
    position = world.position("ann")
    world.long("cat", 5, 949)
    events = world.close_long("ann", 5, 949)
    assert [entry[2] for entry in items(events)] == ["trade", "trade", FEE]
    assert wallet(position.pool) == 500 - 255 - 3


def test_margin_is_added_and_taken_out_by_hand() -> None:
    """Rule 5.5: money above the initial margin can be taken out, less an unrealized loss."""
    world = isolated_world()
    ann, position = world.uids["ann"], world.position("ann")
    number = position.position_id
    events = world.ok(commands.MoveMargin(ann, number, 300))
    assert items(events) == [
        (ann, 0, MOVE_OUT, -300, MONEY - 805),
        (ann, number, MOVE_IN, 300, -9_200),
    ]
    assert refusal(world.apply(commands.MoveMargin(ann, number, -301))) == Reject.FUNDS
    world.post(990)  # a loss of 100, and an initial margin of 495
    assert refusal(world.apply(commands.MoveMargin(ann, number, -206))) == Reject.FUNDS
    world.post(1_100)  # a profit of 1,000 that does not count, and an initial margin of 550
    assert refusal(world.apply(commands.MoveMargin(ann, number, -251))) == Reject.FUNDS
    events = world.ok(commands.MoveMargin(ann, number, -250))
    assert items(events) == [
        (ann, number, MOVE_OUT, -250, -9_450),
        (ann, 0, MOVE_IN, 250, MONEY - 555),
    ]


def test_a_lower_leverage_moves_the_missing_margin_in() -> None:
    """Rule 5.7: leverage 10 needs 1,000, 500 are there; the pool gets 500."""
    world = isolated_world()
    ann, position = world.uids["ann"], world.position("ann")
    events = world.ok(commands.SetLeverage(ann, SYMBOL, long=10))
    assert events[0] == LeverageSet(ann, SYMBOL, MarginMode.ISOLATED, 0, 20, 10, 20)
    assert items(events) == [
        (ann, 0, MOVE_OUT, -500, MONEY - 1_005),
        (ann, position.position_id, MOVE_IN, 500, -9_000),
    ]
    assert position.leverage == 10


def test_margin_that_is_there_already_counts_towards_a_lower_leverage() -> None:
    """300 were added: leverage 10 needs 500 more, so 200 come in."""
    world = isolated_world()
    ann, position = world.uids["ann"], world.position("ann")
    world.ok(commands.MoveMargin(ann, position.position_id, 300))
    events = world.ok(commands.SetLeverage(ann, SYMBOL, long=10))
    assert items(events)[-1] == (ann, position.position_id, MOVE_IN, 200, -9_000)


# -- what is available -----------------------------------------------------------------------------


def test_available_counts_losses_margins_and_orders_but_no_profit() -> None:
    """Rule 5.6: wallet + min(0, profit) - initial margin at mark - margins of open orders."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, 1_000)
    assert available(world.holding("ann"), 0) == MONEY - 5 - 500
    world.post(1_100)
    assert available(world.holding("ann"), 0) == MONEY - 5 - 550
    world.post(950)
    assert available(world.holding("ann"), 0) == MONEY - 5 - 500 - 475
    world.long("ann", 10, 900)  # at mark, the worse: 9,500 / 20 = 475; fee 4.5 -> 5
    assert available(world.holding("ann"), 0) == MONEY - 5 - 500 - 475 - 480
    order = world.next_order() - 1
    (closed,) = world.ok(commands.CancelContractOrder(world.uids["ann"], order))
    assert isinstance(closed, ContractOrderClosed)
    assert closed.status == CANCELED
    assert available(world.holding("ann"), 0) == MONEY - 5 - 500 - 475


def test_an_order_needs_what_is_available_to_the_atom() -> None:
    """10 at 1,000 need 505: 504 are refused, 505 are enough."""
    world = ContractWorld("ben")
    world.owner("ann", 504)
    world.short("ben", 10, 1_000)
    assert refusal(world.long("ann", 10, 1_000, IOC)) == Reject.FUNDS
    world.deposit("ann", 1)
    assert len(of(world.long("ann", 10, 1_000, IOC), ContractTrade)) == 1
    assert available(world.holding("ann"), 0) == 0
