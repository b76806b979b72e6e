"""Index, mark and premium to the last tick (rules 6.1 to 6.3).

The impact notional is 200 x 50 = 10,000: 10 lots at 1,000.
"""

from __future__ import annotations

import pytest

from support.contract_world import (
    DAY_START,
    HOUR,
    SECOND,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
)
from venue.core import commands
from venue.core.contract_events import FundingDue, MarkSet
from venue.core.units import PRICE_MAX
from venue.terms import Reject

pytestmark = pytest.mark.core

DUE = DAY_START + 16 * HOUR


def at(world: ContractWorld, price: int = 1_000) -> int:
    """The mark one sample (5 s) later, with the index at `price`."""
    world.wait(5)
    world.post(price)
    world.tick()
    return world.perp.mark


# -- index -----------------------------------------------------------------------------------------


def test_the_index_is_the_median_of_its_current_sources() -> None:
    """Rule 6.1: one; two (their middle, rounded down); three; and those that fell silent not."""
    world = ContractWorld()
    assert world.perp.index_price == 1_000
    world.post(1_011, "wire")
    assert world.perp.index_price == 1_005  # 1,005.5
    world.post(1_100, "post")
    assert world.perp.index_price == 1_011
    world.wait(9)
    world.post(990, "desk")
    assert world.perp.index_price == 1_011
    world.wait(1)  # wire and post are ten seconds old
    world.tick()
    assert world.perp.index_price == 990
    world.post(0, "desk")  # the source says that it has no price
    assert not world.perp.current
    assert world.perp.index_price == 990


def test_a_single_source_cannot_pull_the_median_of_three_far() -> None:
    world = ContractWorld()
    world.post(1_000, "wire")
    world.post(1_002, "post")
    assert world.post(5_000, "desk") == [MarkSet(SYMBOL, 1_002, 1_002, True, 0, 0)]
    assert world.post(1, "desk") == [MarkSet(SYMBOL, 1_000, 1_000, True, 0, 0)]


def test_only_named_sources_are_heard() -> None:
    world = ContractWorld()
    assert refusal(world.post(1_000, "stranger")) == Reject.INSTRUMENT_INVALID
    assert refusal(world.post(1_000, "spot")) == Reject.INSTRUMENT_INVALID
    assert refusal(world.post(PRICE_MAX + 1)) == Reject.PRICE
    unknown = commands.PostIndex("BBBQQQ", "desk", 1_000)
    assert refusal(world.apply(unknown)) == Reject.SYMBOL_UNKNOWN


@pytest.mark.parametrize("price", [800, 1_200])
def test_a_move_of_a_fifth_is_believed_at_once(price: int) -> None:
    world = ContractWorld()
    world.post(price)
    assert (world.perp.index_price, world.perp.current) == (price, True)


@pytest.mark.parametrize("price", [799, 1_201])
def test_a_greater_move_must_last_ten_seconds(price: int) -> None:
    """Rule 6.1; a second jump in the meantime starts the doubt anew."""
    world = ContractWorld()
    world.post(price)
    assert (world.perp.index_price, world.perp.current) == (1_000, False)
    world.wait(6)
    world.post(price * 2)
    world.wait(6)
    world.post(price * 2)
    assert not world.perp.current
    world.wait(4)
    world.post(price * 2)
    assert (world.perp.index_price, world.perp.current) == (price * 2, True)


# -- premium ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "asks", "premium"),
    [
        ([], [], 0),
        ([(9, 1_010)], [], 0),  # 9,090: too thin to count
        ([(10, 1_010)], [], 10_000_000),  # 10 above 1,000: 1 %
        # 1 at 1,090; 8,910 / 1,001 = 8 more: 9,098 / 9 = 1,010.9.
        ([(1, 1_090), (10, 1_001)], [], 10_000_000),
        ([(20, 990)], [], 0),  # below the index: no premium
        ([], [(20, 990)], -10_000_000),
        ([], [(20, 1_010)], 0),
        # 4 at 980 cost 3,920; 6,080 / 990 = 6 more: 9,860 / 10 = 986.
        ([], [(4, 980), (30, 990)], -14_000_000),
        ([(20, 1_002)], [(20, 1_005)], 2_000_000),
        ([(20, 995)], [(20, 997)], -3_000_000),
        ([(20, 1_003)], [(1, 1_004)], 3_000_000),  # one side is enough
    ],
)
def test_premium_from_impact_prices(
    bids: list[tuple[int, int]], asks: list[tuple[int, int]], premium: int
) -> None:
    """Rule 6.3: (max(0, impact bid - I) - max(0, I - impact ask)) / I, in ppb."""
    world = ContractWorld("ann", "ben")
    for lots, price in bids:
        world.long("ann", lots, price)
    for lots, price in asks:
        world.short("ben", lots, price)
    world.tick()
    assert world.perp.premium_ppb == premium
    assert (world.perp.premium_sum, world.perp.premium_count) == (premium, 1)


def test_premiums_are_sampled_every_five_seconds_with_a_current_index() -> None:
    """Samples of 1 % and 0 average 0.5 %, which is drawn to 0.45 %."""
    world = ContractWorld("ann")
    world.time = DUE - 9 * SECOND
    world.post(1_000)
    world.long("ann", 10, 1_010)
    order = world.next_order() - 1
    world.tick()
    world.wait(4)
    world.tick()  # too early
    assert world.perp.premium_count == 1
    world.ok(commands.CancelContractOrder(world.uids["ann"], order))
    world.wait(1)
    world.tick()
    assert (world.perp.premium_sum, world.perp.premium_count) == (10_000_000, 2)
    world.post(0)
    world.wait(2)
    world.tick()  # stale: no sample
    world.wait(2)
    world.post(1_000)
    (due,) = of(world.tick(), FundingDue)
    assert due.rate_ppb == 4_500_000
    assert (world.perp.premium_sum, world.perp.premium_count) == (0, 0)


# -- mark ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "mark"),
    [
        (1_030, 1_020),  # P1 1,000, P2 1,020
        (1_020, 1_020),
        (1_010, 1_010),
        (1_000, 1_000),
        (960, 1_000),
    ],
)
def test_mark_is_the_median_of_funded_averaged_and_last(last: int, mark: int) -> None:
    """Rule 6.2, with a mid 20 above the index."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 1, last)
    world.long("ann", 50, 1_015)
    world.short("ben", 50, 1_025)
    assert at(world) == mark


def test_without_a_trade_the_index_stands_in_for_the_last_price() -> None:
    world = ContractWorld("ann", "ben")
    world.long("ann", 50, 1_015)
    world.short("ben", 50, 1_025)
    assert at(world) == 1_000


def test_two_orders_of_nothing_are_no_market() -> None:
    """A mid counts when both sides carry the impact notional: else one print moves the mark."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 1, 1_030)
    world.long("ann", 1, 1_015)
    world.short("ben", 1, 1_025)
    assert at(world) == 1_000
    assert len(world.perp.gaps) == 0


def test_a_one_sided_book_has_no_mid() -> None:
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 1, 1_030)
    world.long("ann", 50, 1_025)
    assert at(world) == 1_000
    assert len(world.perp.gaps) == 0


def test_the_moving_average_is_of_thirty_samples() -> None:
    """Gaps 30, then 0: 30, 15, 10, 7.5 -> 7 and so on, and after thirty more none."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 1, 1_050)
    world.long("ann", 50, 1_020)
    bid = world.next_order() - 1
    world.short("ben", 50, 1_040)
    ask = world.next_order() - 1
    assert at(world) == 1_030
    for name, order in (("ann", bid), ("ben", ask)):
        world.ok(commands.CancelContractOrder(world.uids[name], order))
    world.long("ann", 50, 990)
    world.short("ben", 50, 1_010)
    marks = [at(world) for _ in range(30)]
    assert marks[:4] == [1_015, 1_010, 1_007, 1_006]
    assert marks[28:] == [1_001, 1_000]
    assert len(world.perp.gaps) == 30


def test_the_mark_is_at_most_five_percent_from_the_index() -> None:
    """Mid and last at 1,090 and 910: 1,050 and 950."""
    for price, mark in ((1_090, 1_050), (910, 950)):
        world = ContractWorld("ann", "ben")
        world.trade("ann", "ben", 1, price)
        world.long("ann", 50, price - 5)
        world.short("ben", 50, price + 5)
        assert at(world) == mark


def test_the_band_moves_with_the_index() -> None:
    """5 % of 999 are 49.95, rounded down."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 1, 1_090)
    world.long("ann", 50, 1_085)
    world.short("ben", 50, 1_095)
    at(world)
    world.post(999)
    assert world.perp.mark == 999 + 49


def test_the_funded_price_draws_in_as_the_settlement_comes_near() -> None:
    """After 0.95 %: 1,000 x (1 + 0.95 % x time left / 8 h), below a last trade of 1,050."""
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 1, 1_050)
    world.long("cat", 10, 1_010)
    order = world.next_order() - 1
    world.time = DUE - 5 * SECOND
    world.post(1_000)
    world.tick()
    world.time = DUE
    world.post(1_000)
    (due,) = of(world.tick(), FundingDue)
    assert due.rate_ppb == 9_500_000
    world.ok(commands.CancelContractOrder(world.uids["cat"], order))
    marks = []
    for hours in (0, 2, 4, 7):
        world.time = DUE + hours * HOUR
        world.post(1_000)
        marks.append(world.perp.mark)
    # 9.5, 7.125, 4.75 and 1.1875 above the index.
    assert marks == [1_009, 1_007, 1_004, 1_001]
