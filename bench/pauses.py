"""How long a whole venue holds orders up: journal and history on, 100,000 open positions.

While an owner places and cancels orders at a steady pace, funding of all positions is settled and a
snapshot is taken. The gate is the processor time between two looks of the event loop, a millisecond
apart: an order can wait so long for the venue itself. The wait on the wall is printed beside it; it
contains the machine's other work.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import uvloop
from msgspec import Struct

from bench import compiled as compiled_core
from bench.table import Row, Section
from venue.compiled import compiled
from venue.core.messages.commands import (
    CancelContractOrder,
    Command,
    CreateOwner,
    Deposit,
    PlaceContractOrder,
    PostIndex,
)
from venue.core.messages.contract_events import ContractOrderPlaced, FundingSettled
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.lab import demo
from venue.node.clock import Machine, SystemClock
from venue.node.garbage import collect_young_only
from venue.node.node import Node
from venue.running.opening import in_background, open_venue
from venue.running.options import Options
from venue.running.snapshots import keeper
from venue.vocabulary import BUY, GTC, LIMIT, LONG, SELL, SHORT, Wallet

DAY_US: Final = 86_400_000_000
MANY: Final = 100_000
PAIRS: Final = 50  # that open their positions at once
NEEDED_MS: Final = 5
NEEDED_WAIT_MS: Final = 20
LONG_BEFORE_US: Final = 3_600_000_000  # funding, when positions are opened
BEFORE_US: Final = 20_000_000  # when the venue is opened that is measured
ORDERS: Final = 12_000
ORDERS_MAX: Final = 200_000
PAUSE_S: Final = 0.001  # between two orders
LOOK_S: Final = 0.001
INDEX_EVERY: Final = 500  # orders
DRAIN_EVERY: Final = 100  # times that pairs open positions
CONTRACT: Final = next(one for one in demo.CONTRACTS if one.instrument.symbol == "BTC" + demo.DEMO)
SYMBOL: Final = CONTRACT.instrument.symbol
PRICE: Final = 64_000 * 10**CONTRACT.instrument.price_scale // CONTRACT.instrument.tick
LOTS: Final = CONTRACT.instrument.quantity_min
COLLATERAL: Final = 100 * 10**8  # atoms


class Pauses(Struct):
    """The longest slice of processor time and of the wall, ms; the waits of the orders, ms."""

    cpu_ms: float
    wall_ms: float
    waits_ms: list[float]
    snapshot: int
    settled: int


class Ahead:
    """This machine's clocks, the wall's moved."""

    def __init__(self, now: int) -> None:
        self.steady = Machine().steady
        self._moved = now - Machine().wall()

    def wall(self) -> int:
        """µs since the epoch, as moved."""
        return Machine().wall() + self._moved


def run() -> Section:
    """Measure all of it in a process that runs the compiled core."""
    try:
        said = compiled_core.output("bench.pauses")
    except compiled_core.CompiledFailed as failed:
        return Section([], [], str(failed))
    found = msgspec.json.decode(said, type=Pauses)
    waits = sorted(found.waits_ms)
    what = f"longest slice, {MANY:,} positions, all on"
    last = waits[int(len(waits) * 0.9999)]
    rows = [
        Row(what=what, measured=found.cpu_ms, unit="ms cpu", needed=NEEDED_MS, at_most=True),
        Row(what="  on the wall", measured=found.wall_ms, unit="ms"),
        Row(what="an order's wait, p50", measured=waits[len(waits) // 2], unit="ms"),
        Row(what="  p99", measured=waits[int(len(waits) * 0.99)], unit="ms"),
        Row(what="  p99.99", measured=last, unit="ms", needed=NEEDED_WAIT_MS, at_most=True),
    ]
    note = (
        f"{len(waits):,} orders; funding of {found.settled:,} positions, a snapshot at command"
        f" {found.snapshot:,}"
    )
    return Section(rows, [note])


async def prepare(path: str, due: int) -> None:
    """A state file with the positions, some time before funding is due."""
    async with open_venue(_options(path), SystemClock(Ahead(due - LONG_BEFORE_US)), _fail) as door:
        node = door.node
        async with in_background(node, _options(path)):
            for number in range(MANY // 2 // PAIRS):
                await _index(node)
                await _open_pairs(node, number)
                if number % DRAIN_EVERY == 0:
                    await node.history.drain()
            await node.history.drain()
        assert len(node.engine.contracts.markets[SYMBOL].positions) == MANY


async def _open_pairs(node: Node, number: int) -> None:
    names = [f"{side} {number}-{pair}" for pair in range(PAIRS) for side in ("long", "short")]
    created = await _done(node, [CreateOwner(name) for name in names])
    commands: list[Command] = []
    for at, event in enumerate(created):
        assert isinstance(event, OwnerCreated), event
        uid, opens = event.uid, (SELL, SHORT) if at % 2 else (BUY, LONG)
        commands.append(Deposit(uid, Wallet.CONTRACT, demo.DEMO, COLLATERAL))
        commands.append(PlaceContractOrder(uid, SYMBOL, *opens, LIMIT, GTC, LOTS, PRICE))
    await _done(node, commands)


async def _done(node: Node, commands: Sequence[Command]) -> list[Event]:
    """The first event of each command that has one; none may be refused."""
    events = [event for applied in await node.submit(commands) for event in applied.events[:1]]
    assert not any(isinstance(event, Rejected) for event in events), events
    return events


async def measure(path: str, due: int) -> Pauses:
    """Open the venue, and trade over the settlement and a snapshot."""
    options = _options(path)
    async with open_venue(options, SystemClock(Ahead(due - BEFORE_US)), _fail) as door:
        node = door.node
        settled: list[FundingSettled] = []
        node.outbox.follow(lambda batch: settled.extend(_settled(batch)))
        await _index(node)
        async with in_background(node, options):
            collect_young_only()
            stop, cpu, wall = _looks()
            snapshot = asyncio.create_task(keeper(node, path, options.frames_kept).keep())
            waits = await _trade(node, settled)
            stop()
            taken = await snapshot
    assert [one.positions for one in settled] == [MANY], settled
    return Pauses(max(cpu), max(wall), waits, taken, settled[0].positions)


async def _trade(node: Node, settled: list[FundingSettled]) -> list[float]:
    """Orders that rest far from the market, each cancelled by the next request, until funding is
    settled at least; the waits in ms."""
    (created,) = await _done(node, [CreateOwner("trader")])
    assert isinstance(created, OwnerCreated)
    uid = created.uid
    await _done(node, [Deposit(uid, Wallet.CONTRACT, demo.DEMO, COLLATERAL)])
    waits: list[float] = []
    number = 0
    while len(waits) < ORDERS or not settled:
        assert len(waits) < ORDERS_MAX, "funding is not settled"
        number += 1
        price = PRICE * 9 // 10 + number % 1_000
        place = PlaceContractOrder(uid, SYMBOL, BUY, LONG, LIMIT, GTC, LOTS, price)
        (placed,) = await _waited(node, place, waits)
        assert isinstance(placed, ContractOrderPlaced), placed
        await asyncio.sleep(PAUSE_S)
        await _waited(node, CancelContractOrder(uid, placed.order_id), waits)
        await asyncio.sleep(PAUSE_S)
        if number % INDEX_EVERY == 0:
            await _index(node)
    return waits


async def _waited(node: Node, command: Command, waits: list[float]) -> list[Event]:
    began = time.perf_counter()
    (applied,) = await node.submit([command])
    waits.append((time.perf_counter() - began) * 1e3)
    return applied.events


async def _index(node: Node) -> None:
    sources = CONTRACT.index_sources
    await _done(node, [PostIndex(SYMBOL, one, PRICE, jump=True) for one in sources])


def _settled(batch: Sequence[Any]) -> list[FundingSettled]:
    events = [event for done in batch for event in done.events]
    return [one for one in events if isinstance(one, FundingSettled) and one.symbol == SYMBOL]


def _looks() -> tuple[Callable[[], None], list[float], list[float]]:
    """Look at both clocks again and again; a call that ends it, and the times between looks, ms."""
    loop = asyncio.get_running_loop()
    cpu, wall = [0.0], [0.0]
    last = (time.thread_time(), time.perf_counter())
    stopped = False

    def look() -> None:
        nonlocal last
        if stopped:
            return
        now = (time.thread_time(), time.perf_counter())
        cpu.append((now[0] - last[0]) * 1e3)
        wall.append((now[1] - last[1]) * 1e3)
        last = now
        loop.call_later(LOOK_S, look)

    def stop() -> None:
        nonlocal stopped
        stopped = True

    look()
    return stop, cpu, wall


def _options(path: str) -> Options:
    return Options(state=path, agents=False, demo_keys=False)


def _fail(problem: BaseException) -> None:
    raise problem


def _due() -> int:
    """A funding time that is far enough away, µs: they are evenly spaced from midnight on."""
    every = DAY_US // len(CONTRACT.funding_minutes)
    return ((Machine().wall() + 2 * LONG_BEFORE_US) // every + 1) * every


def main() -> None:
    """Measure in this process; the figures go to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "venue.db")
        due = _due()
        uvloop.run(prepare(path, due))
        sys.stdout.buffer.write(msgspec.json.encode(uvloop.run(measure(path, due))))


if __name__ == "__main__":
    assert compiled(), "this entry measures the compiled core: run `make bench ARGS=pauses`"
    main()
