"""The longest slice of each kind of work among 100,000 open positions, on the compiled core.

The gate is the processor time of one command: later orders wait so long. The time on the wall is
printed beside it; it contains the machine's other work.
"""

from __future__ import annotations

import sys
import time
from typing import Final

import msgspec
from msgspec import Struct

from bench import compiled as compiled_core
from bench.contracts import (
    CRASH,
    MANY,
    MONEY,
    SOURCE,
    SYMBOL,
    Crowd,
    _outcome,
    _owner,
    _place,
    _prepare_crash,
    _quiet,
)
from bench.table import Row, Section
from bench.workloads import MID
from venue.compiled import compiled, refuse_stale
from venue.core.contract.reference.funding import next_due
from venue.core.countdowns import TIMEOUT_MIN_US
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import ClosePositions, Command, PostIndex, Proceed, Tick
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderClosed,
    Deleveraged,
    FundingSettled,
)
from venue.core.messages.events import Event
from venue.vocabulary import (
    BUY,
    GTC,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    POSITIONS_PER_SYMBOL_MAX,
    SELL,
    Product,
    SeparatedMode,
)

NEEDED_MS: Final = 5
POSITIONS: Final = POSITIONS_PER_SYMBOL_MAX  # of one owner, each its own
ORDERS: Final = OPEN_ORDERS_PER_SYMBOL_MAX  # of one owner in the symbol
COUNTDOWNS: Final = 20  # owners with so many orders, due together


class Pauses(Struct):
    """The commands of one kind of work: how many, and the longest, in ms."""

    what: str
    commands: int = 0
    cpu_ms: float = 0
    wall_ms: float = 0


def run() -> Section:
    """Measure all of it in a process that runs the compiled core."""
    try:
        said = compiled_core.output("bench.slices")
    except compiled_core.CompiledFailed as failed:
        return Section([], [], str(failed))
    rows: list[Row] = []
    for pauses in msgspec.json.decode(said, type=list[Pauses]):
        what = f"{pauses.what}: longest of {pauses.commands:,}"
        rows.append(
            Row(what=what, measured=pauses.cpu_ms, unit="ms cpu", needed=NEEDED_MS, at_most=True)
        )
        rows.append(Row(what="  on the wall", measured=pauses.wall_ms, unit="ms"))
    return Section(rows)


def measure() -> list[Pauses]:
    """The pauses of all kinds; AssertionError when the engine's outcome is wrong."""
    refuse_stale()
    crowd = Crowd(MANY)
    engine = crowd.engine
    _work(Pauses("warm"), engine, Proceed())
    with _quiet():
        measured = [_closing(engine), _cancelling(engine), _countdowns(engine), _funding(engine)]
        measured += [_deleveraging(), _crash(crowd)]
    return measured


def _work(pauses: Pauses, engine: Engine, command: Command) -> list[Event]:
    """The events of one command, and of the slices that it leaves."""
    events = _apply(pauses, engine, command)
    while engine.pending():
        events += _apply(pauses, engine, Proceed())
    return events


def _apply(pauses: Pauses, engine: Engine, command: Command) -> list[Event]:
    command.time = max(command.time, engine.time)
    wall, cpu = time.perf_counter(), time.process_time()
    events = engine.apply(command)
    pauses.cpu_ms = max(pauses.cpu_ms, (time.process_time() - cpu) * 1e3)
    pauses.wall_ms = max(pauses.wall_ms, (time.perf_counter() - wall) * 1e3)
    pauses.commands += 1
    return events


def _closing(engine: Engine) -> Pauses:
    """One owner closes `POSITIONS` positions of its own."""
    pauses = Pauses(f"closing {POSITIONS:,} separated positions")
    uid, other = _owner(engine, "separated", MONEY), _owner(engine, "other", MONEY)
    mode = commands.SetMarginMode(uid, SYMBOL, 0, int(SeparatedMode.SEPARATED), time=engine.time)
    engine.apply(mode)
    for _ in range(POSITIONS):
        engine.apply(_place(uid, BUY, 1, MID, GTC, engine.time))
        engine.apply(_place(other, SELL, 1, MID, GTC, engine.time))
    engine.apply(_place(other, BUY, POSITIONS, MID, GTC, engine.time))
    events = _work(pauses, engine, ClosePositions(uid))
    assert sum(isinstance(event, ClosedAtMarket) for event in events) == POSITIONS
    holding = engine.holding(uid)
    assert not holding.positions
    return pauses


def _bids(engine: Engine, name: str) -> int:
    """A new owner with `ORDERS` bids far below the mark."""
    uid = _owner(engine, name, MONEY)
    for number in range(ORDERS):
        engine.apply(_place(uid, BUY, 1, MID // 2 + number, GTC, engine.time))
    return uid


def _cancelling(engine: Engine) -> Pauses:
    """One owner cancels all orders."""
    pauses = Pauses(f"cancel-all of {ORDERS} orders")
    events = _work(pauses, engine, commands.CancelContractOrders(_bids(engine, "cancels")))
    assert sum(isinstance(event, ContractOrderClosed) for event in events) == ORDERS
    return pauses


def _countdowns(engine: Engine) -> Pauses:
    """Many owners' countdowns run out together."""
    pauses = Pauses(f"{COUNTDOWNS} countdowns of {ORDERS} orders")
    for number in range(COUNTDOWNS):
        uid = _bids(engine, f"counts {number}")
        set_ = commands.SetCancelAfter(uid, int(Product.CONTRACT), TIMEOUT_MIN_US)
        set_.time = engine.time
        engine.apply(set_)
    events = _work(pauses, engine, Tick(time=engine.time + TIMEOUT_MIN_US))
    ended = sum(isinstance(event, ContractOrderClosed) for event in events)
    assert ended == COUNTDOWNS * ORDERS
    return pauses


def _funding(engine: Engine) -> Pauses:
    """One settlement of all positions, and the look at every pool that it changed."""
    pauses = Pauses(f"funding of {MANY:,} positions")
    due = next_due(engine.contracts.markets[SYMBOL], engine.time)
    for command in (PostIndex(SYMBOL, SOURCE, MID, due - 1, True), Tick(time=due - 1)):
        _work(Pauses("before"), engine, command)
    events = _work(pauses, engine, Tick(time=due))
    (settled,) = [event for event in events if isinstance(event, FundingSettled)]
    assert settled.positions >= MANY
    return pauses


def _crash(crowd: Crowd) -> Pauses:
    """A tenth of all positions is liquidated: in the book, by the fund, by deleveraging."""
    pauses = Pauses("liquidating 10,000 of them")
    _prepare_crash(crowd)
    crash = PostIndex(SYMBOL, SOURCE, CRASH, crowd.engine.time + 1, True)
    _outcome(crowd, _work(pauses, crowd.engine, crash))
    return pauses


def _deleveraging() -> Pauses:
    """Deleverage every liquidation, with a fund that has no money."""
    pauses = Pauses("deleveraging for 10,000 of them")
    crowd = Crowd(MANY)
    engine = crowd.engine
    _work(Pauses("warm"), engine, Proceed())
    crash = PostIndex(SYMBOL, SOURCE, CRASH, engine.time + 1, True)
    events = _work(pauses, engine, crash)
    assert any(isinstance(event, Deleveraged) for event in events)
    return pauses


if __name__ == "__main__":
    assert compiled(), "this entry measures the compiled core: run `make bench ARGS=slices`"
    sys.stdout.buffer.write(msgspec.json.encode(measure()))
