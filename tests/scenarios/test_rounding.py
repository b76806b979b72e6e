"""I-02, rounding that mints money: over many odd fills not an atom appears or is lost."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from support.contract_world import CONTRACT, MONEY, SYMBOL, ContractWorld, of
from venue.core.messages.commands import CancelContractOrders
from venue.core.messages.contract_events import ContractTrade, Income, Leg
from venue.core.messages.events import Event
from venue.core.state import audit
from venue.core.units import PPM
from venue.vocabulary import IOC, LONG, SHORT, Cause, IncomeType

pytestmark = pytest.mark.core

FILLS = 6_000
MAKER_PPM, TAKER_PPM = 333, 777
NAMES = ("ann", "ben", "cid")
HOURS = 3_600
FUNDING = IncomeType.POSITION_FUNDING
LIQUIDATION_FEE = IncomeType.ORDER_LIQUIDATE_FEE_INCOME


def odd_world() -> ContractWorld:
    """Fee rates that divide nothing; one of three owners trades in isolated pools."""
    instrument = replace(CONTRACT.instrument, maker_ppm=MAKER_PPM, taker_ppm=TAKER_PPM)
    contract = replace(CONTRACT, instrument=instrument, position_max=10**6, open_interest_max=10**7)
    world = ContractWorld(*NAMES, contract=contract, money=100 * MONEY, fund=100 * MONEY)
    world.isolate("cid", 3)
    for long, short in zip(NAMES, NAMES[1:] + NAMES[:1], strict=True):
        world.trade(long, short, 11, 1_001)
    world.checked = False
    return world


def meet(world: ContractWorld, choice: Random) -> list[Event]:
    """Two owners trade an odd size at an odd price; each opens or closes."""
    maker, taker = choice.sample(NAMES, 2)
    price, lots = choice.randint(951, 1_049), choice.randint(1, 37)
    if choice.random() < 0.5:
        said = world.short(maker, lots, price)
        said += world.long(taker, lots, price, IOC)
    else:
        held = [name for name in NAMES if world.positions(name, LONG)]
        others = [name for name in NAMES if world.positions(name, SHORT)]
        if not held or not others:
            return []
        seller, buyer = choice.choice(held), choice.choice(others)
        most = min(
            world.position(seller, LONG).free_lots(), world.position(buyer, SHORT).free_lots(), lots
        )
        if seller == buyer or most < 1:
            return []
        said = world.close_long(seller, most, price)
        said += world.close_short(buyer, most, price, IOC)
    return said


def check_fee(leg: Leg, notional: int, rate: int) -> None:
    """Rule 1.2: rounded up against the payer, by less than an atom."""
    assert 0 <= leg.fee * PPM - notional * rate < PPM


def test_i02_odd_fills_mint_nothing() -> None:
    """itBit 2017: a rounding issue created money. Here every remainder has an owner."""
    world, choice = odd_world(), Random(2)
    everything = world.everything()
    trades = settled = 0
    paid = world.fees()
    while trades < FILLS:
        said = world.post(choice.randint(990, 1_010)) + meet(world, choice)
        if choice.random() < 0.02:
            for name in NAMES:  # offers that nobody met would fill their owners' room
                world.ok(CancelContractOrders(world.uids[name], SYMBOL))
            world.wait(HOURS)
            said += world.post(1_000) + world.tick()
        for trade in of(said, ContractTrade):
            trades += 1
            paid += trade.taker.fee + trade.maker.fee
            if trade.cause == Cause.USER:
                check_fee(trade.taker, trade.notional, TAKER_PPM)
                check_fee(trade.maker, trade.notional, MAKER_PPM)
        for item in of(said, Income):
            settled += item.kind == FUNDING
            if item.kind == LIQUIDATION_FEE:
                paid -= item.amount
        assert world.everything() == everything
    assert audit.problems(world.engine) == []
    assert world.fees() == paid
    assert settled > 50
    # The dust account gets the roundings of funding: less than an atom of each payment.
    assert 0 <= world.dust() < settled
