"""Openings after the price has jumped and before the index has moved (rules 5.14, 6.1).

The index is the median of ten seconds. ann and bob belong together and know the new price: each
opens against the other at the old one, at leverage 50, and the loser's margin is a fiftieth.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, MONEY, SYMBOL, ContractWorld, of, refusal, wide
from support.index_world import index_world, pull, seconds, spread
from venue.core.contract.collateral import available
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractTrade
from venue.vocabulary import IOC, LONG, SHORT, Reject

pytestmark = pytest.mark.core

BROUGHT = 2_500
LOTS = 90
PULL_US = 200_000


def jumping(sources: tuple[str, ...] = ("spot",)) -> ContractWorld:
    """A quiet book for ten seconds, and the two with their money at leverage 50."""
    world = index_world("cat", sources=sources)
    for name in ("ann", "bob"):
        world.owner(name, BROUGHT)
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=50))
    seconds(world, 10)
    return world


def conspire(world: ContractWorld) -> bool:
    """ann goes long and bob short at the old price, if the venue lets them."""
    world.short("bob", LOTS, 1_000)
    traded = of(world.long("ann", LOTS, 1_000, IOC), ContractTrade)
    world.ok(commands.CancelContractOrders(world.uids["bob"]))
    return bool(traded)


def check(world: ContractWorld, before: int) -> None:
    """After half a minute the two have no more than they brought, and the fund no less."""
    seconds(world, 30)
    assert equity(world.cross("fund")) >= before
    assert sum(max(0, available(world.holding(name), 0)) for name in ("ann", "bob")) <= 2 * BROUGHT


@pytest.mark.parametrize("late_us", [0, 300_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000])
@pytest.mark.parametrize("price", [950, 1_050])
def test_nobody_opens_at_the_old_price_once_the_book_has_jumped(price: int, late_us: int) -> None:
    """5 % at once: the index stood for five seconds, the pair opened, and the fund lost 2,695."""
    world = jumping()
    before = equity(world.cross("fund"))
    spread(world, "maker", price)
    end = world.time + late_us
    while world.time + 1_000_000 <= end:
        seconds(world, 1)
    world.time = end
    assert not conspire(world)
    assert refusal(world.short("bob", LOTS, 1_000)) == Reject.PRICE_DOUBT
    check(world, before)


def test_nobody_opens_while_the_book_is_pulled_before_the_jump() -> None:
    """The maker takes its quotes back, and quotes 5 % higher after three seconds."""
    world = jumping()
    before = equity(world.cross("fund"))
    world.time += PULL_US
    pull(world, "maker")
    assert not conspire(world)
    for _ in range(3):
        seconds(world, 1)
        assert not conspire(world)
    spread(world, "maker", 1_050)
    assert not conspire(world)
    check(world, before)


def test_who_rests_at_the_old_price_is_not_met_by_a_friend_who_gets_out() -> None:
    """cat's short is closed by ann's opening one at the old price: ann has a margin of 2 %."""
    world = jumping()
    world.trade("maker", "cat", LOTS, 1_000)
    before = equity(world.cross("fund"))
    world.short("ann", LOTS, 1_000)
    spread(world, "maker", 1_050)
    for _ in range(4):
        assert of(world.close_short("cat", LOTS, 1_000, IOC), ContractTrade) == []
        seconds(world, 1)
    check(world, before)


@pytest.mark.parametrize("told", [(1_000, 1_050), (1_050, 1_000)])
def test_two_sources_that_disagree_are_doubt(told: tuple[int, int]) -> None:
    """The median of two is their middle: neither may be the price."""
    world = ContractWorld("ann", "bob", contract=replace(CONTRACT, index_sources=("desk", "wire")))
    for source, price in zip(("desk", "wire"), told, strict=True):
        world.tell(price, source)
    assert world.perp.doubt
    assert refusal(world.short("bob", LOTS, 1_000)) == Reject.PRICE_DOUBT


def test_one_of_three_sources_that_errs_is_none() -> None:
    world = ContractWorld("ann", "bob")
    for source, price in (("desk", 1_000), ("wire", 1_300), ("post", 1_001)):
        world.tell(price, source)
    assert not world.perp.doubt


def test_a_book_that_has_left_the_feed_is_doubt_at_once() -> None:
    world = jumping(sources=("spot", "desk"))
    world.tell(1_000)
    spread(world, "maker", 1_050)
    assert not conspire(world)
    seconds(world, 1)
    assert world.perp.doubt
    assert not conspire(world)


@pytest.mark.parametrize("side", [LONG, SHORT])
def test_the_fund_gives_nothing_back_at_a_price_that_the_book_has_left(side: int) -> None:
    """It has 100 lots. The book moves 2 % its way, which is no doubt at leverage 20; eve bids (or
    offers) at the mark. She got a third of the lots before the median moved."""
    tiers = wide(20, 20_000)
    contract = replace(CONTRACT, leverage_max=20, tiers=tiers)
    world = index_world("dan", "eve", sources=("spot", "desk"), contract=contract)
    world.owner("ann", 6_000)
    if side == LONG:
        world.trade("ann", "dan", 100, 1_000)
    else:
        world.trade("dan", "ann", 100, 1_000)
    pull(world, "maker")
    world.change(index_sources=("desk",))
    world.post(1_000 - side * 41)
    world.wait(1)
    world.tick()
    (held,) = world.cross("fund").positions
    assert (held.quantity, held.side) == (100, side)
    world.change(index_sources=("spot",))
    spread(world, "maker", 1_000 - side * 41)
    seconds(world, 21)
    left = held.quantity
    assert not world.perp.doubt
    source = 1_000 - side * 21
    spread(world, "maker", source)
    order = world.long if side == LONG else world.short
    for _ in range(4):
        order("eve", 100, world.perp.mark + side)
        world.wait(1)
        for event in of(world.tick(), ContractTrade):
            assert side * (event.price - source) >= -1
        world.ok(commands.CancelContractOrders(world.uids["eve"]))
    assert held.quantity == left
    assert world.money("eve") == MONEY
