"""Trades of leads are repeated for their followers: their costs and earnings (rule 9.4)."""

from __future__ import annotations

import pytest

from support.contract_world import MONEY, SYMBOL, of, refusal
from support.copying_world import (
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
    quote,
    settings,
    stop,
    the_lead,
    tracking,
)
from venue.core.messages import commands
from venue.core.messages.contract_events import AlgoPlaced, ContractOrderPlaced, ContractTrade
from venue.core.messages.copy_commands import SetLead
from venue.core.messages.copy_events import (
    CopyClosed,
    CopyOpened,
    CopyRefused,
    CopySettled,
    FollowStopped,
    TrackClosed,
)
from venue.core.state import snapshot
from venue.vocabulary import BUY, IOC, LIMIT, LONG, SHORT, Cause, MarginMode, Reject

pytestmark = pytest.mark.core

COPY = int(Cause.COPY)


def test_an_opening_is_repeated_in_the_order_of_following_as_orders_of_the_followers() -> None:
    world = copying_world("fay", "fin")
    events = world.long("lea", 100, 0)
    placed = of(events, ContractOrderPlaced)
    assert [(one.uid, one.quantity, one.cause) for one in placed] == [
        (world.uids["lea"], 100, 0),
        (world.uids["fay"], 99, COPY),
        (world.uids["fin"], 99, COPY),
    ]
    assert all(
        (one.type, one.time_in_force, one.price) == (LIMIT, IOC, 1_010) for one in placed[1:]
    )
    opened = of(events, CopyOpened)
    lead = world.position("lea")
    assert [(one.uid, one.tracking_no, one.lots, one.value, one.fee) for one in opened] == [
        (world.uids[name], lead.position_id, 99, 99_099, 50) for name in ("fay", "fin")
    ]
    assert world.position("fay").quantity == 99
    # 100,151 and 99,149 of it with the fees: each pays its own.
    assert world.money("fay") == MONEY - 99_149


def test_a_close_closes_in_proportion_and_the_share_is_taken_and_settled() -> None:
    world = copying_world("fay")
    everything = world.everything()
    world.long("lea", 100, 0)
    move(world, 1_100)
    half = world.close_long("lea", 50, 0)
    # 50 of 99 lots at 1,100: 55,000 - 50,050 of cost - 28 and 26 of fees = 4,896; 10 % are 489.
    assert tracking(half) == [
        (world.uids["fay"], "follow_pay", -489), (3, "system_pre_receive", 489),
    ]  # fmt: skip
    assert copy(world, "fay").lots == 49
    rest = world.close_long("lea", 50, 0)
    (closed,) = of(rest, CopyClosed)
    assert (closed.realized, closed.paid) == (9_801, 969)
    (track,) = of(rest, TrackClosed)
    assert (track.realized, track.followers) == (9_900, 1)
    assert commission(world) == 969
    day = midnight(world)
    # The net result is 9,801 - 50 - 55 = 9,696: 969 are due.
    assert tracking(day) == [
        (3, "system_pre_receive", -969),
        (world.uids["lea"], "trader_income", 969),
    ]
    assert commission(world) == 0
    assert world.everything() == everything


def test_a_loss_after_a_profit_brings_back_what_was_taken_too_much() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    world.long("lea", 100, 0)
    move(world, 1_060)
    world.close_long("lea", 100, 0)
    pair = following(world, "fay")
    due, prepaid = pair.net // 10, pair.prepaid
    assert (due, prepaid) == (557, 969)  # the example of rule 9.4
    day = midnight(world)
    assert tracking(day) == [
        (3, "system_pre_receive", -due), (world.uids["lea"], "trader_income", due),
        (3, "system_pre_receive", due - prepaid), (world.uids["fay"], "follow_back", prepaid - due),
    ]  # fmt: skip
    assert (pair.high, pair.prepaid, commission(world)) == (pair.net, 0, 0)


def test_a_loss_lowers_nothing_that_was_paid_and_must_be_earned_back_first() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    midnight(world)
    high = following(world, "fay").high
    world.long("lea", 100, 0)
    move(world, 1_050)
    world.close_long("lea", 100, 0)
    assert of(midnight(world), CopySettled) == []
    assert following(world, "fay").high == high > following(world, "fay").net
    quote(world)
    world.long("lea", 100, 0)
    move(world, 1_060)
    assert [kind for _, kind, _ in tracking(world.close_long("lea", 100, 0))] == [
        "follow_pay", "system_pre_receive",
    ]  # fmt: skip
    (settled,) = of(midnight(world), CopySettled)
    assert (settled.paid, settled.high) == (0, high)
    assert settled.back > 0


def test_a_third_party_gets_its_part_of_what_the_lead_gets() -> None:
    world = copying_world("fay")
    world.owner("uma", 0)
    lead(world, "lea", third="uma", third_ppm=300_000)
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    items = tracking(midnight(world))
    lea, uma = world.uids["lea"], world.uids["uma"]
    assert items == [
        (3, "system_pre_receive", -969), (lea, "trader_income", 969),
        (lea, "third_party_share", -290), (uma, "third_party_share", 290),
    ]  # fmt: skip
    assert world.money("uma") == 290


def test_fills_of_a_resting_order_are_repeated_when_they_happen() -> None:
    world = copying_world("fay")
    world.owner("sue")
    quote(world, away=5)
    assert len(world.long("lea", 10, 1_000)) == 1
    events = world.short("sue", 4, 1_000)
    assert [one.uid for one in of(events, ContractOrderPlaced)] == [
        world.uids["sue"], world.uids["fay"],
    ]  # fmt: skip
    assert copy(world, "fay").lots == 3


def test_a_refusal_is_the_followers_own() -> None:
    world = copying_world("fay", "fin")
    world.withdraw("fay", MONEY - 3)
    events = world.long("lea", 100, 0)
    (refused,) = of(events, CopyRefused)
    assert (refused.uid, refused.reason) == (world.uids["fay"], Reject.COPY_SMALL)
    assert [one.uid for one in of(events, CopyOpened)] == [world.uids["fin"]]
    assert world.position("lea").quantity == 100


def test_an_order_of_a_follower_is_refused_by_its_own_margin() -> None:
    fixed = settings(by_amount=True, value=10_000)
    world = copying_world("fay", "fin", how=fixed)
    world.withdraw("fay", MONEY - 5_000)
    events = world.long("lea", 100, 0)
    (refused,) = of(events, CopyRefused)
    assert (refused.uid, refused.reason) == (world.uids["fay"], Reject.FUNDS)
    # 10,000 x 20 / 1,010 = 198 lots, whatever the lead has put up.
    assert [(one.uid, one.lots) for one in of(events, CopyOpened)] == [(world.uids["fin"], 198)]


def test_an_amount_is_for_each_order_however_often_it_fills() -> None:
    world = copying_world("fay", how=settings(by_amount=True, value=1_000))
    world.owner("sue")
    quote(world, away=5)
    world.long("lea", 10, 1_000)
    first = world.short("sue", 4, 1_000)
    second = world.short("sue", 6, 1_000)
    assert [one.lots for one in of(first + second, CopyOpened)] == [19]


def test_no_more_is_held_than_the_settings_say() -> None:
    world = copying_world("fay", how=settings(hold_max=50_000))
    (first,) = of(world.long("lea", 40, 0), CopyOpened)
    (second,) = of(world.long("lea", 40, 0), CopyOpened)
    assert (first.lots, second.lots) == (39, 10)
    (refused,) = of(world.long("lea", 40, 0), CopyRefused)
    assert refused.reason == Reject.COPY_SMALL


def test_a_symbol_that_the_settings_do_not_name_is_not_copied() -> None:
    world = copying_world("fay")
    world.ok(commands.RegisterAsset("BBB", 0))
    assert refusal(
        follow(world, "fay", how=settings(symbols=["BBBQQQ"]))
    ) == Reject.SYMBOL_UNKNOWN  # fmt: skip
    follow(world, "fay", how=settings(symbols=[SYMBOL]))
    assert of(world.long("lea", 100, 0), CopyOpened)


def test_margin_mode_and_leverage_are_the_settings_where_nothing_is_held() -> None:
    isolated = settings(margin_mode=int(MarginMode.ISOLATED), long=5, short=7)
    world = copying_world("fay", "fin", how=isolated)
    world.trade("fin", "deep", 1, 1_001 if world.perp.market.book.asks.keys else 1_000)
    quote(world)
    world.long("lea", 100, 0)
    fay, fin = world.position("fay"), world.position("fin")
    assert (fay.pool.position_id, fay.leverage) == (fay.position_id, 5)
    assert (fin.pool.position_id, fin.leverage) == (0, 20), "a held position keeps its own"


def test_the_leads_own_mode_and_leverage() -> None:
    world = copying_world("fay", how=settings(margin_mode=-1, leverage_type=1))
    world.isolate("lea", 4)
    world.long("lea", 10, 0)
    fay = world.position("fay")
    assert (fay.pool.position_id, fay.leverage) == (fay.position_id, 4)


def test_exits_of_a_copy() -> None:
    world = copying_world("fay", how=settings(take_profit_ppm=1_000_000, stop_loss_ppm=500_000))
    exits = of(world.long("lea", 10, 0), AlgoPlaced)
    # At leverage 20, 100 % of the margin is 5 % of the price, 50 % are 2.5 %; of 1,010 at worst.
    assert [(one.uid, one.trigger_price) for one in exits] == [
        (world.uids["fay"], 1_060), (world.uids["fay"], 985),
    ]  # fmt: skip
    world.owner("sue")
    world.ok(commands.CancelContractOrders(world.uids["deeper"]))
    world.long("sue", 20, 1_049)
    assert of(world.post(1_070), CopyClosed), "an exit of its own ends a copy"
    assert world.position("lea").quantity == 10


def test_a_short_is_copied_like_a_long() -> None:
    world = copying_world("fay")
    world.short("lea", 100, 0)
    assert world.position("fay", SHORT).quantity == 100
    move(world, 900)
    items = tracking(world.close_short("lea", 100, 0))
    assert [kind for _, kind, _ in items] == ["follow_pay", "system_pre_receive"]


def test_a_follower_closes_one_copy() -> None:
    world = copying_world("fay", "fin")
    world.long("lea", 100, 0)
    number = copy(world, "fay").number
    assert refusal(close_copy(world, "fin", number)) == Reject.COPY_UNKNOWN
    assert refusal(close_copy(world, "fay", number, "BBBQQQ")) == Reject.COPY_UNKNOWN
    events = close_copy(world, "fay", number)
    assert [trade.cause for trade in of(events, ContractTrade)] == [COPY]
    assert copies(world, "fay") == []
    assert copies(world, "fin") != []
    assert refusal(close_copy(world, "fay", number)) == Reject.COPY_UNKNOWN


def test_stop_copying_closes_nothing_and_what_is_copied_still_follows_the_lead() -> None:
    world = copying_world("fay")
    world.long("lea", 100, 0)
    (stopped,) = stop(world, "fay")
    assert isinstance(stopped, FollowStopped)
    assert stopped.copies == 1
    assert refusal(stop(world, "fay")) == Reject.NOT_FOLLOWING
    assert not of(world.long("lea", 10, 0), CopyOpened)
    assert copy(world, "fay").lots == 99
    move(world, 1_100)
    events = world.close_long("lea", 110, 0)
    assert of(events, CopyClosed)
    assert tracking(events)


def test_who_follows_later_opens_nothing_that_was_open() -> None:
    world = copying_world()
    world.owner("fay")
    world.long("lea", 100, 0)
    follow(world, "fay")
    assert not of(world.close_long("lea", 50, 0), ContractOrderPlaced)[1:]


def test_a_pair_that_is_over_is_let_go_and_one_with_a_loss_is_not() -> None:
    world = copying_world("fay", "fin")
    stop(world, "fay")
    books = world.engine.copying.books
    assert list(books.followings) == [2]
    world.long("lea", 100, 0)
    move(world, 950)
    world.close_long("lea", 100, 0)
    stop(world, "fin")
    midnight(world)
    assert list(books.followings) == [2]
    net = following(world, "fin").net
    follow(world, "fin")
    assert following(world, "fin").net == net < 0


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"value": 0}, Reject.COPY_SETTINGS),
        ({"value": 1_000_001}, Reject.COPY_SETTINGS),
        ({"hold_max": 0}, Reject.COPY_SETTINGS),
        ({"take_profit_ppm": 4_000_001}, Reject.COPY_SETTINGS),
        ({"stop_loss_ppm": -1}, Reject.COPY_SETTINGS),
        ({"slippage_ppm": 999}, Reject.COPY_SETTINGS),
        ({"slippage_ppm": 10_001}, Reject.COPY_SETTINGS),
        ({"symbol": "BBBQQQ"}, Reject.SYMBOL_UNKNOWN),
        ({"symbol": SYMBOL, "long": 51}, Reject.LEVERAGE),
        ({"custom": [(SYMBOL, 51, 1)]}, Reject.LEVERAGE),
        ({"custom": [("BBBQQQ", 5, 1)]}, Reject.SYMBOL_UNKNOWN),
    ],
)
def test_settings_that_nothing_can_be_copied_by(fields: dict[str, object], reason: Reject) -> None:
    world = copying_world("fay")
    assert refusal(follow(world, "fay", how=settings(**fields))) == reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"uid": 1}, Reject.OWNER_RESERVED),
        ({"uid": 3}, Reject.OWNER_RESERVED),
        ({"uid": 99}, Reject.OWNER_UNKNOWN),
        ({"asset": "ZZZ"}, Reject.ASSET_UNKNOWN),
        ({"asset": "AAA"}, Reject.LEAD_ASSET),
        ({"share_ppm": 500_001}, Reject.FEE_RATE),
        ({"share_ppm": -1}, Reject.FEE_RATE),
        ({"third_uid": 10_000_001}, Reject.THIRD_PARTY),
        ({"third_uid": 99}, Reject.THIRD_PARTY),
        ({"third_ppm": 1_000_001}, Reject.FEE_RATE),
        ({"symbols": ["BBBQQQ"]}, Reject.SYMBOL_UNKNOWN),
    ],
)
def test_terms_that_nobody_can_lead_on(fields: dict[str, object], reason: Reject) -> None:
    world = copying_world()
    told = {"uid": world.uids["lea"], "asset": "QQQ", "active": True, "share_ppm": 1, **fields}
    assert refusal(world.apply(SetLead(**told))) == reason  # type: ignore[arg-type]


def test_a_lead_that_is_closed_is_copied_no_more_and_nobody_follows_anew() -> None:
    world = copying_world("fay")
    world.owner("fin")
    world.long("lea", 10, 0)
    world.ok(SetLead(world.uids["lea"], "QQQ", False, 100_000))
    assert refusal(follow(world, "fin")) == Reject.LEAD_CLOSED
    assert not of(world.long("lea", 10, 0), CopyOpened)
    assert of(world.close_long("lea", 20, 0), CopyClosed)


def test_who_follows_keeps_the_share_that_was_agreed() -> None:
    world = copying_world("fay")
    lead(world, "lea", 400_000)
    world.owner("fin")
    follow(world, "fin")
    follow(world, "fay")
    assert [following(world, name).share_ppm for name in ("fay", "fin")] == [100_000, 400_000]


def test_the_side_of_an_order_tells_what_it_means() -> None:
    world = copying_world("fay")
    world.order("lea", BUY, LONG, 10, 0)
    assert world.position("fay").side == LONG


def test_a_lead_that_closes_into_its_own_opening_order_still_leads_the_same_position() -> None:
    world = copying_world("fay")
    world.long("lea", 10, 0)
    position_id = world.position("lea").position_id
    track, number = the_lead(world).tracks[position_id], copy(world, "fay").number
    quote(world, away=5)
    world.long("lea", 10, 1_000)
    world.close_long("lea", 10, 1_000)
    assert world.position("lea").position_id == position_id
    assert the_lead(world).tracks == {position_id: track}
    assert copy(world, "fay").number == number, "it was half closed, and opened as much"
    data = snapshot.dump(world.engine)
    assert snapshot.dump(snapshot.load(data)) == data


def test_a_lead_that_nobody_follows_is_the_same_after_a_restart() -> None:
    """Rule 10: none of its orders counted, and a snapshot says so."""
    world = copying_world()
    world.long("lea", 10, 0)
    assert the_lead(world).tracks
    data = snapshot.dump(world.engine)
    assert snapshot.dump(snapshot.load(data)) == data
