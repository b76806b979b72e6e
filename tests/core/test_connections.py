"""Rule 3.14: orders that end with their connection, in the state of the venue."""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld, of
from support.world import World
from venue.core.messages.commands import EndConnection, GuardOrders, PlaceContractOrder, PlaceOrder
from venue.core.messages.contract_events import ContractOrderClosed, ContractOrderPlaced
from venue.core.messages.events import Event, OrderClosed, OrderPlaced
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state import snapshot
from venue.vocabulary import BUY, GTC, LIMIT, LONG

pytestmark = pytest.mark.core


def placed(world: World, price: int, connection: int) -> int:
    """An order that rests, placed over a connection; its id."""
    uid = world.uids["ann"]
    command = PlaceOrder(uid, "BTCUSDT", BUY, LIMIT, GTC, 5, price, connection=connection)
    (event,) = world.ok(command)
    assert isinstance(event, OrderPlaced)
    return event.order_id


def ended(events: list[Event]) -> list[int]:
    return [event.order_id for event in of(events, OrderClosed)]


def test_the_orders_of_a_connection_end_with_it_and_no_others() -> None:
    world = World("ann")
    before, other = placed(world, 90, 0), placed(world, 91, 0)
    assert world.ok(GuardOrders(world.uids["ann"], 0, 7, True, [before])) == []
    after, elsewhere = placed(world, 92, 7), placed(world, 93, 8)
    assert ended(world.ok(EndConnection(7))) == [before, after]
    assert world.ok(EndConnection(7)) == []
    assert list(world.spot_account("ann").orders) == [other, elsewhere]


def test_switched_off_they_stay() -> None:
    world = World("ann")
    order = placed(world, 90, 7)
    world.ok(GuardOrders(world.uids["ann"], 0, 7, False))
    assert world.ok(EndConnection(7)) == []
    assert list(world.spot_account("ann").orders) == [order]


def test_contract_orders() -> None:
    world = ContractWorld("ann")
    uid = world.uids["ann"]
    command = PlaceContractOrder(uid, SYMBOL, BUY, LONG, LIMIT, GTC, 5, 900, connection=3)
    (event,) = world.ok(command)
    assert isinstance(event, ContractOrderPlaced)
    (closed,) = world.ok(EndConnection(3))
    assert isinstance(closed, ContractOrderClosed)
    assert closed.order_id == event.order_id


def test_a_snapshot_knows_them() -> None:
    world = World("ann")
    orders = [placed(world, 90, 7), placed(world, 91, 7)]
    world.engine = snapshot.load(snapshot.dump(world.engine))
    assert ended(world.ok(EndConnection(7))) == orders


def test_a_kept_state_brings_back_orders_and_no_connection() -> None:
    world = World("ann")
    world.engine = snapshot.load(snapshot.dump(world.engine))
    order = placed(world, 90, 7)
    world.ok(KeepState("a"))
    assert ended(world.ok(EndConnection(7))) == [order]
    world.ok(RevertState("a"))
    assert world.ok(EndConnection(7)) == []
    assert list(world.spot_account("ann").orders) == [order]
