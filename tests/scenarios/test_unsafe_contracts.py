"""Contracts whose terms let two accounts take the fund's money without any wrong price (rule 1.6).

In each story ann and ben are one person. Their gain is measured against what both brought.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    INSTRUMENT,
    MONEY,
    PRICE,
    SYMBOL,
    ContractWorld,
    of,
    wide,
)
from venue.core.contract.position import equity
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderClosed, ContractTrade
from venue.core.messages.events import Rejected
from venue.vocabulary import IOC, LONG, SHORT, OrderStatus, Reject

pytestmark = pytest.mark.core

RICH = 1_000 * MONEY


def listed(contract: Contract) -> ContractWorld | None:
    """A world with this contract and a rich fund; None: the contract is refused."""
    world = ContractWorld(fund=RICH)
    said = world.apply(commands.ChangeContract(contract))
    if isinstance(said[0], Rejected):
        assert said[0].reason == Reject.INSTRUMENT_INVALID
        return None
    return world


def hedged(world: ContractWorld, lots: int, price: int, leverage: int) -> int:
    """ann is long, ben short, where they may open, with just the money that they need; what they
    brought."""
    unit = world.perp.unit
    fee = world.perp.market.taker_ppm + world.perp.market.maker_ppm
    value = lots * price * unit
    money = value // leverage + value * fee // 1_000_000 + 2
    for name in ("ann", "ben"):
        world.owner(name, money)
        uid = world.uids[name]
        world.ok(commands.SetLeverage(uid, SYMBOL, leverage, leverage, leverage))
    world.short("ben", lots, price)
    world.long("ann", lots, price)
    return 2 * money


def gain(world: ContractWorld, brought: int) -> int:
    """The money that both have at mark, less the money that they brought."""
    return sum(max(0, equity(world.cross(name))) for name in ("ann", "ben")) - brought


@pytest.mark.parametrize("way", [LONG, SHORT])
@pytest.mark.parametrize("price", [40, 60, 120, 499])
def test_one_tick_of_an_honest_index_is_no_win(price: int, way: int) -> None:
    """At 40 ticks and leverage 50 one tick is 2.5 % of the value, and the margin 2 %: the index
    moved by one tick and the pair had 45.5 % more than it brought."""
    world = ContractWorld(fund=RICH)
    world.post(price)
    brought = hedged(world, 2_000, price, 50)
    for ticks in range(1, 4):
        world.post(price + way * ticks)
        world.tick()
    assert gain(world, brought) <= 0


@pytest.mark.parametrize("step", [50_000, 25_000, 20_000, 15_000, 10_000])
@pytest.mark.parametrize("maintenance", [10_000, 2_000])
def test_no_step_of_the_index_is_beyond_the_margin(step: int, maintenance: int) -> None:
    """The index may move by `step` ppm a second; the margin at leverage 50 is 2 %, of which a pool
    in danger has the maintenance rate. At 5 % a second the pair won 67 %, at 2.5 % it won 11 %."""
    contract = replace(
        CONTRACT, index_step_ppm=step, tiers=wide(50, maintenance),
        funding_cap_ppb=1_000_000,
        instrument=replace(INSTRUMENT, maker_ppm=0, taker_ppm=0),
    )  # fmt: skip
    world = listed(contract)
    if world is None:
        return
    world.post(10_000)
    brought = hedged(world, 1_000, 10_000, 50)
    assert world.position("ann").quantity == 1_000
    for _ in range(12):
        world.wait(1)
        world.tell(7_000)
        world.tick()
    assert gain(world, brought) <= 0


@pytest.mark.parametrize("taker", [1_000, 4_000, 10_000, 20_000, 60_000])
@pytest.mark.parametrize("liquidation", [0, 5_000])
def test_a_takeover_costs_the_fund_no_fee_that_nobody_pays(taker: int, liquidation: int) -> None:
    """The price at which the fund took a pool's lots over was worse by the taker's fee that its
    owner would have paid in the book. The fund lost 606,000 at a fee of twice the maintenance
    rate, the more the higher the fee was, and the owner kept it."""
    contract = replace(
        CONTRACT, liquidation_ppm=liquidation, instrument=replace(INSTRUMENT, taker_ppm=taker)
    )
    world = listed(contract)
    if world is None:
        return
    world.post(10_000)
    hedged(world, 10, 10_000, 50)
    before = equity(world.cross("fund"))
    for price in range(9_990, 9_800, -10):
        world.post(price)
        world.tick()
        if not world.holding("ann").positions:
            break
    assert not world.holding("ann").positions
    assert world.money("ann") == 0
    assert equity(world.cross("fund")) >= before


def test_the_rounding_of_a_takeover_is_the_funds() -> None:
    """10 lots short with 503 of margin: bankrupt at 1,050.3. The fund takes over at 1,050, and the
    3 that the tick leaves are its liquidation fee, although there is no rate of it."""
    world = ContractWorld("ann", "ben", fund=RICH, contract=replace(CONTRACT, liquidation_ppm=0))
    world.isolate("ben")
    world.trade("ann", "ben", 10, PRICE)
    before = world.money("ben")
    said = world.post(1_040)
    (taken,) = of(said, ContractTrade)
    assert (taken.price, taken.taker.fee) == (1_050, 3)
    assert equity(world.cross("fund")) == RICH + 103
    assert (world.money("ben"), world.account("ben").isolated) == (before, {})


def test_a_contract_whose_tick_becomes_too_coarse_only_reduces() -> None:
    """At a maintenance rate of 1 % a tick is fine enough from 500 on. The price falls below it:
    nobody opens, resting orders that open stand back, positions close and money moves as before."""
    world = ContractWorld("ann", "ben", "cat")
    world.post(500)
    world.trade("ann", "ben", 10, 500)
    world.long("cat", 5, 499)
    world.post(499)
    assert world.engine.contracts.markets[SYMBOL].doubt is False
    unsafe = [Rejected(Reject.CONTRACT_UNSAFE, 500)]
    assert world.long("cat", 1, 490) == unsafe
    assert world.short("ann", 1, 510) == unsafe
    (closed,) = of(world.close_long("ann", 4, 499, IOC), ContractOrderClosed)
    assert closed.status == OrderStatus.EXPIRED
    world.close_short("ben", 10, 499)
    assert world.perp.open_interest == 10
    world.close_long("ann", 4, 499)
    assert world.perp.open_interest == 6
    assert not isinstance(world.withdraw("ann", 100)[0], Rejected)
    world.post(500)
    assert not isinstance(world.long("cat", 1, 490)[0], Rejected)


def test_a_change_does_not_make_a_tick_too_coarse() -> None:
    """With a maintenance rate of 0.2 % a mark must have 2,500 ticks; the contract has 1,000. At
    400 a rate of 1 % is too little, and a change to 1.1 % is better than none."""
    world = ContractWorld()
    finer = replace(CONTRACT, tiers=wide(50, 2_000), index_step_ppm=1_500,
                    funding_cap_ppb=1_500_000)  # fmt: skip
    (said,) = world.apply(commands.ChangeContract(finer))
    assert said == Rejected(
        Reject.INSTRUMENT_INVALID, 0,
        "tick: one tick of 1000, 0.001, must be at most 0.0004, a fifth of the maintenance rate"
        " 0.002 of the first tier",
    )  # fmt: skip
    world.post(400)
    world.ok(commands.ChangeContract(replace(CONTRACT, tiers=wide(50, 11_000))))
    assert world.perp.price_least == 455


def test_terms_of_an_earlier_version_count_as_safe_ones() -> None:
    """A file may hold a contract with a step of 5 %: it counts with 0.75 of the maintenance rate,
    and its index may still be held."""
    older = replace(CONTRACT, index_step_ppm=50_000)
    world = ContractWorld()
    world.perp.configure(older)
    assert world.perp.index_step_ppm == 7_500
    world.ok(commands.ChangeContract(replace(older, index_sources=("desk",))))
    assert isinstance(
        world.apply(commands.ChangeContract(replace(older, liquidation_ppm=0)))[0], Rejected
    )
