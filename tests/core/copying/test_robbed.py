"""Money that leads and followers took from each other: at leverage, and when shares change."""

from __future__ import annotations

import pytest

from support.contract_world import MONEY, SYMBOL, ContractWorld, of
from support.copying_world import (
    TENTH,
    close_copy,
    commission,
    copies,
    copy,
    copying_world,
    follow,
    following,
    lead,
    midnight,
    move,
    settings,
    stop,
)
from venue.core.messages import commands
from venue.core.messages.copy_events import CopySettled

pytestmark = pytest.mark.core


@pytest.mark.parametrize("away", range(1, 11))
def test_a_round_trip_at_leverage_costs_a_follower_a_tenth_of_its_money_at_most(away: int) -> None:
    """The lead and its friend together gain what the follower loses, less the fees."""
    money = 10_000
    world = copying_world("fay", how=settings(long=20))
    for name in ("lea", "fay"):
        world.withdraw(name, MONEY - money)
    world.owner("mole", 10 * MONEY)
    world.ok(commands.SetLeverage(world.uids["mole"], SYMBOL, 10))
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.short("mole", 240, 1_000 + away)
    world.long("lea", 120, 1_000 + away)
    world.ok(commands.CancelContractOrders(world.uids["mole"]))
    world.long("mole", 240, 1_000 - away)
    world.close_long("lea", 120, 0)
    assert copies(world, "fay") == []
    fees = 2 * 120 * 1_010 * 500 // 1_000_000 + 2
    lost = money - world.money("fay")
    assert lost <= money // 10 + fees
    assert not lost or lost > money // 100  # 4.8 % a side at 0.4 % from the mark, none beyond


def gained_under(world: ContractWorld) -> None:
    """The follower has gained 9,696 at a share of 10 %: 969 are taken."""
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    assert commission(world) == 969


def test_a_lead_that_asks_for_more_gets_none_of_it_from_what_was_gained_before() -> None:
    """It would have got 4,848: the follower stops and comes back, at another share from then on."""
    world = copying_world("fay")
    gained_under(world)
    before = world.money("fay")
    lead(world, "lea", 5 * TENTH)
    stop(world, "fay")
    follow(world, "fay")
    midnight(world)
    assert before - world.money("fay") == 0
    assert following(world, "fay").share_ppm == 5 * TENTH


def test_what_was_gained_for_nothing_is_not_charged_later() -> None:
    """It would have been charged 4,848."""
    world = copying_world("fay", share=0)
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    midnight(world)
    before = world.money("fay")
    lead(world, "lea", 5 * TENTH)
    stop(world, "fay")
    follow(world, "fay")
    midnight(world)
    assert world.money("fay") == before


def test_a_follower_that_comes_back_when_the_lead_asks_for_less_gets_nothing_back() -> None:
    """It would have got back 969."""
    world = copying_world("fay")
    gained_under(world)
    before = world.money("fay")
    lead(world, "lea", 0)
    stop(world, "fay")
    follow(world, "fay")
    midnight(world)
    assert world.money("fay") == before


def test_what_a_follower_owes_is_owed_at_the_share_that_was_agreed() -> None:
    """A follower in debt that comes back at another share keeps the old one until it has paid."""
    world = copying_world("fay", how=settings(by_amount=True, value=2_000))
    world.withdraw("fay", MONEY - 10_000)
    world.long("lea", 100, 0)
    world.short("fay", 100, 0)  # of its own, and losing
    move(world, 1_100)
    close_copy(world, "fay", copy(world, "fay").number)
    due = following(world, "fay").net // 10
    lead(world, "lea", 0)
    stop(world, "fay")
    follow(world, "fay", how=settings(by_amount=True, value=2_000))
    world.deposit("fay", MONEY)
    (settled,) = of(midnight(world), CopySettled)
    assert settled.paid == due > 0
    stop(world, "fay")
    follow(world, "fay")
    assert following(world, "fay").share_ppm == 0
