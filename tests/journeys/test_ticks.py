"""Work that one command may not finish goes on at once in a running venue, without a tick."""

from __future__ import annotations

import asyncio

import pytest

from venue.api.errors import ApiError
from venue.api.operator.contracts import IndexRequest
from venue.core.contract.consequences import LIQUIDATIONS_MAX
from venue.core.contract.records import Position
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    Command,
    CreateOwner,
    Deposit,
    PlaceContractOrder,
    PostIndex,
    SetLeverage,
)
from venue.core.messages.contract_events import LiquidationFinished
from venue.core.messages.events import Rejected
from venue.gateway.door import Call
from venue.gateway.operations.operator.contracts import post_index
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, MARKET, SELL, SHORT, Wallet

SYMBOL = "BTCSUSDT"
POOLS = 3 * LIQUIDATIONS_MAX + 5
LOTS = 10_000  # 0.1 BTC
PRICE = 6_400_000


def test_a_cascade_is_worked_off_at_once() -> None:
    asyncio.run(_cascade())


async def _cascade() -> None:
    options = Options(agents=False, history=False)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        await _positions(node)
        crash = PostIndex(SYMBOL, demo.POSTED, PRICE * 99 // 100, jump=True)
        assert _liquidated(await node.submit([crash])) == LIQUIDATIONS_MAX
        assert _pending(node)
        before = node.engine.sequence
        while _pending(node):  # nobody asks for it: no tick, no order
            await asyncio.sleep(0)
        assert node.engine.sequence - before == 3
        owners = {position.pool.account.name for position in _open(node.engine)}
        assert not any(name.startswith("gambler") for name in owners)


async def _positions(node: Node) -> None:
    """`POOLS` owners with a long at the greatest leverage each, against bob."""
    names = [f"gambler-{number}" for number in range(POOLS)]
    await _done(node, [PostIndex(SYMBOL, demo.POSTED, PRICE, jump=True)])
    await _done(node, [CreateOwner(name) for name in names])
    bob = node.engine.ledger.names["bob"]
    gamblers = [node.engine.ledger.names[name] for name in names]
    stake = 70 * 10**demo.SCALE
    deposits: list[Command] = [
        Deposit(uid, int(Wallet.CONTRACT), demo.DEMO, stake) for uid in gamblers
    ]
    leverages: list[Command] = [SetLeverage(uid, SYMBOL, cross=100) for uid in gamblers]
    sale = PlaceContractOrder(bob, SYMBOL, SELL, SHORT, LIMIT, GTC, POOLS * LOTS, PRICE)
    buys: list[Command] = [
        PlaceContractOrder(uid, SYMBOL, BUY, LONG, MARKET, IOC, LOTS, 0) for uid in gamblers
    ]
    await _done(node, [*deposits, *leverages, sale, *buys])
    assert len(_open(node.engine)) == POOLS + 1


async def _done(node: Node, commands: list[Command]) -> None:
    for applied in await node.submit(commands):
        assert not any(isinstance(event, Rejected) for event in applied.events), applied


def _pending(node: Node) -> bool:
    return node.engine.schedule.pending


def _open(engine: Engine) -> list[Position]:
    return list(engine.contracts.markets[SYMBOL].positions.values())


def _liquidated(done: list[Applied]) -> int:
    events = [event for applied in done for event in applied.events]
    return sum(isinstance(event, LiquidationFinished) for event in events)


def _fail(problem: BaseException) -> None:
    raise AssertionError(problem)


@pytest.mark.parametrize("practice", [True, False])
def test_an_index_is_set_at_once_on_a_practice_venue_only(practice: bool) -> None:
    """Rule 6.1: elsewhere it moves by steps, whoever posts."""
    asyncio.run(_jump(practice))


async def _jump(practice: bool) -> None:
    options = Options(agents=False, history=False, practice=practice, demo_keys=practice)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        if not practice:  # it began without markets
            await node.submit(demo.genesis())
        call = Call(door, 0, b"")
        price = str(PRICE // 100)
        await post_index(
            call, IndexRequest(symbol=SYMBOL, price=price, source=demo.POSTED)
        )  # the first one
        higher = IndexRequest(
            symbol=SYMBOL, price=str(PRICE * 11 // 1_000), source=demo.POSTED, jump=True
        )
        if not practice:
            with pytest.raises(ApiError) as caught:
                await post_index(call, higher)
            assert "'jump'" in str(caught.value)
            return
        view = await post_index(call, higher)
        assert (view.index_price, view.in_doubt) == (view.mark_price, False)
        assert float(view.index_price) == float(higher.price)
