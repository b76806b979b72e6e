"""Contract gifts (rule 9.2): margin that bears losses and fees first, and cannot leave.

The thief's question stands behind most of these: what of a gift can one person take out, with as
many accounts as it likes? Never more than the gift itself, and not without losing it to somebody.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from support.contract_world import (
    DAY_START,
    HOUR,
    MONEY,
    PRICE,
    SYMBOL,
    ContractWorld,
    isolated_world,
    of,
    refusal,
)
from venue.core.contract.collateral import FEES_UID, FUND_UID, available
from venue.core.messages import benefit_commands, commands
from venue.core.messages.benefit_events import GiftChanged
from venue.core.messages.contract_events import Income, LiquidationStarted
from venue.core.messages.events import Event, Rejected
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import BUY, CROSSED, LONG, SELL, SEPARATED, SHORT, Reject, Wallet

pytestmark = pytest.mark.core

CONTRACT, SPOT, FUNDING = int(Wallet.CONTRACT), int(Wallet.SPOT), int(Wallet.FUNDING)
OWN = 1_000  # ann's money; ben has more than he needs
GIFT = 600


def world_of(own: int = OWN, gift: int = GIFT) -> ContractWorld:
    world = ContractWorld("ben")
    world.owner("ann", own)
    give(world, gift)
    return world


def give(world: ContractWorld, amount: int, name: str = "ann") -> list[Event]:
    return world.apply(benefit_commands.ChangeGift(world.uids[name], "QQQ", amount))


def left(world: ContractWorld, name: str = "ann") -> int:
    benefits = world.account(name).benefits
    return benefits.gift(0) if benefits is not None else 0


def most_out(world: ContractWorld, name: str) -> int:
    """Take out of the contract wallet what leaves it; every way out asks the same question."""
    low, high = 0, AMOUNT_MAX
    uid = world.uids[name]
    while low < high:
        middle = (low + high + 1) // 2
        before = snapshot.dump(world.engine)
        said = world.engine.apply(commands.Transfer(uid, CONTRACT, SPOT, "QQQ", middle, world.time))
        accepted = not isinstance(said[0], Rejected)
        world.engine = snapshot.load(before)
        said = world.engine.apply(commands.Withdraw(uid, CONTRACT, "QQQ", middle, world.time))
        assert accepted == (not isinstance(said[0], Rejected))
        world.engine = snapshot.load(before)
        low, high = (middle, high) if accepted else (low, middle - 1)
    return low


# -- giving and taking back ------------------------------------------------------------------------


def test_a_gift_is_given_and_taken_back_by_items_with_their_reasons() -> None:
    world = world_of(gift=GIFT)
    uid, bill = world.uids["ann"], world.next_bill()
    assert give(world, 50) == [
        GiftChanged(uid, "QQQ", 50, 650),
        Income(bill, uid, 0, "QQQ", "", "transfer_in", 50, 1_650, 0, "INCREASE_CONTRACT_CASH_GIFT"),
    ]
    assert give(world, -100) == [
        GiftChanged(uid, "QQQ", -100, 550),
        Income(
            bill + 1, uid, 0, "QQQ", "", "transfer_out", -100, 1_550, 0,
            "REDUCE_CONTRACT_CASH_GIFT",
        ),
    ]  # fmt: skip
    (changed, _) = give(world, -AMOUNT_MAX)
    assert changed == GiftChanged(uid, "QQQ", -550, 0), "at most what is left of it"
    assert refusal(give(world, -1)) == Reject.FUNDS
    assert most_out(world, "ann") == OWN


@pytest.mark.parametrize("amount", [0, AMOUNT_MAX + 1, -AMOUNT_MAX - 1])
def test_amounts_have_bounds(amount: int) -> None:
    assert give(world_of(), amount) == [Rejected(Reject.AMOUNT, AMOUNT_MAX)]


def test_a_gift_counts_in_the_supply() -> None:
    world = ContractWorld("ann", fund=0)
    assert give(world, AMOUNT_MAX) == [Rejected(Reject.SUPPLY_MAX, AMOUNT_MAX - MONEY)]


def test_who_can_have_a_gift() -> None:
    world = world_of()
    for uid, reason in ((7, Reject.OWNER_UNKNOWN), (FUND_UID, Reject.OWNER_RESERVED),
                        (FEES_UID, Reject.OWNER_RESERVED)):  # fmt: skip
        assert refusal(world.apply(benefit_commands.ChangeGift(uid, "QQQ", 1))) == reason
    said = world.apply(benefit_commands.ChangeGift(world.uids["ann"], "none", 1))
    assert refusal(said) == Reject.ASSET_UNKNOWN


# -- what it does ----------------------------------------------------------------------------------


def test_a_gift_is_margin_and_cannot_leave() -> None:
    world = world_of(own=0, gift=600)
    assert available(world.holding("ann"), 0) == 600
    assert most_out(world, "ann") == 0
    assert refusal(world.long("ann", 12, PRICE)) == Reject.FUNDS
    world.trade("ann", "ben", 10, PRICE)
    assert (left(world), world.cross("ann").cash.collateral) == (595, 595 - 10_000)


def test_it_bears_losses_and_fees_first() -> None:
    world = world_of()
    world.trade("ann", "ben", 10, PRICE)
    assert (left(world), most_out(world, "ann")) == (595, 500)
    world.post(990)
    world.long("ben", 10, 990)
    world.close_long("ann", 10, 990)
    assert left(world) == 595 - 100 - 5
    assert most_out(world, "ann") == OWN


def test_behind_it_comes_the_owners_own_money() -> None:
    world = world_of(gift=50)
    world.trade("ann", "ben", 10, PRICE)
    world.post(990)
    world.long("ben", 10, 990)
    world.close_long("ann", 10, 990)
    assert (left(world), most_out(world, "ann")) == (0, OWN + 50 - 110)


def test_profit_is_the_owners() -> None:
    world = world_of()
    world.trade("ann", "ben", 10, PRICE)
    world.post(1_010)
    world.long("ben", 10, 1_010)
    world.close_long("ann", 10, 1_010)
    assert left(world) == GIFT, "the fee of the opening was made whole"
    assert most_out(world, "ann") == OWN + 100 - 5 - 6


def test_funding_too() -> None:
    world = world_of()
    world.trade("ann", "ben", 10, PRICE)
    before = left(world)
    world.time = DAY_START + 16 * HOUR - 5_000_000
    world.post(PRICE)
    world.tick()
    world.time += 5_000_000
    world.post(PRICE)
    paid = [item for item in of(world.tick(), Income) if item.uid == world.uids["ann"]]
    assert [item.amount for item in paid] == [-1]
    assert left(world) == before - 1


# -- thieves ---------------------------------------------------------------------------------------


def hedge(world: ContractWorld, *, rises: bool) -> tuple[Callable[[], None], Callable[[], None]]:
    """Have ann long and short as much, and move the price. Return two functions: the first closes
    her losing side, the second her winning one, both against ben."""
    world.trade("ann", "ben", 5, PRICE)
    world.long("ben", 5, PRICE)
    world.short("ann", 5, PRICE)
    price = 1_050 if rises else 950
    world.post(price)

    def close_short() -> None:
        world.short("ben", 5, price)
        world.close_short("ann", 5, price)

    def close_long() -> None:
        world.long("ben", 5, price)
        world.close_long("ann", 5, price)

    return (close_short, close_long) if rises else (close_long, close_short)


@pytest.mark.parametrize("rises", [True, False])
def test_a_hedge_in_one_account_does_not_turn_a_gift_into_money(*, rises: bool) -> None:
    """She loses on one side as much as she wins on the other: the gift bears the loss, then the
    profit makes it whole. The money that she took out between was her own."""
    world = world_of()
    loses, wins = hedge(world, rises=rises)
    loses()
    assert left(world) < GIFT - 250
    out = most_out(world, "ann")
    assert out <= OWN
    world.ok(commands.Withdraw(world.uids["ann"], CONTRACT, "QQQ", out))
    wins()
    assert left(world) >= GIFT - 12, "fees alone are gone"
    assert out + most_out(world, "ann") <= OWN


@pytest.mark.parametrize("rises", [True, False])
def test_a_hedge_whose_winner_is_closed_first_does_not_either(*, rises: bool) -> None:
    """Her winnings stand before the gift when the other side loses them again."""
    world = world_of()
    loses, wins = hedge(world, rises=rises)
    wins()
    assert left(world) == GIFT
    out = most_out(world, "ann")
    world.ok(commands.Withdraw(world.uids["ann"], CONTRACT, "QQQ", out))
    loses()
    assert left(world) >= GIFT - 12, "fees alone are gone"
    assert out + most_out(world, "ann") <= OWN


@pytest.mark.parametrize("wins_first", [True, False])
def test_trading_with_oneself_does_not_turn_a_gift_into_money(*, wins_first: bool) -> None:
    """Her closing orders meet each other away from the mark: one side wins what the other loses."""
    world = world_of()
    world.long("ann", 5, PRICE)
    world.short("ann", 5, PRICE)
    price = 1_050 if wins_first else 950
    world.close_short("ann", 5, price)
    world.close_long("ann", 5, price)
    assert not world.positions("ann")
    assert left(world) >= GIFT - 12, "fees alone are gone"
    assert most_out(world, "ann") <= OWN


def test_a_gift_does_not_bear_what_was_lost_before_it_was_given() -> None:
    """The winner of her hedge is closed, then comes the gift, then the loser is closed."""
    world = ContractWorld("ben")
    world.owner("ann", OWN)
    world.trade("ann", "ben", 5, PRICE)
    world.long("ben", 5, PRICE)
    world.short("ann", 5, PRICE)
    world.post(1_050)
    world.long("ben", 5, 1_050)
    world.close_long("ann", 5, 1_050)
    give(world, GIFT)
    world.short("ben", 5, 1_050)
    world.close_short("ann", 5, 1_050)
    assert left(world) >= GIFT - 3
    assert most_out(world, "ann") <= OWN


def test_gains_that_were_taken_out_no_longer_stand_before_the_gift() -> None:
    """She has nothing of her own: her winnings leave, then the gift is lost with its money."""
    world = world_of(own=0)
    world.ok(commands.SetMarginMode(world.uids["ann"], SYMBOL, CROSSED, SEPARATED))
    for _ in range(2):
        world.trade("ann", "ben", 5, PRICE)
    first, second = world.positions("ann")
    world.post(1_100)
    world.long("ben", 5, 1_100)
    world.order("ann", SELL, LONG, 5, 1_100, position_id=first.position_id)
    out = most_out(world, "ann")
    assert out == 600 + 500 - 2 * 3 - 3 - 275 - 600
    world.ok(commands.Withdraw(world.uids["ann"], CONTRACT, "QQQ", out))
    world.post(900)
    world.long("ben", 5, 900)
    world.order("ann", SELL, LONG, 5, 900, position_id=second.position_id)
    assert left(world) == world.money("ann")
    world.deposit("ann", 100)
    assert most_out(world, "ann") == 100


def test_what_a_gift_bore_is_gone_once_the_owner_begins_anew() -> None:
    world = world_of()
    world.trade("ann", "ben", 10, PRICE)
    world.post(950)
    world.long("ben", 10, 950)
    world.close_long("ann", 10, 950)
    bore = GIFT - left(world)
    world.trade("ann", "ben", 10, 950)
    world.post(1_000)
    world.long("ben", 10, 1_000)
    world.close_long("ann", 10, 1_000)
    assert left(world) == GIFT - bore
    assert most_out(world, "ann") == OWN + 500 - 5 - 5


def test_a_friend_wins_no_more_than_the_gift() -> None:
    """She loses to him at the worst price there is, again and again; then both take all out."""
    world = ContractWorld("eve")
    for name in ("ann", "ben"):
        world.owner(name, OWN)
    give(world, GIFT)
    for _ in range(40):
        world.short("ben", 1, 1_050)
        world.long("ann", 1, 1_050)
        world.long("ben", 1, 951)
        world.close_long("ann", 1, 951)
        world.apply(commands.CancelContractOrders(world.uids["ben"]))
        world.apply(commands.CancelContractOrders(world.uids["ann"]))
    for name in ("ann", "ben"):
        for side in (LONG, SHORT):
            for position in list(world.positions(name, side)):
                world.short("eve", position.quantity, PRICE)
                world.long("eve", position.quantity, PRICE)
                world.ok(commands.ClosePositions(world.uids[name], SYMBOL))
    assert most_out(world, "ann") + most_out(world, "ben") <= 2 * OWN + GIFT


def test_gift_money_in_an_isolated_pool_stays_a_gift() -> None:
    world = world_of(own=100, gift=600)
    world.isolate("ann")
    world.trade("ann", "ben", 10, PRICE)
    assert most_out(world, "ann") == 0
    position = world.position("ann")
    world.ok(commands.MoveMargin(world.uids["ann"], position.position_id, 100))
    assert most_out(world, "ann") == 0
    (changed, _) = give(world, -600)
    assert changed == GiftChanged(world.uids["ann"], "QQQ", -95, 500)
    assert refusal(give(world, -1)) == Reject.FUNDS
    give(world, 95)
    world.post(970)
    world.long("ben", 10, 970)
    world.close_long("ann", 10, 970)
    assert left(world) == 595 - 300 - 5
    assert most_out(world, "ann") == 100


def test_what_the_fund_makes_good_is_not_the_owners() -> None:
    """An isolated pool of 500 loses 514 in its liquidation, the fund pays 14: the gift bore 500."""
    world = isolated_world("cat")
    give(world, 600)
    own = most_out(world, "ann")
    world.long("cat", 3, 951)
    said = world.post(959)
    fixed = [item.amount for item in of(said, Income) if item.kind == "order_fix_margin_amount"]
    assert fixed == [-14, 14]
    assert (left(world), most_out(world, "ann")) == (100, own + 500)


def test_separated_positions() -> None:
    world = world_of(own=100, gift=600)
    uid = world.uids["ann"]
    world.ok(commands.SetMarginMode(uid, SYMBOL, CROSSED, SEPARATED))
    for _ in range(3):
        world.trade("ann", "ben", 3, PRICE)
    assert len(world.positions("ann")) == 3
    assert left(world) == 600 - 3 * 2
    first, second, third = world.positions("ann")
    world.post(980)
    for position in (first, second):
        world.long("ben", 3, 980)
        world.order("ann", SELL, LONG, 3, 980, position_id=position.position_id)
    assert left(world) == 600 - 6 - 2 * (60 + 2)
    world.post(1_050)
    world.long("ben", 3, 1_050)
    world.order("ann", SELL, LONG, 3, 1_050, position_id=third.position_id)
    assert left(world) == 600, "the last of them earned 150: first it makes the gift whole"
    assert most_out(world, "ann") == 100 + 150 - 2 - 6 - 2 * 62


def test_taking_back_leaves_the_margin() -> None:
    world = world_of(own=0, gift=600)
    world.trade("ann", "ben", 10, PRICE)
    (changed, _) = give(world, -600)
    assert isinstance(changed, GiftChanged)
    assert (changed.amount, changed.left) == (-95, 500)
    assert refusal(give(world, -1)) == Reject.FUNDS
    world.post(990)
    assert refusal(give(world, -1)) == Reject.FUNDS, "lost money is not there to be taken"


def test_taking_back_waits_while_a_price_is_in_doubt() -> None:
    world = world_of(own=OWN, gift=600)
    world.trade("ann", "ben", 10, PRICE)
    world.wait(20)
    world.tick()
    assert world.perp.doubt
    assert refusal(give(world, -1)) == Reject.FUNDS
    assert most_out(world, "ann") == 0


def test_open_orders_keep_it_too() -> None:
    world = world_of(own=0, gift=600)
    world.long("ann", 10, 900)
    (changed, _) = give(world, -600)
    assert isinstance(changed, GiftChanged)
    assert changed.left == 505  # margin at the mark and the fee


def test_a_gift_saves_from_liquidation_and_is_lost_in_it() -> None:
    world = world_of(own=100, gift=600)
    world.trade("ann", "ben", 10, PRICE)
    world.post(960)
    assert not of(world.tick(), LiquidationStarted)
    world.post(930)
    world.tick()
    assert not world.positions("ann")
    assert left(world) <= max(0, world.money("ann"))
    assert most_out(world, "ann") <= 100


@pytest.mark.parametrize("seed", range(4))
def test_random_thieves_take_no_more_than_they_brought_and_were_given(seed: int) -> None:
    """Three accounts of one person, alone at the venue, with gifts; the fund must not pay either.

    A hundred random commands, then all positions are closed among themselves, then all leaves.
    """
    random = Random(seed)
    names = ("ann", "ben", "cat")
    world = ContractWorld(fund=MONEY)
    for name in names:
        world.owner(name, 5_000)
    brought, given, out = 15_000, 0, 0
    uids = [world.uids[name] for name in names]
    world.isolate("cat")
    world.ok(commands.SetMarginMode(uids[1], SYMBOL, CROSSED, SEPARATED))
    price = PRICE
    for _ in range(150):
        name, uid = random.choice(list(zip(names, uids, strict=True)))
        kind = random.randrange(8)
        if kind == 0:
            said = give(world, random.choice([200, 500, -100, -AMOUNT_MAX]), name)
            given += sum(event.amount for event in of(said, GiftChanged))
        elif kind == 1:
            amount = random.randrange(1, 800)
            said = world.apply(commands.Withdraw(uid, CONTRACT, "QQQ", amount))
            out += 0 if isinstance(said[0], Rejected) else amount
        elif kind == 2:
            price = max(800, min(1_200, price + random.choice([-5, 5, 3, -3])))
            world.post(price)
        else:
            side, position_side = random.choice([BUY, SELL]), random.choice([LONG, SHORT])
            at = price + random.randrange(-20, 21)
            world.order(name, side, position_side, random.randrange(1, 6), at)
    for _, uid in zip(names, uids, strict=True):
        world.apply(commands.CancelContractOrders(uid))
    for name in names:
        account = world.account(name)
        if account.benefits is not None:
            for gift in account.benefits.gifts.values():
                assert 0 <= gift.left <= gift.most
    total = sum(
        pool.collateral
        for name in names
        for pool in (*world.account(name).contract, *world.account(name).isolated.values())
    )
    worth = total + sum(
        position.side * position.quantity * world.perp.mark
        for name in names
        for side in (LONG, SHORT)
        for position in world.positions(name, side)
    )
    assert out + worth <= brought + given
