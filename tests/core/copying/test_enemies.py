"""Enemies that gain by copy trading at others' cost, and the bound on each (rule 9.4)."""

from __future__ import annotations

import pytest

from support.contract_world import MONEY, SYMBOL, ContractWorld, of, refusal
from support.copying_world import (
    SETTINGS,
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
    quote,
    settings,
    stop,
    the_lead,
    tracking,
)
from venue.core.contract.orders import ASKED_MAX
from venue.core.copying.copying import RETRIES_MAX, SETTLED_MAX
from venue.core.copying.people import FOLLOWERS_MAX, FOLLOWS_MAX
from venue.core.copying.repeating import COPIES_MAX
from venue.core.messages import commands
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderPlaced,
    ContractTrade,
    LiquidationStarted,
)
from venue.core.messages.copy_events import CopyClosed, CopyOpened, CopyRefused, CopySettled
from venue.core.messages.events import Event
from venue.core.state import audit, snapshot
from venue.node.replies import Replies
from venue.vocabulary import Reject, SeparatedMode

pytestmark = pytest.mark.core


# -- a lead against its followers -----------------------------------------------------------------


def thin(world: ContractWorld) -> None:
    """Only `mole`, the lead's friend, sells: a lot at the mark, the rest as dear as it may."""
    world.owner("mole", 10 * MONEY)
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.short("mole", 10, 1_001)
    world.short("mole", 300, 1_049)


def test_followers_buy_from_the_leads_friend_within_the_slippage_only() -> None:
    world = copying_world("fay", how=settings(slippage_ppm=2_000))
    thin(world)
    events = world.long("lea", 100, 0)  # sweeps up to 1,049
    (opened,) = of(events, CopyRefused)
    assert opened.reason == Reject.NO_LIQUIDITY
    assert copies(world, "fay") == []


def test_a_round_trip_with_a_friend_costs_a_follower_twice_the_slippage_at_most() -> None:
    world = copying_world("fay")
    world.owner("mole", 10 * MONEY)
    world.ok(commands.SetLeverage(world.uids["mole"], SYMBOL, 10))
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    before = world.money("fay")
    world.short("mole", 1_000, 1_010)
    assert of(world.long("lea", 100, 0), CopyOpened)
    value = copy(world, "fay").open_value
    world.long("mole", 1_000, 990)
    world.close_long("lea", 100, 0)
    assert copies(world, "fay") == []
    lost = before - world.money("fay")
    assert lost <= value * 20_000 // 1_000_000 + 2 * (value // 2_000 + 1)


def test_a_pair_that_lost_a_tenth_opens_no_more_until_the_next_day() -> None:
    world = copying_world("fay", how=settings(long=10))
    world.owner("mole", 100 * MONEY)
    world.ok(commands.SetLeverage(world.uids["mole"], SYMBOL, 10))
    world.ok(commands.SetLeverage(world.uids["lea"], SYMBOL, 10))
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    rounds = 0
    refused: list[CopyRefused] = []
    while not refused and rounds < 60:
        rounds += 1
        world.short("mole", 1_000, 1_010)
        refused = of(world.long("lea", 400, 0), CopyRefused)
        world.ok(commands.CancelContractOrders(world.uids["mole"]))
        world.long("mole", 1_000, 990)
        world.close_long("lea", 400, 0)
        world.ok(commands.CancelContractOrders(world.uids["mole"]))
    assert refused[0].reason in (Reject.COPY_LOSS, Reject.NO_LIQUIDITY)
    # A tenth, and less than the cost of one more round: nearer to the mark nobody offers.
    assert MONEY * 9 // 10 <= world.money("fay") < MONEY * 9 // 10 + 20_000
    midnight(world)
    assert following(world, "fay").today == 0


def test_a_lead_that_moves_the_last_price_does_not_move_the_bound() -> None:
    world = copying_world("fay")
    world.owner("mole", 10 * MONEY)
    quote(world, away=8)
    world.short("mole", 1, 1_001)
    world.long("lea", 1, 0)
    placed = of(world.long("lea", 50, 1_040), ContractOrderPlaced)
    assert placed[-1].price <= 1_010


def test_closes_that_are_tried_again_ask_a_bounded_number_of_resting_orders() -> None:
    """Enemy: a lead with friends, whose offers of one lot make a tick long for everybody."""
    followers = [f"fay{number}" for number in range(RETRIES_MAX)]
    makers = [f"mop{number}" for number in range(10)]
    world = copying_world(*followers, checked=False)
    for name in ("mole", *makers):
        world.owner(name, 10 * MONEY)
    world.long("lea", 100, 0)
    proceed(world)
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.long("mole", 100, 980)
    world.close_long("lea", 100, 0)  # further from the mark than a follower goes
    proceed(world)
    assert len(world.engine.copying.books.behind.copies()) == RETRIES_MAX
    for name in makers:
        for _ in range(190):
            world.long(name, 1, 999)
    sold = []
    while world.engine.copying.books.behind.copies():
        world.wait(1)
        world.post(1_000)
        sold.append(len(of(world.tick(), ContractTrade)))
    assert sum(sold) == 10 * 190 > max(sold)
    assert max(sold) < ASKED_MAX + 100


# -- a follower against its lead ------------------------------------------------------------------


def test_closing_alone_is_shared_like_closing_with_the_lead() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    assert [kind for _, kind, _ in tracking(world.close_long("fay", 99, 0))] == [
        "follow_pay", "system_pre_receive",
    ]  # fmt: skip
    assert copies(world, "fay") == []
    assert not of(world.close_long("lea", 100, 0), ContractOrderPlaced)[1:]


def test_what_is_the_followers_own_is_closed_first() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    world.long("fay", 10, 0)
    assert tracking(world.close_long("fay", 10, 0)) == []
    assert copy(world, "fay").lots == 99
    move(world, 1_100)
    assert tracking(world.close_long("fay", 40, 0))
    assert copy(world, "fay").lots == 59


def test_the_share_is_gone_before_anything_can_be_transferred_out() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    number = copy(world, "fay").number
    close_copy(world, "fay", number)
    left = world.money("fay")
    assert commission(world) == 969
    assert refusal(world.withdraw("fay", left + 1)) == Reject.FUNDS
    world.withdraw("fay", left)
    (settled,) = of(midnight(world), CopySettled)
    assert settled.paid == 969


def test_stopping_before_midnight_is_settled_like_going_on() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    stop(world, "fay")
    (settled,) = of(midnight(world), CopySettled)
    assert settled.paid == 969
    assert world.engine.copying.books.followings == {}


def test_what_a_follower_could_not_pay_falls_due_again() -> None:
    world = copying_world("fay", how=settings(by_amount=True, value=2_000))
    world.withdraw("fay", MONEY - 10_000)
    world.long("lea", 100, 0)
    world.short("fay", 100, 0)  # of its own, and losing
    move(world, 1_100)
    assert tracking(close_copy(world, "fay", copy(world, "fay").number)) == []
    due = following(world, "fay").net // 10
    assert of(midnight(world), CopySettled) == []
    assert (following(world, "fay").high, following(world, "fay").prepaid) == (0, 0)
    stop(world, "fay")
    world.deposit("fay", 100)
    quote(world, away=1)
    world.close_short("fay", 100, 0)
    spare = world.money("fay")
    (settled,) = of(midnight(world), CopySettled)
    assert settled.paid == min(due, spare)


def test_the_commission_account_is_the_followers_and_leads_and_nobody_takes_of_it() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    taken = world.apply(commands.Withdraw(3, 1, "QQQ", 1))
    assert refusal(taken) == Reject.ACCOUNT_FROZEN
    assert refusal(world.apply(commands.Transfer(3, 1, 0, "QQQ", 1))) == Reject.ACCOUNT_FROZEN
    order = commands.PlaceContractOrder(3, SYMBOL, 0, 1, 1, 1, 1, 0)
    assert refusal(world.apply(order)) == Reject.ACCOUNT_FROZEN


# -- circles --------------------------------------------------------------------------------------


def test_nobody_follows_himself_and_who_leads_does_not_follow() -> None:
    world = copying_world("fay")
    world.owner("liz")
    lead(world, "liz")
    assert refusal(follow(world, "lea", "lea")) == Reject.FOLLOW_SELF
    assert refusal(follow(world, "lea", "liz")) == Reject.FOLLOW_CHAIN
    assert refusal(lead(world, "fay")) == Reject.FOLLOW_CHAIN
    assert refusal(follow(world, "fay", "deep")) == Reject.LEAD_UNKNOWN


def test_who_has_copies_left_does_not_lead_yet() -> None:
    world = copying_world("fay")
    world.long("lea", 10, 0)
    stop(world, "fay")
    assert refusal(lead(world, "fay")) == Reject.FOLLOW_CHAIN
    close_copy(world, "fay", copy(world, "fay").number)
    midnight(world)
    pair = world.engine.copying.books.traders[world.uids["fay"]].followings
    assert all(found.net < found.high for found in pair.values()), "a loss stays to be earned back"


def test_one_follower_of_two_leads() -> None:
    world = copying_world("fay")
    world.owner("liz")
    lead(world, "liz")
    follow(world, "fay", "liz")
    world.long("lea", 100, 0)
    world.long("liz", 50, 0)
    first, second = copy(world, "fay"), copy(world, "fay", "liz")
    assert first.tracked is second.tracked
    lots = first.lots
    world.close_long("liz", 50, 0)
    assert (first.lots, copies(world, "fay", "liz")) == (lots, [])


def test_there_are_no_more_pairs_than_are_bounded() -> None:
    world = ContractWorld(*(f"l{number}" for number in range(FOLLOWS_MAX + 1)), "fay", money=0)
    for number in range(FOLLOWS_MAX + 1):
        lead(world, f"l{number}")
    for number in range(FOLLOWS_MAX):
        follow(world, "fay", f"l{number}")
    assert refusal(follow(world, "fay", f"l{FOLLOWS_MAX}")) == Reject.FOLLOWS_MAX


# -- many -----------------------------------------------------------------------------------------


def crowd(size: int) -> ContractWorld:
    names = [f"f{number}" for number in range(size)]
    world = copying_world(*names, checked=False)
    world.deposit("lea", 100 * MONEY)
    world.ok(commands.SetLeverage(world.uids["lea"], SYMBOL, 10))
    quote(world, 9_000)
    return world


def test_a_thousand_followers_are_served_in_slices_between_others_commands() -> None:
    world = crowd(FOLLOWERS_MAX)
    world.owner("late")
    assert refusal(follow(world, "late")) == Reject.LEAD_FULL
    slices = [world.long("lea", 400, 0)]
    while world.engine.pending():
        slices.append(world.apply(commands.Proceed()))
        if len(slices) == 3:  # somebody else's turn, amid the cascade
            assert isinstance(world.long("late", 1, 990)[0], ContractOrderPlaced)
            (gone,) = world.apply(commands.CancelContractOrders(world.uids["late"]))
            assert type(gone).__name__ == "ContractOrderClosed"
    opened = [of(events, CopyOpened) for events in slices]
    assert max(map(len, opened)) <= COPIES_MAX
    uids = [one.uid for events in opened for one in events]
    assert uids == sorted(uids)
    assert len(uids) == FOLLOWERS_MAX
    assert audit.problems(world.engine) == []
    closed = world.close_long("lea", 400, 0) + proceed(world)
    assert len(of(closed, CopyClosed)) == FOLLOWERS_MAX
    assert the_lead(world).tracks == {}
    assert audit.problems(world.engine) == []


def test_a_state_amid_a_cascade_and_amid_the_settlement_goes_on_as_it_was() -> None:
    """A venue that was killed there loads the snapshot, then repeats the same commands."""
    world = crowd(3 * COPIES_MAX)
    world.long("lea", 400, 0)
    world.apply(commands.Proceed())
    _twins_agree(world)
    move(world, 1_050)
    world.close_long("lea", 400, 0)
    world.apply(commands.Proceed())
    _twins_agree(world)
    world.time += 86_400_000_000
    world.tick()
    world.apply(commands.Proceed())
    assert world.engine.copying.settling > 1
    assert commission(world) > 0
    _twins_agree(world)
    assert commission(world) == 0
    assert len(world.engine.copying.books.followings) > 2 * SETTLED_MAX


def _twins_agree(world: ContractWorld) -> None:
    """A copy of the engine from its snapshot does the same as it, to the end."""
    data = snapshot.dump(world.engine)
    twin = snapshot.load(data)
    assert snapshot.dump(twin) == data
    assert world.engine.pending()
    while world.engine.pending():
        command = commands.Proceed(time=world.time)
        assert world.engine.apply(command) == twin.apply(command)
    assert snapshot.dump(twin) == snapshot.dump(world.engine)
    assert audit.problems(world.engine) == []


def test_a_lead_that_opens_and_closes_at_once_opens_for_nobody_behind_it() -> None:
    world = crowd(2 * COPIES_MAX)
    world.long("lea", 400, 0)
    world.close_long("lea", 400, 0)
    said = proceed(world)
    assert not of(said, CopyOpened), "copies that have not opened when it closes do not"
    assert audit.problems(world.engine) == []
    assert all(not pair.copies for pair in world.engine.copying.books.followings.values())


def test_an_answer_to_a_closing_waits_for_its_own_positions_only() -> None:
    replies = Replies()
    closing = commands.ClosePositions(1)
    events: list[Event] = [ClosedAtMarket(7, 8, 0, 0, 3), CopyRefused(1, 2, 3, SYMBOL, True, 4)]
    assert not replies.complete((_Answer(), [Applied(5, 0, closing, events)]))
    (reply,) = replies.add(Applied(6, 0, commands.Proceed(), [ClosedAtMarket(9, 8, 0, 5, 0)]))
    assert len(reply[1][0].events) == 3


class _Answer:
    def done(self) -> bool:
        return False

    def set_result(self, applied: list[Applied], /) -> None:
        raise AssertionError(applied)

    def set_exception(self, problem: BaseException, /) -> None:
        raise AssertionError(problem)


# -- states of a follower and of the market -------------------------------------------------------


def test_a_follower_in_liquidation_loses_its_copy_and_the_lead_nothing() -> None:
    world = copying_world("fay", how=settings(by_amount=True, value=1_900, long=50))
    world.ok(commands.SetLeverage(world.uids["lea"], SYMBOL, 2))
    world.withdraw("fay", MONEY - 3_000)
    world.long("lea", 100, 0)
    events = world.post(950)
    events += world.tick() + proceed(world)
    started = of(events, LiquidationStarted)
    assert [one.uid for one in started] == [world.uids["fay"]]
    assert of(events, CopyClosed)
    assert (copies(world, "fay"), world.position("lea").quantity) == ([], 100)


def test_a_lead_in_liquidation_closes_for_its_followers() -> None:
    world = copying_world("fay", how=settings(long=5))
    world.ok(commands.SetLeverage(world.uids["lea"], SYMBOL, 50))
    world.withdraw("lea", MONEY - 2_000)
    world.long("lea", 90, 0)
    said = world.post(985) + world.tick() + proceed(world)
    assert of(said, LiquidationStarted)
    assert of(said, CopyClosed)
    assert copies(world, "fay") == []


def test_a_halted_symbol_is_closed_when_trading_resumes() -> None:
    world = copying_world("fay")
    world.isolate("lea", 20)
    world.long("lea", 100, 0)
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.long("deep", 100, 1_000)  # enough for the lead alone
    (refused,) = of(world.close_long("lea", 100, 0), CopyRefused)
    assert (refused.opens, refused.reason) == (False, Reject.NO_LIQUIDITY)
    assert world.engine.copying.books.behind.copies() == [copy(world, "fay")]
    world.ok(commands.HaltInstrument(SYMBOL, True, "rest", product=1))
    number = copy(world, "fay").number
    assert refusal(close_copy(world, "fay", number)) == Reject.HALTED
    world.wait(1)
    assert not of(world.tick(), CopyClosed)
    world.ok(commands.HaltInstrument(SYMBOL, False, product=1))
    world.long("deep", 100, 1_000)
    world.wait(1)
    assert of(world.tick(), CopyClosed)
    assert world.engine.copying.books.behind.copies() == []


def test_a_symbol_that_is_halted_amid_a_cascade() -> None:
    world = crowd(2 * COPIES_MAX)
    world.long("lea", 400, 0)
    world.ok(commands.HaltInstrument(SYMBOL, True, "rest", product=1))
    refused = of(proceed(world), CopyRefused)
    assert [one.reason for one in refused] == [Reject.HALTED] * COPIES_MAX


def test_both_sides_of_a_hedge_are_copied_each_by_itself() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    world.short("lea", 50, 0)
    assert sorted(one.track.side for one in copies(world, "fay")) == [-1, 1]
    world.close_short("lea", 50, 0)
    assert [one.track.side for one in copies(world, "fay")] == [1]


def test_separated_positions_are_copied_each_by_itself() -> None:
    world = copying_world("fay")
    mode = int(SeparatedMode.SEPARATED)
    for name in ("lea", "fay"):
        world.ok(commands.SetMarginMode(world.uids[name], SYMBOL, 0, mode))
    world.long("lea", 100, 0)
    world.long("lea", 50, 0)
    first, second = world.positions("lea")
    assert [one.track.number for one in copies(world, "fay")] == [
        first.position_id, second.position_id,
    ]  # fmt: skip
    world.ok(commands.ClosePositions(world.uids["lea"], "", first.position_id))
    assert [one.track.number for one in copies(world, "fay")] == [second.position_id]


def test_a_frozen_follower_opens_nothing_and_closes_when_it_is_free_again() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    world.ok(commands.FreezeOwner(world.uids["fay"], True))
    (refused,) = of(world.long("lea", 10, 0), CopyRefused)
    assert refused.reason == Reject.ACCOUNT_FROZEN
    (refused,) = of(world.close_long("lea", 110, 0), CopyRefused)
    assert (refused.opens, refused.reason) == (False, Reject.ACCOUNT_FROZEN)
    assert of(world.tick(), CopyClosed) == []
    world.ok(commands.FreezeOwner(world.uids["fay"], False))
    assert of(world.tick(), CopyClosed)


def test_who_copies_nobody_is_not_looked_at() -> None:
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, 1_000)
    assert world.engine.copying.books.traders == {}
    assert SETTINGS.slippage_ppm == 0
    assert of(world.close_long("ann", 1, 1_000), ContractTrade) == []
