"""Twenty thousand random fills at odd prices and fees: not an atom comes or goes."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    HOUR,
    INSTRUMENT,
    MONEY,
    SECOND,
    ContractWorld,
)
from venue.core import audit, commands
from venue.core.contract_events import (
    ContractTrade,
    FundingSettled,
    Income,
)
from venue.core.events import Event
from venue.core.instruments import Tier
from venue.core.units import AMOUNT_MAX
from venue.terms import BUY, IOC, LONG, SELL, SHORT

pytestmark = pytest.mark.core

RICH = 10**10
FEE_KINDS = ("order_fill_fee_income", "order_liquidate_fee_income")
LOW = [Tier(AMOUNT_MAX, 20, 10_000)]  # one tier: sizes do not matter


class Mill:
    """Random fills at odd prices and fees, with funding in between; then everything is closed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        instrument = replace(INSTRUMENT, maker_ppm=137, taker_ppm=739)
        contract = replace(
            CONTRACT, instrument=instrument, leverage_max=20, position_max=10**6,
            open_interest_max=10**7, tiers=LOW, funding_minutes=tuple(range(0, 1_440, 60)),
        )  # fmt: skip
        self.names = [f"owner {number}" for number in range(8)]
        self.world = ContractWorld(*self.names, contract=contract, money=RICH)
        self.world.checked = False
        for name in self.names[:4]:
            self.world.isolate(name, 7)
        self.fills = self.fees = self.fee_income = self.settled = 0

    def count(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ContractTrade):
                self.fills += 1
                self.fees += event.maker.fee + event.taker.fee
            elif isinstance(event, Income) and event.kind in FEE_KINDS:
                self.fee_income += event.amount
            elif isinstance(event, FundingSettled):
                self.settled += event.positions

    def step(self) -> None:
        random, world = self.random, self.world
        name = random.choice(self.names)
        side = random.choice([LONG, SHORT])
        price = world.perp.mark + random.randint(-9, 9)
        held = world.positions(name, side) if world.account(name).holding else []
        left = held[0].left() if held else 0
        if left and random.random() < 0.45:
            lots = random.randint(1, left)
            order_side = SELL if side == LONG else BUY
        else:
            lots = random.randint(1, 37)
            order_side = BUY if side == LONG else SELL
        self.count(world.order(name, order_side, side, lots, price))

    def pass_time(self) -> None:
        """Over the next funding time, in two ticks, at a new index."""
        world = self.world
        due = world.time - world.time % HOUR + HOUR
        index = max(700, min(world.perp.index_price + self.random.randint(-12, 12), 1_400))
        for time in (due - 5 * SECOND, due):
            world.time = time
            self.count(world.post(index))
            self.count(world.tick())

    def close_all(self) -> None:
        """Against a dealer who quotes both sides, and who closes with itself at last."""
        world = self.world
        world.owner("dealer", 10 * RICH)
        for name in self.names:
            world.ok(commands.CancelContractOrders(world.uids[name]))
        mark = world.perp.mark
        world.long("dealer", 10_000, mark - 1)
        world.short("dealer", 10_000, mark + 1)
        for name in self.names:
            while world.positions(name, LONG) or world.positions(name, SHORT):
                self.count(world.ok(commands.ClosePositions(world.uids[name])))
        while world.positions("fund", LONG) or world.positions("fund", SHORT):
            world.wait(1)
            self.count(world.post(mark))
            self.count(world.tick())  # the fund gives back what it took over
        world.ok(commands.CancelContractOrders(world.uids["dealer"]))
        for position in world.positions("dealer"):
            lots = position.quantity
            self.count(world.close_long("dealer", lots, mark))
            self.count(world.close_short("dealer", lots, mark, IOC))


def test_i02_random_fills_conserve_money_to_the_atom() -> None:
    """itBit 2017: rounding must not mint. 20,000 fills; what rounding leaves is dust, bounded."""
    mill = Mill(2)
    world = mill.world
    put_in = len(mill.names) * RICH + MONEY
    while mill.fills < 20_000:
        for _ in range(500):
            mill.step()
        mill.pass_time()
        assert world.everything() == put_in
        assert audit.problems(world.engine) == []
    mill.close_all()
    put_in += 10 * RICH
    assert world.perp.positions == {}
    assert world.perp.open_interest == 0
    assert world.everything() == put_in
    # Each settled position leaves less than one atom; trades leave none.
    assert mill.settled > 100
    assert 0 < world.dust() < mill.settled
    # Every atom of fee that somebody paid somebody received.
    assert mill.fees == mill.fee_income
    assert 0 < world.fees() < mill.fees
    assert all(account.isolated == {} for account in world.engine.ledger.accounts.values())
