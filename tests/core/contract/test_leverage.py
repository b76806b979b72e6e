"""Leverage, margin modes, margin of isolated positions, fee tiers (rules 5.5 to 5.7, 9.1)."""

import pytest

from support.order_desk import (
    BUY,
    IOC,
    LONG,
    NOBODY,
    OTHER,
    PLENTY,
    PRICE,
    SELL,
    SHORT,
    STOP_MARKET,
    SYMBOL,
    Desk,
    of,
    refusal,
    the,
)
from venue.core.contract.collateral import available
from venue.core.contract.position import wallet
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    AutoMarginSet,
    ContractTrade,
    Income,
    LeverageSet,
    PositionClosed,
)
from venue.core.messages.events import Event, FeesSet, Rejected
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import IncomeType, Product, Reject

pytestmark = pytest.mark.core

CROSSED, ISOLATED = 0, 1
COMBINED, SEPARATED = 0, 1
MARGIN, FEE = 500_000, 6_000  # of 100 lots at 1000 with leverage 20, as a taker


def free(desk: Desk, name: str = "ann") -> int:
    return available(desk.engine.holding(desk.uids[name]), 0)


def moved(said: list[Event]) -> list[tuple[int, str, int]]:
    """Pool, kind and amount of every margin move."""
    kinds = (IncomeType.MARGIN_MOVE_IN, IncomeType.MARGIN_MOVE_OUT)
    return [(e.position_id, e.kind, e.amount) for e in of(said, Income) if e.kind in kinds]


def opened(mode: int, spare: int = 0) -> Desk:
    """ann is long 100 at 1000 with leverage 20, and has `spare` beside its margin."""
    desk = Desk("ben")
    desk.owner("ann", money=MARGIN + FEE)
    desk.modes("ann", mode)
    desk.pair("ann", "ben", 100)
    assert free(desk) == 0
    if spare:
        desk.deposit("ann", spare)
    return desk


# -- leverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [CROSSED, ISOLATED])
def test_any_one_of_the_three_may_come_alone_in_either_mode(mode: int) -> None:
    """Rule 5.7."""
    desk = Desk("ann")
    ann = desk.uids["ann"]
    desk.modes("ann", mode)
    expected = LeverageSet(ann, SYMBOL, mode, COMBINED, 20, 20, 20)
    assert desk.chosen("ann") == expected
    assert desk.leverage("ann", cross=50) == [LeverageSet(ann, SYMBOL, mode, COMBINED, 50, 20, 20)]
    assert desk.leverage("ann", long=1) == [LeverageSet(ann, SYMBOL, mode, COMBINED, 50, 1, 20)]
    assert desk.leverage("ann", short=7) == [LeverageSet(ann, SYMBOL, mode, COMBINED, 50, 1, 7)]
    assert desk.leverage("ann", 3, 4, 5) == [LeverageSet(ann, SYMBOL, mode, COMBINED, 3, 4, 5)]
    assert desk.holding("ann").modes_in(desk.perp(OTHER)).cross == 20


@pytest.mark.parametrize(
    ("cross", "long", "short"),
    [(51, 0, 0), (0, 51, 0), (0, 0, 51), (10, 51, 10), (10, 10, -1), (-1, 10, 10)],
)
def test_all_are_applied_or_none(cross: int, long: int, short: int) -> None:
    """Rule 5.7; the state hash stays, as for every refusal."""
    desk = Desk("ann")
    assert desk.leverage("ann", cross, long, short) == [Rejected(Reject.LEVERAGE, 50)]
    assert desk.chosen("ann").cross == 20


def test_the_margin_mode_may_come_along() -> None:
    desk = Desk("ann", "ben")
    ann = desk.uids["ann"]
    assert desk.leverage("ann", long=5, margin_mode=ISOLATED) == [
        LeverageSet(ann, SYMBOL, ISOLATED, COMBINED, 20, 5, 20)
    ]
    desk.pair("ann", "ben", 10)
    assert refusal(desk.leverage("ann", long=6, margin_mode=CROSSED)) == Reject.MODE_IN_USE
    assert the(desk.leverage("ann", long=6, margin_mode=ISOLATED), LeverageSet).long == 6


def test_unknown_owners_and_symbols() -> None:
    desk = Desk("ann")
    ann = desk.uids["ann"]
    for make in (
        lambda uid, symbol: commands.SetLeverage(uid, symbol, 5),
        lambda uid, symbol: commands.SetMarginMode(uid, symbol, ISOLATED),
    ):
        assert refusal(desk.apply(make(NOBODY, "nothing"))) == Reject.OWNER_UNKNOWN
        assert refusal(desk.apply(make(ann, "nothing"))) == Reject.SYMBOL_UNKNOWN


def test_the_tier_of_what_is_held_bounds_the_leverage() -> None:
    """Rule 5.7: 2,001 lots at 1000 are in the second tier."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 2_000)
    desk.leverage("ann", 50)
    desk.leverage("ann", 25)
    desk.pair("ann", "ben", 2)
    assert desk.leverage("ann", 26) == [Rejected(Reject.LEVERAGE, 25)]
    assert the(desk.leverage("ann", long=50, short=50), LeverageSet).cross == 25
    desk.post(999)
    desk.leverage("ann", 50)


def test_each_isolated_side_is_bounded_by_its_own_tier() -> None:
    desk = Desk("ann", "ben")
    desk.modes("ann", ISOLATED)
    desk.pair("ann", "ben", 2_002)
    assert desk.leverage("ann", long=26) == [Rejected(Reject.LEVERAGE, 25)]
    assert the(desk.leverage("ann", cross=50, short=50), LeverageSet).short == 50


def test_less_leverage_must_be_affordable_in_cross_mode() -> None:
    """Rule 5.7: to the atom."""
    desk = opened(CROSSED, MARGIN - 1)
    assert desk.leverage("ann", 10) == [Rejected(Reject.FUNDS, MARGIN)]
    desk.deposit("ann", 1)
    assert len(desk.leverage("ann", 10)) == 1
    assert desk.position("ann").leverage == 10
    assert free(desk) == 0


def test_more_leverage_sets_margin_free() -> None:
    desk = opened(CROSSED)
    desk.leverage("ann", 50)
    assert free(desk) == 300_000


def test_more_leverage_is_possible_with_less_than_nothing_available() -> None:
    desk = opened(CROSSED)
    desk.post(990)
    assert free(desk) < 0
    desk.leverage("ann", 21)
    assert desk.position("ann").leverage == 21


def test_open_orders_need_their_new_margin_too() -> None:
    desk = Desk()
    desk.owner("ann", money=MARGIN + 5_400)
    desk.bids("ann", 100, 900)
    assert desk.leverage("ann", 10) == [Rejected(Reject.FUNDS, MARGIN)]
    desk.deposit("ann", MARGIN)
    desk.leverage("ann", 10)
    assert desk.held("ann") == 2 * MARGIN + 5_400
    assert free(desk) == 0
    desk.leverage("ann", 20)
    assert desk.held("ann") == MARGIN + 5_400


def test_margin_of_a_part_filled_order_falls_in_proportion_after_a_change() -> None:
    desk = Desk("ann", "ben")
    desk.bids("ann", 100, 1_000)
    desk.place("ben", SELL, SHORT, 40, 1_000)
    desk.leverage("ann", 10)
    assert desk.held("ann") == 600_000 + 3_600
    desk.place("ben", SELL, SHORT, 30, 1_000)
    assert desk.held("ann") == 300_000 + 1_800
    desk.place("ben", SELL, SHORT, 30, 1_000)
    assert desk.held("ann") == 0


def test_less_leverage_moves_margin_into_an_isolated_position() -> None:
    """Rule 5.5; only the side that is changed."""
    desk = opened(ISOLATED, MARGIN - 1)
    position = desk.position("ann")
    assert wallet(position.pool) == MARGIN
    assert moved(desk.leverage("ann", short=10, cross=10)) == []
    assert desk.leverage("ann", long=10) == [Rejected(Reject.FUNDS, MARGIN)]
    desk.deposit("ann", 1)
    said = desk.leverage("ann", long=10)
    assert moved(said) == [
        (0, IncomeType.MARGIN_MOVE_OUT, -MARGIN),
        (position.position_id, IncomeType.MARGIN_MOVE_IN, MARGIN),
    ]
    assert (position.leverage, wallet(position.pool), free(desk)) == (10, 2 * MARGIN, 0)


def test_what_an_isolated_position_has_beyond_its_margin_counts() -> None:
    desk = opened(ISOLATED, MARGIN)
    position_id = desk.position("ann").position_id
    desk.ok(commands.MoveMargin(desk.uids["ann"], position_id, MARGIN))
    assert moved(desk.leverage("ann", long=10)) == []
    desk.leverage("ann", long=20)
    assert wallet(desk.position("ann").pool) == 2 * MARGIN


def test_isolated_orders_and_positions_together_must_be_affordable() -> None:
    desk = opened(ISOLATED, MARGIN + FEE)
    desk.bids("ann", 100, 1_000)
    assert free(desk) == 0
    assert desk.leverage("ann", long=10) == [Rejected(Reject.FUNDS, 2 * MARGIN)]
    desk.deposit("ann", 2 * MARGIN - 1)
    assert desk.leverage("ann", long=10) == [Rejected(Reject.FUNDS, 2 * MARGIN)]
    desk.deposit("ann", 1)
    desk.leverage("ann", long=10)
    assert free(desk) == 0


# -- modes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("margin", "separated"), [(ISOLATED, -1), (CROSSED, SEPARATED)])
@pytest.mark.parametrize("what", ["order", "algo", "position"])
def test_a_mode_changes_only_with_nothing_in_the_symbol(
    what: str, margin: int, separated: int
) -> None:
    """Rule 5.7."""
    desk = Desk("ann", "ben")
    ann = desk.uids["ann"]
    if what == "order":
        desk.bids("ann", 10, 900)
    elif what == "algo":
        desk.algo("ann", BUY, LONG, STOP_MARKET, 10, 1_050)
    else:
        desk.pair("ann", "ben", 10)
        desk.bids("ben", 10, 990)
    assert desk.modes("ann", margin, separated) == [Rejected(Reject.MODE_IN_USE)]
    elsewhere = desk.ok(commands.SetMarginMode(ann, OTHER, margin, separated))
    assert the(elsewhere, LeverageSet).margin_mode == margin
    same = desk.modes("ann", CROSSED, COMBINED)
    assert same == [LeverageSet(ann, SYMBOL, CROSSED, COMBINED, 20, 20, 20)]
    desk.ok(commands.CancelContractOrders(ann))
    desk.ok(commands.CancelAlgos(ann))
    desk.close("ann")
    said = the(desk.modes("ann", margin, separated), LeverageSet)
    assert (said.margin_mode, said.separated_mode) == (margin, max(0, separated))


def test_no_mode_that_is_none() -> None:
    desk = Desk("ann")
    for margin, separated in ((2, 0), (0, 2)):
        command = commands.SetMarginMode(
            desk.uids["ann"], SYMBOL, margin, separated, b"", desk.time
        )
        with pytest.raises((AssertionError, ValueError)):
            desk.engine.apply(command)


def test_an_isolated_position_has_its_own_pool_and_gives_it_back() -> None:
    """Rule 5.5: margin and fee in, in proportion out, at the end all of it."""
    desk = opened(ISOLATED)
    position_id = desk.position("ann").position_id
    pool = desk.holding("ann").isolated[position_id]
    assert pool.cash.collateral == MARGIN - 100 * PRICE * 100
    desk.bids("ben", 100, PRICE)
    said = desk.place("ann", SELL, LONG, 40, PRICE, IOC)
    # 40 % of the wallet less the fee: 2,400.
    assert moved(said) == [
        (position_id, IncomeType.MARGIN_MOVE_OUT, -197_600),
        (0, IncomeType.MARGIN_MOVE_IN, 197_600),
    ]
    assert wallet(pool) == 300_000
    said = desk.place("ann", SELL, LONG, 60, PRICE, IOC)
    assert the(said, PositionClosed).margin_mode == ISOLATED
    assert desk.engine.account(desk.uids["ann"]).isolated == {}
    assert free(desk) == MARGIN - 6_000


# -- margin of isolated positions ------------------------------------------------------------------


def shift(desk: Desk, amount: int, name: str = "ann") -> list[Event]:
    position_id = desk.position("ann").position_id
    return desk.apply(commands.MoveMargin(desk.uids[name], position_id, amount))


def test_margin_goes_in_as_far_as_it_is_available() -> None:
    desk = opened(ISOLATED, 1_000)
    position_id = desk.position("ann").position_id
    assert shift(desk, 1_001) == [Rejected(Reject.FUNDS, 1_000)]
    assert moved(shift(desk, 1_000)) == [
        (0, IncomeType.MARGIN_MOVE_OUT, -1_000),
        (position_id, IncomeType.MARGIN_MOVE_IN, 1_000),
    ]
    assert shift(desk, 1) == [Rejected(Reject.FUNDS, 0)]


def test_margin_comes_out_down_to_the_initial_margin_less_the_loss() -> None:
    desk = opened(ISOLATED, 20_000)
    shift(desk, 20_000)
    desk.post(999)  # a loss of 10,000; the initial margin falls by 500
    assert shift(desk, -10_501) == [Rejected(Reject.FUNDS, 10_500)]
    assert [amount for _, _, amount in moved(shift(desk, -10_500))] == [-10_500, 10_500]
    assert shift(desk, -1) == [Rejected(Reject.FUNDS, 0)]
    desk.post(1_100)  # an unrealized profit is no margin to take out
    assert shift(desk, -1) == [Rejected(Reject.FUNDS, 0)]


@pytest.mark.parametrize("amount", [0, AMOUNT_MAX + 1, -AMOUNT_MAX - 1])
def test_amounts_have_bounds(amount: int) -> None:
    assert shift(opened(ISOLATED), amount) == [Rejected(Reject.AMOUNT, AMOUNT_MAX)]


def test_the_faults_of_margin_and_of_its_automatic_top_up() -> None:
    desk = opened(CROSSED, 1_000)
    own = desk.position("ann").position_id
    ann, ben = desk.uids["ann"], desk.uids["ben"]
    desk.owner("cid")
    for uid, position_id, reason in (
        (NOBODY, own, Reject.OWNER_UNKNOWN),
        (ben, own, Reject.POSITION_UNKNOWN),
        (desk.uids["cid"], own, Reject.POSITION_UNKNOWN),
        (ann, 5, Reject.POSITION_UNKNOWN),
        (ann, own, Reject.NOT_ISOLATED),
    ):
        assert refusal(desk.apply(commands.MoveMargin(uid, position_id, 1))) == reason
        assert refusal(desk.apply(commands.SetAutoMargin(uid, position_id, True))) == reason


def test_automatic_top_up_is_switched_per_position() -> None:
    desk = opened(ISOLATED)
    ann, position = desk.uids["ann"], desk.position("ann")
    for on in (True, True, False):
        said = desk.ok(commands.SetAutoMargin(ann, position.position_id, on))
        assert said == [AutoMarginSet(ann, position.position_id, on)]
        assert position.auto_margin == on


# -- fee tiers -------------------------------------------------------------------------------------


def fees(desk: Desk) -> tuple[int, int]:
    """Maker's and taker's fee of a trade of 10 lots at 1000."""
    desk.asks("ben", 10, PRICE)
    trade = the(desk.place("ann", BUY, LONG, 10, PRICE), ContractTrade)
    return trade.maker.fee, trade.taker.fee


def test_an_owners_contract_fees_are_its_own() -> None:
    """Rule 9.1: per product."""
    desk = Desk("ann", "ben")
    ann, ben = desk.uids["ann"], desk.uids["ben"]
    contract = int(Product.CONTRACT)
    assert fees(desk) == (200, 600)
    desk.ok(commands.SetFees(ann, 0, 10))
    assert fees(desk) == (200, 600)
    assert desk.ok(commands.SetFees(ann, 0, 100, product=contract)) == [
        FeesSet(ann, 0, 100, contract)
    ]
    desk.ok(commands.SetFees(ben, 0, 9, product=contract))
    assert fees(desk) == (0, 100)
    assert (desk.engine.account(ann).taker_ppm, desk.engine.account(ben).taker_ppm) == (10, -1)
    for uid in (ann, ben):
        desk.ok(commands.SetFees(uid, -1, -1, product=contract))
    assert fees(desk) == (200, 600)


@pytest.mark.parametrize(("maker", "taker"), [(-1, 0), (0, -1), (PPM, 0), (0, PPM), (-2, -2)])
def test_fee_rates_have_bounds(maker: int, taker: int) -> None:
    desk = Desk("ann")
    command = commands.SetFees(desk.uids["ann"], maker, taker, product=1)
    assert desk.apply(command) == [Rejected(Reject.FEE_RATE, PPM - 1)]


def test_the_fee_account_earns_what_is_paid() -> None:
    desk = Desk("ann", "ben")
    fees(desk)
    assert desk.engine.account(1).contract[0].collateral == 800
    sums = sum(desk.engine.account(desk.uids[name]).contract[0].collateral for name in desk.uids)
    assert sums == 2 * PLENTY - 800
