"""One account alone, with gifts: it trades with itself at any price within the band, hedges, and
takes out what it can. Nobody loses to it, so it takes out at most what it brought."""

from __future__ import annotations

from random import Random

import pytest

from properties.length import walked
from support.contract_world import MONEY, PRICE, SYMBOL, ContractWorld
from venue.core.contract.collateral import FUND_UID
from venue.core.messages import benefit_commands, commands
from venue.core.messages.commands import Command
from venue.core.messages.events import Rejected
from venue.vocabulary import (
    BUY,
    COMBINED,
    CROSSED,
    GTC,
    ISOLATED,
    LIMIT,
    LONG,
    SELL,
    SEPARATED,
    SHORT,
    Wallet,
)

pytestmark = pytest.mark.core

SEEDS = walked(range(24))
LENGTH = 250
OWN = 5_000
CONTRACT = int(Wallet.CONTRACT)
MODES = [(CROSSED, COMBINED), (CROSSED, SEPARATED), (ISOLATED, COMBINED), (ISOLATED, SEPARATED)]


class Lone:
    """Ann, who has the venue for herself; `out` is what she took out."""

    def __init__(self, seed: int, margin: int, separated: int) -> None:
        self.random = Random(seed)
        self.separated = separated == SEPARATED
        self.world = ContractWorld(checked=False)
        self.uid = self.world.owner("ann", OWN)
        self.world.ok(commands.SetMarginMode(self.uid, SYMBOL, margin, separated))
        self.price = PRICE
        self.out = 0

    def walk(self) -> bool:
        """Live; whether the insurance fund was never asked for anything."""
        for _ in range(LENGTH):
            self.step()
            fund = self.world.engine.holding(FUND_UID).cross(0)
            if fund.cash.collateral != MONEY or fund.positions:
                return False
        self.end()
        return self.world.engine.account(FUND_UID).contract[0].collateral == MONEY

    def step(self) -> None:
        random = self.random
        kind = random.randrange(10)
        if kind == 0:
            amount = random.choice([300, 800, 2_000, -100, -(10**9)])
            self.world.apply(benefit_commands.ChangeGift(self.uid, "QQQ", amount))
        elif kind == 1:
            self.take(random.randrange(12))
        elif kind == 2:
            self.price = max(900, min(1_100, self.price + random.randrange(-15, 16)))
            self.world.post(self.price)
        elif kind == 3:
            self.world.apply(commands.CancelContractOrders(self.uid))
        else:
            side, position_side = random.choice([BUY, SELL]), random.choice([LONG, SHORT])
            at = self.price + random.randrange(-60, 61)
            self.order(side, position_side, random.randrange(1, 9), at)

    def order(self, side: int, position_side: int, lots: int, at: int) -> None:
        command = commands.PlaceContractOrder(
            self.uid, SYMBOL, side, position_side, LIMIT, GTC, lots, at
        )
        held = self.world.positions("ann", position_side)
        if self.separated and held and (side == BUY) != (position_side == LONG):
            command.position_id = self.random.choice(held).position_id
        self.world.apply(command)

    def take(self, bits: int) -> None:
        """Take out all that leaves of 2^(bits + 1) - 1."""
        for bit in range(bits, -1, -1):
            command: Command = commands.Withdraw(self.uid, CONTRACT, "QQQ", 1 << bit)
            if not isinstance(self.world.apply(command)[0], Rejected):
                self.out += 1 << bit

    def end(self) -> None:
        """Close longs against shorts, at prices away from the mark too, and take all out."""
        for _ in range(4 * LENGTH):
            longs, shorts = self.world.positions("ann", LONG), self.world.positions("ann", SHORT)
            if not longs or not shorts:
                break
            self.world.apply(commands.CancelContractOrders(self.uid))
            at = self.price + self.random.choice([-50, 0, 50])
            sides = [(SELL, LONG), (BUY, SHORT)]
            self.random.shuffle(sides)
            for side, position_side in sides:
                self.order(side, position_side, min(longs[0].quantity, shorts[0].quantity), at)
        self.world.apply(commands.CancelContractOrders(self.uid))
        self.take(13)


@pytest.mark.parametrize(("margin", "separated"), MODES)
def test_who_is_alone_takes_out_no_gift(margin: int, separated: int) -> None:
    whole = 0
    for seed in SEEDS:
        lone = Lone(seed, margin, separated)
        if lone.walk():
            whole += 1
            assert lone.out <= OWN, seed
    assert whole > len(SEEDS) // 3
