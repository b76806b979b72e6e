"""How many resting orders one order meets at most (rule 3.13). Each rests with two lots."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, ContractWorld, of, wide
from venue.compiled import compiled
from venue.core.book import matching
from venue.core.book.matching import FILLS_MAX
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
)
from venue.core.messages.events import Event
from venue.vocabulary import BUY, CANCELED, EXPIRED, FOK, GTC, IOC, LONG

pytestmark = pytest.mark.core

WIDE = replace(CONTRACT, tiers=wide(50, 10_000), position_max=10**6, open_interest_max=10**7)
MOST = FILLS_MAX
MORE = 5
LOTS = 2


@pytest.fixture
def world() -> ContractWorld:
    """Dan with money, before five more resting offers than an order may meet."""
    found = ContractWorld("dan", money=10**9, contract=WIDE, checked=False)
    offers(found, MOST + MORE)
    return found


def offers(world: ContractWorld, count: int) -> None:
    for number in range(count):
        name = f"owner {number // 200}"
        if name not in world.uids:
            world.owner(name, 10**7)
        world.short(name, LOTS, 1_000)


def trades(events: list[Event]) -> int:
    return len(of(events, ContractTrade))


@pytest.mark.parametrize(("price", "tif"), [(1_000, GTC), (1_001, GTC), (1_000, IOC), (0, IOC)])
def test_what_is_left_is_canceled_and_may_be_sent_again(
    world: ContractWorld, price: int, tif: int
) -> None:
    wanted = (MOST + MORE) * LOTS
    events = world.order("dan", BUY, LONG, wanted, price, tif)
    assert trades(events) == MOST
    (placed,) = of(events, ContractOrderPlaced)
    assert placed.resting == 0
    (closed,) = of(events, ContractOrderClosed)
    assert (closed.status, closed.resting) == (CANCELED, 0)
    assert not resting(world, "dan")
    again = world.order("dan", BUY, LONG, MORE * LOTS, price, tif)
    assert trades(again) == MORE


def test_what_meets_just_so_many_rests_behind_them(world: ContractWorld) -> None:
    world.ok(commands.CancelContractOrders(world.uids["owner 5"]))
    (placed, *rest) = world.order("dan", BUY, LONG, MOST * LOTS + 7, 1_000, GTC)
    assert trades(rest) == MOST
    assert isinstance(placed, ContractOrderPlaced)
    assert placed.resting == 7


def test_a_fok_order_that_would_meet_more_is_not_filled(world: ContractWorld) -> None:
    events = world.order("dan", BUY, LONG, MOST * LOTS + 1, 1_000, FOK)
    assert not trades(events)
    (closed,) = of(events, ContractOrderClosed)
    assert closed.status == EXPIRED
    assert trades(world.order("dan", BUY, LONG, MOST * LOTS, 1_000, FOK)) == MOST


def test_no_dust_keeps_a_position_from_being_closed(world: ContractWorld) -> None:
    """Closing at market on an owner's behalf goes on through more, up to a bound of its own."""
    world.owner("ben", 10**9)
    lots = (MOST + MORE) * LOTS
    world.long("dan", lots, 999)
    world.short("ben", lots, 999)
    (position,) = world.positions("ben", -LONG)
    assert trades(world.ok(commands.ClosePositions(world.uids["ben"]))) == MOST + MORE
    assert position.quantity == 0


@pytest.mark.skipif(compiled(), reason="compiled, a constant cannot be changed")
def test_all_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders that end because their owner cannot bear them any more count with the fills."""
    monkeypatch.setattr(matching, "PLANNED_MAX", 30)
    world = ContractWorld("dan", "ben", money=10**9, contract=WIDE, checked=False)
    offers(world, 40)
    world.long("dan", 40 * LOTS, 999)
    world.short("ben", 40 * LOTS, 999)
    assert trades(world.ok(commands.ClosePositions(world.uids["ben"]))) == 30
    assert resting(world, "owner 0") == 10


def resting(world: ContractWorld, name: str) -> int:
    """The open orders of an owner."""
    return len(world.holding(name).orders)
