"""Price attacks of strangers, and the money they are left with (rules 6.1 to 6.5).

ann and bob belong together: ann is long and bob short 90 lots at 1,000, each with 2,500 and at
leverage 50. If the mark rises to 1,050 bob owes 2,000 more than he has, and ann gets it.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    DAY_START,
    HOUR,
    MONEY,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
    wide,
)
from support.index_world import endow, index_world, pull, quote, seconds, spread
from venue.core.contract.collateral import available
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractTrade, FundingDue, LiquidationStarted
from venue.core.messages.events import Event
from venue.vocabulary import BUY, LONG, SELL, SHORT, Reject

pytestmark = pytest.mark.core

BROUGHT = 2_500
DUE = DAY_START + 16 * HOUR
LOTS = 90


def conspire(world: ContractWorld) -> None:
    """Ann and bob take their positions against each other."""
    for name in ("ann", "bob"):
        world.owner(name, BROUGHT)
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=50))
    world.trade("ann", "bob", LOTS, 1_000)


def fund(world: ContractWorld) -> int:
    return equity(world.cross("fund"))


def check(world: ContractWorld, before: int, events: list[Event]) -> None:
    """Nobody was liquidated, the fund has what it had, and the two cannot take out more."""
    assert of(events, LiquidationStarted) == []
    assert fund(world) >= before
    spare = sum(max(0, available(world.holding(name), 0)) for name in ("ann", "bob"))
    assert spare < 2 * BROUGHT


def test_one_lot_and_two_quotes_do_not_move_the_mark() -> None:
    """The index stays at 1,000; a lot is traded at 1,050 between quotes of the impact notional."""
    world = ContractWorld("cat", "dan")
    conspire(world)
    before = fund(world)
    world.trade("cat", "dan", 1, 1_050)
    world.long("cat", 20, 1_049)
    world.short("dan", 20, 1_051)
    said: list[Event] = []
    marks = []
    for _ in range(40):
        world.wait(5)
        said += world.tell(1_000)
        said += world.tick()
        marks.append(world.perp.mark)
    assert marks[0] == 1_000
    assert max(marks) == 1_005  # half of the maintenance rate of 1 %, after 150 seconds
    check(world, before, said)


def test_one_quote_does_not_move_the_index() -> None:
    """In an empty spot book a lot is bid for at 1,188 and offered at 1,190."""
    world = index_world()
    conspire(world)
    endow(world, "ann")
    before = fund(world)
    pull(world, "maker")
    said: list[Event] = []
    spread(world, "ann", 1_189, 1)
    for _ in range(60):
        world.wait(1)
        said += world.tick()
        assert world.perp.index_price == 1_000
    assert (world.perp.current, world.perp.doubt) == (False, True)
    check(world, before, said)


def test_quotes_that_stand_for_a_tick_do_not_move_the_index() -> None:
    """With money for the whole notional, shown at 1,189 for every third tick of an empty book."""
    world = index_world()
    conspire(world)
    endow(world, "ann")
    before = fund(world)
    said: list[Event] = []
    for number in range(60):
        pull(world, "maker")
        pull(world, "ann")
        if number % 3 == 0:
            spread(world, "ann", 1_189)
        else:
            spread(world, "maker", 1_000)
        world.wait(1)
        said += world.tick()
    assert world.perp.index_price == 1_000
    assert not world.perp.doubt
    check(world, before, said)


def test_a_book_that_is_bought_moves_the_index_a_step_a_second() -> None:
    """Ann buys all that is offered and quotes at 1,099 herself: 0.5 % a second, after five."""
    world = index_world()
    conspire(world)
    endow(world, "ann")
    seconds(world, 10)
    quote(world, "ann", BUY, 100, 1_001)
    pull(world, "maker")
    spread(world, "ann", 1_099)
    index = 1_000
    found = []
    for moved in seconds(world, 15):
        assert moved - index <= index * 5_000 // 1_000_000
        found.append(moved)
        index = moved
    assert found[:7] == [1_000, 1_000, 1_000, 1_000, 1_005, 1_010, 1_015]
    assert world.perp.doubt  # nobody opens against her at such a price
    assert abs(world.perp.mark - index) * 200 <= index


def test_alternating_quotes_keep_nothing_in_doubt() -> None:
    """A lot at 750 and at 1,250 in turn, in a book that fills nothing: the posted price serves."""
    world = index_world(sources=("spot", "desk"))
    conspire(world)
    endow(world, "ann")
    before = fund(world)
    pull(world, "maker")
    said: list[Event] = []
    for _ in range(6):  # until the book is no source any more
        world.tell(1_000)
        seconds(world, 1)
    for number in range(120):
        spread(world, "ann", 1_250 if number % 2 else 750, 1)
        world.wait(1)
        said += world.tell(1_000)
        said += world.tick()
        assert (world.perp.index_price, world.perp.current, world.perp.doubt) == (
            1_000,
            True,
            False,
        )
    check(world, before, said)


def test_dust_before_a_book_does_not_make_it_thin() -> None:
    """Ninety levels of a lot before the quotes of each side: the notional is still there."""
    world = index_world("duster")
    quote(world, "duster", BUY, 1, 1_001)  # a last trade: quotes may be 10 % away
    seconds(world, 10)
    pull(world, "maker")
    world.change(index_notional=1_000_000)
    quote(world, "maker", BUY, 2_000, 905)
    quote(world, "maker", SELL, 2_000, 1_095)
    for away in range(1, 91):
        quote(world, "duster", BUY, 1, 1_000 - away)
        quote(world, "duster", SELL, 1, 1_000 + away)
    for _ in range(20):
        seconds(world, 1)
        assert (world.perp.index_price, world.perp.current, world.perp.doubt) == (
            1_000,
            True,
            False,
        )


def test_a_rate_cannot_take_what_keeps_a_position() -> None:
    """One offer far below the index, through the whole interval: at the cap the short, at leverage
    50, is not liquidated.

    0.75 % of 90,000 is 675; the maintenance margin is 900, the initial margin was 1,800.
    """
    world = ContractWorld("cat")
    world.change(funding_cap_ppb=7_500_000)
    before = fund(world)
    world.owner("ann", 1_800 + 90)
    world.owner("bob", 1_800 + 90)
    for name in ("ann", "bob"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=50))
    world.trade("bob", "ann", LOTS, 1_000)
    world.short("cat", 20, 900)  # the only quote: an offer far below
    world.premium(-8_000_000)
    world.time = DUE - 15_000_000
    said = world.post(1_000)  # a silent source would take the offer out of the book
    for left in (10, 5, 0):
        world.time = DUE - left * 1_000_000
        world.tell(1_000)
        said += world.tick()
    (settled,) = of(said, FundingDue)
    assert settled.rate_ppb == -7_500_000
    assert world.position("ann", SHORT).funding_fee == -675
    assert of(said, LiquidationStarted) == []
    assert fund(world) == before


def test_half_a_second_after_the_due_time_nobody_comes_for_the_funding() -> None:
    """cat opens short when the rate is known and the tick is still to come: she gets nothing."""
    world = ContractWorld("cat", "dan")
    conspire(world)
    for before in range(20, 0, -5):
        world.time = DUE - before * 1_000_000
        world.tell(1_000)
        world.tick()
    world.time = DUE + 500_000
    money = [world.money(name) for name in ("cat", "dan")]
    trade = world.trade("dan", "cat", 100, 1_000)
    world.time = DUE + 1_000_000
    world.tell(1_000)
    world.tick()
    amounts = [trade.maker.amount, trade.taker.amount]
    assert [world.money(name) for name in ("cat", "dan")] == [
        had + got for had, got in zip(money, amounts, strict=True)
    ]
    assert world.position("ann").funding_fee == -9


def test_a_cap_that_could_take_a_position_is_not_listed() -> None:
    """2 % where the first tier's maintenance rate is 1 %."""
    world = ContractWorld()
    wide = replace(CONTRACT, funding_cap_ppb=20_000_000)
    assert refusal(world.apply(commands.ChangeContract(wide))) == Reject.INSTRUMENT_INVALID


@pytest.mark.parametrize("side", [LONG, SHORT])
def test_the_fund_gives_nothing_back_at_a_price_that_lags(side: int) -> None:
    """The fund has taken over 100 lots. The source goes 2 % the fund's way at once, which is no
    doubt at leverage 20: the index follows for five seconds, and eve bids (or offers) at the mark
    that the next second will have. She got 34 of the lots, the first for 1.3 % less than the source
    said."""
    tiers = wide(20, 20_000)
    world = ContractWorld(contract=replace(CONTRACT, leverage_max=20, tiers=tiers))
    for name, money in (("ann", 6_000), ("dan", MONEY), ("eve", MONEY)):
        world.owner(name, money)
    if side == LONG:
        world.trade("ann", "dan", 100, 1_000)
    else:
        world.trade("dan", "ann", 100, 1_000)
    world.post(1_000 - side * 41)
    world.wait(1)
    world.tick()
    (held,) = world.cross("fund").positions
    assert (held.quantity, held.side) == (100, side)
    source = 1_000 - side * 20
    for _ in range(8):
        world.wait(1)
        world.tell(source)
        for event in of(world.tick(), ContractTrade):
            assert side * (event.price - source) >= -1
        world.ok(commands.CancelContractOrders(world.uids["eve"]))
        order = world.long if side == LONG else world.short
        order("eve", 100, world.perp.mark + side * 4)
    assert held.quantity < 100  # at the price it has reached
