"""Where pools wait: near enough, and no nearer each time something small happens (rule 7.7)."""

from __future__ import annotations

import pytest

from support.contract_world import HOUR, ContractWorld, of
from venue.core.contract.records import Pool
from venue.core.contract.risk.liquidation import must_liquidate
from venue.core.messages import commands
from venue.core.messages.contract_events import FundingSettled, LiquidationStarted
from venue.core.messages.events import Event

pytestmark = pytest.mark.core


def leveraged(world: ContractWorld, name: str, money: int) -> None:
    world.owner(name, money)
    world.ok(commands.SetLeverage(world.uids[name], world.perp.symbol, cross=50))


def pay_funding(world: ContractWorld) -> None:
    """One settlement: longs pay 0.01 % of what they hold."""
    world.time += 8 * HOUR - 10_000_000
    world.post(1_000)
    world.wait(1)
    world.tick()
    world.wait(1)
    world.post(1_000)
    world.wait(8)
    events = world.tick()
    while world.pending():
        events += proceed(world)
    assert of(events, FundingSettled)


def proceed(world: ContractWorld) -> list[Event]:
    return world.ok(commands.Proceed())


def guards(world: ContractWorld, name: str) -> list[tuple[int, int, int]]:
    return list(world.cross(name).guards)


def test_who_pays_or_gets_a_little_waits_where_it_did() -> None:
    """Ann, long 100 lots (100,000) with 5,055, pays 10 at each funding: a tick of her way. Ben gets
    them."""
    world = ContractWorld("ben")
    leveraged(world, "ann", 5_055)
    world.trade("ann", "ben", 100, 1_000)
    world.tick()
    before = guards(world, "ann"), guards(world, "ben")
    assert all(before)
    money = world.money("ann")
    world.time -= 7 * HOUR  # the next funding time is an hour away
    pay_funding(world)
    assert world.money("ann") == money - 10
    assert (guards(world, "ann"), guards(world, "ben")) == before


def test_who_lost_more_than_that_waits_nearer() -> None:
    """Ann takes 2,000 of her 5,000 out: the mark that endangers her is 20 ticks nearer."""
    world = ContractWorld("ben")
    leveraged(world, "ann", 5_000)
    world.trade("ann", "ben", 100, 1_000)
    world.tick()
    ((_, _, before),) = guards(world, "ann")
    world.withdraw("ann", 2_000)
    world.tick()
    ((_, _, after),) = guards(world, "ann")
    assert after - before == -19  # keys count against a falling mark: 20 less a 16th


@pytest.mark.parametrize("down", [True, False])
def test_nobody_in_danger_is_overlooked(down: bool) -> None:
    """The mark goes by single ticks through the pools of 20 owners; after each command no pool
    stands at or below its maintenance margin, and each goes when it comes to that."""
    world = ContractWorld(fund=10_000_000, checked=False)
    for number in range(20):
        name = f"owner {number}"
        leveraged(world, name, 2_500 + 211 * number)
        rich = f"rich {number}"
        world.owner(rich)
        long, short = (name, rich) if down else (rich, name)
        world.trade(long, short, 100 - number, 1_000)
    gone = 0
    for away in range(1, 100):
        events = world.post(1_000 - away if down else 1_000 + away)
        while world.pending():
            events += proceed(world)
        gone += len(of(events, LiquidationStarted))
        assert not [pool for pool in pools(world) if must_liquidate(pool)]
    assert gone >= 20


def pools(world: ContractWorld) -> list[Pool]:
    return [world.engine.holding(uid).cross(0) for uid in world.engine.ledger.accounts]
