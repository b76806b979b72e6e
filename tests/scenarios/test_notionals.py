"""The notionals that make premium and index are the contract's own terms (rules 1.6, 6.1, 6.3).

A number of units of the settle asset, whatever that is worth, is a notional that no book fills in
an asset of great worth, and that one order fills in an asset of little worth.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, INSTRUMENT, SYMBOL, ContractWorld, of, refusal, wide
from venue.core.contract.reference.index import spot_notional
from venue.core.contract.safe_terms import impact_notional, index_notional
from venue.core.instruments import Contract, Tier
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReturned,
)
from venue.core.messages.events import Rejected
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import Reject

pytestmark = pytest.mark.core

SMALL = replace(CONTRACT, impact_notional=100_000, index_notional=10_000)  # dear from 10,001 on


@pytest.mark.parametrize("leverage", [10, 50])
def test_the_impact_notional_is_the_contracts_own(leverage: int) -> None:
    """One unit of the settle asset is worth a lot here: 1 lot at 1,000 is a fiftieth of a position.
    It was 200 x leverage units, which nobody bids: the premium stood at 0."""
    dear = replace(
        CONTRACT, leverage_max=leverage, tiers=[Tier(50_000, leverage, 10_000)], position_max=50,
        impact_notional=2_000, index_notional=2_000,
    )  # fmt: skip
    world = ContractWorld("ann", contract=dear)
    world.long("ann", 2, 1_003)
    world.tick()
    assert world.perp.premium_ppb == 3_000_000
    world.change(impact_notional=3_000)  # 2 lots are less than that
    world.wait(5)
    world.tick()
    assert world.perp.premium_ppb == 0


def test_without_them_they_follow_the_first_tier() -> None:
    """A 200th and a 100th of its greatest notional, also after a change of the tiers."""
    plain = replace(
        CONTRACT, index_notional=0, impact_notional=0, tiers=wide(50, 10_000),
        index_sources=("desk", "spot"),
    )  # fmt: skip
    world = ContractWorld(contract=plain)
    assert notionals(world) == (50_000, 100_000)
    world.change(tiers=[Tier(1_000_000, 50, 10_000), Tier(AMOUNT_MAX, 10, 60_000)])
    assert notionals(world) == (5_000, 10_000)
    world.ok(commands.ListInstrument(INSTRUMENT))
    assert world.perp.spot is not None
    assert spot_notional(world.perp, world.perp.spot) == 5_000


def notionals(world: ContractWorld) -> tuple[int, int]:
    contract = world.perp.contract
    return index_notional(contract), impact_notional(contract)


UNSAFE: list[tuple[Contract, str]] = [
    (
        replace(CONTRACT, tiers=wide(50, 10_000), impact_notional=9_999),
        (
            "impact_notional: a thousandth of the first tier's greatest notional, 10000, must be at"
            " most 9999, the impact notional"
        ),
    ),
    (
        replace(CONTRACT, index_notional=1),
        (
            "index_notional: a thousandth of the first tier's greatest notional, 100, must be at"
            " most 1, the index notional"
        ),
    ),
    (
        replace(CONTRACT, index_notional=1_999),
        (
            "index_notional: the smallest order at four times the lowest price, 2000, must be at"
            " most 1999, the index notional"
        ),
    ),
    (
        replace(CONTRACT, tiers=[Tier(9_999, 50, 10_000)]),
        (
            "index_notional: the index notional, 10000, must be at most 9999, the last tier's"
            " greatest notional"
        ),
    ),
]


@pytest.mark.parametrize(("contract", "words"), UNSAFE)
def test_notionals_that_are_unsafe_are_refused(contract: Contract, words: str) -> None:
    """At listing, and at a change."""
    world = ContractWorld()
    refused = [Rejected(Reject.INSTRUMENT_INVALID, 0, words)]
    assert world.apply(commands.ChangeContract(contract)) == refused
    other = replace(INSTRUMENT, symbol="BBBQQQ", base="BBB")
    world.ok(commands.RegisterAsset("BBB", 0))
    assert world.apply(commands.ListContract(replace(contract, instrument=other))) == refused


def test_a_contract_whose_smallest_order_fills_a_notional_only_reduces() -> None:
    """The mark rises above the price at which one lot is the index notional: nobody opens, what
    opens is parked, positions close. A lower mark, or a greater notional, ends that."""
    world = ContractWorld("ann", "ben", "cat", contract=SMALL)
    world.post(10_000)
    world.trade("ann", "ben", 10, 10_000)
    world.long("cat", 1, 9_900)
    assert world.perp.price_highest == 10_000
    (parked,) = of([*world.post(10_001), *world.tick()], ContractOrderParked)
    assert parked.price == 9_900
    dear = [Rejected(Reject.CONTRACT_DEAR, 10_000)]
    assert world.long("cat", 1, 9_800) == dear
    assert world.short("ann", 1, 10_500) == dear
    assert world.long("ann", 1, 10_001) == dear
    world.close_long("ann", 4, 10_001)
    world.close_short("ben", 4, 10_001)
    assert world.perp.open_interest == 6
    assert not isinstance(world.withdraw("ann", 100)[0], Rejected)
    world.change(index_notional=20_000)
    assert world.perp.price_highest == 20_000
    (back,) = of(world.tick(), ContractOrderReturned)
    assert back.order_id == parked.order_id
    (placed,) = of(world.long("cat", 1, 9_800), ContractOrderPlaced)
    assert placed.resting == 1


def test_a_change_does_not_make_a_contract_dear() -> None:
    """At a mark of 10,001 a notional of 10,001 is enough; a smaller one is refused, unless the one
    before was smaller still."""
    world = ContractWorld(contract=replace(SMALL, index_notional=20_000))
    world.post(10_001)
    (said,) = world.apply(commands.ChangeContract(SMALL))
    assert said == Rejected(
        Reject.INSTRUMENT_INVALID, 0,
        "index_notional: the smallest order at 10001 ticks, 10001, must be at most 10000, the index"
        " notional",
    )  # fmt: skip
    world.change(index_notional=10_001)
    world.post(11_000)
    assert refusal(world.apply(commands.ChangeContract(SMALL))) == Reject.INSTRUMENT_INVALID
    world.change(index_notional=10_500)  # better than before, though not enough
    assert world.engine.contracts.markets[SYMBOL].refuses_opening()
