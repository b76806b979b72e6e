"""Changed fees and the open spot orders that they find (rule 1.7)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.world import BTCUSDT, BUY, IOC, SELL, World
from venue.core.messages import commands
from venue.core.messages.events import Event, Trade
from venue.core.state import snapshot

pytestmark = pytest.mark.core

LOTS, RATE = 1_000, 100  # at a price of 100 ticks of 100 atoms: 10,000,000 atoms of notional


def sold_by_taker(world: World) -> Trade:
    events: list[Event] = world.ok(world.command("ben", SELL, LOTS, RATE, IOC))
    (trade,) = [event for event in events if isinstance(event, Trade)]
    return trade


@pytest.mark.parametrize("whose", ["market", "owner"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_resting_order_pays_at_most_the_higher_rate_of_its_coming(
    whose: str, *, kept: bool
) -> None:
    """Rule 1.7: a fee raised to half of everything took half of what resting orders got."""
    world = World("ann", "ben")
    world.rest("ann", BUY, LOTS, RATE)
    if whose == "market":
        dear = replace(BTCUSDT, maker_ppm=500_000, taker_ppm=500_000)
        world.ok(commands.ChangeInstrument(dear))
    else:
        world.ok(commands.SetFees(world.uids["ann"], 500_000, 500_000))
    if kept:
        world.engine = snapshot.load(snapshot.dump(world.engine))
    trade = sold_by_taker(world)
    assert trade.base_fee == LOTS * 10**4 * 2_000 // 10**6


def test_a_lower_rate_holds_at_once_and_a_new_order_pays_what_is_so_now() -> None:
    """Rule 1.7."""
    world = World("ann", "ben")
    world.rest("ann", BUY, LOTS, RATE)
    world.ok(commands.ChangeInstrument(replace(BTCUSDT, maker_ppm=100, taker_ppm=100)))
    assert sold_by_taker(world).base_fee == LOTS * 10**4 * 100 // 10**6
    world.ok(commands.ChangeInstrument(replace(BTCUSDT, maker_ppm=5_000, taker_ppm=0)))
    world.rest("ann", BUY, LOTS, RATE)
    assert sold_by_taker(world).base_fee == LOTS * 10**4 * 5_000 // 10**6
