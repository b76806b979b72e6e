"""A running venue goes on with what one command may not do: one answer, orders in between."""

from __future__ import annotations

import asyncio
from pathlib import Path

from venue.core.contract.closing import CLOSED_MAX
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    CancelContractOrder,
    ClosePositions,
    Command,
    Deposit,
    PlaceContractOrder,
    PostIndex,
    SetMarginMode,
)
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderClosed,
    ContractOrderPlaced,
)
from venue.core.messages.events import Rejected
from venue.core.messages.savepoints import KeepState, RevertState
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, MARKET, SELL, SHORT, SeparatedMode, Wallet

SYMBOL = "BTCSUSDT"
LOTS = 10_000  # 0.1 BTC
PRICE = 6_400_000
COUNT = 6 * CLOSED_MAX + 7


def test_a_close_of_many_positions_is_answered_once_when_it_is_done() -> None:
    asyncio.run(_close())


async def _close() -> None:
    async with open_venue(Options(agents=False, history=False), SystemClock(), _fail) as door:
        node = door.node
        alice, bob = await _separated(node)
        heard: list[Applied] = []
        node.outbox.follow(heard.extend)
        closing = node.submit([ClosePositions(alice, SYMBOL)])
        order = PlaceContractOrder(bob, SYMBOL, BUY, LONG, LIMIT, GTC, LOTS, PRICE // 2)
        while not heard:
            await asyncio.sleep(0)
        assert not closing.done()
        (placed,) = await node.submit([order])
        first = placed.events[0]
        assert isinstance(first, ContractOrderPlaced)
        (canceled,) = await node.submit([CancelContractOrder(bob, first.order_id)])
        assert isinstance(canceled.events[0], ContractOrderClosed)
        assert not closing.done()  # they came in between
        (done,) = await closing
        assert _closed(done) == COUNT
        assert not node.engine.pending()
        told = [applied for applied in heard if isinstance(applied.command, ClosePositions)]
        assert len(told) == 1
        assert _closed(told[0]) == CLOSED_MAX  # one slice; the answer has all slices


def test_a_stop_finishes_a_close_that_is_to_be_answered(tmp_path: Path) -> None:
    asyncio.run(_stop(str(tmp_path / "venue.db")))


async def _stop(path: str) -> None:
    options = Options(agents=False, history=False, state=path)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        alice, _ = await _separated(node)
        closing = node.submit([ClosePositions(alice, SYMBOL)])
    (done,) = await closing
    assert _closed(done) == COUNT
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        holding = node.engine.holding(alice)
        assert holding.positions == {}
        assert not node.engine.closing.running


def test_a_revert_waits_for_a_close_before_it(tmp_path: Path) -> None:
    asyncio.run(asyncio.wait_for(_revert(str(tmp_path / "venue.db")), 60))


async def _revert(path: str) -> None:
    options = Options(agents=False, history=False, state=path)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        alice, _ = await _separated(node)
        await _done(node, [KeepState("open")])
        closing = node.submit([ClosePositions(alice, SYMBOL)])
        for _ in range(2):  # its batch is handed to the disk
            await asyncio.sleep(0)
        reverted = node.submit([RevertState("open")])
        (done,) = await closing
        assert _closed(done) == COUNT
        await reverted
        assert len(node.engine.holding(alice).positions) == COUNT


async def _separated(node: Node) -> tuple[int, int]:
    """Alice has `COUNT` separated longs against bob, who bids for all of them."""
    alice, bob = (node.engine.ledger.names[name] for name in ("alice", "bob"))
    mode = SetMarginMode(alice, SYMBOL, 0, int(SeparatedMode.SEPARATED))
    money = [
        Deposit(uid, int(Wallet.CONTRACT), demo.DEMO, 10**7 * 10**demo.SCALE)
        for uid in (alice, bob)
    ]
    await _done(node, [PostIndex(SYMBOL, demo.POSTED, PRICE, jump=True), mode, *money])
    total = COUNT * LOTS
    buys: list[Command] = [
        PlaceContractOrder(alice, SYMBOL, BUY, LONG, MARKET, IOC, LOTS, 0) for _ in range(COUNT)
    ]
    sale = PlaceContractOrder(bob, SYMBOL, SELL, SHORT, LIMIT, GTC, total, PRICE)
    await _done(node, [sale, *buys])
    bid = PlaceContractOrder(bob, SYMBOL, BUY, SHORT, LIMIT, GTC, total, PRICE)
    await _done(node, [bid])
    return alice, bob


async def _done(node: Node, commands: list[Command]) -> None:
    for applied in await node.submit(commands):
        assert not any(isinstance(event, Rejected) for event in applied.events), applied


def _closed(done: Applied) -> int:
    """The positions that an answer says were closed, each once."""
    closed = [event for event in done.events if isinstance(event, ClosedAtMarket)]
    assert len({event.position_id for event in closed}) == len(closed)
    assert {event.reason for event in closed} == {0}
    return len(closed)


def _fail(problem: BaseException) -> None:
    raise AssertionError(problem)
