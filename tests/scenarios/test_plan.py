"""Orders whose owners could not pay what they traded: each a story of two or three accounts, with
their money before and after (rules 3.12 and 5.10)."""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld, of, refusal
from venue.core.contract.collateral import available
from venue.core.contract.position import equity
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderClosed, ContractTrade
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import (
    BUY,
    CANCELED,
    EXPIRE_MAKER,
    EXPIRED,
    FOK,
    GTC,
    IOC,
    LONG,
    SELL,
    SHORT,
    Reject,
)

pytestmark = pytest.mark.core

LEVERAGE = 50
ALL_IN = 1_845  # 90 lots at 1,000 at leverage 50: 1,800 of margin and 45 for the taker's fee


def geared(
    world: ContractWorld, name: str, money: int, self_trade: int = 0, leverage: int = LEVERAGE
) -> None:
    """An owner with so much money and, unless said otherwise, the highest leverage."""
    uid = world.owner(name, money, self_trade)
    world.ok(commands.SetLeverage(uid, SYMBOL, leverage, leverage, leverage))


def isolate(world: ContractWorld, name: str) -> None:
    world.ok(commands.SetMarginMode(world.uids[name], SYMBOL, 1))


def market(
    world: ContractWorld, name: str, side: int, position_side: int, lots: int
) -> list[Event]:
    return world.order(name, side, position_side, lots, 0)


def nobody_owes(world: ContractWorld) -> None:
    """No available money and no equity of a pool lies below zero (rule 5.13)."""
    for name in world.uids:
        holding = world.holding(name)
        assert available(holding, 0) >= 0, name
        for pool in holding.pools():
            assert equity(pool) >= 0, name


def fund(world: ContractWorld) -> int:
    return equity(world.holding("fund").cross(0))


# -- (a) a MARKET order is checked over resting orders that are then cancelled as ruinous ----------


def test_a_market_order_counts_no_order_that_its_owner_cannot_bear() -> None:
    """ben's offer at 1,000 is overtaken by a mark of 1,001 and he has nothing left; cid offers at
    1,050. ann can pay 90 lots at 1,000, not at 1,050: there she would lose 4,410 at once."""
    world = ContractWorld("cid")
    geared(world, "ben", ALL_IN)
    geared(world, "ann", 1_850)
    world.short("ben", 90, 1_000)
    world.short("cid", 90, 1_050)
    world.post(1_001)
    before, kept = world.everything(), fund(world)
    assert refusal(market(world, "ann", BUY, LONG, 90)) == Reject.FUNDS
    nobody_owes(world)
    for price in (1_001, 1_000, 990):
        world.wait(1)
        world.post(price)
    assert fund(world) >= kept
    assert (world.money("ann"), world.everything()) == (1_850, before)


def test_the_band_of_a_market_order_begins_at_liquidity() -> None:
    """The same with an owner that can pay: the order left out does not set the band, and ends."""
    world = ContractWorld("cid", "ann")
    geared(world, "ben", ALL_IN)
    world.short("ben", 90, 1_000)
    world.short("cid", 90, 1_051)
    world.post(1_001)
    said = market(world, "ann", BUY, LONG, 90)
    (closed,) = of(said, ContractOrderClosed)
    assert (closed.uid, closed.status) == (world.uids["ben"], CANCELED)
    assert [(trade.price, trade.quantity) for trade in of(said, ContractTrade)] == [(1_051, 90)]


# -- (b) own resting orders that self-trade prevention takes away ----------------------------------


@pytest.mark.parametrize("leave", [0, 90])
def test_a_market_order_counts_no_own_order_that_prevention_ends(leave: int) -> None:
    world = ContractWorld("cid")
    geared(world, "ann", 2 * ALL_IN, EXPIRE_MAKER)
    world.short("ann", 90, 1_000)
    world.short("cid", 90, 1_050)
    kept = fund(world)
    said = market(world, "ann", BUY, LONG, 90)
    assert refusal(said) == Reject.FUNDS
    if leave:
        world.deposit("ann", 100_000)
        said = market(world, "ann", BUY, LONG, 90)
        assert [trade.price for trade in of(said, ContractTrade)] == [1_050]
        assert [each.status for each in of(said, ContractOrderClosed)] == [EXPIRED]
    nobody_owes(world)
    assert fund(world) >= kept


# -- (c) an order that meets its owner's own -------------------------------------------------------


def test_an_isolated_order_does_not_spend_what_its_own_counterparty_needs() -> None:
    """ann's offer to open short at 1,000 has been overtaken by 1,030: filled, it needs 4,599. Her
    order to open long needs 1,899. She has 4,845 in all."""
    world = ContractWorld("ben")
    geared(world, "ann", 4_845)
    isolate(world, "ann")
    world.short("ann", 90, 1_000)
    world.post(1_030)
    said = world.long("ann", 90, 1_000, IOC)
    assert of(said, ContractTrade) == []
    nobody_owes(world)
    assert world.money("ann") == 4_845


def test_with_enough_for_both_sides_she_trades_with_herself() -> None:
    world = ContractWorld("ben")
    geared(world, "ann", 4_599 + 1_899)
    isolate(world, "ann")
    world.short("ann", 90, 1_000)
    world.post(1_030)
    (trade,) = of(world.long("ann", 90, 1_000, IOC), ContractTrade)
    assert trade.quantity == 90
    nobody_owes(world)


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("mark", [970, 985, 1_000, 1_015, 1_030])
@pytest.mark.parametrize("spare", [0, 1, 900, 1_900, 4_000])
def test_own_orders_of_both_sides_leave_nothing_below_zero(
    isolated: bool, mark: int, spare: int
) -> None:
    world = ContractWorld("ben")
    geared(world, "ann", ALL_IN + spare)
    if isolated:
        isolate(world, "ann")
    world.short("ann", 40, 1_000)
    world.short("ann", 40, 1_001)
    world.post(mark)
    if available(world.holding("ann"), 0) < 0:
        return
    kept = fund(world)
    world.long("ann", 80, 1_001, IOC)
    nobody_owes(world)
    world.close_long("ann", 40, 1_000, GTC)
    world.close_short("ann", 40, 1_000, IOC)
    nobody_owes(world)
    assert fund(world) >= kept


# -- (d) FOK over orders that are ruinous only together --------------------------------------------


def test_a_fok_order_is_filled_in_full_or_not_at_all() -> None:
    """Each of ben's two offers takes 445 more than it holds at a mark of 1,010; he has 500."""
    world = ContractWorld("ann")
    geared(world, "ben", 2 * 923 + 500)
    world.short("ben", 45, 1_000)
    world.short("ben", 45, 1_000)
    world.post(1_010)
    said = world.long("ann", 90, 1_000, FOK)
    assert of(said, ContractTrade) == []
    (closed,) = of(said, ContractOrderClosed)
    assert (closed.uid, closed.status) == (world.uids["ann"], EXPIRED)
    said = world.long("ann", 45, 1_000, FOK)
    assert [trade.quantity for trade in of(said, ContractTrade)] == [45]
    nobody_owes(world)


# -- (e) roundings ---------------------------------------------------------------------------------


def needed(world: ContractWorld, name: str, lots: int, price: int) -> int:
    """The money that an order to open long needs, to the atom."""
    (refused,) = world.long(name, lots, price)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reject.FUNDS
    return refused.limit


@pytest.mark.parametrize("isolated", [False, True])
def test_a_thousand_fills_of_one_lot_cost_no_more_than_the_order_holds(isolated: bool) -> None:
    world = ContractWorld("ben", money=10_000_000)
    geared(world, "ann", 1, leverage=10)
    if isolated:
        isolate(world, "ann")
    world.deposit("ann", needed(world, "ann", 1_000, 997) - 1)
    world.long("ann", 1_000, 997)
    world.checked = False
    for _ in range(1_000):
        world.short("ben", 1, 997, IOC)
        assert available(world.holding("ann"), 0) >= 0
    world.checked = True
    world.tick()
    nobody_owes(world)


@pytest.mark.parametrize("isolated", [False, True])
def test_a_sweep_of_a_thousand_one_lot_orders_costs_what_was_checked(isolated: bool) -> None:
    world = ContractWorld(*[f"maker{number}" for number in range(6)], money=1_000_000)
    for number in range(1_000):
        world.checked = number % 200 == 0
        world.short(f"maker{number % 6}", 1, 997)
    world.checked = True
    geared(world, "ann", 1, leverage=10)
    if isolated:
        isolate(world, "ann")
    world.deposit("ann", needed(world, "ann", 1_000, 997) - 1)
    world.long("ann", 1_000, 997, IOC)
    nobody_owes(world)


def test_the_fee_of_an_opening_sell_is_that_of_the_price_it_gets() -> None:
    """200 lots offered down to 901 are sold at 1,099: the fee there is 110, at the limit 91."""
    world = ContractWorld("ben", money=10_000_000)
    geared(world, "ann", 1, leverage=10)
    world.long("ben", 200, 1_099)
    (refused,) = world.short("ann", 200, 1_000)
    assert isinstance(refused, Rejected)
    world.deposit("ann", refused.limit - 1)
    (refused,) = world.short("ann", 200, 1_000)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reject.FUNDS
    world.deposit("ann", 10)
    assert of(world.short("ann", 200, 1_000), ContractTrade)
    nobody_owes(world)


def test_a_close_by_many_fills_leaves_no_debt_to_the_atom() -> None:
    """Each of 97 fills rounds its fee up: together by more than the close's price allows for."""
    world = ContractWorld("ben", money=10_000_000)
    geared(world, "ann", 1)
    isolate(world, "ann")
    world.deposit("ann", needed(world, "ann", 97, 1_000) - 1)
    world.short("ben", 97, 1_000)
    world.long("ann", 97, 1_000, IOC)
    for price in range(990, 975, -1):
        for _ in range(7):
            world.order("ben", BUY, SHORT, 1, price)
    kept = fund(world)
    world.order("ann", SELL, LONG, 97, 960, IOC)
    nobody_owes(world)
    for _ in range(3):
        world.wait(1)
        world.tick()
    assert fund(world) >= kept


# -- what a resting order holds may be gone with an earlier fill of the same order ----------------


def test_a_hold_is_worth_nothing_once_a_close_has_cost_the_money_behind_it() -> None:
    """cid's 1,810 carry 28 lots bought at 1,000, an offer of them at 955, and an offer of 60 lots
    short at the mark, for which 1,230 are held. A taker of the first offer costs cid 1,260: the
    rest is below the maintenance margin of the second offer, which ends instead of trading."""
    world = ContractWorld("dee", "ann")
    geared(world, "cid", 1_810)
    world.short("dee", 28, 1_000)
    market(world, "cid", BUY, LONG, 28)
    world.order("cid", SELL, LONG, 28, 955)
    world.short("cid", 60, 1_000)
    pool = world.cross("cid")
    assert pool.cash.held == 1_230
    events = market(world, "ann", BUY, LONG, 88)
    assert [(trade.price, trade.quantity) for trade in of(events, ContractTrade)] == [(955, 28)]
    assert [closed.status for closed in of(events, ContractOrderClosed)][:1] == [CANCELED]
    assert pool.cash.held == 0
    assert equity(pool) == 1_810 - 28 * 45 - 14 - 6  # fees of buying and of selling
    nobody_owes(world)
