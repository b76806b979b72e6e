"""Work that is too long for one command goes on by `Proceed`, and is fair among owners (rule
7.11)."""

from __future__ import annotations

import pytest

from support.contract_world import ISOLATED, SYMBOL, ContractWorld, of, refusal
from venue.core.contract.closing import CLOSED_MAX
from venue.core.contract.consequences import LIQUIDATIONS_MAX
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    AlgoClosed,
    ClosedAtMarket,
    ContractOrderClosed,
    LiquidationStarted,
)
from venue.core.messages.events import Event
from venue.core.state import snapshot
from venue.vocabulary import AlgoType, MarginMode, Reject, SeparatedMode

pytestmark = pytest.mark.core

SEPARATED = int(SeparatedMode.SEPARATED)
CROSSED = int(MarginMode.CROSSED)
MANY = 2 * CLOSED_MAX + 20


def separated(count: int = MANY, mode: int = CROSSED) -> ContractWorld:
    """Ann has `count` separated longs of one lot against ben."""
    world = ContractWorld("ann", "ben")
    world.checked = False
    for name in ("ann", "ben"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 10, 10, 10))
    world.ok(commands.SetMarginMode(world.uids["ann"], SYMBOL, mode, SEPARATED))
    for _ in range(count):
        world.trade("ann", "ben", 1, 1_000)
    world.tick()
    while world.engine.pending():
        world.ok(commands.Proceed())
    world.checked = True
    return world


def finish(world: ContractWorld, second: Engine | None = None) -> list[Event]:
    """Work off what is pending; a second engine says and becomes the same, with each snapshot."""
    events: list[Event] = []
    while world.engine.pending():
        said = world.ok(commands.Proceed())
        if second is not None:
            assert second.apply(commands.Proceed(time=world.time)) == said
            second = snapshot.load(snapshot.dump(second))
            assert snapshot.dump(second) == snapshot.dump(world.engine)
        events += said
    return events


# -- closing ---------------------------------------------------------------------------------------


def test_a_close_of_many_positions_is_one_request_of_several_slices() -> None:
    world = separated()
    ids = [position.position_id for position in world.positions("ann")]
    world.long("ben", MANY, 1_000)
    second = snapshot.load(snapshot.dump(world.engine))
    command = commands.ClosePositions(world.uids["ann"], SYMBOL)
    events = world.ok(command)
    assert second.apply(commands.ClosePositions(world.uids["ann"], SYMBOL, time=world.time)) == (
        events
    )
    sequence = world.engine.sequence
    first = of(events, ClosedAtMarket)
    assert [one.left for one in first] == [0] * (CLOSED_MAX - 1) + [MANY - CLOSED_MAX]
    assert {one.request for one in first} == {0}
    assert world.engine.pending()
    later = of(finish(world, second), ClosedAtMarket)
    assert [one.position_id for one in first + later] == ids
    assert {(one.request, one.reason) for one in later} == {(sequence, 0)}
    assert [one.left for one in later] == list(range(MANY - CLOSED_MAX))[::-1]
    assert world.positions("ann") == []


def test_a_close_of_few_positions_is_done_by_its_command() -> None:
    world = separated(3)
    world.long("ben", 3, 1_000)
    events = world.ok(commands.ClosePositions(world.uids["ann"]))
    assert [(one.request, one.left) for one in of(events, ClosedAtMarket)] == [(0, 0)] * 3
    assert not world.engine.pending()


def test_a_second_close_amid_the_first_states_what_the_first_has_left_it() -> None:
    """Owners take turns, and ben's close between ann's slices waits for one of them at most."""
    world = separated()
    world.long("ben", 2 * MANY, 990)
    uid = world.uids["ann"]
    world.ok(commands.ClosePositions(uid))
    one = world.engine.sequence
    world.ok(commands.ClosePositions(uid))
    two = world.engine.sequence
    said = of(finish(world), ClosedAtMarket)
    asked = [each.request for each in said]
    assert asked == sorted(asked)
    assert {each.reason for each in said if each.request == one} == {0, Reject.NOTHING_TO_CLOSE}
    assert len([each for each in said if each.request == two]) == MANY - 2 * CLOSED_MAX
    assert world.positions("ann") == []


def test_a_refused_close_takes_nothing_away() -> None:
    """Nobody bids: closing orders and stops stay. With a bid for a part the stop stays for the
    rest, and ends with the position."""
    world = ContractWorld("ann", "ben")
    world.trade("ann", "ben", 10, 1_000)
    uid = world.uids["ann"]
    world.close_long("ann", 4, 1_050)
    stop = commands.PlaceAlgo(uid, SYMBOL, 1, 1, int(AlgoType.STOP_MARKET), 0, 900, 0)
    world.ok(stop)
    before = snapshot.state_hash(world.engine)
    events = world.apply(commands.ClosePositions(uid))
    (refused,) = of(events, ClosedAtMarket)
    assert (refused.order_id, refused.reason) == (0, Reject.NO_LIQUIDITY)
    assert snapshot.state_hash(world.engine) == before
    world.long("ben", 5, 850)  # further from the mark than a market order may reach
    events = world.apply(commands.ClosePositions(uid))
    assert len(events) == 1
    world.long("ben", 6, 990)
    events = world.ok(commands.ClosePositions(uid))
    assert len(of(events, ContractOrderClosed)) == 2  # hers, and the one that found nobody
    assert of(events, AlgoClosed) == []
    world.long("ben", 4, 990)
    events = world.ok(commands.ClosePositions(uid))
    assert len(of(events, AlgoClosed)) == 1
    assert world.positions("ann") == []
    assert refusal(world.close_long("ann", 1, 990)) == Reject.NOTHING_TO_CLOSE


# -- liquidating -----------------------------------------------------------------------------------


def test_a_wave_is_fair_among_owners() -> None:
    """Ann, the oldest, has three slices' worth of pools; dan and eve, younger, have one each.

    Every owner has its turn before ann has her second one, the largest shortfall first.
    """
    pools = 3 * LIQUIDATIONS_MAX
    world = separated(pools, ISOLATED)
    for name, lots in (("dan", 5), ("eve", 10)):
        world.owner(name)
        world.isolate(name)
        world.trade(name, "ben", lots, 1_000)
    world.tick()
    events = world.post(900)
    ann, dan, eve = (world.uids[name] for name in ("ann", "dan", "eve"))
    order = [event.uid for event in of(events, LiquidationStarted) if event.uid != 2]
    assert order == [eve, dan] + [ann] * (len(order) - 2)
    second = snapshot.load(snapshot.dump(world.engine))
    order += [
        event.uid for event in of(finish(world, second), LiquidationStarted) if event.uid != 2
    ]
    assert order == [eve, dan] + [ann] * pools
    assert not world.engine.pending()


def test_a_pool_of_many_positions_takes_its_share_of_a_slice_and_goes_on() -> None:
    """Each pass is framed by its own items; the snapshot between two passes tells where it is."""
    world = separated(200)
    uid = world.uids["ann"]
    world.checked = False
    spare = world.cross("ann")
    world.ok(commands.Withdraw(uid, 1, "QQQ", spare.cash.collateral + 200_000 - 200 * 101))
    second = snapshot.load(snapshot.dump(world.engine))
    events = world.post(905)
    assert second.apply(commands.PostIndex(SYMBOL, "desk", 905, world.time, True)) == events
    assert world.engine.pending()
    events += finish(world, second)
    assert len(of(events, LiquidationStarted)) > 1
    assert world.positions("ann") == []


def test_pools_that_are_looked_at_in_several_slices_are_the_same_after_a_reload() -> None:
    """200 pools dirty at once: more than one slice looks at; then a mark reaches them all."""
    world = separated(200, ISOLATED)
    for price in (960, 905):
        second = snapshot.load(snapshot.dump(world.engine))
        said = world.post(price)
        assert second.apply(commands.PostIndex(SYMBOL, "desk", price, world.time, True)) == said
        finish(world, second)
    assert world.positions("ann") == []
