"""Funding settlements to the last atom (rules 6.4 to 6.6).

Without a book the premium is 0 and the rate the interest: 0.01 % of 1,000 a lot is 0.1 atoms.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    DAY_START,
    HOUR,
    INSTRUMENT,
    MONEY,
    SECOND,
    START,
    SYMBOL,
    ContractWorld,
    isolated_world,
    items,
    of,
    wide,
)
from venue.core.contract.reference.funding import CHUNK, funding_rate, interval_us
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractTrade,
    FundingDue,
    FundingSettled,
    FundingSkipped,
    Income,
    LiquidationStarted,
    PositionClosed,
)
from venue.core.messages.events import Event
from venue.vocabulary import SHORT

pytestmark = pytest.mark.core

FUNDING = "position_funding"
DUE = DAY_START + 16 * HOUR
INTEREST = 100_000  # ppb: 0.01 %


def approach(world: ContractWorld) -> None:
    """Tick five seconds before the funding time, with a current index."""
    world.time = DUE - 5 * SECOND
    world.post(world.perp.index_price)
    world.tick()


def settle(world: ContractWorld) -> list[Event]:
    """The tick at the funding time."""
    world.time = DUE
    world.post(world.perp.index_price)
    return world.tick()


# -- the rate --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("premium", "rate"),
    [
        (0, 100_000),  # the interest
        (100_000, 100_000),
        (400_000, 100_000),  # drawn back by 0.03 %
        (600_000, 100_000),  # by 0.05 %
        (700_000, 200_000),  # and no further
        (-400_000, 100_000),  # drawn up by 0.05 %
        (-500_000, 0),
        (-1_000_000, -500_000),
        (10_000_000, 9_500_000),  # the published 1 % -> 0.95 %
        (-10_000_000, -9_500_000),
        (15_500_000, 15_000_000),
        (30_000_000, 15_000_000),  # the contract's cap: three quarters of 2 %
        (-30_000_000, -15_000_000),
    ],
)
def test_the_rate_of_an_average_premium(premium: int, rate: int) -> None:
    """Rule 6.4, in ppb."""
    dear = replace(CONTRACT, leverage_max=20, tiers=wide(20, 20_000), funding_cap_ppb=15_000_000)
    world = ContractWorld(contract=dear)
    world.premium(premium)
    assert funding_rate(world.perp, DUE) == rate


def test_the_average_is_rounded_down_and_the_cap_is_the_contracts() -> None:
    """-1,000,000 - 1 / 5,760 -> -1,000,001; + 500,000."""
    world = ContractWorld()
    world.premium(-1_000_000)
    world.perp.premium_sum -= 1
    assert funding_rate(world.perp, DUE) == -500_001
    world.change(funding_cap_ppb=300_000)
    assert funding_rate(world.perp, DUE) == -300_000


def test_three_samples_of_a_contract_that_was_just_listed_do_not_stand_for_eight_hours() -> None:
    """14 s old, with a bid 0.3 % above the index in each of its samples: of 5,760 samples 3 are
    0.3 %. The average is 1,562 ppb, and the rate the interest; it was 0.25 %."""
    world = ContractWorld("ann", "ben", "cat", start=DUE - 14 * SECOND)
    world.trade("ann", "ben", 100, 1_000)
    world.long("cat", 10, 1_003)
    for _ in range(3):
        world.post(1_000)
        world.tick()
        world.wait(5)
    assert world.perp.premium_sum == 3 * 3_000_000
    (due,) = of(settle(world), FundingDue)
    assert due.rate_ppb == INTEREST


def test_hours_without_an_index_count_as_hours_without_a_premium() -> None:
    """A seventh of the samples at 0.3 %: 0.0417 %, which is drawn to the interest of 0.01 %."""
    world = ContractWorld()
    world.premium(3_000_000)
    world.perp.premium_sum //= 7
    world.perp.premium_count //= 7
    assert funding_rate(world.perp, DUE) == INTEREST
    world.perp.premium_sum, world.perp.premium_count = 3_000_000 * 2_880, 2_880  # a half: 0.15 %
    assert funding_rate(world.perp, DUE) == 1_000_000
    assert funding_rate(world.perp, DUE - 4 * HOUR) == 2_500_000  # the forecast in the middle


def test_no_more_samples_are_taken_than_five_seconds_have() -> None:
    """Ticks that come late or early by a moment neither skip a sample nor take two of one."""
    world = ContractWorld()
    world.time = START
    for second in range(1, 61):
        world.time = START + second * SECOND + (-90_000 if second % 5 else 70_000)
        world.post(1_000)
        world.tick()
    assert world.perp.premium_count == 13


def test_interest_and_times_follow_the_interval() -> None:
    """Every hour: 0.01 % / 8 = 0.00125 %, due at 16:00 as the next full hour."""
    world = ContractWorld()
    world.change(funding_minutes=tuple(range(0, 1_440, 60)))
    assert interval_us(world.perp) == HOUR
    assert funding_rate(world.perp, world.time) == 12_500
    found = []
    world.time = START + HOUR - 10 * SECOND
    for _ in range(3):
        world.post(1_000)
        world.tick()
        world.wait(10)
        world.post(1_000)
        found += [event.due for event in of(world.tick(), FundingDue)]
        world.time += HOUR - 10 * SECOND
    assert found == [START + HOUR, START + 2 * HOUR, START + 3 * HOUR]


# -- payments --------------------------------------------------------------------------------------


def several() -> ContractWorld:
    """Long ann 7, bob 13, cat 11 isolated; short dan 20, eve 11. Fees 0."""
    world = ContractWorld("ann", "bob", "cat", "dan", "eve")
    world.change(instrument=replace(INSTRUMENT, maker_ppm=0, taker_ppm=0))
    world.isolate("cat")
    world.trade("ann", "dan", 7, 1_000)
    world.trade("bob", "dan", 13, 1_000)
    world.trade("cat", "eve", 11, 1_000)
    return world


def test_longs_pay_shorts_at_a_positive_rate() -> None:
    """0.01 %: 0.7 -> 1, 1.3 -> 2, 1.1 -> 2 are paid; 2.0 and 1.1 -> 1 received; 2 to dust."""
    world = several()
    ann, bob, cat, dan, eve = (world.uids[name] for name in ("ann", "bob", "cat", "dan", "eve"))
    isolated = world.position("cat")
    pool = isolated.pool.cash.collateral
    assert pool == 550 - 11_000
    approach(world)
    events = settle(world)
    assert events[0] == FundingDue(SYMBOL, DUE, INTEREST, 1_000, 1_000)
    assert items(events) == [
        (ann, 0, FUNDING, -1, MONEY - 7_000 - 1),
        (dan, 0, FUNDING, 2, MONEY + 20_000 + 2),
        (bob, 0, FUNDING, -2, MONEY - 13_000 - 2),
        (cat, isolated.position_id, FUNDING, -2, pool - 2),
        (eve, 0, FUNDING, 1, MONEY + 11_000 + 1),
    ]
    assert events[-1] == FundingSettled(SYMBOL, DUE, 5, 5, 3)
    assert world.dust() == 2
    assert isolated.funding_fee == -2
    assert world.perp.last_rate_ppb == INTEREST
    world.wait(5)
    world.post(1_000)
    assert world.tick() == []  # once


def test_shorts_pay_longs_at_a_negative_rate() -> None:
    """20 lots are offered at 992: premium -0.8 %, rate -0.75 %, the cap.

    Shorts pay 150.0 and 82.5 -> 83; longs get 52.5 -> 52, 97.5 -> 97 and 82.5 -> 82.
    """
    world = several()
    world.change(funding_cap_ppb=7_500_000)
    world.owner("fay")
    approach(world)
    world.premium(-8_000_000)
    world.short("fay", 20, 992)
    events = settle(world)
    assert of(events, FundingDue) == [FundingDue(SYMBOL, DUE, -7_500_000, 1_000, 1_000)]
    names = {uid: name for name, uid in world.uids.items()}
    assert [(names[event.uid], event.amount) for event in of(events, Income)] == [
        ("ann", 52),
        ("dan", -150),
        ("bob", 97),
        ("cat", 82),
        ("eve", -83),
    ]
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, 5, 233, 231)]
    assert world.dust() == 2


def test_a_rate_of_zero_settles_without_items() -> None:
    world = several()
    world.change(interest_ppb=0)
    approach(world)
    events = settle(world)
    assert events == [
        FundingDue(SYMBOL, DUE, 0, 1_000, 1_000),
        FundingSettled(SYMBOL, DUE, 5, 0, 0),
    ]


def test_the_mark_of_the_due_time_counts() -> None:
    """At 1,100: 0.77 -> 1, 1.43 -> 2, 1.21 -> 2 are paid, 2.2 -> 2 and 1.21 -> 1 received."""
    world = several()
    approach(world)
    world.time = DUE
    world.post(1_100)
    (due,) = of(world.tick(), FundingDue)
    assert (due.mark, due.index) == (1_100, 1_100)
    assert [world.position(name).funding_fee for name in ("ann", "bob", "cat")] == [-1, -2, -2]
    assert [world.position(name, SHORT).funding_fee for name in ("dan", "eve")] == [2, 1]


def test_one_owner_long_and_short_pays_and_receives() -> None:
    """3 and 3 lots: 0.3 is paid as 1 and received as 0."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 3, 1_000)
    world.trade("ben", "ann", 3, 1_000)
    approach(world)
    events = settle(world)
    assert [event.amount for event in of(events, Income)] == [-1, -1]
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, 4, 2, 0)]
    assert world.dust() == 2


def test_funding_can_endanger_a_pool() -> None:
    """ann is safe at 960 with 100 > 96; each settlement takes 0.96 -> 1: the fourth leaves 96."""
    world = isolated_world()
    approach(world)
    world.post(960)
    due = DUE
    found = []
    for _ in range(4):
        world.time = due - 5 * SECOND
        world.post(960)
        world.tick()
        world.time = due
        world.post(960)
        found.append(len(of(world.tick(), LiquidationStarted)))
        due += 8 * HOUR
    assert found == [0, 0, 0, 1]


# -- in chunks -------------------------------------------------------------------------------------


def test_a_settlement_in_chunks_with_positions_changing_in_between() -> None:
    """Rule 6.5: 253 longs of a lot against ben's short, in two slices; each once, none twice.

    Each long pays 0.1 -> 1, ben gets 25.3 -> 25. In between one of those that wait closes, one
    adds, a new one opens, and ben, who has been settled, becomes larger.
    """
    longs = CHUNK + 3
    world = ContractWorld("ben", "new")
    world.ok(commands.SetLeverage(world.uids["ben"], SYMBOL, cross=10))
    world.checked = False
    names = [f"owner {number}" for number in range(longs)]
    for name in names:
        world.owner(name)
        world.trade(name, "ben", 1, 1_000)
    world.checked = True
    approach(world)
    events = settle(world)
    assert len(of(events, Income)) == CHUNK
    assert of(events, FundingSettled) == []
    assert world.pending()
    mark = world.post(1_010)  # the rate and mark of the due time stay

    world.short("ben", 2, 1_010)
    added = world.long(names[-2], 1, 1_010)
    opened = world.long("new", 1, 1_010)
    world.short("ben", 1, 1_010)
    opened += world.long("new", 1, 1_010)  # it was not there when that became due
    world.long("ben", 1, 990)
    closed = world.close_long(names[-1], 1, 990)
    assert mark != []
    assert [event.amount for event in of(added, Income)][:1] == [-1]
    assert FUNDING not in {event.kind for event in of(opened, Income)}
    (life,) = of(closed, PositionClosed)
    assert life.funding_fee == -1
    assert len(of(closed, ContractTrade)) == 1

    events = world.apply(commands.Proceed())
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, longs + 1, longs, 25)]
    assert not world.pending()
    assert [world.position(name).funding_fee for name in names[:-1]] == [-1] * (longs - 1)
    assert world.position("ben", SHORT).funding_fee == 25
    assert world.position("new").funding_fee == 0
    assert world.dust() == longs - 25


# -- late, or not at all ---------------------------------------------------------------------------


def test_a_stale_index_defers_the_settlement() -> None:
    """Rule 6.5: due at 16:00 with a stale index: rate and mark are frozen, paid when current."""
    world = several()
    approach(world)
    world.time = DUE + 5 * SECOND  # the last price is ten seconds old
    (due,) = of(world.tick(), FundingDue)
    assert (due.due, due.mark) == (DUE, 1_000)
    for _ in range(4):
        world.wait(20)
        assert of(world.tick(), Income) == []
        assert not world.pending()  # no ticks at once: nothing can be done
    world.post(1_020)
    events = world.tick()
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, 5, 5, 3)]
    assert world.position("ann").funding_fee == -1


def test_what_falls_due_while_a_settlement_waits_is_skipped() -> None:
    world = several()
    approach(world)
    world.time = DUE + 5 * SECOND
    world.tick()
    while world.time < DUE + 8 * HOUR:
        world.wait(20)
        events = world.tick()
    assert of(events, FundingSkipped) == [FundingSkipped(SYMBOL, DUE + 8 * HOUR)]
    world.post(1_000)
    (settled,) = of(world.tick(), FundingSettled)
    assert settled.due == DUE


def test_a_position_opened_between_the_due_time_and_its_tick_takes_no_part() -> None:
    """Rule 6.5: half a second after the due time fay opens, eve adds and bob leaves.

    Each pays or gets what its size at the due time comes to: 0.01 % of 13,000 is 1.3, paid as 2.
    """
    world = several()
    world.owner("fay")
    approach(world)
    world.post(1_000)
    world.time = DUE + SECOND // 2
    world.long("fay", 13, 1_000)
    events = world.close_long("bob", 13, 1_000)
    assert of(events, FundingDue) == [FundingDue(SYMBOL, DUE, INTEREST, 1_000, 1_000)]
    (paid,) = of(events, Income)
    assert (paid.uid, paid.amount) == (world.uids["bob"], -2)
    world.short("eve", 20, 1_000)
    world.long("fay", 20, 1_000)
    world.time = DUE + SECOND
    events = world.tick()
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, 5, 5, 3)]
    assert world.position("fay").funding_fee == 0
    assert world.position("eve", SHORT).funding_fee == 1
    assert world.position("dan", SHORT).funding_fee == 2
    assert world.dust() == 2


def test_nobody_escapes_a_settlement_that_waits_for_the_index() -> None:
    """Rule 6.5: an owner that closes while the index is stale pays at the frozen rate and mark."""
    world = several()
    approach(world)
    world.time = DUE + 5 * SECOND
    assert len(of(world.tick(), FundingDue)) == 1
    world.wait(60)
    world.close_short("dan", 13, 1_000)
    paid = of(world.close_long("bob", 13, 1_000), Income)
    assert [each.amount for each in paid] == [-2, 2]
    world.post(1_100)
    events = world.tick()
    assert of(events, FundingSettled) == [FundingSettled(SYMBOL, DUE, 5, 5, 3)]
    assert world.dust() == 2


def test_a_contract_without_a_mark_skips_its_settlement() -> None:
    world = ContractWorld()
    world.engine = Engine()
    for command in (
        commands.RegisterAsset("QQQ", 0),
        commands.RegisterAsset("AAA", 0),
        commands.ListContract(CONTRACT),
    ):
        world.ok(command)
    world.time = DUE - 5 * SECOND
    world.tick()
    world.time = DUE
    assert world.tick() == [FundingSkipped(SYMBOL, DUE)]


@pytest.mark.parametrize(
    ("before", "after", "skipped"),
    [
        (5, 600, 1),  # down for ten minutes around the due time
        (5, 24, 0),  # 29 seconds are no down time
        (5, 25, 0),  # the due time lies within the last 30 seconds
        (600, 30, 0),
        (600, 31, 1),
        (5, 8 * 3_600 + 40, 2),  # down over two due times
    ],
)
def test_funding_missed_while_the_venue_was_down_is_skipped(
    before: int, after: int, skipped: int
) -> None:
    """Rule 6.6: not relived, but recorded."""
    world = several()
    world.time = DUE - before * SECOND
    world.tick()
    world.time = DUE + after * SECOND
    world.post(1_000)
    events = world.tick()
    found = of(events, FundingSkipped)
    assert [event.due for event in found] == [DUE, DUE + 8 * HOUR][:skipped]
    assert len(of(events, FundingDue)) == (0 if skipped else 1)
    if skipped:
        assert of(events, Income) == []
        assert world.dust() == 0


def test_premiums_of_a_skipped_interval_do_not_count_in_the_next() -> None:
    world = several()
    world.perp.premium_sum, world.perp.premium_count = 10_000_000, 1
    world.time = DUE - 5 * SECOND
    world.tick()
    world.time = DUE + 600 * SECOND
    world.tick()
    assert (world.perp.premium_sum, world.perp.premium_count) == (0, 0)


def test_due_times_are_a_day_round() -> None:
    """00:00, 08:00 and 16:00 UTC, each once."""
    world = several()
    found = []
    world.tick()
    for hour in range(16, 16 + 48):
        world.time = DAY_START + hour * HOUR - 5 * SECOND
        world.post(1_000)
        world.tick()
        world.time += 5 * SECOND
        world.post(1_000)
        found += [event.due for event in of(world.tick(), FundingDue)]
    assert found[0] == DUE
    assert len(found) == 6
    assert {after - before for before, after in pairwise(found)} == {8 * HOUR}
