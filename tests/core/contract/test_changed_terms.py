"""Changed terms and the open orders and positions that they find (rule 1.7)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    DAY_START,
    HOUR,
    INSTRUMENT,
    MONEY,
    PRICE,
    ContractWorld,
    isolated_world,
    of,
    refusal,
    wide,
)
from venue.core.contract.collateral import available
from venue.core.contract.position import liquidation_mark, maintenance
from venue.core.contract.risk.changed_terms import CHANGE_UNITS
from venue.core.instruments import Contract, Tier
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTermsTaken,
    ContractTrade,
    FundingDue,
    LeverageSet,
    LiquidationStarted,
)
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit, snapshot
from venue.vocabulary import (
    BUY,
    CAUSE_OPERATOR,
    EXPIRED,
    GTC,
    IOC,
    LIMIT,
    LONG,
    PRODUCT_CONTRACT,
    SHORT,
    Reject,
)

pytestmark = pytest.mark.core

NEED = 5_050  # of 100 lots at 1,000: margin at leverage 20, and the taker's fee


def with_fees(contract: Contract, maker_ppm: int, taker_ppm: int) -> Contract:
    instrument = replace(contract.instrument, maker_ppm=maker_ppm, taker_ppm=taker_ppm)
    return replace(contract, instrument=instrument)


@pytest.mark.parametrize("whose", ["contract", "owner"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_resting_order_pays_at_most_the_rate_that_it_reserved(whose: str, *, kept: bool) -> None:
    """Rule 1.7: 50 are held, and 70 were charged: available was -20."""
    world = ContractWorld("ann", "ben")
    cat = world.owner("cat", NEED)
    world.long("cat", 100, PRICE)
    assert available(world.holding("cat"), 0) == 0
    if whose == "contract":
        world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    else:
        world.ok(commands.SetFees(cat, 700, 1_000, product=PRODUCT_CONTRACT))
    if kept:
        world.engine = snapshot.load(snapshot.dump(world.engine))
    (trade,) = of(world.short("ben", 100, PRICE, IOC), ContractTrade)
    assert trade.maker.fee == 50
    assert trade.taker.fee == (100 if whose == "contract" else 50)
    assert available(world.holding("cat"), 0) == 0


@pytest.mark.parametrize("lots", [1, 7, 33])
def test_so_do_its_parts_however_often_they_round_up(lots: int) -> None:
    """Rule 1.7: the hold pays for every part, or the order ends."""
    world = ContractWorld("ben")
    world.owner("cat", NEED)
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    for _ in range(3):
        world.short("ben", lots, PRICE, IOC)
        assert available(world.holding("cat"), 0) >= 0


def test_a_lower_rate_holds_at_once() -> None:
    """Rule 1.7."""
    world = ContractWorld("ben", "cat")
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 100, 400)))
    (trade,) = of(world.short("ben", 100, PRICE, IOC), ContractTrade)
    assert (trade.maker.fee, trade.taker.fee) == (10, 40)


def test_another_leverage_reserves_the_rate_that_the_order_had() -> None:
    """Rules 1.7 and 5.7."""
    world = ContractWorld("ben", "cat")
    uid = world.uids["cat"]
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    world.ok(commands.SetLeverage(uid, INSTRUMENT.symbol, cross=10))
    assert world.cross("cat").cash.held == 10_050


@pytest.mark.parametrize("closes", ["as taker", "at rest"])
def test_an_owners_own_rates_count_as_the_greatest_safe_ones(closes: str) -> None:
    """Rules 1.6 and 1.7: a close at the mark for a fee of 10 % left a pool that owed."""
    world = isolated_world()
    world.ok(commands.SetFees(world.uids["ann"], 100_000, 100_000, product=PRODUCT_CONTRACT))
    if closes == "at rest":
        world.close_long("ann", 10, PRICE)
        events = world.close_short("ben", 10, PRICE, IOC)
    else:
        world.close_short("ben", 10, PRICE)
        events = world.close_long("ann", 10, PRICE, IOC)
    (trade,) = of(events, ContractTrade)
    paid = trade.maker if closes == "at rest" else trade.taker
    assert paid.fee == 50, "half of the first tier's rate of 1 %"
    assert world.money("ann") == MONEY - 5 - 50


# -- leverage and tiers ----------------------------------------------------------------------------

SAFER = replace(CONTRACT, leverage_max=10, tiers=wide(10, 60_000))
DEFAULTS = (20, 10)  # of CONTRACT and SAFER


def closed(events: list[Event]) -> list[tuple[int, int, int]]:
    """The orders that a change ended: id, status, cause."""
    return [(one.order_id, one.status, one.cause) for one in of(events, ContractOrderClosed)]


def cross(world: ContractWorld, name: str) -> int:
    return world.holding(name).modes_in(world.perp).cross


def test_an_order_whose_leverage_is_no_longer_allowed_ends_and_nobody_is_liquidated() -> None:
    """Rule 1.7: it filled at leverage 20 under a maintenance rate of 6 %: all was taken at an
    unmoved mark."""
    world = ContractWorld("ann", "ben")
    world.owner("cat", NEED)
    world.long("cat", 100, PRICE)
    order_id = next(iter(world.holding("cat").orders))
    events = world.ok(commands.ChangeContract(SAFER))
    assert closed(events) == [(order_id, EXPIRED, CAUSE_OPERATOR)]
    assert events[-1] == ContractTermsTaken(world.perp.symbol, 1, 1, 0)
    assert of(world.short("ben", 100, PRICE, IOC), ContractTrade) == []
    world.wait(1)
    assert of(world.tick(), LiquidationStarted) == []
    assert available(world.holding("cat"), 0) == NEED


def test_the_newest_orders_end_until_the_others_fit() -> None:
    """Rules 1.7 and 5.7: leverage 20 is allowed for 400,000, and then for 150,000."""
    world = ContractWorld("ann", "ben")
    for _ in range(3):
        world.long("ann", 100, PRICE)
    old, *ends = list(world.holding("ann").orders)
    tiers = [CONTRACT.tiers[0], Tier(150_000, 20, 20_000), CONTRACT.tiers[2]]
    events = world.ok(commands.ChangeContract(replace(CONTRACT, tiers=tiers)))
    assert closed(events) == [(ended, EXPIRED, CAUSE_OPERATOR) for ended in ends[::-1]]
    assert list(world.holding("ann").orders) == [old]


def test_orders_beyond_a_smaller_largest_position_end() -> None:
    """Rule 1.7."""
    world = ContractWorld("ann", "ben")
    for _ in range(3):
        world.long("ann", 100, PRICE)
    *_, newest = list(world.holding("ann").orders)
    events = world.ok(commands.ChangeContract(replace(CONTRACT, position_max=250)))
    assert closed(events) == [(newest, EXPIRED, CAUSE_OPERATOR)]


def test_a_position_keeps_its_tiers_until_it_fits_the_new_ones() -> None:
    """Rules 1.7 and 7.1: 500 of margin for 10,000 keep a position whose new rate asks for 600."""
    world = isolated_world("cat")
    events = world.ok(commands.ChangeContract(SAFER))
    assert events[-1] == ContractTermsTaken(world.perp.symbol, 0, 0, 2)
    position = world.position("ann")
    assert maintenance(position.pool) == 100
    assert of(world.tick(), LiquidationStarted) == []
    assert refusal(world.long("ann", 1, PRICE)) == Reject.LEVERAGE_SIZE
    assert of(world.short("cat", 1, PRICE), ContractOrderPlaced) != []
    # More margin alone does not do: her leverage must be one that is allowed.
    world.ok(commands.MoveMargin(world.uids["ann"], position.position_id, 600))
    world.tick()
    assert maintenance(position.pool) == 100
    world.ok(
        commands.SetLeverage(world.uids["ann"], world.perp.symbol, long=10, short=10, cross=10)
    )
    assert refusal(world.long("ann", 10_000, PRICE)) == Reject.FUNDS
    assert maintenance(position.pool) == 100, "a refused order takes nothing over"
    (trade,) = of(world.long("ann", 1, PRICE), ContractTrade)
    assert trade.quantity == 1
    assert maintenance(position.pool) == 660
    assert list(world.perp.former) == [world.position("ben", SHORT).position_id]


def test_a_pool_in_danger_that_has_the_tiers_of_now_keeps_its_orders() -> None:
    """Rule 1.7: a smaller maximum counted it as one on former tiers, until it closed."""
    world = isolated_world("cat")
    world.long("ann", 1, PRICE - 10)
    world.perp.mark = 955  # as a tick finds it, before liquidation looks
    world.ok(commands.ChangeContract(replace(CONTRACT, position_max=10_000)))
    assert world.perp.former == {}
    assert len(world.holding("ann").orders) == 1


def test_the_rulebooks_example_can_be_followed() -> None:
    """Rules 1.7 and 5.7: leverages that nothing uses, above the new maximum, refused this one."""
    world = ContractWorld("ben")
    cat = world.owner("cat", 510)
    world.trade("cat", "ben", 10, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    world.deposit("cat", 600)
    (told,) = world.ok(commands.SetLeverage(cat, world.perp.symbol, cross=10))
    assert told == LeverageSet(cat, world.perp.symbol, 0, 0, 10, 20, 20)
    world.tick()
    assert maintenance(world.cross("cat")) == 600
    for given in ((0, 11, 0), (0, 0, 11), (11, 0, 0), (-1, 0, 0)):
        refused = world.apply(commands.SetLeverage(cat, world.perp.symbol, *given))
        assert refused == [Rejected(Reject.LEVERAGE, 10)]


def test_one_side_takes_new_tiers_while_the_other_keeps_its_leverage() -> None:
    """Rules 1.7 and 5.7: isolated, each side has a leverage of its own."""
    world = ContractWorld("ann", "ben")
    world.isolate("ann")
    world.trade("ann", "ben", 10, PRICE)
    world.trade("ben", "ann", 10, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    ann = world.uids["ann"]
    refused = world.apply(commands.SetLeverage(ann, world.perp.symbol, long=10, short=20))
    assert refused == [Rejected(Reject.LEVERAGE, 10)]
    world.ok(commands.SetLeverage(ann, world.perp.symbol, long=10))
    world.tick()
    assert maintenance(world.position("ann", LONG).pool) == 600
    assert maintenance(world.position("ann", SHORT).pool) == 100


def test_a_position_on_former_tiers_is_liquidated_by_them() -> None:
    """Rule 7.1: 959 endangers it as before the change."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    assert of(world.post(960), LiquidationStarted) == []
    (started,) = of(world.post(959), LiquidationStarted)
    assert (started.equity, started.maintenance) == (90, 96)
    assert liquidation_mark(world.position("ben", SHORT)) > 1_500


def test_lower_rates_are_taken_at_once() -> None:
    """Rule 1.7: a pool that the former rates endanger is safe under the new ones."""
    world = isolated_world()
    easier = replace(CONTRACT, tiers=wide(50, 9_000), funding_cap_ppb=1_000_000)
    world.ok(commands.ChangeContract(easier))
    assert maintenance(world.position("ann").pool) == 90
    assert world.perp.former == {}


def test_former_rates_bind_no_longer_than_their_last_position() -> None:
    """Also when that position is closed: nothing asked for the bound again, for ever."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    assert world.perp.former
    world.close_long("ann", 10, PRICE)
    world.close_short("ben", 10, PRICE)
    assert world.perp.former == {}
    world.tick()
    assert world.perp.least_ppm == SAFER.tiers[0].maintenance_ppm
    world.ok(commands.ChangeContract(replace(SAFER, index_step_ppm=40_000)))


@pytest.mark.parametrize(("before", "after"), [DEFAULTS, DEFAULTS[::-1]])
def test_the_default_leverage_is_followed_by_those_without_order_and_position(
    before: int, after: int
) -> None:
    """Rule 1.7: an order that reserved at leverage 10 opened at 20, and available was -750."""
    first, second = (CONTRACT, SAFER) if before == 20 else (SAFER, CONTRACT)
    world = ContractWorld("ann", "ben", "cat", contract=first)
    world.trade("ann", "ben", 10, PRICE)
    world.long("cat", 10, PRICE - 1)
    dan = world.owner("dan")
    world.ok(commands.SetLeverage(dan, world.perp.symbol, long=3, cross=before, short=before))
    eva = world.owner("eva")
    world.ok(commands.SetLeverage(eva, world.perp.symbol, cross=before))
    world.ok(commands.ChangeContract(second))
    assert [cross(world, name) for name in ("ann", "ben", "dan", "eva")] == [
        before, before, before, after
    ]  # fmt: skip
    loaded = snapshot.load(snapshot.dump(world.engine))
    assert snapshot.state_hash(loaded) == snapshot.state_hash(world.engine)


def test_funding_times_that_have_passed_are_not_due() -> None:
    """Rules 1.7 and 6.5: a settlement is of the times that are told before."""
    world = isolated_world()
    world.premium(1_000_000)
    hourly = tuple(range(0, 1_440, 60))
    world.time += HOUR // 2
    world.ok(commands.ChangeContract(replace(CONTRACT, funding_minutes=hourly)))
    world.tick()
    assert world.perp.due == DAY_START + 16 * HOUR
    assert of(world.tick(), FundingDue) == []


# -- slices ----------------------------------------------------------------------------------------


def crowd(count: int) -> ContractWorld:
    """So many owners, each with two open orders at leverage 20."""
    world = ContractWorld("ann", "ben", checked=False)
    for number in range(count):
        world.owner(f"o{number}")
        world.long(f"o{number}", 2, PRICE)
        world.long(f"o{number}", 2, PRICE - 1)
    return world


def test_a_change_is_worked_off_in_slices_that_a_snapshot_may_part() -> None:
    """Rules 1.7 and 7.11."""
    world = crowd(200)
    events = world.ok(commands.ChangeContract(SAFER))
    assert 0 < len(closed(events)) < 400
    assert of(events, ContractTermsTaken) == []
    assert world.engine.pending()
    other = snapshot.load(snapshot.dump(world.engine))
    assert refusal(world.apply(commands.ChangeContract(CONTRACT))) == Reject.INSTRUMENT_INVALID
    slices = 0
    while world.engine.pending():
        events = world.apply(commands.Proceed())
        assert other.apply(commands.Proceed(world.time)) == events
        assert len(closed(events)) <= CHANGE_UNITS + 200
        slices += 1
    assert slices > 1
    assert of(events, ContractTermsTaken) == [ContractTermsTaken(world.perp.symbol, 400, 200, 0)]
    assert audit.problems(world.engine) == []


@pytest.mark.parametrize(
    "command", [commands.ChangeContract(SAFER), commands.DelistContract(CONTRACT.instrument.symbol)]
)
@pytest.mark.parametrize("elsewhere", [0, 160])
def test_orders_of_other_contracts_that_are_looked_at_count(
    command: commands.Command, elsewhere: int
) -> None:
    """Rule 7.11: 40 owners are one slice, more with 6,400 orders that it passes over."""
    world = ContractWorld("ann", "ben", checked=False)
    world.ok(commands.RegisterAsset("BBB", 0))
    other = replace(CONTRACT.instrument, symbol="BBBQQQ", base="BBB")
    world.ok(commands.ListContract(replace(CONTRACT, instrument=other)))
    world.ok(commands.PostIndex("BBBQQQ", "desk", PRICE, jump=True))
    for number in range(40):
        uid = world.owner(f"o{number}")
        world.long(f"o{number}", 2, PRICE)
        for _ in range(elsewhere):
            world.ok(
                commands.PlaceContractOrder(uid, "BBBQQQ", BUY, LONG, LIMIT, GTC, 1, PRICE - 100)
            )
    command.time = world.time
    events = world.engine.apply(command)
    assert bool(of(events, ContractTermsTaken)) is not world.engine.pending()
    assert world.engine.pending() is (elsewhere > 0)


def test_an_order_that_the_change_has_not_reached_does_not_open_under_it() -> None:
    """Rule 1.7: it ends when it is met."""
    world = crowd(200)
    world.ok(commands.ChangeContract(SAFER))
    events = world.short("ben", 10, PRICE, IOC)
    assert of(events, ContractTrade) == []
    assert len(closed(events)) > 1
    assert {cause for _, _, cause in closed(events)[:-1]} == {CAUSE_OPERATOR}
