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
    tracking,
)
from venue.core.messages import commands
from venue.core.messages.copy_events import CopyRefused, CopySettled
from venue.core.state import audit, snapshot
from venue.vocabulary import Reject

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


# -- losses that a lead leaves open ----------------------------------------------------------------


def hedged(world: ContractWorld) -> None:
    """The lead is long and short as much, and closes the side that has gained 100 a lot."""
    world.long("lea", 100, 0)
    world.short("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    assert commission(world) == 969


def test_a_lead_that_closes_gains_and_leaves_the_losses_open_is_not_paid() -> None:
    """It would have got 969 of a follower that had lost its fees; the losses are closed later."""
    world = copying_world("fay")
    hedged(world)
    assert tracking(midnight(world)) == []
    assert commission(world) == 969
    world.close_short("lea", 100, 0)
    (settled,) = of(midnight(world), CopySettled)
    assert (settled.paid, settled.back, commission(world)) == (0, 969, 0)


def test_what_open_losses_hide_is_paid_once_they_are_gone() -> None:
    world = copying_world("fay")
    hedged(world)
    midnight(world)
    move(world, 1_000)
    world.withdraw("fay", min(world.money("fay") // 2, 100_000))
    (settled,) = of(midnight(world), CopySettled)
    pair = following(world, "fay")
    loss = pair.open_loss()  # the fee of its opening
    assert loss < 0
    assert (settled.paid, pair.high) == ((pair.net + loss) // 10, pair.net + loss)
    assert commission(world) == pair.prepaid == pair.net // 10 - settled.paid
    world.close_short("lea", 100, 0)
    midnight(world)
    assert (commission(world), pair.prepaid) == (0, 0)


def test_a_lead_that_closes_no_loss_is_stopped_by_it_all_the_same() -> None:
    """Rule 9.4: a tenth of the follower's wallet is lost, and nothing more is opened."""
    world = copying_world("fay")
    for _ in range(9):
        world.long("lea", 100, 0)
    held = copy(world, "fay").lots
    move(world, 640)
    assert following(world, "fay").today == 0
    (refused,) = of(world.long("lea", 1, 0), CopyRefused)
    assert refused.reason == Reject.COPY_LOSS
    midnight(world)
    (refused,) = of(world.long("lea", 1, 0), CopyRefused)
    assert refused.reason == Reject.COPY_LOSS
    move(world, 990)
    world.long("lea", 100, 0)
    assert copy(world, "fay").lots > held


def test_the_sums_of_open_copies_are_those_of_a_state_that_was_loaded() -> None:
    world = copying_world("fay")
    hedged(world)
    world.close_short("lea", 33, 0)
    loaded = snapshot.load(snapshot.dump(world.engine))
    pair = next(iter(loaded.copying.books.followings.values()))
    assert pair.open_loss() == following(world, "fay").open_loss() < 0
    assert audit.problems(loaded) == audit.problems(world.engine) == []
