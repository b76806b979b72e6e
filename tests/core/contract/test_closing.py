"""Opening and closing contract positions: hedge and separated mode, trims, no debts (rule 5)."""

import pytest

from support.order_desk import (
    BUY,
    FOK,
    GTC,
    IOC,
    LONG,
    MARKET,
    OTHER,
    PLENTY,
    SELL,
    SHORT,
    STOP_MARKET,
    SYMBOL,
    Desk,
    of,
    refusal,
    the,
)
from venue.core.contract.collateral import FUND_UID
from venue.core.messages.commands import Deposit, Tick
from venue.core.messages.contract_events import (
    AlgoClosed,
    ClosedAtMarket,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Deleveraged,
    PositionClosed,
)
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import (
    AlgoStatus,
    Cause,
    OrderStatus,
    Reject,
    Wallet,
)

pytestmark = pytest.mark.core

CANCELED, EXPIRED = OrderStatus.CANCELED, OrderStatus.EXPIRED
CROSSED, ISOLATED, SEPARATED = 0, 1, 1


# -- hedge mode ------------------------------------------------------------------------------------


def test_long_and_short_are_opened_and_closed_apart() -> None:
    """Rules 5.1, 5.2: four kinds of trades, and a full close leaves nothing."""
    desk = Desk("ann", "ben")
    money = desk.engine.account(desk.uids["ann"]).contract[0]
    desk.pair("ann", "ben", 10, 1_000)
    desk.pair("ben", "ann", 6, 1_000)
    assert (desk.position("ann", LONG).quantity, desk.position("ann", SHORT).quantity) == (10, 6)
    assert desk.perp().open_interest == 16
    desk.bids("ben", 10, 1_020)
    said = desk.place("ann", SELL, LONG, 4, 1_020)
    leg = the(said, ContractTrade).taker
    assert (leg.opens, leg.open_value, leg.realized) == (False, 400_000, 8_000)
    assert (leg.fee, leg.amount) == (245, 408_000 - 245)
    assert desk.position("ann", LONG).quantity == 6
    said = desk.place("ann", SELL, LONG, 6, 1_020)
    gone = the(said, PositionClosed)
    assert (gone.open_size, gone.close_size, gone.realized) == (10, 10, 20_000)
    assert desk.positions("ann", LONG) == []
    desk.asks("ben", 6, 1_030)
    said = desk.place("ann", BUY, SHORT, 6, 1_030)
    assert the(said, ContractTrade).taker.realized == -18_000
    assert desk.positions("ann", SHORT) == []
    fees = 600 + 120 + 245 + 368 + 371
    assert money.collateral == PLENTY + 20_000 - 18_000 - fees
    assert desk.engine.ledger.imbalance() == {}


def test_a_closing_maker_and_an_opening_taker_pass_the_position_on() -> None:
    desk = Desk("ann", "ben", "cid")
    desk.pair("ann", "ben", 10)
    desk.rest("ann", SELL, LONG, 10, 1_010)
    said = desk.place("cid", BUY, LONG, 10, 1_010)
    trade = the(said, ContractTrade)
    assert (trade.maker.opens, trade.taker.opens) == (False, True)
    assert trade.maker.realized == 10_000
    assert the(said, PositionClosed).uid == desk.uids["ann"]
    assert desk.perp().open_interest == 10


def test_the_items_of_a_trade_with_oneself_chain() -> None:
    """Rules 2.4, 3.7: NONE."""
    desk = Desk("ann")
    desk.asks("ann", 10, 1_000)
    trade = the(desk.place("ann", BUY, LONG, 10, 1_000), ContractTrade)
    assert trade.taker.balance == PLENTY + trade.taker.amount
    assert trade.maker.balance == trade.taker.balance + trade.maker.amount
    assert (desk.position("ann", LONG).quantity, desk.position("ann", SHORT).quantity) == (10, 10)


def test_closing_both_own_sides_against_each_other_ends_both() -> None:
    desk = Desk("ann")
    desk.asks("ann", 10, 1_000)
    desk.place("ann", BUY, LONG, 10, 1_000)
    desk.rest("ann", SELL, LONG, 10, 1_000)
    said = desk.place("ann", BUY, SHORT, 10, 1_000)
    assert len(of(said, PositionClosed)) == 2
    assert desk.holding("ann").positions == {}
    assert desk.perp().open_interest == 0


# -- separated mode --------------------------------------------------------------------------------


def separated() -> Desk:
    """ann is long 10 at 1000 and 6 at 1010, each a position of its own."""
    desk = Desk("ann", "ben")
    desk.modes("ann", CROSSED, SEPARATED)
    desk.pair("ann", "ben", 10, 1_000)
    desk.pair("ann", "ben", 6, 1_010)
    return desk


def test_each_opening_order_is_its_own_position() -> None:
    """Rule 5.1: SEPARATED."""
    desk = separated()
    first, second = desk.positions("ann")
    assert [(each.quantity, each.value) for each in (first, second)] == [
        (10, 1_000_000),
        (6, 606_000),
    ]
    assert len(desk.positions("ben", SHORT)) == 1
    assert first.open_order_id != second.open_order_id
    desk.bids("ben", 20, 1_000)
    missing = Reject.POSITION_ID_MISSING
    assert refusal(desk.place("ann", SELL, LONG, 2, 1_000)) == missing
    algo = desk.algo_command("ann", SELL, LONG, STOP_MARKET, 2, 900)
    assert refusal(desk.apply(algo)) == missing
    assert desk.place("ann", SELL, LONG, 7, 1_000, position_id=second.position_id) == [
        Rejected(Reject.NOTHING_TO_CLOSE, 6)
    ]
    said = desk.place("ann", SELL, LONG, 6, 1_000, position_id=second.position_id)
    placed = the(said, ContractOrderPlaced)
    assert placed.position_id == second.position_id
    gone = the(said, PositionClosed)
    assert (gone.position_id, gone.separated_mode) == (second.position_id, SEPARATED)
    assert first.quantity == 10


def test_the_later_fills_of_an_order_go_to_its_own_position() -> None:
    desk = Desk("ann", "ben")
    desk.modes("ann", ISOLATED, SEPARATED)
    resting = desk.bids("ann", 10, 1_000)
    desk.place("ben", SELL, SHORT, 4, 1_000)
    desk.place("ben", SELL, SHORT, 4, 1_000)
    (position,) = desk.positions("ann")
    assert (position.quantity, position.open_order_id) == (8, resting)
    assert position.pool.position_id == position.position_id


def test_closed_meanwhile_the_rest_of_the_order_makes_a_new_position() -> None:
    desk = Desk("ann", "ben")
    desk.modes("ann", CROSSED, SEPARATED)
    desk.bids("ann", 10, 1_000)
    desk.place("ben", SELL, SHORT, 4, 1_000)
    (first,) = desk.positions("ann")
    desk.bids("ben", 4, 1_001)
    said = desk.close("ann")
    assert the(said, PositionClosed).position_id == first.position_id
    desk.place("ben", SELL, SHORT, 6, 1_000)
    (second,) = desk.positions("ann")
    assert second.quantity == 6
    assert second.position_id != first.position_id


def test_all_separated_positions_can_be_closed_at_once() -> None:
    desk = separated()
    positions = [each.position_id for each in desk.positions("ann")]
    desk.bids("ben", 16, 1_000)
    said = desk.close("ann", SYMBOL)
    assert [(each.position_id, each.reason) for each in of(said, ClosedAtMarket)] == [
        (each, 0) for each in positions
    ]
    assert desk.positions("ann") == []


# -- closing positions, and clearing their way -----------------------------------------------------


def test_closing_a_position_cancels_what_would_close_it_otherwise() -> None:
    """Rule 5.1: closing orders newest first, then a sweep; the stop ends with the position."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    older = desk.rest("ann", SELL, LONG, 4, 1_050)
    newer = desk.rest("ann", SELL, LONG, 6, 1_060)
    opening = desk.bids("ann", 3, 900)
    stop = desk.algo("ann", SELL, LONG, STOP_MARKET, 0, 900)
    desk.bids("ben", 10, 990)
    said = desk.close("ann")
    closed = [(each.order_id, each.status) for each in of(said, ContractOrderClosed)]
    assert closed == [(newer, CANCELED), (older, CANCELED)]
    # The conditional order ends with its position.
    assert [(each.algo_id, each.status) for each in of(said, AlgoClosed)] == [
        (stop, AlgoStatus.EXPIRED)
    ]
    placed = the(said, ContractOrderPlaced)
    assert (placed.cause, placed.type, placed.quantity) == (Cause.CLOSE, MARKET, 10)
    assert the(said, ContractTrade).cause == Cause.CLOSE
    done = the(said, ClosedAtMarket)
    assert (done.order_id, done.reason) == (placed.order_id, 0)
    assert list(desk.holding("ann").orders) == [opening]


def test_a_close_that_finds_too_little_leaves_the_rest() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    desk.bids("ben", 4, 990)
    said = desk.close("ann", position_id=desk.position("ann").position_id)
    assert the(said, ContractOrderClosed).status == CANCELED
    assert desk.position("ann").quantity == 6


def test_a_close_takes_at_most_a_market_orders_size() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 1_500)
    desk.bids("ben", 1_500, 990)
    assert the(desk.close("ann"), ContractOrderPlaced).quantity == 1_000
    assert desk.position("ann").quantity == 500
    desk.close("ann")
    assert desk.positions("ann") == []


def test_closing_all_goes_through_symbols_and_sides_and_states_each() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    desk.pair("ben", "ann", 5)
    desk.place("ben", SELL, SHORT, 7, 1_000, symbol=OTHER)
    desk.place("ann", BUY, LONG, 7, 1_000, symbol=OTHER)
    positions = list(desk.holding("ann").positions)
    desk.bids("ben", 10, 990)
    said = desk.close("ann")
    results = [(each.position_id, each.reason) for each in of(said, ClosedAtMarket)]
    assert results == [
        (positions[0], 0),
        (positions[1], Reject.NO_LIQUIDITY),
        (positions[2], Reject.NO_LIQUIDITY),
    ]


def test_a_position_that_its_owners_other_close_has_ended_is_not_closed_again() -> None:
    desk = Desk("ann")
    desk.asks("ann", 10, 1_000)
    desk.place("ann", BUY, LONG, 10, 1_000)
    long, short = list(desk.holding("ann").positions)
    desk.rest("ann", BUY, SHORT, 10, 995)
    said = desk.close("ann")
    # The long is closed against the short's own closing order, which leaves nothing on either side.
    assert [(each.position_id, each.reason) for each in of(said, ClosedAtMarket)] == [
        (long, 0),
        (short, Reject.NOTHING_TO_CLOSE),
    ]
    assert desk.holding("ann").positions == {}


def test_a_frozen_owner_closes_nothing() -> None:
    """Enemy: the owner of a frozen account, whose friend bids far below the mark."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    desk.bids("ben", 10, 990)
    desk.freeze("ann")
    assert refusal(desk.close("ann")) == Reject.ACCOUNT_FROZEN
    desk.freeze("ann", False)
    desk.close("ann")
    assert desk.positions("ann") == []


def deleveraged(*closing: int) -> tuple[Desk, list[int], list[Event]]:
    """ben's long is bankrupt at 900, nobody buys and the fund is empty: ann's short takes 20 over.

    ann is short 30 and has closing orders of these lots, oldest first.
    """
    desk = Desk("ann", "cid")
    desk.owner("ben", money=150_000)
    desk.pair("ben", "ann", 20)
    desk.pair("cid", "ann", 10)
    orders = [desk.rest("ann", BUY, SHORT, lots, 700 + at) for at, lots in enumerate(closing)]
    said = desk.post(900)
    assert the(said, Deleveraged).quantity == 20
    assert desk.position("ann", SHORT).quantity == 10
    return desk, orders, said


def test_a_smaller_position_trims_its_closing_orders_newest_first() -> None:
    """Rule 5.1: of 6 + 8 + 9 lots, 10 are left: the newest goes, the middle one is cut."""
    desk, (first, second, third), said = deleveraged(6, 8, 9)
    ann = desk.uids["ann"]
    assert [each for each in of(said, ContractOrderClosed) if each.uid == ann] == [
        ContractOrderClosed(third, ann, SYMBOL, BUY, 702, CANCELED, 9, Cause.USER)
    ]
    assert of(said, ContractOrderReduced) == [
        ContractOrderReduced(second, ann, SYMBOL, BUY, 701, 4)
    ]
    assert [order.remaining for order in desk.holding("ann").orders.values()] == [6, 4]
    position = desk.position("ann", SHORT)
    assert (position.closing, position.free_lots()) == (10, 0)
    assert {level.price: level.quantity for level in desk.perp().market.book.bids.walk()}[701] == 4
    assert desk.order("ann", second).remaining == 4
    desk.reopened()
    assert list(desk.holding("ann").orders) == [first, second]


def test_what_still_fits_is_not_trimmed() -> None:
    desk, orders, said = deleveraged(6, 4)
    assert of(said, ContractOrderReduced) == []
    assert list(desk.holding("ann").orders) == orders


# -- no debt by trading ----------------------------------------------------------------------------


def poor() -> Desk:
    """ann is long 100 at 1000 with an equity of 2 % of that: gone at a price of about 981."""
    desk = Desk("ben")
    desk.owner("ann", money=206_000)
    desk.leverage("ann", 50)
    desk.pair("ann", "ben", 100)
    assert desk.perp().mark == 1_000
    return desk


@pytest.mark.parametrize("tif", [GTC, IOC, FOK])
def test_a_closing_order_cannot_trade_its_pool_into_debt(tif: int) -> None:
    """It ends instead: below 981 nobody but the insurance fund would pay."""
    desk = poor()
    desk.bids("ben", 100, 980)
    said = desk.place("ann", SELL, LONG, 100, 975, tif)
    assert of(said, ContractTrade) == []
    assert [(each.status, each.resting) for each in of(said, ContractOrderClosed)] == [(EXPIRED, 0)]
    assert desk.position("ann").quantity == 100
    assert desk.holding("ann").orders == {}


@pytest.mark.parametrize("market", [False, True])
def test_it_trades_as_far_as_its_pool_can_pay(market: bool) -> None:
    desk = poor()
    desk.bids("ben", 40, 985)
    desk.bids("ben", 60, 975)
    said = desk.place("ann", SELL, LONG, 100, 0 if market else 960)
    assert [(each.price, each.quantity) for each in of(said, ContractTrade)] == [(985, 40)]
    assert the(said, ContractOrderClosed).status == CANCELED
    assert desk.engine.account(desk.uids["ann"]).contract[0].collateral + 60 * 100_000 > 0


def test_closing_the_position_keeps_to_that_bound_too() -> None:
    desk = poor()
    desk.bids("ben", 100, 975)
    said = desk.close("ann")
    assert of(said, ContractTrade) == []
    assert desk.position("ann").quantity == 100


def test_a_closing_order_above_the_bound_rests() -> None:
    desk = poor()
    desk.bids("ben", 100, 975)
    desk.rest("ann", SELL, LONG, 100, 980)


def test_a_ruined_pool_closes_nothing_by_itself() -> None:
    """Of 21 ruined owners one waits for its liquidation and would close at the mark before it
    comes: the fees would be the fund's loss."""
    desk = Desk("ben")
    owners = [f"ann{number}" for number in range(21)]
    for name in owners:
        desk.owner(name, money=206_000)
        desk.leverage(name, 50)
        desk.pair(name, "ben", 100)
    desk.ok(Deposit(FUND_UID, Wallet.CONTRACT, "USDT", 10**9))
    desk.post(900)
    (last,) = [name for name in owners if desk.positions(name)]
    desk.bids("ben", 100, 900)
    said = desk.place(last, SELL, LONG, 100, 900)
    assert of(said, ContractTrade) == []
    assert the(said, ContractOrderClosed).status == EXPIRED
    desk.ok(Tick())
    assert desk.positions(last) == []
    assert desk.engine.account(desk.uids[last]).contract[0].collateral == 0


def overtaken() -> tuple[Desk, int]:
    """ann's offer to open short at 1000 has been overtaken: at a mark of 1100 it would cost more
    than she has."""
    desk = Desk("ben", "cid")
    desk.owner("ann", money=60_000)
    resting = desk.asks("ann", 10, 1_000)
    desk.post(1_100)
    return desk, resting


def test_a_resting_order_that_would_ruin_its_owner_is_cancelled_instead() -> None:
    desk, resting = overtaken()
    desk.asks("cid", 10, 1_001)
    said = desk.place("ben", BUY, LONG, 10, 1_001)
    ruined = the(said, ContractOrderClosed)
    assert (ruined.order_id, ruined.status, ruined.resting) == (resting, CANCELED, 10)
    assert the(said, ContractTrade).maker.uid == desk.uids["cid"]
    assert desk.positions("ann", SHORT) == []


def test_a_fok_does_not_count_on_an_order_that_would_be_cancelled() -> None:
    """Rule 3.3: in full or not at all."""
    desk, _ = overtaken()
    desk.asks("cid", 10, 1_001)
    said = desk.place("ben", BUY, LONG, 20, 1_001, FOK)
    assert of(said, ContractTrade) == []
    assert [each.status for each in of(said, ContractOrderClosed) if each.price == 1_001] == [
        EXPIRED
    ]
