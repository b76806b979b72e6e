"""A mark carries positions into higher tiers: nothing that leaves their pool ends them (5.6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    CONTRACT_WALLET,
    INSTRUMENT,
    ContractWorld,
    of,
    refusal,
)
from venue.core.contract.position import available_in, equity, maintenance
from venue.core.contract.records import Pool
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import LiquidationStarted
from venue.core.messages.events import Rejected
from venue.vocabulary import (
    BUY,
    GTC,
    LIMIT,
    LONG,
    SELL,
    SHORT,
    WALLET_SPOT,
    MarginMode,
    Reject,
)

pytestmark = pytest.mark.core

OTHER = replace(INSTRUMENT, symbol="BBBQQQ", base="BBB")
LOTS, HIGH = 95, 8_000  # 95,000 at 50x in the first tier; 760,000 in the last, of at most 10x


def carried(*, isolated: bool = False) -> tuple[ContractWorld, Pool]:
    """Ann's short at 50x in the last tier, and its pool."""
    world = ContractWorld("ann", "ben", money=2_000_000)
    if isolated:
        world.isolate("ann", 50)
    else:
        world.ok(commands.SetLeverage(world.uids["ann"], world.perp.symbol, 50, 50, 50))
    world.trade("ben", "ann", LOTS, 1_000)
    pool = world.position("ann", SHORT).pool
    if isolated:
        world.ok(commands.MoveMargin(world.uids["ann"], pool.position_id, 800_000))
    world.post(HIGH)
    assert world.perp.mark == HIGH
    assert world.position("ann", SHORT).leverage == 50
    assert maintenance(pool) == 760_000 * 5 // 100 - 13_000
    return world, pool


def leaves(world: ContractWorld, pool: Pool, command: str, amount: int) -> Command:
    uid = world.uids["ann"]
    if command == "withdraw":
        return commands.Withdraw(uid, CONTRACT_WALLET, "QQQ", amount)
    if command == "transfer":
        return commands.Transfer(uid, CONTRACT_WALLET, WALLET_SPOT, "QQQ", amount)
    return commands.MoveMargin(uid, pool.position_id, -amount)


@pytest.mark.parametrize("command", ["withdraw", "transfer", "move"])
def test_a_movement_leaves_more_than_the_maintenance_margin(command: str) -> None:
    world, pool = carried(isolated=command == "move")
    most = equity(pool) - maintenance(pool) - 1
    if not pool.position_id:
        assert most < available_in(pool)
    (refused,) = world.apply(leaves(world, pool, command, most + 1))
    assert isinstance(refused, Rejected)
    assert refused.reason == Reject.FUNDS
    world.ok(leaves(world, pool, command, most))
    assert equity(pool) == maintenance(pool) + 1
    assert of(world.tick(), LiquidationStarted) == []


@pytest.mark.parametrize("command", ["move", "leverage", "open"])
def test_so_does_a_margin_for_another_position(command: str) -> None:
    """Of 10,000 at 50x in another contract, isolated: it gets 200 by itself."""
    world, pool = carried()
    ann, ben = world.uids["ann"], world.uids["ben"]
    world.ok(commands.RegisterAsset("BBB", 0))
    world.ok(commands.ListContract(replace(CONTRACT, instrument=OTHER)))
    world.ok(commands.PostIndex("BBBQQQ", "desk", 1_000, jump=True))
    world.ok(commands.SetMarginMode(ann, "BBBQQQ", int(MarginMode.ISOLATED)))
    world.ok(commands.SetLeverage(ann, "BBBQQQ", 0, 50, 50))
    for uid, side, way in ((ben, SELL, SHORT), (ann, BUY, LONG)):
        world.ok(commands.PlaceContractOrder(uid, "BBBQQQ", side, way, LIMIT, GTC, 10, 1_000))
    opened = world.engine.contracts.markets["BBBQQQ"].positions.values()
    (other,) = [position for position in opened if position.side == LONG]
    most = equity(pool) - maintenance(pool) - 1
    world.withdraw("ann", most - 500)
    asked: Command = commands.MoveMargin(ann, other.position_id, 501)
    if command == "leverage":  # 10 instead of 50: 1,000 instead of 200
        asked = commands.SetLeverage(ann, "BBBQQQ", 0, 10, 10)
    elif command == "open":  # 30 more at 50x need 600
        asked = commands.PlaceContractOrder(ann, "BBBQQQ", BUY, LONG, LIMIT, GTC, 30, 1_000)
    assert refusal(world.apply(asked)) == Reject.FUNDS
    world.ok(commands.MoveMargin(ann, other.position_id, 500))
    assert equity(pool) == maintenance(pool) + 1
