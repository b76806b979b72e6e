"""Changed terms and the open orders and positions that they find (rule 1.7)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, INSTRUMENT, PRICE, ContractWorld, of
from venue.core.contract.collateral import available
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractTrade
from venue.core.state import snapshot
from venue.vocabulary import IOC, PRODUCT_CONTRACT

pytestmark = pytest.mark.core

NEED = 5_050  # of 100 lots at 1,000: margin at leverage 20, and the taker's fee


def with_fees(contract: Contract, maker_ppm: int, taker_ppm: int) -> Contract:
    instrument = replace(contract.instrument, maker_ppm=maker_ppm, taker_ppm=taker_ppm)
    return replace(contract, instrument=instrument)


@pytest.mark.parametrize("whose", ["contract", "owner"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_resting_order_pays_at_most_the_rate_that_it_reserved(whose: str, *, kept: bool) -> None:
    """Rule 1.7: 50 are held, and 70 were charged: available was -20."""
    world = ContractWorld("ann", "ben")
    cat = world.owner("cat", NEED)
    world.long("cat", 100, PRICE)
    assert available(world.holding("cat"), 0) == 0
    if whose == "contract":
        world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    else:
        world.ok(commands.SetFees(cat, 700, 1_000, product=PRODUCT_CONTRACT))
    if kept:
        world.engine = snapshot.load(snapshot.dump(world.engine))
    (trade,) = of(world.short("ben", 100, PRICE, IOC), ContractTrade)
    assert trade.maker.fee == 50
    assert trade.taker.fee == (100 if whose == "contract" else 50)
    assert available(world.holding("cat"), 0) == 0


@pytest.mark.parametrize("lots", [1, 7, 33])
def test_so_do_its_parts_however_often_they_round_up(lots: int) -> None:
    """Rule 1.7: the hold pays for every part, or the order ends."""
    world = ContractWorld("ben")
    world.owner("cat", NEED)
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    for _ in range(3):
        world.short("ben", lots, PRICE, IOC)
        assert available(world.holding("cat"), 0) >= 0


def test_a_lower_rate_holds_at_once() -> None:
    """Rule 1.7."""
    world = ContractWorld("ben", "cat")
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 100, 400)))
    (trade,) = of(world.short("ben", 100, PRICE, IOC), ContractTrade)
    assert (trade.maker.fee, trade.taker.fee) == (10, 40)


def test_another_leverage_reserves_the_rate_that_the_order_had() -> None:
    """Rules 1.7 and 5.7."""
    world = ContractWorld("ben", "cat")
    uid = world.uids["cat"]
    world.long("cat", 100, PRICE)
    world.ok(commands.ChangeContract(with_fees(CONTRACT, 700, 1_000)))
    world.ok(commands.SetLeverage(uid, INSTRUMENT.symbol, cross=10))
    assert world.cross("cat").cash.held == 10_050
