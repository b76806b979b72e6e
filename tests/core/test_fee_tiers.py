"""Fee tiers by 30-day volume (rule 9.5)."""

from __future__ import annotations

import pytest

from support.contract_world import DAY_START, HOUR, PRICE, ContractWorld, of, refusal
from support.world import BTCUSDT, BUY, IOC, SELL, World
from venue.core.fee_tiers import CHUNK, DAYS
from venue.core.messages import commands
from venue.core.messages.benefit_commands import (
    FeeTier,
    InternalWithdraw,
    Invite,
    PostArticle,
    SetAffiliate,
    SetFeeTiers,
)
from venue.core.messages.benefit_events import (
    ContentPosted,
    FeeTierReached,
    FeeTiersSet,
    InternallyWithdrawn,
)
from venue.core.messages.events import Event, Trade
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import FEE_TIERS_MAX, Product, Reject

pytestmark = pytest.mark.core

SPOT, CONTRACT = int(Product.SPOT), int(Product.CONTRACT)
DAY = 24 * HOUR
TIERS = [FeeTier(1_000_000, 800, 900), FeeTier(5_000_000, 400, 600)]


def spot_world(*names: str) -> World:
    world = World(*names)
    world.time = DAY_START + 10 * HOUR
    world.ok(SetFeeTiers(SPOT, "USDT", TIERS))
    return world


def deal(world: World, buyer: str, seller: str, lots: int, symbol: str = "BTCUSDT") -> Trade:
    """A trade at 100: lots x 100 ticks x 100 atoms."""
    world.ok(world.command(seller, SELL, lots, 100, symbol=symbol))
    events = world.ok(world.command(buyer, BUY, lots, 100, IOC, symbol=symbol))
    (trade,) = of(events, Trade)
    return trade


def next_day(world: World | ContractWorld, days: int = 1) -> list[FeeTierReached]:
    world.time += days * DAY
    return of(world.apply(commands.Tick()), FeeTierReached)


def rates(world: World, name: str) -> tuple[int, int]:
    account = world.account(name)
    return account.maker_ppm, account.taker_ppm


def test_volume_of_the_days_before_gives_a_tier_at_midnight() -> None:
    world = spot_world("ann", "ben", "cat")
    ann, ben = world.uids["ann"], world.uids["ben"]
    deal(world, "ann", "ben", 100)
    assert of(world.apply(commands.Tick()), FeeTierReached) == []
    assert rates(world, "ann") == (-1, -1)
    assert next_day(world) == [
        FeeTierReached(ben, SPOT, 1, 1_000_000, 800, 900),
        FeeTierReached(ann, SPOT, 1, 1_000_000, 800, 900),
    ]
    trade = deal(world, "ann", "cat", 500)
    assert trade.base_fee == -(-500 * 10**4 * 900 // PPM)
    assert rates(world, "ann") == (800, 900)
    assert rates(world, "cat") == (-1, -1)
    assert {event.level for event in next_day(world)} == {2}
    assert rates(world, "ann") == (400, 600)
    assert rates(world, "ben") == (800, 900)


def test_volume_is_forgotten_after_thirty_days() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 100)
    assert len(next_day(world)) == 2
    for _ in range(DAYS - 1):
        assert next_day(world) == []
    assert rates(world, "ann") == (800, 900)
    assert {(event.level, event.maker_ppm) for event in next_day(world)} == {(0, -1)}
    assert rates(world, "ann") == (-1, -1)
    assert world.engine.fee_tiers.standings == {}


def test_days_on_which_the_venue_was_down_are_days() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 100)
    assert len(next_day(world, DAYS)) == 2
    assert len(next_day(world, DAYS)) == 2
    assert world.engine.fee_tiers.standings == {}


def test_a_trade_with_oneself_earns_nothing() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ann", 1_000)
    assert world.engine.fee_tiers.standings == {}
    deal(world, "ann", "ben", 99)
    deal(world, "ann", "ann", 1_000)
    assert next_day(world) == []


def test_a_fill_without_a_fee_earns_nothing() -> None:
    """Two accounts of one person would climb for nothing where a symbol is free."""
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 1_000, symbol="ETHUSDT")
    assert world.engine.fee_tiers.standings == {}
    for name in ("ann", "ben"):  # as if a tier were free for both
        world.ok(commands.SetFees(world.uids[name], 0, 0))
    deal(world, "ann", "ben", 1_000)
    assert world.engine.fee_tiers.standings == {}


def test_fees_in_another_asset_earn_no_volume() -> None:
    """ben sells a worthless token as a maker without a fee; ann pays hers in the token. They took
    the top tier of all spot markets for nothing."""
    world = spot_world("ann", "ben")
    world.ok(commands.SetFees(world.uids["ben"], 0, 0))
    trade = deal(world, "ann", "ben", 1_000)
    assert trade.base_fee > 0 == trade.quote_fee
    assert world.engine.fee_tiers.standings == {}


def test_volume_counts_as_far_as_its_fees_are_those_of_the_best_tier() -> None:
    """The least rate of the tiers is 0.04 %. ben pays 0.001 % of 10,000,000: 100, which is the fee
    of 250,000; then half of 0.1 %, and the other half is his inviter's."""
    world = spot_world("ann", "ben", "cat")
    ann, ben = world.uids["ann"], world.uids["ben"]
    world.ok(commands.SetFees(ben, 10, 10))
    assert deal(world, "ann", "ben", 1_000).quote_fee == 100
    standings = world.engine.fee_tiers.standings
    assert {who[0]: each.today for who, each in standings.items()} == {ann: 250_000, ben: 250_000}
    world.ok(commands.SetFees(ben, 600, 600))
    world.ok(SetAffiliate(world.uids["cat"], "CAT", 500_000, 500_000))
    world.ok(Invite(ben, world.uids["cat"]))
    assert deal(world, "ann", "ben", 1_000).quote_fee == 6_000
    assert standings[ann, SPOT].today == 250_000 + 7_500_000


def test_only_markets_of_the_asset_count() -> None:
    world = spot_world("ann", "ben")
    world.ok(SetFeeTiers(SPOT, "BTC", TIERS))
    deal(world, "ann", "ben", 1_000)
    assert world.engine.fee_tiers.standings == {}


def test_tiers_in_another_asset_begin_anew() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 1_000)
    world.ok(SetFeeTiers(SPOT, "BTC", TIERS))
    assert next_day(world) == []
    assert world.engine.fee_tiers.standings == {}


def test_volume_of_one_asset_is_none_of_anothers_when_there_were_no_tiers_between() -> None:
    """Volume traded in a cheap asset, or for play money, would be a tier in a dear one."""
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 1_000)
    world.ok(SetFeeTiers(SPOT, "USDT", []))
    twin = snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(twin) == snapshot.state_hash(world.engine)
    world.ok(SetFeeTiers(SPOT, "BTC", TIERS))
    assert next_day(world) == []
    assert rates(world, "ann") == (-1, -1)


def test_volume_stays_known_while_there_are_no_tiers() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 100)
    world.ok(SetFeeTiers(SPOT, "USDT", []))
    deal(world, "ann", "ben", 1_000)
    world.ok(SetFeeTiers(SPOT, "USDT", TIERS))
    assert {event.volume for event in next_day(world)} == {1_000_000}


def test_own_rates_go_before_a_tiers_and_leave_it_behind() -> None:
    world = spot_world("ann", "ben")
    ann = world.uids["ann"]
    world.ok(commands.SetFees(ann, 10, 20))
    deal(world, "ann", "ben", 100)
    assert len(next_day(world)) == 2
    assert rates(world, "ann") == (10, 20)
    assert world.engine.fee_tiers.standings[ann, SPOT].level == 1
    world.ok(commands.SetFees(ann, -1, -1))
    assert rates(world, "ann") == (800, 900)
    world.ok(commands.SetFees(ann, 30, 40))
    assert len(next_day(world, DAYS)) == 2
    assert rates(world, "ann") == (30, 40)
    assert rates(world, "ben") == (-1, -1)


def test_other_tiers_and_none_hold_from_midnight_on() -> None:
    world = spot_world("ann", "ben")
    deal(world, "ann", "ben", 100)
    next_day(world)
    world.ok(SetFeeTiers(SPOT, "USDT", [FeeTier(1, 1, 2)]))
    assert rates(world, "ann") == (800, 900)
    assert len(next_day(world)) == 2
    assert rates(world, "ann") == (1, 2)
    assert world.ok(SetFeeTiers(SPOT, "", [])) == [FeeTiersSet(SPOT, 0)]
    deal(world, "ann", "ben", 100)  # does not count any more
    assert {event.level for event in next_day(world)} == {0}
    assert rates(world, "ann") == (-1, -1)


@pytest.mark.parametrize(
    ("asset", "tiers", "reason"),
    [
        ("NOPE", TIERS, Reject.ASSET_UNKNOWN),
        ("USDT", [FeeTier(0, 1, 1)], Reject.FEE_TIERS),
        ("USDT", [FeeTier(AMOUNT_MAX + 1, 1, 1)], Reject.FEE_TIERS),
        ("USDT", [FeeTier(5, 1, 1), FeeTier(5, 1, 1)], Reject.FEE_TIERS),
        ("USDT", [FeeTier(5, -1, 1)], Reject.FEE_RATE),
        ("USDT", [FeeTier(5, 1, PPM)], Reject.FEE_RATE),
        (
            "USDT",
            [FeeTier(number + 1, 1, 1) for number in range(FEE_TIERS_MAX + 1)],
            Reject.FEE_TIERS,
        ),
    ],
)
def test_tiers_that_cannot_be(asset: str, tiers: list[FeeTier], reason: Reject) -> None:
    assert refusal(World().apply(SetFeeTiers(SPOT, asset, tiers))) == reason


def test_owners_are_judged_in_slices_that_a_snapshot_may_part() -> None:
    world = spot_world("ann", *[f"ben{number}" for number in range(CHUNK + 10)])
    for number in range(CHUNK + 10):
        deal(world, "ann", f"ben{number}", 100)
    first = next_day(world)
    assert len(first) == CHUNK
    assert world.engine.pending()
    other = snapshot.load(snapshot.dump(world.engine))
    said: list[list[Event]] = []
    for engine in (world.engine, other):
        said.append(engine.apply(commands.Proceed(time=world.time)))
        assert not engine.pending()
    assert said[0] == said[1]
    assert len(of(said[0], FeeTierReached)) == 11
    assert snapshot.state_hash(world.engine) == snapshot.state_hash(other)


def test_contracts_have_tiers_of_their_own() -> None:
    world = ContractWorld("ann", "ben")
    ann, ben = world.uids["ann"], world.uids["ben"]
    world.ok(SetFeeTiers(CONTRACT, "QQQ", [FeeTier(100 * PRICE, 10, 20)]))
    world.trade("ann", "ben", 100, PRICE)
    told = {event.uid: event for event in next_day(world)}
    assert told == {
        uid: FeeTierReached(uid, CONTRACT, 1, 100 * PRICE, 10, 20) for uid in (ann, ben)
    }
    for name in ("ann", "ben"):
        holding = world.holding(name)
        assert (holding.maker_ppm, holding.taker_ppm) == (10, 20)
        assert (world.account(name).maker_ppm, world.account(name).taker_ppm) == (-1, -1)


def test_a_contract_trade_with_oneself_earns_nothing() -> None:
    world = ContractWorld("ann", "ben")
    world.ok(SetFeeTiers(CONTRACT, "QQQ", [FeeTier(1, 10, 20)]))
    world.trade("ann", "ann", 100, PRICE)
    assert world.engine.fee_tiers.standings == {}


def test_the_venues_own_accounts_have_none() -> None:
    assert BTCUSDT.taker_ppm > 0
    world = ContractWorld("ann", "ben")
    world.ok(SetFeeTiers(CONTRACT, "QQQ", [FeeTier(1, 10, 20)]))
    world.trade("ann", "ben", 100, PRICE)
    assert {uid for uid, _ in world.engine.fee_tiers.standings} == {
        world.uids["ann"], world.uids["ben"],
    }  # fmt: skip


def test_a_kept_state_has_tiers_withdrawals_and_articles_too() -> None:
    world = spot_world("ann", "ben")
    world.engine.codec = snapshot.CODEC
    ann, ben = world.uids["ann"], world.uids["ben"]
    world.ok(SetAffiliate(ann, "ANN", 0, 0))
    world.ok(KeepState("before"))
    then = snapshot.state_hash(world.engine)
    deal(world, "ann", "ben", 100)
    world.ok(SetFeeTiers(SPOT, "USDT", TIERS[:1]))
    world.ok(InternalWithdraw(ann, ben, 0, 0, "BTC", 5, "once"))
    world.ok(PostArticle("news", "text", []))
    assert snapshot.state_hash(world.engine) != then
    world.ok(RevertState("before"))
    assert snapshot.state_hash(world.engine) == then
    assert world.engine.fee_tiers.standings == {}
    sent = world.ok(InternalWithdraw(ann, ben, 0, 0, "BTC", 5, "once"))
    assert isinstance(sent[0], InternallyWithdrawn)  # the first again
    assert world.ok(PostArticle("news", "text", [])) == [ContentPosted(1)]
    deal(world, "ann", "ben", 100)
    assert len(next_day(world)) == 2
