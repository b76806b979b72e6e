"""Positions that keep former tiers: whom they hinder, and how long they may (rule 1.7)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    CONTRACT_WALLET,
    HOUR,
    MONEY,
    PRICE,
    SECOND,
    ContractWorld,
    isolated_world,
    of,
    refusal,
    wide,
)
from venue.core.contract.position import liquidation_mark, maintenance
from venue.core.contract.preview import ContractOutlook, preview
from venue.core.contract.risk.changed_terms import CHANGE_UNITS, FORMER_US
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractSettled,
    ContractTermsTaken,
    ContractTrade,
    FormerTiersKept,
    LiquidationStarted,
)
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit, snapshot
from venue.vocabulary import BUY, CAUSE_OPERATOR, GTC, IOC, LIMIT, LONG, SEPARATED, SHORT, Reject

pytestmark = pytest.mark.core

SAFER = replace(CONTRACT, leverage_max=10, tiers=wide(10, 60_000))


def with_fees(contract: Contract, maker_ppm: int, taker_ppm: int) -> Contract:
    instrument = replace(contract.instrument, maker_ppm=maker_ppm, taker_ppm=taker_ppm)
    return replace(contract, instrument=instrument)


def later(world: ContractWorld, us: int) -> list[Event]:
    """A tick so much later, at an index that has not moved."""
    world.time += us
    world.post(PRICE)
    return world.tick()


def mend(world: ContractWorld, name: str) -> None:
    """Bring money and a leverage with which SAFER's tiers fit."""
    world.deposit(name, MONEY)
    world.ok(commands.SetLeverage(world.uids[name], world.perp.symbol, 10, 10, 10))


@pytest.mark.parametrize("price", [PRICE, PRICE - 1, 0])
def test_an_order_has_its_owner_judged_at_once(price: int) -> None:
    """Rule 1.7: the positions of 25 others stood before it in the turns of ticks."""
    world = ContractWorld("ben")
    for number in range(25):
        world.owner(f"o{number}", 600)
        world.trade(f"o{number}", "ben", 10, PRICE)
    world.owner("cat", 600)
    world.trade("cat", "ben", 10, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    mend(world, "ben")
    world.tick()
    world.short("ben", 1, PRICE)
    position = world.position("cat")
    mend(world, "cat")
    placed, *events = world.long("cat", 1, price)
    assert isinstance(placed, ContractOrderPlaced)
    assert len(of(events, ContractTrade)) == (price != PRICE - 1)
    assert position.tiers is world.perp.tiers
    assert len(world.perp.former) == 25


@pytest.mark.parametrize("mode", ["cross", "isolated", "separated"])
@pytest.mark.parametrize("price", [PRICE, PRICE - 1])
def test_a_preview_tells_the_danger_under_the_tiers_that_the_order_takes(
    mode: str, price: int
) -> None:
    """Rules 1.7 and 7.1: it told the price that endangers the position on its former tiers."""
    world = ContractWorld("ben")
    cat = world.owner("cat", 600)
    if mode == "isolated":
        world.isolate("cat")
    elif mode == "separated":
        world.ok(commands.SetMarginMode(cat, world.perp.symbol, 0, SEPARATED))
    world.trade("cat", "ben", 10, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    mend(world, "ben")
    world.tick()
    world.short("ben", 5, PRICE)
    world.deposit("cat", 1_400)
    world.ok(commands.SetLeverage(cat, world.perp.symbol, 10, 10, 10))
    position = world.position("cat")
    assert position.tiers is not world.perp.tiers
    order = commands.PlaceContractOrder(
        cat, world.perp.symbol, BUY, LONG, LIMIT, GTC, 5, price, time=world.time
    )
    told = preview(world.engine.contracts, order)
    assert isinstance(told, ContractOutlook)
    assert position.tiers is not world.perp.tiers
    world.ok(order)
    assert position.tiers is world.perp.tiers
    grown = list(world.holding("cat").positions.values())[-1]
    assert told.size == (grown.quantity if price == PRICE else 0)
    assert told.liquidation == (liquidation_mark(grown) if price == PRICE else 0)


def test_what_others_keep_delays_nobody() -> None:
    """Rule 1.7: a tick tries whole owners, with at most 250 units and the one that reaches that."""
    world = ContractWorld("ben", checked=False)
    world.ok(commands.SetLeverage(world.uids["ben"], world.perp.symbol, cross=10))
    for name in ("ann", "cat", "dan"):
        uid = world.owner(name, 15_000)
        world.ok(commands.SetMarginMode(uid, world.perp.symbol, 0, SEPARATED))
        for _ in range(150):
            world.trade(name, "ben", 1, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    while world.engine.pending():
        world.apply(commands.Proceed())
    assert len(world.perp.former) == 450
    for name in ("ann", "cat", "dan"):
        mend(world, name)
    world.tick()
    assert len(world.perp.former) == 150
    assert of(world.long("dan", 1, PRICE - 1), ContractOrderPlaced) != []
    assert world.perp.former == {}
    assert audit.problems(world.engine) == []


# -- whom they hinder ------------------------------------------------------------------------------


def test_one_lot_on_former_tiers_keeps_nobody_from_opening() -> None:
    """Rules 1.6 and 1.7: 1,250 ticks are the least for 0.4 %, 500 for the contract's own 1 %."""
    coarse = replace(
        CONTRACT,
        leverage_max=100,
        tiers=wide(100, 4_000),
        index_step_ppm=3_000,
    )
    world = ContractWorld("ann", "ben", contract=coarse)
    world.post(1_300)
    thief = world.owner("thief", 1_000)
    world.ok(commands.SetLeverage(thief, world.perp.symbol, 100, 100, 100))
    world.trade("thief", "ann", 1, 1_300)
    world.post(1_200)
    assert world.long("ben", 1, 1_200) == [Rejected(Reject.CONTRACT_UNSAFE, 1_250)]
    world.change(tiers=wide(50, 10_000), leverage_max=50)
    assert list(world.perp.former) == [world.position("thief").position_id]
    world.short("ann", 1, 1_200)
    (trade,) = of(world.long("ben", 1, 1_200), ContractTrade)
    assert trade.quantity == 1
    assert refusal(world.long("thief", 1, 1_200, IOC)) == Reject.LEVERAGE_SIZE
    assert world.post(499) != []
    assert world.long("ben", 1, 499) == [Rejected(Reject.CONTRACT_UNSAFE, 500)]


def test_fees_steps_and_caps_are_changed_at_once_and_count_in_full_later() -> None:
    """Rules 1.6 and 1.7: a step that 6 % bears passes a position that keeps 1 %. It was refused
    until that one took the new tiers, for ever."""
    world = isolated_world("cat", "dan")
    world.ok(commands.ChangeContract(SAFER))
    fast = replace(with_fees(SAFER, 20_000, 30_000), index_step_ppm=40_000)
    world.ok(commands.ChangeContract(replace(fast, funding_cap_ppb=40_000_000)))
    perp = world.perp
    bounds = (perp.index_step_ppm, perp.funding_cap_ppb, perp.market.fee_most_ppm)
    assert bounds == (7_500, 7_500_000, 5_000)
    trade = world.trade("cat", "dan", 10, PRICE)
    assert (trade.taker.fee, trade.maker.fee) == (50, 50)
    later(world, FORMER_US)
    assert world.perp.former == {}
    bounds = (perp.index_step_ppm, perp.funding_cap_ppb, perp.market.fee_most_ppm)
    assert bounds == (40_000, 40_000_000, 30_000)
    trade = world.trade("cat", "dan", 10, PRICE)
    assert (trade.taker.fee, trade.maker.fee) == (300, 200)


@pytest.mark.parametrize("makes", [False, True], ids=["taker", "maker"])
def test_a_position_that_the_change_has_not_reached_opens_nothing(*, makes: bool) -> None:
    """Rule 1.7: it has 490 for 6 % of 9,500. Only others' former tiers kept it from opening."""
    world = ContractWorld(checked=False)
    for number in range(CHANGE_UNITS):
        world.owner(f"o{number}")
    for name in ("ann", "ben"):
        world.owner(name)
        world.isolate(name, 10)
    world.trade("ann", "ben", 10, PRICE)
    world.post(950)
    if makes:
        world.long("ann", 1, 950)
    world.ok(commands.ChangeContract(SAFER))
    assert world.perp.change is not None
    assert world.perp.former == {}
    if makes:
        events = world.short("o0", 1, 950, IOC)
        closed = [(one.uid, one.cause) for one in of(events, ContractOrderClosed)]
        assert (world.uids["ann"], CAUSE_OPERATOR) in closed
        assert of(events, ContractTrade) == []
    else:
        end = world.perp.former_end
        for price in (950, 0):
            assert world.long("ann", 1, price) == [Rejected(Reject.FORMER_TIERS, end)]
    assert world.position("ann").quantity == 10


# -- how long --------------------------------------------------------------------------------------


def test_owners_are_told_when_their_former_tiers_end() -> None:
    """Rule 1.7."""
    world = isolated_world()
    world.deposit("ben", MONEY)
    positions = [world.position("ann"), world.position("ben", SHORT)]
    end = world.time + FORMER_US
    events = world.ok(commands.ChangeContract(SAFER))
    assert of(events, FormerTiersKept) == [
        FormerTiersKept(world.uids[name], world.perp.symbol, position.position_id, end)
        for name, position in zip(("ann", "ben"), positions, strict=True)
    ]
    assert world.long("ann", 1, 0) == [Rejected(Reject.FORMER_TIERS, end)]


@pytest.mark.parametrize("kept", [False, True])
def test_former_tiers_end_after_seven_days(*, kept: bool) -> None:
    """Rules 1.7 and 7.1: ann, who has 499 for 6 % of 10,000, is liquidated then. Ben, who did not
    fit at leverage 20, has the money."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    assert of(later(world, FORMER_US - 1), LiquidationStarted) == []
    assert maintenance(world.position("ann").pool) == 100
    if kept:
        world.engine = snapshot.load(snapshot.dump(world.engine))
    (started,) = of(later(world, 1), LiquidationStarted)
    assert (started.uid, started.equity, started.maintenance) == (world.uids["ann"], 499, 600)
    assert maintenance(world.cross("ben")) == 600
    assert world.perp.former == {}


def test_margin_that_is_added_in_time_keeps_the_position() -> None:
    """Rule 1.7: also at a leverage that is no longer allowed; it only opens nothing."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    later(world, FORMER_US - 1)
    position = world.position("ann")
    world.ok(commands.MoveMargin(world.uids["ann"], position.position_id, 102))
    assert of(later(world, 1), LiquidationStarted) == []
    assert maintenance(position.pool) == 600
    assert refusal(world.long("ann", 1, PRICE)) == Reject.LEVERAGE_SIZE


def test_each_change_of_tiers_gives_the_whole_term_and_no_other_change_does() -> None:
    """Rule 1.7."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    later(world, FORMER_US - SECOND)
    end = world.time + SECOND
    world.ok(commands.ChangeContract(replace(SAFER, position_max=10_000)))
    assert world.perp.former_end == end
    stricter = replace(SAFER, tiers=wide(10, 70_000))
    world.ok(commands.ChangeContract(stricter))
    assert world.perp.former_end == end - SECOND + FORMER_US
    assert of(later(world, SECOND), LiquidationStarted) == []
    assert maintenance(world.position("ann").pool) == 100


def test_former_tiers_end_in_slices() -> None:
    """Rules 1.7 and 7.11: the owners of at most 250 units a tick."""
    world = ContractWorld("ben", checked=False)
    world.ok(commands.SetLeverage(world.uids["ben"], world.perp.symbol, cross=10))
    for number in range(200):
        world.owner(f"o{number}", 700)
        world.trade(f"o{number}", "ben", 10, PRICE)
    world.ok(commands.ChangeContract(SAFER))
    events: list[Event] = []
    while world.engine.pending():
        events += world.apply(commands.Proceed())
    assert of(events, ContractTermsTaken)[0].kept == 200
    later(world, FORMER_US)
    assert len(world.perp.former) == 200 - CHANGE_UNITS // 2
    later(world, SECOND)
    assert world.perp.former == {}
    assert audit.problems(world.engine) == []


def test_a_contract_that_settles_takes_no_position_to_other_tiers() -> None:
    """Rules 1.7 and 1.8: they close at its price anyway."""
    world = isolated_world()
    world.ok(commands.ChangeContract(SAFER))
    world.ok(commands.DelistContract(world.perp.symbol))
    later(world, FORMER_US - SECOND)
    events = world.ok(commands.SettleContract(world.perp.symbol, PRICE))
    world.time += SECOND
    events += world.tick()
    while world.engine.pending():
        events += world.apply(commands.Proceed())
    assert of(events, LiquidationStarted) == []
    assert len(of(events, ContractSettled)) == 1


@pytest.mark.parametrize("days", [0, 8])
def test_a_lower_leverage_makes_no_price_certain(days: int) -> None:
    """Rules 1.7 and 6.1: with a greatest leverage of 2 a price 14 % away was no doubt. Two friends
    had opened at 50: one took its gain at the old index, and the fund was to pay for the other."""
    world = ContractWorld("ann", "ben", money=3_000)
    for name in ("ann", "ben"):
        world.ok(commands.SetLeverage(world.uids[name], world.perp.symbol, 50, 50, 50))
    world.trade("ann", "ben", 40, PRICE)
    rate = CONTRACT.tiers[0].maintenance_ppm
    world.ok(commands.ChangeContract(replace(CONTRACT, leverage_max=2, tiers=wide(2, rate))))
    if days:
        later(world, days * 24 * HOUR)
        later(world, SECOND)
        assert not world.perp.former
    world.engine = snapshot.load(snapshot.dump(world.engine))
    world.time += SECOND
    world.tell(PRICE + 140)
    out = commands.Withdraw(world.uids["ben"], CONTRACT_WALLET, "QQQ", 100)
    assert refusal(world.apply(out)) == Reject.FUNDS
    world.post(PRICE)
    world.ok(out)
