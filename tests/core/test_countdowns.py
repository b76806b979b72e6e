"""Cancel-all-after: countdowns are set, restarted, switched off, and end orders once when due."""

from __future__ import annotations

import msgspec
import pytest

from support import order_desk
from support.order_desk import LONG, STOP_MARKET, Desk, floor
from support.world import BTCUSDT, BUY, SELL, World, refusal
from venue.core.countdowns import CHUNK
from venue.core.messages import commands
from venue.core.messages.commands import Command, SetCancelAfter, Tick
from venue.core.messages.contract_events import ContractOrderClosed
from venue.core.messages.events import CancelAfterDue, CancelAfterSet, Event, OrderClosed
from venue.core.state import audit, snapshot
from venue.vocabulary import CANCELED, OPEN_ORDERS_PER_SYMBOL_MAX, Cause, Product, Reject

pytestmark = pytest.mark.core

SECOND = 1_000_000
DAY = 86_400 * SECOND
SPOT, CONTRACT = int(Product.SPOT), int(Product.CONTRACT)


def countdown(world: World | Desk, name: str, seconds: int, product: int = SPOT) -> CancelAfterSet:
    """Set an owner's countdown; return the engine's event."""
    (event,) = world.ok(SetCancelAfter(world.uids[name], product, seconds * SECOND))
    assert isinstance(event, CancelAfterSet)
    assert (event.uid, event.product) == (world.uids[name], product)
    return event


def tick(world: World, seconds: int = 0) -> list[Event]:
    """Let time pass; nothing may break."""
    world.time += seconds * SECOND
    events = world.ok(Tick())
    assert audit.problems(world.engine) == []
    return events


def closed(events: list[Event]) -> list[int]:
    """The spot orders that were cancelled."""
    ends = [event for event in events if isinstance(event, OrderClosed)]
    assert all(event.status == CANCELED for event in ends)
    return [event.order_id for event in ends]


def test_orders_end_when_the_time_has_come_and_once() -> None:
    world = World("ann", "ben")
    first = world.rest("ann", BUY, 5, 100)
    others = world.rest("ben", BUY, 5, 99)
    second = world.rest("ann", SELL, 5, 110, "mine")
    begin = world.time
    assert countdown(world, "ann", 60).deadline == begin + 60 * SECOND
    third = world.rest("ann", BUY, 5, 98)  # orders that come later are meant too
    assert tick(world, 59) == []
    assert not world.engine.pending()
    world.time = begin + 60 * SECOND
    uid = world.uids["ann"]
    due, *ends = tick(world)
    assert due == CancelAfterDue(uid, SPOT, begin + 60 * SECOND, 3)
    assert closed(ends) == [first, second, third]
    assert world.locked("ann", "USDT") == world.locked("ann", "BTC") == 0
    assert list(world.spot_account("ben").orders) == [others]
    assert world.engine.countdowns.queue == []
    world.rest("ann", BUY, 5, 100)
    assert tick(world, 100) == []
    assert len(world.spot_account("ann").orders) == 1


def test_the_same_events_as_the_owners_own_cancel_all() -> None:
    """All symbols, each by its own cancel-all, oldest first; client ids count on."""
    worlds = [World("ann"), World("ann")]
    for world in worlds:
        world.rest("ann", BUY, 5, 100, "a")
        world.place("ann", BUY, 5, 100, symbol="ETHUSDT")
        world.rest("ann", SELL, 5, 110, "b")
    one, other = worlds
    countdown(one, "ann", 5)
    ends = tick(one, 5)[1:]
    other.time = one.time
    own: list[Event] = []
    for symbol in ("BTCUSDT", "ETHUSDT"):
        own += other.ok(commands.CancelOrders(other.uids["ann"], symbol))
    assert ends == own
    assert snapshot.state_hash(one.engine) == snapshot.state_hash(other.engine)


def test_set_anew_it_begins_again() -> None:
    world = World("ann")
    order = world.rest("ann", BUY, 5, 100)
    countdown(world, "ann", 10)
    for _ in range(5):
        assert tick(world, 9) == []
        countdown(world, "ann", 10)
    assert len(world.engine.countdowns.queue) == 1
    countdown(world, "ann", 5)  # shorter than what is left
    assert closed(tick(world, 5)) == [order]


def test_who_comes_after_the_deadline_but_before_the_tick_is_in_time() -> None:
    world = World("ann")
    world.rest("ann", BUY, 5, 100)
    countdown(world, "ann", 10)
    world.time += 11 * SECOND
    countdown(world, "ann", 10)
    assert tick(world, 9) == []
    assert len(tick(world, 1)) == 2


def test_zero_switches_it_off() -> None:
    world = World("ann")
    world.rest("ann", BUY, 5, 100)
    assert countdown(world, "ann", 0).deadline == 0  # none was running
    countdown(world, "ann", 10)
    before = snapshot.state_hash(world.engine)
    assert countdown(world, "ann", 0).deadline == 0
    assert snapshot.state_hash(world.engine) != before
    assert world.engine.countdowns.queue == []
    assert tick(world, 1_000) == []
    assert len(world.spot_account("ann").orders) == 1


@pytest.mark.parametrize("timeout", [-1, 1, 5 * SECOND - 1, DAY + 1, 2**63])
def test_a_timeout_out_of_range_is_refused_and_the_former_runs_on(timeout: int) -> None:
    world = World("ann")
    countdown(world, "ann", 60)
    (rejected,) = world.apply(SetCancelAfter(world.uids["ann"], SPOT, timeout))
    assert refusal([rejected]) == Reject.TIMEOUT
    assert len(tick(world, 60)) == 1


@pytest.mark.parametrize("timeout", [5 * SECOND, DAY])
def test_the_bounds_are_allowed(timeout: int) -> None:
    world = World("ann")
    (event,) = world.ok(SetCancelAfter(world.uids["ann"], SPOT, timeout))
    assert event == CancelAfterSet(world.uids["ann"], SPOT, world.time + timeout)


def test_an_unknown_owner_is_refused() -> None:
    for timeout in (0, 60 * SECOND, 1):
        events = World("ann").apply(SetCancelAfter(7, SPOT, timeout))
        assert refusal(events) == Reject.OWNER_UNKNOWN


def test_a_frozen_owner_sets_it_and_has_no_orders_that_could_end() -> None:
    world = World("ann")
    order = world.rest("ann", BUY, 5, 100)
    assert closed(world.ok(commands.FreezeOwner(world.uids["ann"], True))) == [order]
    countdown(world, "ann", 10)
    assert closed(tick(world, 10)) == []


def test_a_halted_market_lets_orders_go() -> None:
    world = World("ann")
    order = world.rest("ann", BUY, 5, 100)
    countdown(world, "ann", 10)
    world.ok(commands.HaltInstrument("BTCUSDT", True))
    assert closed(tick(world, 10)) == [order]


def test_without_orders_it_ends_too() -> None:
    world = World("ann")
    deadline = countdown(world, "ann", 10).deadline
    assert tick(world, 10) == [CancelAfterDue(world.uids["ann"], SPOT, deadline, 0)]
    assert tick(world, 10) == []


# -- contracts ------------------------------------------------------------------------------------


def test_contract_orders_end_and_what_protects_positions_stays() -> None:
    desk = floor()
    opening = desk.bids("ann", 10, 990)
    closing = desk.rest("ann", SELL, LONG, 4, 1_010)
    stop = desk.algo("ann", SELL, LONG, STOP_MARKET, 10, 900)
    countdown(desk, "ann", 30, CONTRACT)
    assert order_desk.of(desk.tick(29 * SECOND), ContractOrderClosed) == []
    events = desk.tick(SECOND)
    assert events[0] == CancelAfterDue(desk.uids["ann"], CONTRACT, desk.time, 2)
    ends = [event for event in events if isinstance(event, ContractOrderClosed)]
    assert ends == events[1:3]
    assert [event.order_id for event in ends] == [opening, closing]
    assert {(event.status, event.cause) for event in ends} == {(CANCELED, int(Cause.USER))}
    assert list(desk.holding("ann").orders) == []
    assert list(desk.holding("ann").algos) == [stop]
    assert len(desk.positions("ann")) == 1
    assert len(desk.holding("ben").orders) == 2


def test_an_owner_without_a_contract_side_may_count_down() -> None:
    world = World("ann")
    countdown(world, "ann", 10, CONTRACT)
    assert len(tick(world, 10)) == 1


def test_the_products_count_apart() -> None:
    desk = Desk("ann")
    instrument = msgspec.structs.replace(BTCUSDT, quantity_scale=0, price_scale=0)
    desk.ok(commands.ListInstrument(instrument))
    uid = desk.uids["ann"]
    desk.ok(commands.Deposit(uid, int(Product.SPOT), "USDT", 10**9))
    (spot,) = desk.ok(commands.PlaceOrder(uid, "BTCUSDT", BUY, 0, 0, 5, 100))
    contract = desk.bids("ann", 5, 990)
    countdown(desk, "ann", 10, SPOT)
    countdown(desk, "ann", 20, CONTRACT)
    events = desk.tick(10 * SECOND)
    assert closed(events) == [spot.order_id]  # type: ignore[union-attr]
    assert list(desk.holding("ann").orders) == [contract]
    countdown(desk, "ann", 0, SPOT)  # the other runs on
    events = desk.tick(10 * SECOND)
    assert [event.order_id for event in order_desk.of(events, ContractOrderClosed)] == [contract]


# -- order, bounds and the state ------------------------------------------------------------------


def test_earlier_deadlines_first_then_smaller_uids() -> None:
    world = World("ann", "ben", "cid", "dan")
    begin = world.time
    for name, seconds in (("dan", 10), ("ben", 9), ("cid", 10), ("ann", 11)):
        world.time = begin
        countdown(world, name, seconds)
    countdown(world, "cid", 10, CONTRACT)
    names = {uid: name for name, uid in world.uids.items()}
    events = tick(world, 60)
    found = [(names[event.uid], event.product) for event in order_desk.of(events, CancelAfterDue)]
    assert found == [
        ("ben", SPOT), ("cid", SPOT), ("cid", CONTRACT), ("dan", SPOT), ("ann", SPOT),
    ]  # fmt: skip


def crowd(owners: int) -> World:
    """Owners with a full symbol each, all due at the same time."""
    world = World()
    for number in range(owners):
        name = f"owner {number}"
        world.owner(name)
        uid = world.uids[name]
        for place in range(OPEN_ORDERS_PER_SYMBOL_MAX):
            world.engine.apply(
                commands.PlaceOrder(uid, "BTCUSDT", BUY, 0, 0, 2, 1 + place, time=world.time)
            )
        countdown(world, name, 10)
    return world


def test_what_is_due_goes_on_with_the_next_tick() -> None:
    owners = 12
    world = crowd(owners)
    counts = []
    tick_events = tick(world, 10)
    while tick_events:
        counts.append(len(closed(tick_events)))
        assert world.engine.pending() == (sum(counts) < owners * OPEN_ORDERS_PER_SYMBOL_MAX)
        tick_events = tick(world)
    # Each command finishes the owner it has begun.
    assert counts == [CHUNK, CHUNK, owners * OPEN_ORDERS_PER_SYMBOL_MAX - 2 * CHUNK]
    assert not any(account.orders for account in world.engine.spot.accounts.values())


def test_many_without_orders_are_bounded_as_well() -> None:
    world = World()
    for number in range(CHUNK + 5):
        command = commands.CreateOwner(f"owner {number}", time=world.time)
        (created,) = world.engine.apply(command)
        uid = created.uid  # type: ignore[union-attr]
        world.engine.apply(SetCancelAfter(uid, SPOT, 10 * SECOND, time=world.time))
    assert len(tick(world, 10)) == CHUNK
    assert world.engine.pending()
    assert len(tick(world)) == 5
    assert not world.engine.pending()


def test_who_sets_it_anew_amid_a_long_end_is_spared() -> None:
    world = crowd(7)
    tick(world, 10)
    countdown(world, "owner 6", 10)
    events = tick(world)
    assert len(closed(events)) == OPEN_ORDERS_PER_SYMBOL_MAX
    assert len(world.spot_account("owner 6").orders) == OPEN_ORDERS_PER_SYMBOL_MAX


def test_it_survives_a_reload_amid_the_countdown() -> None:
    world = crowd(7)
    countdown(world, "owner 3", 25)
    countdown(world, "owner 0", 20, CONTRACT)
    engines = [world.engine, world.reopened()]
    assert snapshot.state_hash(engines[1]) == snapshot.state_hash(engines[0])
    assert engines[1].countdowns.running == engines[0].countdowns.running
    for seconds in (5, 5, 0, 10, 10):
        world.time += seconds * SECOND
        said = [engine.apply(Tick(time=world.time)) for engine in engines]
        assert said[0] == said[1]
        assert engines[0].pending() == engines[1].pending()
        engines[1] = snapshot.load(snapshot.dump(engines[1]))
        assert snapshot.dump(engines[1]) == snapshot.dump(engines[0])
    assert engines[0].countdowns.queue == []


def test_a_replay_says_the_same() -> None:
    world = World("ann", "ben")
    told: list[tuple[Command, list[Event]]] = []

    def note(command: Command) -> None:
        told.append((command, world.apply(command)))

    for round_ in range(6):
        for name in ("ann", "ben"):
            note(world.command(name, BUY, 2, 90 + round_))
            seconds = (10, 5, 0, 7, 1, 30)[round_]
            note(SetCancelAfter(world.uids[name], round_ % 2, seconds * SECOND))
        world.time += 6 * SECOND
        note(Tick())
    ends = [event for _, events in told for event in events if isinstance(event, OrderClosed)]
    assert ends
    other = World("ann", "ben").engine
    for command, events in told:
        assert other.apply(command) == events
    assert snapshot.dump(other) == snapshot.dump(world.engine)
