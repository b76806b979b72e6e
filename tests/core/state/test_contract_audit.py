"""States of the contract side that `venue verify` calls broken, and sound ones (rules 3.8, 7.4)."""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld, isolated_world
from venue.core.contract.position import equity, maintenance
from venue.core.messages.commands import HaltInstrument, PostIndex, Tick
from venue.core.state import audit
from venue.vocabulary import Product

pytestmark = pytest.mark.core


def fund_with_a_position() -> ContractWorld:
    """The fund has 110 and is long 10 at 951, with a mark of 959: its equity is 190."""
    world = isolated_world(fund=100)
    world.post(959)
    assert equity(world.cross("fund")) == 190
    return world


def fall(world: ContractWorld, price: int) -> None:
    """The mark falls; invariants are asked for by the test itself."""
    world.checked = False
    world.apply(PostIndex(SYMBOL, "desk", price, jump=True))
    assert world.perp.mark == price


def test_a_halt_may_leave_the_fund_below_zero() -> None:
    """Nobody can take what the fund has there: a journal of it is healthy.

    At 930 the position is worth 210 less than it cost, and the fund has 110.
    """
    world = fund_with_a_position()
    world.ok(HaltInstrument(SYMBOL, True, "upkeep", product=int(Product.CONTRACT)))
    fall(world, 930)
    assert equity(world.cross("fund")) == -100
    assert audit.problems(world.engine) == []


def test_an_index_that_is_not_current_may_too() -> None:
    world = fund_with_a_position()
    world.ok(HaltInstrument(SYMBOL, True, "upkeep", product=int(Product.CONTRACT)))
    fall(world, 930)
    world.wait(60)
    world.apply(Tick())
    world.perp.market.halted = False
    assert not world.perp.current
    assert audit.problems(world.engine) == []


def test_a_fund_below_zero_where_it_could_have_acted_is_broken() -> None:
    world = fund_with_a_position()
    world.cross("fund").cash.collateral -= 200
    found = audit.problems(world.engine)
    assert "the insurance fund's equity in QQQ is -10" in found


@pytest.mark.parametrize("what", ["value", "cost", "initial", "free", "maintenance"])
def test_sums_that_are_not_those_of_the_positions_are_broken(what: str) -> None:
    world = fund_with_a_position()
    pool = world.cross("fund")
    assert maintenance(pool) > 0
    assert audit.problems(world.engine) == []
    setattr(pool.sums, what, getattr(pool.sums, what) + 1)
    (found,) = [words for words in audit.problems(world.engine) if "sums of pool 0" in words]
    assert "insurance-fund" in found
