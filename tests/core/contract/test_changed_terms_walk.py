"""Any change of any setting among random orders and positions: its outlook is what happens, no
available money is negative, and nobody is liquidated at an unmoved mark (rule 1.7)."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import fields, replace

from support.contract_world import CONTRACT, MONEY, PRICE, ContractWorld, of, wide
from venue.core.contract.collateral import available
from venue.core.contract.listing import change_refused
from venue.core.contract.position import equity, maintenance
from venue.core.contract.risk.changed_terms import FORMER_US, foreseen
from venue.core.instruments import Contract, Instrument, Tier, grid
from venue.core.market_hours import TradingSession
from venue.core.messages import commands
from venue.core.messages.contract_events import (
    ContractChanged,
    ContractOrderClosed,
    ContractTermsTaken,
    FormerTiersKept,
    LiquidationStarted,
)
from venue.core.state import snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import BUY, CAUSE_OPERATOR, GTC, IOC, LONG, PRODUCT_CONTRACT, SELL, SHORT

pytestmark = pytest.mark.core

OWNERS = ("ann", "ben", "cat", "dan", "eva")
ROUNDS = 12

# Random values of each setting that a change may give; the others stay as they were listed.
RATES = {
    "maker_ppm": (0, 200, 700, 2_000, 5_000),
    "taker_ppm": (0, 500, 900, 2_500, 5_000),
    "quantity_min": (1, 5),
    "quantity_max": (50, 10_000),
    "market_quantity_max": (20, 10_000),
    "buy_band_ppm": (1_000, 100_000),
    "sell_band_ppm": (1_000, 100_000),
    "market_band_ppm": (1_000, 50_000),
}
SETTINGS = {
    "position_max": (30, 100, 20_000),
    "open_interest_max": (20_000, 100_000),
    "share_ppm": (1_000, 5_000, 250_000),
    "liquidation_ppm": (0, 5_000, 50_000),
    "funding_minutes": ((0, 480, 960), (30, 750), tuple(range(0, 1_440, 60))),
    "funding_cap_ppb": (1_000_000, 7_500_000, 30_000_000),
    "interest_ppb": (0, 100_000),
    "index_sources": (("desk",), ("desk", "wire"), ("desk", "wire", "post")),
    "adl_policy": (0, 1),
    "index_notional": (10_000, 20_000),
    "impact_notional": (10_000, 20_000),
    "index_step_ppm": (5_000, 7_500, 30_000),
    "underlying": ("COIN", "Stocks"),
    "market_hours": ((), (), (TradingSession(0, 10_080),), (TradingSession(0, 3_800),)),
}
LADDERS = (
    CONTRACT.tiers,
    wide(50, 10_000),
    [Tier(20_000, 20, 20_000), Tier(AMOUNT_MAX, 5, 100_000)],
    wide(10, 60_000),
    [Tier(5_000, 40, 15_000), Tier(50_000, 10, 60_000), Tier(AMOUNT_MAX, 3, 200_000)],
)


def test_each_setting_that_can_change_is_changed() -> None:
    """A new field of the terms belongs into this walk."""
    there = {field.name for field in fields(Instrument)} - {"symbol"}
    stays = set(there) - set(RATES)
    assert stays == {"base", "quote", "tick", "price_scale", "step", "quantity_scale"}
    assert len(grid(CONTRACT.instrument)) == len(stays)
    ours = {field.name for field in fields(Contract)} - {"instrument"}
    assert ours == set(SETTINGS) | {"leverage_max", "tiers"}


class Walk:
    """Owners that trade at random around the mark, and an operator who changes terms."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.world = ContractWorld(fund=MONEY)
        for name in OWNERS:
            self.world.owner(name, self.random.choice((3_000, 20_000, MONEY)))
            if self.random.random() < 0.4:
                self.world.isolate(name, self.random.choice((2, 10, 40)))
            else:
                self.leverage(name)

    def leverage(self, name: str) -> None:
        number = self.random.choice((2, 7, 20, 50))
        uid, symbol = self.world.uids[name], self.world.perp.symbol
        self.world.apply(commands.SetLeverage(uid, symbol, number, number, number))

    def trade(self) -> None:
        """Some orders: most near the mark, some that take, some that close."""
        world, random = self.world, self.random
        for _ in range(12):
            name = random.choice(OWNERS)
            side, position_side = random.choice((BUY, SELL)), random.choice((LONG, SHORT))
            price = PRICE + random.randint(-4, 4)
            tif = random.choice((GTC, GTC, IOC))
            world.order(name, side, position_side, random.choice((1, 5, 10, 40)), price, tif)
        if random.random() < 0.3:
            self.leverage(random.choice(OWNERS))

    def changed(self) -> Contract:
        """The contract with one to three other settings."""
        random = self.random
        contract = self.world.perp.contract
        for _ in range(random.randint(1, 3)):
            name = random.choice(["tiers", *RATES, *SETTINGS])
            if name == "tiers":
                ladder = random.choice(LADDERS)
                contract = replace(contract, tiers=ladder, leverage_max=ladder[0].leverage_max)
            elif name in RATES:
                rates = replace(contract.instrument, **{name: random.choice(RATES[name])})
                contract = replace(contract, instrument=rates)
            else:
                contract = replace(contract, **{name: random.choice(SETTINGS[name])})
        return contract

    def change(self) -> bool:
        """Change terms as foreseen, or be refused as foreseen."""
        world = self.world
        contract = self.changed()
        contracts = world.engine.contracts
        before = snapshot.state_hash(world.engine)
        refused = change_refused(contracts, contract)
        outlook = None if refused is not None else foreseen(contracts, contract)
        assert snapshot.state_hash(world.engine) == before, "a question changes nothing"
        had = {one.position_id: one.tiers for one in world.perp.positions.values()}
        events = world.apply(commands.ChangeContract(contract))
        if outlook is None:
            assert events == [refused]
            return False
        assert events[0] == ContractChanged(contract)
        ended = of(events, ContractOrderClosed)
        assert [one.order_id for one in ended] == outlook.end
        assert {one.cause for one in ended} <= {CAUSE_OPERATOR}
        assert len({one.uid for one in ended}) == outlook.owners
        for taken in of(events, ContractTermsTaken):
            assert (taken.ended, taken.owners) == (len(outlook.end), outlook.owners)
            assert taken.kept == outlook.keep == len(of(events, FormerTiersKept))
        now = world.perp.positions
        moved = [number for number, tiers in had.items() if now[number].tiers is not tiers]
        assert len(moved) == outlook.take
        return True

    def fees(self) -> None:
        """Give an owner rates of its own, or take them away."""
        uid = self.world.uids[self.random.choice(OWNERS)]
        rate = self.random.choice((-1, 0, 900, 5_000, 100_000))
        self.world.ok(commands.SetFees(uid, rate, rate, product=PRODUCT_CONTRACT))

    def check(self) -> None:
        """The promises, at the mark that has never moved."""
        for name in OWNERS:
            holding = self.world.holding(name)
            if not any(one.side * (one.value - PRICE * one.quantity) > 0
                       for one in holding.positions.values()):  # fmt: skip
                assert available(holding, 0) >= 0, name
            for pool in holding.pools():
                if pool.positions:
                    assert equity(pool) > maintenance(pool), name


@pytest.mark.parametrize("seed", range(40))
def test_a_change_does_what_it_told_and_takes_nothing(seed: int) -> None:
    """Rule 1.7."""
    walk = Walk(seed)
    world = walk.world
    taken = 0
    for _ in range(ROUNDS):
        walk.trade()
        walk.check()
        taken += walk.change()
        walk.check()
        if walk.random.random() < 0.4:
            walk.fees()
            walk.check()
        walk.trade()
        world.wait(1)
        world.tell(PRICE)
        events = world.tick()
        assert of(events, LiquidationStarted) == []
        walk.check()
        if walk.random.random() < 0.2:
            world.engine = snapshot.load(snapshot.dump(world.engine))
    assert taken > 0
    world.time += FORMER_US
    for _ in range(3):
        world.wait(1)
        world.post(PRICE)
        world.tick()
    perp = world.perp
    assert perp.former == {}
    assert [one for one in perp.positions.values() if one.tiers is not perp.tiers] == []
    listed = perp.contract
    assert (perp.market.maker_ppm, perp.market.taker_ppm, perp.index_step_ppm) == (
        listed.instrument.maker_ppm, listed.instrument.taker_ppm, listed.index_step_ppm
    )  # fmt: skip
