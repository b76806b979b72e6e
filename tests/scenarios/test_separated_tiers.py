"""Many separated positions keep the margin of one as large (rules 5.7, 5.8).

Tiers: 1 % up to 100,000, then 2 % up to 400,000, then 5 %; so 1,900,000 need 82,000 and 19 times
100,000 alone 19 x 1,000.
"""

from __future__ import annotations

import pytest

from support.contract_world import ISOLATED, MONEY, PRICE, SYMBOL, ContractWorld, of, refusal
from venue.core.contract.position import liquidation_mark, maintenance
from venue.core.messages import commands
from venue.core.messages.contract_events import LiquidationStarted
from venue.core.messages.events import Rejected
from venue.vocabulary import LONG, SELL, MarginMode, Reject, SeparatedMode

pytestmark = pytest.mark.core

PIECES = 19
LOTS = 100
WHOLE = 82_000  # the margin of 1,900,000 in one piece
CROSSED = int(MarginMode.CROSSED)


def separated(mode: int, money: int = 250_000) -> ContractWorld:
    """Ann may open separated positions at leverage 10; Ben is rich."""
    world = ContractWorld("ben", fund=MONEY)
    uid = world.owner("ann", money)
    world.ok(commands.SetMarginMode(uid, SYMBOL, mode, int(SeparatedMode.SEPARATED)))
    for name in ("ann", "ben"):
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, cross=10, long=10, short=10))
    return world


def opened(mode: int, money: int = 250_000) -> ContractWorld:
    """Ann is long 19 times 100 lots at 1,000."""
    world = separated(mode, money)
    for _ in range(PIECES):
        world.trade("ann", "ben", LOTS, PRICE)
    return world


def kept(world: ContractWorld) -> int:
    """The maintenance margin of all her positions."""
    return sum(maintenance(pool) for pool in world.holding("ann").pools())


@pytest.mark.parametrize("mode", [CROSSED, ISOLATED])
def test_in_pieces_as_in_one(mode: int) -> None:
    world = opened(mode)
    assert kept(world) == WHOLE
    assert [position.base for position in world.positions("ann")] == [
        number * LOTS * PRICE for number in range(PIECES)
    ]


def test_the_pool_goes_when_one_as_large_would() -> None:
    """190,000 of margin, less 114,000 at 940: 76,000 are not the 77,080 + that 1,786,000 need."""
    world = opened(CROSSED, 190_000 + PIECES * 50)
    assert not of(world.post(950), LiquidationStarted)
    assert of(world.post(940), LiquidationStarted)


@pytest.mark.parametrize("mode", [CROSSED, ISOLATED])
def test_first_a_lot_of_each_and_then_the_rest_saves_nothing(mode: int) -> None:
    """19 positions of one lot, whose orders rest with 99 more; then all the others are filled."""
    world = separated(mode)
    for number in range(PIECES):
        world.short("ben", 1, PRICE + number)
        world.long("ann", LOTS, PRICE + number)
    assert [position.quantity for position in world.positions("ann")] == [1] * PIECES
    world.short("ben", PIECES * (LOTS - 1), PRICE)
    assert [position.quantity for position in world.positions("ann")] == [LOTS] * PIECES
    assert WHOLE <= kept(world) < WHOLE + 1_000


def test_who_closes_the_first_ones_keeps_the_tier_of_the_last_one() -> None:
    """The last one may not be levered as if it had been opened alone: its margin would not last."""
    world = opened(CROSSED)
    first = world.positions("ann")[:-1]
    world.close_short("ben", (PIECES - 1) * LOTS, PRICE)
    for position in first:
        world.order("ann", SELL, LONG, LOTS, PRICE, position_id=position.position_id)
    assert kept(world) == 5_000
    raised = commands.SetLeverage(world.uids["ann"], SYMBOL, cross=50)
    assert refusal(world.apply(raised)) == Reject.LEVERAGE
    world.trade("ann", "ben", LOTS, PRICE)
    assert [position.base for position in world.positions("ann")] == [1_800_000, 100_000]


def test_the_size_that_is_left_is_told_with_what_a_position_stands_on() -> None:
    """Rule 5.7: 90 lots fit leverage 50 at 1,100, but the second piece stands on 50,000."""
    world = separated(CROSSED)
    world.ok(commands.SetLeverage(world.uids["ann"], SYMBOL, cross=50))
    for _ in range(2):
        world.trade("ann", "ben", 50, PRICE)
    first, second = world.positions("ann")
    world.post(1_100)
    world.close_short("ben", 50, 1_100)
    world.order("ann", SELL, LONG, 50, 1_100, position_id=first.position_id)
    assert [position.base for position in world.positions("ann")] == [50 * PRICE]
    refused = world.long("ann", 1, 1_100)
    assert refused == [Rejected(Reject.LEVERAGE_SIZE, 50)]
    world.ok(commands.SetLeverage(world.uids["ann"], SYMBOL, cross=20))
    world.long("ann", 1, 1_100)
    assert second.quantity == 50


def test_each_says_where_it_is_liquidated_in_its_own_tier() -> None:
    """An isolated one with a collateral of 10,100, on 1,800,000: equity is its margin at 947.37."""
    world = opened(ISOLATED)
    last = world.positions("ann", LONG)[-1]
    mark = liquidation_mark(last)
    world.post(mark + 1)
    assert last.quantity == LOTS
    assert of(world.post(mark), LiquidationStarted)
