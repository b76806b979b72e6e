"""Money that leads and followers took from each other: at leverage, and when shares change."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, MONEY, SYMBOL, ContractWorld, of, wide
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
    proceed,
    settings,
    stop,
    tracking,
)
from venue.core.messages import commands
from venue.core.messages.copy_events import CopyRefused, CopySettled
from venue.core.state import audit, snapshot
from venue.vocabulary import IOC, Reject

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


def robbed_for_a_day(world: ContractWorld, lots: int, *leads: str, parts: int = 1) -> None:
    """The leads' friend `mole` sells to and buys from the followers as far from the mark as they
    trade, again and again; `parts`: a position is opened at once and closed in so many steps."""
    uid = world.uids["mole"]
    for _ in range(12):
        for away in (10, 5, 2, 1):
            for name in leads:
                world.deposit(name, max(1, MONEY - world.money(name)))  # its friend pays it back
                world.ok(commands.CancelContractOrders(uid))
                for _ in range(3):
                    world.short("mole", 9_000, 1_000 + away)
                world.long(name, lots, 1_000 + away, IOC)
                proceed(world)
                for part in range(parts):
                    world.ok(commands.CancelContractOrders(uid))
                    for _ in range(3):
                        world.long("mole", 9_000, 1_000 - away)
                    left = sum(each.quantity for each in world.positions(name))
                    if left:
                        world.close_long(name, left if part == parts - 1 else left // 2, 0)
                    proceed(world)
                    world.wait(1)
                    world.post(1_000)
                    world.tick()
    world.ok(commands.CancelContractOrders(uid))
    world.long("mole", 9_000, 999)
    for _ in range(30):  # the rest is closed within 0.1 % of the mark
        world.wait(1)
        world.post(1_000)
        world.tick()


@pytest.mark.parametrize(
    ("leverage", "parts", "leads"),
    [(5, 1, 1), (20, 1, 1), (50, 4, 1), (100, 1, 1), (100, 4, 1), (100, 1, 3), (100, 2, 3)],
)
def test_leads_take_a_tenth_of_a_followers_money_a_day(
    leverage: int, parts: int, leads: int
) -> None:
    """At leverage 100 they took 26.7 % in a day, and 78.8 % in five."""
    high = replace(
        CONTRACT,
        leverage_max=100,
        tiers=wide(100, 5_000),
        index_step_ppm=3_750,
        position_max=10**9,
        open_interest_max=10**9,
    )
    how = settings(long=leverage)
    world = copying_world("fay", how=how, checked=False, contract=high)
    names = ["lea", "liz", "lou"][:leads]
    world.owner("mole", 10**6 * MONEY)
    world.ok(commands.SetLeverage(world.uids["mole"], SYMBOL, 10))
    for name in names[1:]:
        world.owner(name)
        lead(world, name)
        follow(world, "fay", name, how)
    for name in (*names, "fay"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, leverage))
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    lots = min(9_000, 900 * leverage)
    for day in range(1, 6 if parts == 1 else 2):
        before = world.money("fay")
        robbed_for_a_day(world, lots, *names, parts=parts)
        assert copies(world, "fay") == [], "all is closed"
        lost = before - world.money("fay")
        assert before * 6 // 100 < lost <= before * 102 // 1_000, (day, lost * 1_000 // before)
        midnight(world)
    assert audit.problems(world.engine) == []


def test_an_order_of_the_leads_counts_once_however_its_fills_alternate() -> None:
    """Twenty fills of two resting orders, one of each in turn, opened twenty times the amount."""
    world = copying_world("fay", how=settings(by_amount=True, value=500))
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.owner("mole", 10 * MONEY)
    world.long("lea", 10, 1_001)
    world.long("lea", 10, 1_000)
    quoted = commands.PlaceContractOrder(world.uids["deeper"], SYMBOL, 1, -1, 0, 0, 100, 1_002)
    world.ok(quoted)
    for number in range(10):
        world.short("mole", 1, 1_001, IOC)  # the first order's
        proceed(world)
        if number == 4:
            twin = snapshot.load(snapshot.dump(world.engine))
            assert snapshot.state_hash(twin) == snapshot.state_hash(world.engine)
            world.engine = twin
        world.ok(commands.CancelContractOrders(world.uids["mole"]))
    assert copy(world, "fay").lots == 500 * 20 // 1_010


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
