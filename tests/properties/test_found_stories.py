"""Stories that the search found; in some of them the judge was wrong, not the venue."""

from __future__ import annotations

import pytest

from properties.earning_world import BEGIN, SECOND, WARM_UP, Opened, Play, World
from properties.hearing import Wrong
from venue.core.messages import commands as c
from venue.core.messages import contract_events as t
from venue.core.messages.commands import Command
from venue.vocabulary import BUY, LONG, SELL, SHORT, Product

ONE, TWO, THREE = 10_000_001, 10_000_002, 10_000_003
A, B = "AAAQQQ", "BBBQQQ"
GTC, IOC = 0, 1
FUND = 2
START = BEGIN + WARM_UP * SECOND


def limit(
    who: int, side: int, way: int, tif: int, *, lots: int, price: int, symbol: str = A
) -> Command:
    return c.PlaceContractOrder(who, symbol, side, way, 0, tif, lots, price)


def played(world: World, story: tuple[tuple[int, Command], ...]) -> Play:
    play = Opened(world).begin()
    for seconds, command in story:
        play.time = START + seconds * SECOND
        play.apply(command)
    return play


def half_settled() -> Play:
    """At the due time the long trades and pays its funding; the short gets its own with the next
    index."""
    world = World(still=True, modes=(0, 0, 3), money=10, levels=0)
    story = (
        (0, limit(TWO, SELL, SHORT, GTC, lots=4, price=9_520)),
        (3, c.Tick()),
        (27, limit(ONE, BUY, LONG, IOC, lots=6, price=10_013)),
        (28, limit(ONE, BUY, LONG, GTC, lots=1, price=9_998)),
        (28, limit(ONE, SELL, SHORT, IOC, lots=1, price=9_998)),
    )
    return played(world, story)


def test_funding_that_has_not_moved_yet_is_owed() -> None:
    play = half_settled()
    owed = play.judge.unsettled
    assert owed.of(TWO) > 0 == owed.of(ONE)
    before = play.judge.owners[TWO].pools[0]
    due = owed.of(TWO)
    play.apply(c.PostIndex(A, "desk", 10_000))
    play.apply(c.Tick())
    assert play.judge.owners[TWO].pools[0] - before == due
    assert owed.amounts == {}


def test_funding_that_never_moves_is_seen() -> None:
    play = half_settled()
    play.apply(c.PostIndex(A, "desk", 10_000))
    tick = c.Tick()
    tick.time = play.time
    events = play.engine.apply(tick)
    kept = [event for event in events if type(event) is not t.Income]
    assert len(kept) < len(events)
    with pytest.raises(Wrong, match=f"funding of {TWO} in {A} did not move"):
        play.judge.judge(play.engine, tick, kept)


def test_an_order_whose_owner_stands_in_a_halt_may_be_passed_over() -> None:
    world = World(still=False, modes=(1, 0, 3), money=40, levels=1, symbols=(A, B))
    halted = c.HaltInstrument(B, True, "a pause", product=Product.CONTRACT)
    story = (
        (0, limit(THREE, BUY, LONG, GTC, lots=1_894, price=10_005, symbol=B)),
        (0, limit(ONE, SELL, SHORT, IOC, lots=1_894, price=10_005, symbol=B)),
        (0, limit(ONE, SELL, SHORT, GTC, lots=1, price=10_000)),
        (0, limit(TWO, SELL, SHORT, GTC, lots=1, price=10_000)),
        (0, limit(TWO, BUY, LONG, IOC, lots=1, price=10_000)),
        (0, c.PlaceContractOrder(TWO, B, BUY, LONG, 1, IOC, 60, 0)),
        (2, c.PostIndex(B, "desk", 10_065)),
        (2, halted),
        (3, c.PostIndex(B, "desk", 10_115)),
        (4, c.PostIndex(B, "desk", 10_165)),
    )
    play = played(world, story)
    left = [order.price for order in play.judge.owners[TWO].orders.values()]
    assert left == [10_000]  # rule 5.14: it stays, and the liquidation of ONE trades without it
    assert not [one for one in play.judge.owners[ONE].positions.values() if one.market.name == A]


def test_what_an_isolated_close_sets_free_does_not_pay_for_its_next_fills() -> None:
    """Below its maintenance margin after a halt, a pool of 24 lots gains by seven and would have
    paid the fees of twelve more with that gain, which had left it: it ended at -544."""
    world = World(still=False, modes=(0, 0, 0), money=10, levels=0, isolated=True)
    story = (
        (0, limit(ONE, SELL, SHORT, GTC, lots=24, price=10_000)),
        (0, limit(TWO, BUY, LONG, IOC, lots=24, price=10_000)),
        (0, c.HaltInstrument(A, True, "a pause", product=Product.CONTRACT)),
        *[(second, c.PostIndex(A, "desk", 10_000 + 50 * second)) for second in (1, 2, 3, 4)],
        (4, c.HaltInstrument(A, False, product=Product.CONTRACT)),
        (4, limit(THREE, SELL, SHORT, GTC, lots=7, price=10_010)),
        (4, limit(THREE, SELL, SHORT, GTC, lots=12, price=10_200)),
        (4, limit(ONE, BUY, SHORT, IOC, lots=24, price=10_200)),
    )
    play = played(world, story)
    (short,) = play.judge.owners[ONE].positions.values()
    assert short.lots == 24 - 7
    assert play.judge.owners[ONE].equity(short.pool) > 0


def test_a_hedge_is_not_closed_with_what_an_opening_fill_before_has_cost() -> None:
    """TWO has 85 long and short, and two bids 9 % above the mark: one opens, and its hold pays for
    its loss; one closes the short. ONE sells to both at once. Each bid could be borne, both could
    not: TWO was left with -2,704,645, which the fund paid, and the two who had brought 20,000,000
    could take home 22,453,305. No price had moved."""
    world = World(still=True, modes=(0, 0), money=10, levels=0)
    story = (
        (0, limit(ONE, SELL, SHORT, GTC, lots=85, price=9_850)),
        (0, limit(TWO, BUY, LONG, IOC, lots=85, price=9_850)),
        (0, limit(ONE, BUY, LONG, GTC, lots=85, price=9_800)),
        (0, limit(TWO, SELL, SHORT, IOC, lots=85, price=9_800)),
        (0, limit(TWO, BUY, LONG, GTC, lots=50, price=10_900)),
        (0, limit(TWO, BUY, SHORT, GTC, lots=85, price=10_900)),
    )
    play = played(world, story)
    owners = play.judge.owners
    money = {uid: owners[uid].equity(0) for uid in (FUND, ONE, TWO)}
    assert money == {FUND: 10_000_000_000, ONE: 10_391_595, TWO: 9_474_785}
    play.apply(c.PlaceContractOrder(ONE, A, SELL, SHORT, 1, IOC, 135, 0))
    assert owners[TWO].equity(0) >= owners[TWO].maintenance(0) > 0
    play.apply(c.Tick())
    assert owners[FUND].equity(0) == money[FUND]
    assert owners[ONE].equity(0) + owners[TWO].equity(0) <= money[ONE] + money[TWO]
