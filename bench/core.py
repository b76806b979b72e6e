"""The engine on W1 and W2 against the floor core, interpreted and compiled.

Both get commands that were built beforehand, twenty funded owners, fees and their own events. A
move is a cancel and a place under the new id, counted as one.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any, Final

from bench import compiled as compiled_core
from bench import floor_core
from bench.table import Row, Section
from bench.workloads import EXPECTED, W1, W2, Step, Sums, generate
from venue.compiled import compiled, refuse_stale
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.commands import (
    CancelOrder,
    Command,
    CreateOwner,
    Deposit,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
)
from venue.core.messages.events import OwnerCreated, Trade

OWNERS: Final = 20
MONEY: Final = 10**15
RUNS: Final = 3
FEE_BPS: Final = 10
SYMBOL: Final = "BTCUSDT"
MARKET: Final = Instrument(
    SYMBOL, "BTC", "USDT", 1, 0, 1, 0, 1, 10**9, 10**9, FEE_BPS * 100, FEE_BPS * 100
)
NEEDED_INTERPRETED: Final = 0.6
NEEDED_COMPILED: Final = 1.5

FloorCommand = tuple[int, int, int, int, int, int, int]  # op, account, symbol or id, side, ...


def run() -> Section:
    """Measure both workloads, in this process and in one that runs the compiled core."""
    rows = _rows(measure(), "interpreted", NEEDED_INTERPRETED)
    try:
        said = compiled_core.output("bench.core")
    except compiled_core.CompiledFailed as failed:
        return Section(rows, [], str(failed))
    rows += _rows(json.loads(said), "compiled", NEEDED_COMPILED)
    notes = [
        f"{name}: {sums.trades:,} trades, volume {sums.volume:,}, notional {sums.notional:,},"
        f" {sums.live} live orders, in every engine"
        for name, sums in EXPECTED.items()
    ]
    return Section(rows, notes)


def _rows(figures: dict[str, list[float]], core: str, needed: float) -> list[Row]:
    return [
        Row(
            what=f"{name}, {core} core (floor: interpreted)",
            measured=engine,
            unit="commands/s",
            floor=floor,
            needed=needed,
        )
        for name, (engine, floor) in figures.items()
    ]


def measure() -> dict[str, list[float]]:
    """By workload the commands/s of the engine and of the floor, best of interleaved runs."""
    refuse_stale()
    figures: dict[str, list[float]] = {}
    for name, mix in (("W1", W1), ("W2", W2)):
        workload = generate(mix)
        assert workload.sums == EXPECTED[name], workload.sums
        ours, floors = engine_commands(workload.steps), floor_commands(workload.steps)
        check(ours, floors, workload.sums)
        fastest = [
            min(pair)
            for pair in zip(
                *[(_time(ours, _engine), _time(floors, _floor)) for _ in range(RUNS)],
                strict=True,
            )
        ]
        figures[name] = [len(workload.steps) / seconds for seconds in fastest]
    return figures


def _time(commands: list[Any], prepared: Callable[[], Callable[[list[Any]], int]]) -> float:
    run_all = prepared()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        began = time.perf_counter()
        run_all(commands)
        return time.perf_counter() - began
    finally:
        gc.enable()
        gc.unfreeze()


# -- the engine -----------------------------------------------------------------------------------


def prepare(owners: int) -> tuple[Engine, list[Command]]:
    """An engine with one market and funded owners, and the commands that founded it."""
    engine = Engine()
    commands: list[Command] = [
        RegisterAsset("USDT", 0),
        RegisterAsset("BTC", 0),
        ListInstrument(MARKET),
    ]
    for command in commands:
        engine.apply(command)
    for number in range(owners):
        create = CreateOwner(f"owner {number}")
        (created,) = engine.apply(create)
        assert isinstance(created, OwnerCreated)
        deposits: list[Command] = [
            Deposit(created.uid, 0, asset, MONEY) for asset in ("USDT", "BTC")
        ]
        for command in deposits:
            engine.apply(command)
        commands += [create, *deposits]
    return engine, commands


def engine_commands(steps: list[Step], owners: int = OWNERS) -> list[Command]:
    """A stream as commands for the engine that `prepare` makes."""
    engine, _ = prepare(owners)
    uids = list(engine.ledger.accounts)
    first = engine.counters.order - 1
    commands: list[Command] = []
    for step in steps:
        if step.earlier:
            commands.append(CancelOrder(uids[step.earlier % owners], first + step.earlier))
        if step.number:
            uid, tif = uids[step.number % owners], 1 if step.kind == "I" else 0
            commands.append(PlaceOrder(uid, SYMBOL, step.side, 0, tif, step.quantity, step.price))
    return commands


def _engine() -> Callable[[list[Command]], int]:
    engine, _ = prepare(OWNERS)

    def run_all(commands: list[Command]) -> int:
        apply = engine.apply
        events = 0
        for command in commands:
            events += len(apply(command))
        return events

    return run_all


# -- the floor ------------------------------------------------------------------------------------


def floor_commands(steps: list[Step]) -> list[FloorCommand]:
    """A stream as the floor's tuples."""
    commands: list[FloorCommand] = []
    for step in steps:
        if step.earlier:
            owner = step.earlier % OWNERS
            commands.append((floor_core.OP_CANCEL, owner, step.earlier, 0, 0, 0, 0))
        if step.number:
            tif = floor_core.IOC if step.kind == "I" else floor_core.GTC
            commands.append(
                (
                    floor_core.OP_LIMIT,
                    step.number % OWNERS,
                    0,
                    step.side,
                    tif,
                    step.price,
                    step.quantity,
                )
            )
    return commands


def _funded_floor() -> floor_core.Engine:
    engine = floor_core.Engine(OWNERS, [1], [1], FEE_BPS, FEE_BPS)
    for owner in range(OWNERS):
        engine.deposit(owner, 0, MONEY)
        engine.deposit(owner, 1, MONEY)
    return engine


def _floor() -> Callable[[list[FloorCommand]], int]:
    engine = _funded_floor()

    def run_all(commands: list[FloorCommand]) -> int:
        place, cancel = engine.place_limit, engine.cancel
        events = 0
        for op, account, symbol, side, tif, price, quantity in commands:
            if op == floor_core.OP_LIMIT:
                events += len(place(account, symbol, side, tif, price, quantity))
            else:
                events += len(cancel(account, symbol))
        return events

    return run_all


# -- outcomes -------------------------------------------------------------------------------------


def check(ours: list[Command], floors: list[FloorCommand], expected: Sums) -> None:
    """Both must have made exactly the trades, and have exactly the open orders, of the stream."""
    engine, _ = prepare(OWNERS)
    trades: list[Trade] = []
    for command in ours:
        trades += [event for event in engine.apply(command) if isinstance(event, Trade)]
    live = sum(len(account.orders) for account in engine.spot.accounts.values())
    volume = sum(trade.quantity for trade in trades)
    sums = Sums(len(trades), volume, sum(trade.notional for trade in trades), live)
    assert sums == expected, sums
    assert engine.ledger.imbalance() == {}
    floor = _funded_floor()
    fills = [
        event
        for events in floor.batch(floors)
        for event in events
        if event[0] == floor_core.EV_TRADE
    ]
    volume = sum(fill[3] for fill in fills)
    notional = sum(fill[2] * fill[3] for fill in fills)
    sums = Sums(len(fills), volume, notional, len(floor.orders))
    assert sums == expected, sums


if __name__ == "__main__":
    assert compiled(), "this entry measures the compiled core: run `make bench ARGS=core`"
    print(json.dumps(measure()))
