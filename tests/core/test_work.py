"""The work of one command grows with what it meets, not with its square (rule 7.11)."""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, HOUR, START, ContractWorld, of
from venue.core import commands
from venue.core.contract_events import ContractTrade
from venue.core.events import Event
from venue.core.instruments import Tier
from venue.core.units import AMOUNT_MAX
from venue.fast import compiled
from venue.terms import BUY, GTC, IOC, LONG, SELL, SHORT

if TYPE_CHECKING:
    from _typeshed import TraceFunction

pytestmark = [
    pytest.mark.core,
    pytest.mark.skipif(compiled(), reason="compiled, no line is counted"),
]

SYMBOL = CONTRACT.instrument.symbol
WIDE = replace(
    CONTRACT, tiers=[Tier(AMOUNT_MAX, 50, 10_000)], position_max=10**6, open_interest_max=10**7
)


def lines_of(world: ContractWorld, *order: int) -> tuple[int, list[Event]]:
    """How many lines an order of `dan` runs through, and what it brings."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        return count

    sys.settrace(count)
    try:
        events = world.order("dan", *order)
    finally:
        sys.settrace(None)
    return lines, events


def closes_of(count: int) -> int:
    """Lines of an order that meets `count` losing closes of separated positions, in a pool that can
    hardly bear them, with funding due."""
    world = ContractWorld("dan", money=10**9, contract=WIDE, checked=False)
    uid = world.owner("ann", 325 * count)
    world.ok(commands.SetMarginMode(uid, SYMBOL, 0, 1))
    world.ok(commands.SetLeverage(uid, SYMBOL, 50))
    for _ in range(count):
        world.long("ann", 10, 1_000)
    world.short("dan", 10 * count, 1_000)
    for position in world.positions("ann"):
        world.order("ann", SELL, LONG, 10, 985, GTC, position.position_id)
    world.time = START + HOUR + 1
    lines, events = lines_of(world, BUY, LONG, 10 * count, 1_000, IOC)
    assert len(of(events, ContractTrade)) == count
    return lines


def openings_of(owners: int) -> int:
    """Lines of an order that meets an isolated opening order of each owner."""
    world = ContractWorld("dan", money=10**9, contract=WIDE, checked=False)
    for number in range(owners):
        world.owner(f"ann {number}", 10_000)
        world.isolate(f"ann {number}")
        world.order(f"ann {number}", SELL, SHORT, 10, 1_000)
    lines, events = lines_of(world, BUY, LONG, 10 * owners, 1_000, IOC)
    assert len(of(events, ContractTrade)) == owners
    return lines


def test_a_close_costs_the_same_however_many_were_planned_before() -> None:
    """Each was tried on a copy of all positions of its pool that had been planned before."""
    assert closes_of(200) < 2.3 * closes_of(100)


def test_an_opening_costs_the_same_however_many_owners_were_met_before() -> None:
    assert openings_of(200) < 2.3 * openings_of(100)
