"""Market hours of a contract (rule 6.8): Monday to Friday, 14:30 to 21:00 UTC.

The world begins on a Tuesday at 15:00. Leverage is at most 10, the maintenance rate 4 %.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    DAY_START,
    HOUR,
    MONEY,
    PRICE,
    SECOND,
    START,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
    wide,
)
from venue.core.contract.position import equity
from venue.core.engine import Engine
from venue.core.market_hours import WEEK_MINUTES, TradingSession, opens_at
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderParked,
    ContractOrderReturned,
    ContractTrade,
    FundingDue,
    FundingSettled,
    LiquidationStarted,
    MarkSet,
)
from venue.core.messages.events import Event, Rejected
from venue.core.state import snapshot
from venue.core.units import MINUTE_US, WEEK_US
from venue.vocabulary import IOC, Reject

pytestmark = pytest.mark.core

DAY = 24 * HOUR
MONDAY = DAY_START - DAY
HOURS = tuple(TradingSession(day * 1_440 + 870, day * 1_440 + 1_260) for day in range(5))
SHARE = replace(
    CONTRACT, underlying="Stocks", market_hours=HOURS, leverage_max=10, tiers=wide(10, 40_000)
)
CLOSES = DAY_START + 21 * HOUR  # on Tuesday
OPENS = DAY_START + DAY + 14 * HOUR + 30 * 60 * SECOND  # on Wednesday
FRIDAY_CLOSES = MONDAY + 4 * DAY + 21 * HOUR
MONDAY_OPENS = MONDAY + 7 * DAY + 14 * HOUR + 30 * 60 * SECOND


def share_world(*names: str, start: int = START, money: int = MONEY) -> ContractWorld:
    world = ContractWorld(*names, start=start, contract=SHARE, money=money)
    for name in names:
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=10))
    return world


def at(world: ContractWorld, time: int) -> list[Event]:
    """A tick at a time."""
    world.time = time
    return world.tick()


def open_again(world: ContractWorld, price: int, time: int = OPENS) -> list[Event]:
    """The market opens, and a second later its price is told."""
    events = at(world, time)
    world.time = time + SECOND
    return events + world.tell(price)


def known_again(world: ContractWorld, price: int) -> list[Event]:
    """Ten seconds in which the price is told."""
    events: list[Event] = []
    for _ in range(11):
        world.wait(1)
        events += world.tell(price)
        events += world.tick()
    return events


# -- the hours themselves --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time", "opens"),
    [
        (MONDAY, MONDAY + 870 * MINUTE_US),
        (MONDAY + 870 * MINUTE_US - 1, MONDAY + 870 * MINUTE_US),
        (MONDAY + 870 * MINUTE_US, 0),
        (MONDAY + 1_260 * MINUTE_US - 1, 0),
        (MONDAY + 1_260 * MINUTE_US, MONDAY + (1_440 + 870) * MINUTE_US),
        (FRIDAY_CLOSES, MONDAY_OPENS),
        (MONDAY + WEEK_US - 1, MONDAY_OPENS),
    ],
)
def test_a_session_begins_with_its_minute_and_ends_before_its_last(time: int, opens: int) -> None:
    assert opens_at(HOURS, time) == opens


def test_without_sessions_a_market_is_always_open() -> None:
    assert opens_at((), MONDAY) == 0


@given(
    st.lists(st.integers(0, WEEK_MINUTES), unique=True, min_size=2, max_size=12).map(sorted),
    st.integers(0, 2**52),
)
def test_at_the_time_that_it_tells_a_market_is_open(minutes: list[int], time: int) -> None:
    sessions = tuple(
        TradingSession(opens, closes)
        for opens, closes in zip(minutes[::2], minutes[1::2], strict=False)
    )
    opens = opens_at(sessions, time)
    assert opens == 0 or time < opens <= time + WEEK_US
    assert opens_at(sessions, opens or time) == 0
    assert opens == 0 or opens_at(sessions, opens - 1) == opens


# -- outside of them -------------------------------------------------------------------------------


def test_orders_only_reduce_outside_the_hours() -> None:
    """Before the close all may be done; the refusal tells when it opens."""
    world = share_world("ann", "ben", "cat")
    world.trade("ann", "ben", 100, PRICE)
    at(world, CLOSES - SECOND)
    world.post(PRICE)
    world.trade("ann", "ben", 1, PRICE)
    at(world, CLOSES)
    assert (world.perp.doubt, world.perp.current, world.perp.reopens) == (True, False, OPENS)
    (refused,) = world.long("cat", 1, PRICE)
    assert refused == Rejected(Reject.MARKET_HOURS, OPENS)
    assert refusal(world.short("cat", 1, PRICE)) == Reject.MARKET_HOURS
    world.close_long("ann", 10, PRICE)
    (trade,) = of(world.close_short("ben", 10, PRICE, IOC), ContractTrade)
    assert trade.quantity == 10


def test_the_index_stands_outside_the_hours() -> None:
    """Neither a post nor a jump nor a spot price moves it; nobody is liquidated, nothing leaves."""
    world = share_world("ann", "ben", money=12_000)
    world.trade("ann", "ben", 100, PRICE)
    at(world, CLOSES)
    for price in (500, 1_500):
        assert of(world.tell(price), MarkSet) == []
        assert of(world.post(price), MarkSet) == []
        world.wait(60)
        assert of(world.tick(), MarkSet | LiquidationStarted) == []  # type: ignore[arg-type]
    assert (world.perp.index_price, world.perp.mark) == (PRICE, PRICE)
    assert isinstance(world.withdraw("ann", 1)[0], Rejected)


def test_money_leaves_as_far_as_the_whole_worth_of_a_position_stays() -> None:
    """Of 1,000,000 the taker's fee of 50, funding of 10 and the worth of 100,000 stay: 899,940 may
    leave all weekend. While the price is unknown within the hours nothing may."""
    world = share_world("ann", "ben")
    world.trade("ann", "ben", 100, PRICE)
    at(world, FRIDAY_CLOSES)
    assert isinstance(world.withdraw("ann", 899_941)[0], Rejected)
    assert not isinstance(world.withdraw("ann", 899_940)[0], Rejected)
    open_again(world, PRICE, MONDAY_OPENS)
    assert isinstance(world.withdraw("ben", 1)[0], Rejected)


def test_openings_wait_out_of_the_book_and_return() -> None:
    """They are parked at the close, and back in their places ten seconds after the opening."""
    world = share_world("ann", "ben")
    world.long("ann", 5, 990)
    world.long("ben", 5, 990)
    parked = of(at(world, CLOSES), ContractOrderParked)
    assert [order.uid for order in parked] == [world.uids["ann"], world.uids["ben"]]
    assert not world.perp.market.book.bid
    open_again(world, PRICE)
    assert world.perp.doubt
    returned = of(known_again(world, PRICE), ContractOrderReturned)
    assert [order.uid for order in returned] == [world.uids["ann"], world.uids["ben"]]
    assert (world.perp.doubt, world.perp.market.book.bid) == (False, 990)


def test_the_price_jumps_when_the_market_opens_again() -> None:
    """At once to what its sources say then, with ten seconds in which orders only reduce; ann, who
    is long at leverage 10, is liquidated, and what was said meanwhile counts for nothing."""
    world = share_world("ann", "ben", "cat", money=10_100)
    world.trade("ann", "ben", 100, PRICE)
    at(world, FRIDAY_CLOSES - SECOND)
    world.post(PRICE)
    at(world, FRIDAY_CLOSES)
    world.tell(400)
    events = open_again(world, 930, MONDAY_OPENS)
    (moved,) = of(events, MarkSet)
    assert (moved.index, moved.mark, moved.current) == (930, 930, True)
    (liquidated,) = of(events, LiquidationStarted)
    assert liquidated.uid == world.uids["ann"]
    assert refusal(world.long("cat", 1, 930)) == Reject.PRICE_DOUBT
    known_again(world, 930)
    world.long("cat", 1, 930)
    assert equity(world.cross("fund")) >= MONEY


@pytest.mark.parametrize(
    ("before", "after", "pays"),
    [(943, 907, False), (1_056, 1_097, False), (943, 880, True), (1_056, 1_130, True)],
)
def test_a_jump_within_the_maintenance_rate_costs_the_fund_nothing(
    before: int, after: int, pays: bool
) -> None:
    """A pair whose loser has little more than its maintenance margin when the market closes. A jump
    of 3.9 % leaves it some money; of 7 % it owes the rest, and the fund pays."""
    world = share_world("ann", "ben", money=10_100)
    everything = world.everything()
    world.trade("ann", "ben", 100, PRICE)
    fund = equity(world.cross("fund"))
    at(world, CLOSES - SECOND)
    assert of(world.post(before), LiquidationStarted) == []
    at(world, CLOSES)
    (liquidated,) = of(open_again(world, after), LiquidationStarted)
    assert liquidated.uid == world.uids["ann" if after < before else "ben"]
    known_again(world, after)
    assert (equity(world.cross("fund")) < fund) == pays
    gained = sum(equity(world.cross(name)) for name in ("ann", "ben")) - 20_200
    assert (gained > 0) == pays
    assert world.everything() == everything


# -- funding, first price, change, state -----------------------------------------------------------


def test_funding_is_paid_outside_the_hours_at_the_price_that_stands() -> None:
    """The interest alone: no premium is measured meanwhile. Each time of the weekend is settled."""
    world = share_world("ann", "ben")
    world.trade("ann", "ben", 100, PRICE)
    world.tick()
    found: list[Event] = []
    time = FRIDAY_CLOSES
    while time < MONDAY_OPENS:
        found += at(world, time)
        time += 20 * SECOND if time % (8 * HOUR) < 60 * SECOND else 60 * SECOND
    due = of(found, FundingDue)
    assert [event.due for event in due] == [
        MONDAY + 5 * DAY + 8 * HOUR * number for number in range(8)
    ]
    assert {event.mark for event in due} == {PRICE}
    assert {event.rate_ppb for event in due[1:]} == {100_000}
    assert len(of(found, FundingSettled)) == 8


def test_a_contract_without_a_price_takes_its_first_one_outside_the_hours() -> None:
    """So it has a mark, as a market that is closed has a last price; nothing is opened at it."""
    world = share_world("ann", start=CLOSES + HOUR)
    assert (world.perp.index_price, world.perp.mark, world.perp.current) == (PRICE, PRICE, False)
    world.tell(1_100)
    assert world.perp.index_price == PRICE
    assert refusal(world.long("ann", 1, PRICE)) == Reject.MARKET_HOURS


def test_a_change_of_the_hours_counts_from_the_next_tick() -> None:
    world = share_world("ann")
    at(world, CLOSES)
    world.change(market_hours=())
    assert of(open_again(world, 1_050, CLOSES + SECOND), MarkSet)[-1].index == 1_050
    known_again(world, 1_050)
    assert not isinstance(world.long("ann", 1, 1_050)[0], Rejected)
    world.change(market_hours=HOURS)
    at(world, CLOSES + 60 * SECOND)
    assert refusal(world.long("ann", 1, 1_050)) == Reject.MARKET_HOURS


def test_a_kept_state_knows_that_the_market_is_closed() -> None:
    """Also before the next tick looks."""
    world = share_world("ann", "ben")
    world.trade("ann", "ben", 100, PRICE)
    at(world, CLOSES)
    engine: Engine = snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(engine) == snapshot.state_hash(world.engine)
    world.engine = engine
    assert refusal(world.long("ann", 1, PRICE)) == Reject.MARKET_HOURS


def test_a_contract_that_settles_outside_its_hours_opens_never_again() -> None:
    world = share_world("ann", "ben")
    world.trade("ann", "ben", 100, PRICE)
    at(world, FRIDAY_CLOSES)
    world.ok(commands.DelistContract(SYMBOL))
    world.ok(commands.SettleContract(SYMBOL, PRICE))
    for _ in range(3):
        world.wait(1)
        world.tick()
        world.ok(commands.Proceed())
    assert world.positions("ann") == []
    assert (world.perp.reopens, world.perp.doubt, world.perp.current) == (0, False, True)
    assert refusal(world.long("ann", 1, PRICE)) == Reject.HALTED
