"""The index from the depth of the spot book, its steps, and when it is in doubt (rule 6.1).

The index notional of 10,000 is 10 lots at 1,000. One step is 5 ticks of 1,000 a second; doubt
begins 10 ticks away, half of 1 / 50.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, INSTRUMENT, SECOND, SYMBOL, ContractWorld, of
from support.index_world import index_world, pull, quote, seconds, spread
from venue.core.contract.reference.index import LEVELS_MAX, depth_cost
from venue.core.messages import commands
from venue.core.messages.contract_events import MarkSet
from venue.core.state import snapshot
from venue.vocabulary import BUY, SELL

pytestmark = pytest.mark.core


def state(world: ContractWorld) -> tuple[int, bool, bool]:
    perp = world.perp
    return perp.index_price, perp.current, perp.doubt


# -- depth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "asks", "index"),
    [
        # 5 at 998 and 5 of 5,010 / 990 at 990: 9,940 / 10 = 994; the asks' average is 1,009.
        ([(5, 998), (20, 990)], [(20, 1_009)], 1_002),  # 1,001.5: no half tick is lost downwards
        ([(20, 998)], [(20, 1_001)], 1_000),  # 999.5
        ([(20, 998)], [(20, 1_002)], 1_000),
        # 10,000 / 11 and 9,809 / 9: 909.09 and 1,089.89.
        ([(1, 1_000), (20, 900)], [(1, 1_001), (20, 1_101)], 999),
        ([(2, 6_000)], [(2, 6_002)], 6_001),  # one lot is more than half of the notional
        ([(1, 20_000)], [(1, 20_002)], 20_001),  # and here more than all
    ],
)
def test_the_index_is_the_middle_of_what_buying_and_selling_the_notional_costs(
    bids: list[tuple[int, int]], asks: list[tuple[int, int]], index: int
) -> None:
    world = ContractWorld("ann", contract=replace(CONTRACT, index_sources=("spot",)))
    world.ok(commands.ListInstrument(INSTRUMENT))
    for asset in ("QQQ", "AAA"):
        world.ok(commands.Deposit(world.uids["ann"], 0, asset, 10**9))
    for lots, price in bids:
        quote(world, "ann", BUY, lots, price)
    for lots, price in asks:
        quote(world, "ann", SELL, lots, price)
    world.tick()
    assert state(world) == (index, True, False)


def test_a_book_that_cannot_fill_the_notional_is_no_source() -> None:
    """9 lots at 1,000 are less than 10,000: however good the quotes, and a last trade is none."""
    world = index_world("ann")
    pull(world, "maker")
    for _ in range(30):
        spread(world, "ann", 1_100, 9)
        world.wait(1)
        world.tick()
    assert state(world) == (1_000, False, True)


def test_the_notional_is_the_contracts() -> None:
    world = index_world("ann")
    world.change(index_notional=200_000)
    assert seconds(world, 6)[-1] == 1_000
    assert not world.perp.current
    world.change(index_notional=50_000)
    seconds(world, 11)
    assert world.perp.current


def test_a_halted_spot_market_fills_nothing() -> None:
    world = index_world()
    world.ok(commands.HaltInstrument(SYMBOL, True))
    seconds(world, 10)
    assert state(world) == (1_000, False, True)


def test_no_more_levels_are_looked_at_than_the_bound() -> None:
    """The bound is on the levels of one side, the notional on what they hold."""
    world = index_world("ann")
    world.checked = False
    half = world.engine.spot.markets[SYMBOL].book.bids
    assert depth_cost(half, 99_900) == (99_900, 100)
    assert depth_cost(half, 99_901) == (0, 0)
    owners = 0
    for number in range(LEVELS_MAX - 1):
        if number % 200 == 0:
            owners += 1
            world.owner(f"owner {owners}", 0)
            uid = world.uids[f"owner {owners}"]
            world.ok(commands.Deposit(uid, 0, "AAA", 1_000))
        quote(world, f"owner {owners}", SELL, 1, 1_002 + number)
    asks = world.engine.spot.markets[SYMBOL].book.asks
    cost = 100 * 1_001 + sum(range(1_002, 1_002 + LEVELS_MAX - 1))
    assert depth_cost(asks, cost) == (cost, 100 + LEVELS_MAX - 1)
    world.owner("last", 0)
    world.ok(commands.Deposit(world.uids["last"], 0, "AAA", 1_000))
    quote(world, "last", SELL, 100, 1_002 + LEVELS_MAX)
    assert depth_cost(asks, cost + 1) == (0, 0)


# -- the median of ten seconds ---------------------------------------------------------------------


def test_the_source_is_the_median_of_ten_seconds() -> None:
    """A move of 2 is the median once six of ten samples have it; five and five are its middle."""
    world = index_world()
    seconds(world, 10)
    spread(world, "maker", 1_002)
    assert seconds(world, 6) == [1_000, 1_000, 1_000, 1_000, 1_001, 1_002]


def test_a_thin_moment_moves_nothing_and_is_doubt_and_a_thin_majority_ends_the_source() -> None:
    world = index_world()
    seconds(world, 9)
    pull(world, "maker")
    for _ in range(4):
        seconds(world, 1)
        assert state(world) == (1_000, True, True)  # nothing tells the price now
    seconds(world, 1)  # five of ten are thin
    assert state(world) == (1_000, False, True)
    spread(world, "maker", 1_000)
    seconds(world, 5)
    assert not world.perp.current
    seconds(world, 1)  # it has filled for five seconds
    assert state(world) == (1_000, True, False)


def test_ticks_at_once_make_one_sample() -> None:
    """Many ticks while a quote stands must not outvote those of the seconds before."""
    world = index_world()
    seconds(world, 9)
    spread(world, "maker", 1_100)
    for _ in range(40):
        world.time += 10_000
        world.tick()
    assert len(world.perp.sources["spot"].samples) == 10
    assert world.perp.index_price == 1_000


def test_a_book_that_was_gone_must_last_five_seconds() -> None:
    """One quote in an empty book is no market: rule 6.1."""
    world = index_world("ann")
    pull(world, "maker")
    seconds(world, 30)
    for _ in range(10):  # a second of quotes, two seconds of none
        spread(world, "ann", 1_190)
        seconds(world, 1)
        pull(world, "ann")
        seconds(world, 2)
        assert state(world) == (1_000, False, True)
    seconds(world, 10)
    spread(world, "maker", 1_030)
    assert seconds(world, 5) == [1_000] * 5
    assert not world.perp.current
    assert seconds(world, 1) == [1_030]


# -- several sources -------------------------------------------------------------------------------


def test_a_posted_price_serves_when_the_book_does_not() -> None:
    world = index_world(sources=("spot", "desk", "wire"))
    seconds(world, 5)
    for _ in range(5):
        world.tell(1_002, "desk")
        world.tell(1_004, "wire")
        seconds(world, 1)
    assert world.perp.index_price == 1_000  # the book's
    pull(world, "maker")
    found = []
    for _ in range(8):
        world.tell(1_002, "desk")
        world.tell(1_004, "wire")
        found += seconds(world, 1)
    assert found == [1_000] * 4 + [1_003] * 4
    assert world.perp.current
    spread(world, "maker", 1_000)
    for _ in range(6):
        world.tell(1_004, "desk")
        seconds(world, 1)
    assert state(world) == (1_000, True, False)


# -- steps -----------------------------------------------------------------------------------------


def test_the_index_moves_by_its_step_and_a_seconds_worth_at_once() -> None:
    """0.5 % a second of time that passed since its last move: 5, 2.5 -> 2, and never more."""
    world = ContractWorld()
    found = []
    for passed in (SECOND, SECOND // 2, SECOND // 2, 8 * SECOND, 0, SECOND // 1_000):
        world.time += passed
        world.tell(1_100)
        found.append(world.perp.index_price)
    assert found == [1_005, 1_007, 1_009, 1_014, 1_014, 1_014]


@pytest.mark.parametrize(("price", "index"), [(1, 191), (500, 209)])
def test_a_low_price_moves_a_tick_a_second(price: int, index: int) -> None:
    """0.5 % of 199 is less than a tick: at 200 it is one."""
    world = ContractWorld()
    world.post(200)
    for _ in range(9):
        world.wait(1)
        world.tell(price)
    assert world.perp.index_price == index


def test_a_price_of_one_tick_can_rise() -> None:
    world = ContractWorld()
    world.post(1)
    for _ in range(3):
        world.wait(1)
        world.tell(10)
    assert (world.perp.index_price, world.perp.mark) == (4, 4)


# -- doubt -----------------------------------------------------------------------------------------


def test_an_index_that_lags_catches_up_and_is_in_doubt_meanwhile() -> None:
    """10 away is not too far, 11 is: half of the smallest initial margin, 1 / 50 of 1,005."""
    world = ContractWorld()
    world.wait(1)
    world.tell(1_015)
    assert state(world) == (1_005, True, False)
    world.wait(1)
    world.tell(1_036)
    found = [state(world)]
    for _ in range(4):
        world.wait(1)
        world.tell(1_036)
        found.append(state(world))
    assert found == [
        (1_010, True, True),
        (1_015, True, True),
        (1_020, True, True),
        (1_025, True, True),  # 11 > 10.25
        (1_030, True, False),
    ]


def test_nothing_is_opened_at_a_price_that_is_not_known() -> None:
    world = ContractWorld(contract=replace(CONTRACT, index_sources=("desk",)))
    assert not world.perp.doubt
    world.tell(0)
    assert state(world) == (1_000, False, True)
    world.tell(1_000)
    assert state(world) == (1_000, True, False)
    world.wait(10)
    world.tick()
    assert state(world) == (1_000, False, True)


def test_doubt_before_the_first_price() -> None:
    world = ContractWorld(contract=replace(CONTRACT, index_sources=("other",)))
    assert state(world) == (0, False, True)
    world.tell(700, "other")
    assert state(world) == (700, True, False)


def test_after_ten_seconds_without_a_source_its_price_is_taken_and_openings_wait() -> None:
    world = ContractWorld()
    world.tell(0)
    world.time += 10 * SECOND - 1
    world.tell(1_100)
    assert state(world) == (1_005, True, True)  # not yet ten seconds: by steps
    world.post(1_000)
    world.tell(0)
    world.wait(10)
    events = world.tell(1_100)
    assert events == [MarkSet(SYMBOL, 1_100, 1_100, True, 0, 0)]
    found = []
    for _ in range(10):
        found.append(state(world))
        world.wait(1)
        world.tell(1_100)
    assert found == [(1_100, True, True)] * 10
    assert state(world) == (1_100, True, False)


def test_a_jump_is_taken_at_once_and_said() -> None:
    """No steps, no doubt, no wait, and the premium of the old price is gone."""
    world = ContractWorld("ann")
    world.long("ann", 20, 1_050)
    for _ in range(10):
        world.wait(5)
        world.tell(1_000)
        world.tick()
    assert world.perp.mark == 1_001
    assert world.post(1_500) == [MarkSet(SYMBOL, 1_500, 1_500, True, 50_000_000, 0, True)]
    assert state(world) == (1_500, True, False)
    world.tell(0)
    world.wait(20)
    assert of(world.post(700), MarkSet) == [MarkSet(SYMBOL, 700, 700, True, 50_000_000, 0, True)]
    assert state(world) == (700, True, False)


# -- what it costs a stranger ----------------------------------------------------------------------


def test_alternating_quotes_move_the_index_and_are_doubt_until_they_end() -> None:
    """A book that shows 1,000 and 1,300 in turn: nobody opens. Its median is followed, so that
    liquidation and funding go on."""
    world = index_world("ann")
    for number in range(240):
        spread(world, "maker", 1_000 if number % 2 else 1_300)
        seconds(world, 1)
        assert world.perp.current
    assert world.perp.index_price == 1_150
    assert world.perp.doubt
    spread(world, "maker", 1_150)
    seconds(world, 1)
    assert not world.perp.doubt


def test_a_source_that_has_come_back_is_caught_up_with_within_sixty_seconds() -> None:
    """After half a minute at 1,500 the index is at 1,150: the way back takes as long."""
    world = ContractWorld()
    for _ in range(30):
        world.wait(1)
        world.tell(1_500)
    away = world.perp.index_price
    waited = 0
    while world.perp.doubt:
        world.wait(1)
        world.tell(1_000)
        waited += 1
    assert (away, waited) == (1_150, 28)


# -- in a snapshot ---------------------------------------------------------------------------------


def same_futures(world: ContractWorld, after: int) -> None:
    """The engine and its reload say the same for some seconds, and end in the same state."""
    first, second = world.engine, snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(second) == snapshot.state_hash(first)
    assert second.contracts.markets[SYMBOL].doubt == world.perp.doubt
    for _ in range(after):
        world.wait(1)
        for command in (commands.Tick(time=world.time),):
            assert first.apply(command) == second.apply(command)
        assert snapshot.dump(first) == snapshot.dump(second)
    assert second.contracts.markets[SYMBOL].doubt == world.perp.doubt


@pytest.mark.parametrize("passed", [1, 3, 5, 6, 7, 9, 12, 20])
def test_a_snapshot_in_the_middle_of_catching_up(passed: int) -> None:
    world = index_world("ann")
    world.long("ann", 20, 1_010)
    seconds(world, 7)
    spread(world, "maker", 1_040)
    seconds(world, passed)
    same_futures(world, 25)


@pytest.mark.parametrize("passed", [1, 6, 7, 12, 16])
def test_a_snapshot_while_a_source_is_gone_or_openings_wait(passed: int) -> None:
    world = index_world("ann")
    pull(world, "maker")
    seconds(world, 20)
    spread(world, "maker", 1_040)
    seconds(world, passed)
    same_futures(world, 25)
