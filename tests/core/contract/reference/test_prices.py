"""Posted prices, mark and premium to the last tick (rules 6.1 to 6.3).

The impact notional is 200 x 50 = 10,000: 10 lots at 1,000.
"""

from __future__ import annotations

import pytest

from support.contract_world import DAY_START, HOUR, SECOND, SYMBOL, ContractWorld, of, refusal, wide
from venue.core.messages import commands
from venue.core.messages.contract_events import FundingDue, MarkSet
from venue.core.units import PRICE_MAX
from venue.vocabulary import Reject

pytestmark = pytest.mark.core

DUE = DAY_START + 16 * HOUR


def at(world: ContractWorld, price: int = 1_000) -> int:
    """The mark one sample (5 s) later, with the index at `price`."""
    world.wait(5)
    world.tell(price)
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
    assert world.perp.index_price == 1_006  # on its way to 990
    world.post(0, "desk")  # the source says that it has no price
    assert not world.perp.current
    assert world.perp.index_price == 1_006


def test_a_single_source_cannot_pull_the_median_of_three_far() -> None:
    world = ContractWorld()
    world.post(1_000, "wire")
    world.post(1_002, "post")
    assert world.post(5_000, "desk") == [MarkSet(SYMBOL, 1_002, 1_002, True, 0, 0, True)]
    assert world.post(1, "desk") == [MarkSet(SYMBOL, 1_000, 1_000, True, 0, 0, True)]


def test_only_named_sources_are_heard() -> None:
    world = ContractWorld()
    assert refusal(world.post(1_000, "stranger")) == Reject.INSTRUMENT_INVALID
    assert refusal(world.post(1_000, "spot")) == Reject.INSTRUMENT_INVALID
    assert refusal(world.post(PRICE_MAX + 1)) == Reject.PRICE
    unknown = commands.PostIndex("BBBQQQ", "desk", 1_000, jump=True)
    assert refusal(world.apply(unknown)) == Reject.SYMBOL_UNKNOWN


# -- premium ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "asks", "premium"),
    [
        ([], [], 0),
        ([(9, 1_010)], [], 0),  # 9,090: too thin to count
        ([(10, 1_010)], [], 10_000_000),  # 10 above 1,000: 1 %
        # 1 at 1,090; 8,910 / 1,001 = 8 more: 9,098 / 9 = 1,010.8889.
        ([(1, 1_090), (10, 1_001)], [], 10_888_888),
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
    counted = max(-3_500_000, min(premium, 3_500_000))  # within the cap + 0.05 % (rule 6.4)
    assert (world.perp.premium_sum, world.perp.premium_count) == (counted, 1)


def test_premiums_are_sampled_every_five_seconds_with_a_current_index() -> None:
    """Samples of 0.3 % and 0, and of the rest of the interval none: the rate is the interest."""
    world = ContractWorld("ann")
    world.time = DUE - 10 * SECOND
    world.post(1_000)
    world.long("ann", 10, 1_003)
    order = world.next_order() - 1
    world.tick()
    world.wait(4)
    world.tick()  # too early
    assert world.perp.premium_count == 1
    world.ok(commands.CancelContractOrder(world.uids["ann"], order))
    world.wait(1)
    world.tick()
    assert (world.perp.premium_sum, world.perp.premium_count) == (3_000_000, 2)
    world.post(0)
    world.wait(2)
    world.tick()  # stale: no sample
    world.wait(3)
    world.post(1_000)
    (due,) = of(world.tick(), FundingDue)
    assert due.rate_ppb == 100_000
    assert (world.perp.premium_sum, world.perp.premium_count) == (0, 0)


# -- mark ------------------------------------------------------------------------------------------


def test_the_mark_is_the_index_with_the_average_premium_of_thirty_samples() -> None:
    """Rule 6.2: 0.4 % of 10,000 is 40; each sample adds a thirtieth: 1.33. Then the bid leaves."""
    world = ContractWorld("ann", "ben")
    world.change(index_notional=100_000, impact_notional=100_000)
    world.post(10_000)
    world.long("ann", 10, 10_040)
    order = world.next_order() - 1
    marks = [at(world, 10_000) for _ in range(31)]
    assert marks[:4] == [10_001, 10_002, 10_004, 10_005]
    assert marks[28:] == [10_038, 10_040, 10_040]
    world.ok(commands.CancelContractOrder(world.uids["ann"], order))
    marks = [at(world, 10_000) for _ in range(30)]
    assert marks[:2] == [10_038, 10_037]
    assert marks[28:] == [10_001, 10_000]
    assert len(world.perp.premiums) == 30


@pytest.mark.parametrize(("price", "mark"), [(1_090, 1_005), (910, 995)])
def test_the_mark_stays_within_half_the_smallest_maintenance_rate(price: int, mark: int) -> None:
    """Rule 6.2: half of 1 % of 1,000 is 5, whatever the book says, and however far."""
    world = ContractWorld("ann", "ben")
    if price > 1_000:
        world.long("ann", 50, price)
    else:
        world.short("ben", 50, price)
    marks = [at(world) for _ in range(30)]
    assert marks[-1] == mark
    # A sixth of the clamp each five samples: no sample counts for more than the clamp.
    assert [abs(found - 1_000) for found in marks[5::6]] == [1, 2, 3, 4, 5]


def test_the_last_trade_has_no_part_in_the_mark() -> None:
    world = ContractWorld("ann", "ben")
    for price in (1_090, 910):
        world.trade("ann", "ben", 1, price)
        assert at(world) == 1_000


def test_the_last_funding_rate_has_no_part_in_the_mark() -> None:
    """After a rate at the cap the premium is gone: the mark is the index."""
    world = ContractWorld("cat")
    world.long("cat", 10, 1_010)
    order = world.next_order() - 1
    world.premium(4_000_000)
    world.time = DUE - 5 * SECOND
    world.post(1_000)
    world.tick()
    world.time = DUE
    world.post(1_000)
    (due,) = of(world.tick(), FundingDue)
    assert due.rate_ppb == 3_000_000
    world.ok(commands.CancelContractOrder(world.uids["cat"], order))
    world.time = DUE + HOUR
    world.post(1_000)
    assert world.perp.mark == 1_000


def test_a_thin_side_has_no_premium() -> None:
    """Two orders of nothing are no market: 9 lots at 1,015 are less than the impact notional."""
    world = ContractWorld("ann", "ben")
    world.long("ann", 9, 1_015)
    world.short("ben", 9, 1_025)
    assert [at(world) for _ in range(30)][-1] == 1_000
    assert set(world.perp.premiums) == {0}


def test_a_low_price_stays_within_the_clamp_and_above_nothing() -> None:
    """0.5 % of 10 ticks is none: rounded towards the index, on both sides."""
    world = ContractWorld("ann", "ben")
    world.post(10)
    world.short("ben", 2_000, 9)
    assert [at(world, 10) for _ in range(30)][-1] == 10
    world.post(1)
    assert world.perp.mark == 1


def test_the_clamp_follows_the_tiers() -> None:
    world = ContractWorld("ann")
    world.change(index_notional=100_000, impact_notional=100_000)
    world.post(10_000)
    world.long("ann", 10, 10_400)
    assert [at(world, 10_000) for _ in range(30)][-1] == 10_050
    world.change(leverage_max=20, tiers=wide(20, 20_000))
    assert at(world, 10_000) == 10_100
