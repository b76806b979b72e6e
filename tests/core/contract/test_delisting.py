"""The end of a contract: announced, then settled at a named price (rule 1.8)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, HOUR, PRICE, SYMBOL, ContractWorld, of, refusal, wide
from venue.core.contract.risk.delisting import settle_range
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import (
    AlgoClosed,
    AlgoTriggered,
    ContractDelisted,
    ContractOrderClosed,
    ContractSettled,
    ContractTermsTaken,
    ContractTrade,
    FundingDue,
    FundingSettled,
    LiquidationStarted,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.events import Event, Rejected
from venue.core.state import snapshot
from venue.vocabulary import (
    ALGO_EXPIRED,
    ALGO_STOP_MARKET,
    BUY,
    CAUSE_DELISTING,
    CAUSE_OPERATOR,
    EXPIRED,
    IOC,
    LONG,
    MARK_PRICE,
    PRODUCT_CONTRACT,
    SELL,
    Reject,
)

pytestmark = pytest.mark.core


def delist(world: ContractWorld) -> list[Event]:
    return world.ok(commands.DelistContract(SYMBOL))


def settle(world: ContractWorld, price: int) -> list[Event]:
    """Settle, with all slices."""
    return world.ok(commands.SettleContract(SYMBOL, price)) + rest(world)


def rest(world: ContractWorld) -> list[Event]:
    """The slices of what is under way."""
    events: list[Event] = []
    slices = 0
    while world.engine.pending():
        events += world.ok(commands.Proceed())
        slices += 1
        assert slices < 1_000, "it goes on without an end"
    return events


def closed(events: list[Event]) -> list[tuple[int, int, int]]:
    return [(one.order_id, one.status, one.cause) for one in of(events, ContractOrderClosed)]


def stop(world: ContractWorld, name: str, side: int, trigger: int) -> Command:
    return commands.PlaceAlgo(
        world.uids[name], SYMBOL, side, LONG, ALGO_STOP_MARKET, 4, trigger, 0, MARK_PRICE
    )


# -- announced -------------------------------------------------------------------------------------


def test_from_the_announcement_on_orders_only_reduce() -> None:
    world = ContractWorld("ann", "ben", "cat")
    world.trade("ann", "ben", 10, PRICE)
    world.close_long("ann", 4, 1_010)
    world.long("cat", 7, 990)
    opening = next(iter(world.holding("cat").orders))
    assert delist(world) == [
        ContractDelisted(SYMBOL, 0),
        ContractOrderClosed(
            opening, world.uids["cat"], SYMBOL, BUY, 990, EXPIRED, 7, CAUSE_OPERATOR
        ),
        ContractTermsTaken(SYMBOL, 1, 1, 0),
    ]
    assert world.cross("cat").cash.held == 0
    assert len(world.holding("ann").orders) == 1, "the order that reduces stays"
    for price in (990, 0):
        assert refusal(world.long("cat", 1, price)) == Reject.DELISTED
    assert refusal(world.apply(stop(world, "cat", BUY, 1_050))) == Reject.DELISTED
    assert of(world.ok(stop(world, "ann", SELL, 900)), Rejected) == []
    trades = of(world.close_short("ben", 3, 1_010, IOC), ContractTrade)
    assert [trade.quantity for trade in trades] == [3]
    assert len(of(world.post(1_001), MarkSet)) == 1, "its index goes on"


def test_an_opening_order_that_the_walk_has_not_reached_ends_when_it_is_met() -> None:
    """Owners are looked at in slices: one of a later slice is not traded with."""
    world = ContractWorld("ann", "ben", checked=False)
    world.trade("ann", "ben", 10, PRICE)
    for number in range(300):
        world.owner(f"owner{number}", 0)
    world.owner("zoe")
    world.long("zoe", 5, 999)
    delist(world)
    assert world.perp.change is not None
    events = world.close_long("ann", 5, 999, IOC)
    assert [cause for _, status, cause in closed(events) if status == EXPIRED][:1] == [
        CAUSE_OPERATOR
    ]
    assert of(events, ContractTrade) == []
    rest(world)
    assert world.holding("zoe").orders == {}


def test_a_conditional_order_that_would_open_expires_when_its_price_comes() -> None:
    world = ContractWorld("ann", "ben")
    world.ok(stop(world, "ann", BUY, 1_005))
    delist(world)
    (triggered,) = of(world.post(1_006), AlgoTriggered)
    assert triggered.reason == Reject.DELISTED


# -- settled ---------------------------------------------------------------------------------------


def test_everything_ends_at_the_named_price() -> None:
    world = ContractWorld("ann", "ben", "cat", "dan")
    world.isolate("cat")
    world.trade("ann", "ben", 10, PRICE)
    world.trade("cat", "dan", 6, PRICE)
    world.trade("ann", "dan", 5, PRICE)
    world.close_long("ann", 4, 1_010)
    world.ok(stop(world, "ann", SELL, 900))
    (order_id,) = world.holding("ann").orders
    delist(world)
    money = {name: world.money(name) for name in ("ann", "ben", "cat", "dan")}
    before, fees = world.everything(), world.fees()
    events = settle(world, 1_005)
    assert events[:2] == [
        ContractDelisted(SYMBOL, 1_005),
        MarkSet(SYMBOL, PRICE, 1_005, True, 0, 21),
    ]
    assert closed(events) == [(order_id, EXPIRED, CAUSE_OPERATOR)]
    assert [algo.status for algo in of(events, AlgoClosed)] == [ALGO_EXPIRED]
    trades = of(events, ContractTrade)
    assert {trade.cause for trade in trades} == {CAUSE_DELISTING}
    assert {trade.price for trade in trades} == {1_005}
    assert sum(trade.taker.realized + trade.maker.realized for trade in trades) == 0
    assert {leg.fee for trade in trades for leg in (trade.taker, trade.maker)} == {0}
    assert len(of(events, PositionClosed)) == 4
    assert events[-1] == ContractSettled(SYMBOL, 1_005, 21)
    # The value of each opening stands in the money already.
    assert world.money("ann") - money["ann"] == 15 * 1_005
    assert world.money("ben") - money["ben"] == -10 * 1_005
    assert world.money("dan") - money["dan"] == -11 * 1_005
    assert world.cross("cat").positions == []
    assert world.holding("cat").isolated == {}
    assert (world.everything(), world.fees()) == (before, fees)
    assert (world.perp.open_interest, world.perp.positions) == (0, {})
    assert of(events, LiquidationStarted) == []


@pytest.mark.parametrize("price", [989, 1_011, 1, 10**15])
def test_a_price_out_of_the_range_is_refused(price: int) -> None:
    """A slip of the finger makes nobody bankrupt: the range is the lowest maintenance rate."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, PRICE)
    delist(world)
    (refused,) = world.apply(commands.SettleContract(SYMBOL, price))
    assert refused == Rejected(Reject.SETTLE_PRICE, 1_010 if price > 1_010 else 990)


@pytest.mark.parametrize("price", [990, 1_010])
def test_both_ends_of_the_range_leave_nobody_in_debt(price: int) -> None:
    world = ContractWorld("ann", "ben")
    for name in ("low", "high"):
        world.owner(name, 525)  # 500 of margin at leverage 20, and the fee
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=50))
    world.trade("low", "ben", 23, PRICE)
    world.trade("ann", "high", 23, PRICE)
    delist(world)
    settle(world, price)
    assert min(world.money(name) for name in ("low", "high")) >= 0


def test_the_range_is_that_of_the_lowest_rate_that_a_position_has() -> None:
    """A position on former tiers keeps a lower rate (rule 1.7)."""
    world = ContractWorld("ann", "ben")
    assert settle_range(world.perp) == (990, 1_010)
    world.change(tiers=wide(10, 60_000), leverage_max=10)
    assert settle_range(world.perp) == (940, 1_060)
    held = ContractWorld("ann", "ben")
    held.trade("ann", "ben", 10, PRICE)
    held.change(tiers=wide(10, 60_000), leverage_max=10)
    assert settle_range(held.perp) == (990, 1_010)


def test_without_a_current_index_the_last_mark_counts() -> None:
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, PRICE)
    delist(world)
    world.wait(3_600)
    world.tick()
    assert not world.perp.current
    assert refusal(world.apply(commands.SettleContract(SYMBOL, 1_011))) == Reject.SETTLE_PRICE
    assert settle(world, 995)[-1] == ContractSettled(SYMBOL, 995, 10)


def test_a_contract_that_never_had_a_price_settles_at_any() -> None:
    world = ContractWorld(contract=CONTRACT)
    world.perp.mark = 0
    assert settle_range(world.perp)[0] == 1


def test_a_pool_that_cannot_bear_the_price_is_liquidated_first() -> None:
    """Its loss beyond its money is the fund's, as in every liquidation (rule 7.2)."""
    world = ContractWorld("ben", "dan")
    world.owner("low", 525)
    world.trade("low", "ben", 10, PRICE)
    world.tell(958)  # it would be in danger there: the index lags behind
    delist(world)
    world.perp.mark = 955
    world.perp.index_price = 955
    fund = world.money("fund")
    events = settle(world, 950)
    assert len(of(events, LiquidationStarted)) == 1
    assert isinstance(events[-1], ContractSettled)
    assert world.money("low") >= 0
    assert world.perp.positions == {}
    assert world.money("fund") <= fund + 525


# -- under way and afterwards ----------------------------------------------------------------------


def settled_world() -> ContractWorld:
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, PRICE)
    delist(world)
    settle(world, 1_005)
    return world


def test_nothing_happens_in_a_settled_contract() -> None:
    world = settled_world()
    assert refusal(world.long("ann", 1, PRICE)) == Reject.HALTED
    for command in (
        commands.PostIndex(SYMBOL, "desk", 900),
        commands.HaltInstrument(SYMBOL, False, product=PRODUCT_CONTRACT),
        commands.ChangeContract(replace(CONTRACT, position_max=10_000)),
        commands.DelistContract(SYMBOL),
        commands.SettleContract(SYMBOL, 1_005),
    ):
        assert refusal(world.apply(command)) == Reject.INSTRUMENT_INVALID, command
    assert refusal(world.apply(commands.ListContract(CONTRACT))) == Reject.SYMBOL_LISTED
    for _ in range(3):
        world.time += 9 * HOUR
        assert of(world.tick(), FundingDue) == []
    perp = world.perp
    assert (perp.mark, perp.current, perp.in_doubt(), perp.market.halted) == (
        1_005,
        True,
        False,
        True,
    )
    assert not world.engine.pending()


def test_what_is_not_delisted_does_not_settle() -> None:
    world = ContractWorld("ann")
    for command in (commands.DelistContract("NOPE"), commands.SettleContract("NOPE", 1)):
        assert refusal(world.apply(command)) == Reject.SYMBOL_UNKNOWN
    assert refusal(world.apply(commands.SettleContract(SYMBOL, PRICE))) == Reject.INSTRUMENT_INVALID
    delist(world)
    assert refusal(world.apply(commands.DelistContract(SYMBOL))) == Reject.INSTRUMENT_INVALID
    change = commands.ChangeContract(replace(CONTRACT, position_max=10_000))
    assert refusal(world.apply(change)) == Reject.INSTRUMENT_INVALID


def test_a_funding_time_that_has_come_is_paid_before() -> None:
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 100, PRICE)
    world.tick()
    delist(world)
    world.premium(2_000_000)
    world.time = world.perp.due
    events = settle(world, PRICE)
    assert len(of(events, FundingDue)) == 1
    assert [one.positions for one in of(events, FundingSettled)] == [2]


def many(world: ContractWorld) -> None:
    """Owners with positions of one lot, and orders."""
    world.ok(commands.SetMarginMode(world.uids["ann"], SYMBOL, 0, 1))
    for number in range(150):
        name = f"owner{number}"
        world.owner(name, 10_000)
        world.trade("ann", name, 2, PRICE)
        world.long(name, 1, 900)


@pytest.mark.parametrize("reach", [0, 1, 2])
@pytest.mark.parametrize("how", ["snapshot", "revert"])
def test_the_rest_of_a_settlement_is_the_same_from_a_snapshot(reach: int, how: str) -> None:
    world = ContractWorld("ann", "ben", checked=False)
    many(world)
    delist(world)
    rest(world)
    begun = world.ok(commands.SettleContract(SYMBOL, 1_003))
    for _ in range(reach):
        begun += world.ok(commands.Proceed())
    assert world.engine.pending()
    assert not of(begun, ContractSettled)
    state = snapshot.state_hash(world.engine)
    if how == "snapshot":
        kept = snapshot.dump(world.engine)
        plain = rest(world)
        done = snapshot.state_hash(world.engine)
        world.engine = snapshot.load(kept)
        assert snapshot.state_hash(world.engine) == state
        assert rest(world) == plain
        assert snapshot.state_hash(world.engine) == done
    else:
        world.engine = snapshot.load(snapshot.dump(world.engine))
        rest(world)
    assert world.perp.positions == {}


def test_no_slice_is_longer_than_its_bound() -> None:
    world = ContractWorld("ann", "ben", checked=False)
    many(world)
    delist(world)
    rest(world)
    slices: list[int] = [len(world.ok(commands.SettleContract(SYMBOL, 1_003)))]
    while world.engine.pending():
        slices.append(len(world.ok(commands.Proceed())))
    assert max(slices) <= 260
    assert len(slices) > 3


def test_the_sources_of_an_index_may_change_while_a_change_is_under_way() -> None:
    """Rule 1.7: other terms wait for the walk over the owners; it ended in an assertion."""
    world = ContractWorld("ann", checked=False)
    for number in range(300):
        world.owner(f"owner{number}", 0)
    delist(world)
    assert world.perp.change is not None
    world.change(index_sources=("desk",))
    assert world.perp.contract.index_sources == ("desk",)
    rest(world)
    world.change(index_sources=("desk", "wire"))
    more = commands.ChangeContract(replace(world.perp.contract, position_max=10_000))
    assert refusal(world.apply(more)) == Reject.INSTRUMENT_INVALID
