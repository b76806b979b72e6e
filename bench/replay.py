"""Recovery: replaying a journal against applying the same commands from memory; snapshots."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

import venue
from bench.core import SYMBOL, engine_commands, prepare
from bench.table import Row, Section
from bench.workloads import W1, generate
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, PlaceOrder
from venue.core.state import snapshot as state
from venue.journal.journal import Journal, Snapshot
from venue.journal.opening import open_journal
from venue.journal.recovery import ENGINE, recover

COMMANDS: Final = 1_000_000
BATCH: Final = 500
OWNERS: Final = 1_000
OPEN_ORDERS: Final = 20_000  # beside those of the stream
NAMED_EVERY: Final = 50  # one order in so many keeps a client id for a day after its end
TAIL: Final = 10_000
ROUNDS: Final = 2
NEEDED: Final = 1.3
NEEDED_SNAPSHOT_S: Final = 1.0


class _Nobody:
    """No followers: the engine alone is brought back."""

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        pass

    def note(self, applied: Applied) -> None:
        pass

    def follow(self, batch: list[Applied]) -> None:
        pass


def run() -> Section:
    """Write a journal of a million commands, then recover from it in each way."""
    founding, commands = _commands()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "journal")
        journal = open_journal(path)
        try:
            for batch in _batches(founding + commands):
                journal.append(batch)
            return _measure(journal, founding, commands)
        finally:
            journal.close()


def _commands() -> tuple[list[Command], list[Command]]:
    """The commands that found the venue and fill its book, and the million, as read from bytes."""
    _, founding = prepare(OWNERS)
    stream = engine_commands(generate(W1, COMMANDS, seed=7).steps, OWNERS)[:COMMANDS]
    time_us = 10**15
    for number, command in enumerate(stream):
        time_us += 1_000
        command.time = time_us
        if isinstance(command, PlaceOrder) and number % NAMED_EVERY == 0:
            command.client_id = f"client-{number:028d}"
        if not isinstance(command, PlaceOrder) or number % 2:
            continue
        command.request = number.to_bytes(16, "big")
    coder = msgspec.msgpack
    data = coder.encode(stream)
    return founding, coder.decode(data, type=list[Command])


def _batches(commands: list[Command]) -> Iterator[list[Command]]:
    for start in range(0, len(commands), BATCH):
        yield commands[start : start + BATCH]


def _measure(journal: Journal, founding: list[Command], commands: list[Command]) -> Section:
    replayed = memory = float("inf")
    for _ in range(ROUNDS):
        seconds, from_memory = _from_memory(founding, commands)
        memory = min(memory, seconds)
        expected = state.state_hash(from_memory)
        del from_memory
        seconds, engine = _recovered(journal)
        replayed = min(replayed, seconds)
        assert state.state_hash(engine) == expected
    rows = [
        Row(
            what=f"replay of {len(commands):,} commands (floor: from memory)",
            measured=replayed,
            unit="s",
            floor=memory,
            needed=NEEDED,
            at_most=True,
        )
    ]
    snapshot_rows, note = _snapshots(journal, engine)
    return Section(rows + snapshot_rows, [note])


def _from_memory(founding: list[Command], commands: list[Command]) -> tuple[float, Engine]:
    gc.collect()
    began = time.perf_counter()
    engine = Engine()
    for command in founding:
        engine.apply(command)
    for command in commands:
        engine.apply(command)
    return time.perf_counter() - began, engine


def _recovered(journal: Journal) -> tuple[float, Engine]:
    gc.collect()
    began = time.perf_counter()
    engine = recover(journal, journal.last_sequence(), _Nobody())
    return time.perf_counter() - began, engine


def _snapshots(journal: Journal, engine: Engine) -> tuple[list[Row], str]:
    """A start from a snapshot of a fuller book, at the end and with a tail after it."""
    _fill(journal, engine)
    data = state.dump(engine)
    journal.save_snapshot(
        Snapshot(engine.sequence, venue.__version__, state.state_hash(engine), {ENGINE: data})
    )
    at_end, again = min((_recovered(journal) for _ in range(3)), key=lambda run: run[0])
    assert state.dump(again) == data
    uid = next(iter(engine.ledger.accounts))
    tail: list[Command] = [
        PlaceOrder(uid, SYMBOL, 0, 0, 1, 1, 9_000, time=engine.time) for _ in range(TAIL)
    ]
    for batch in _batches(tail):
        journal.append(batch)
    with_tail, _ = _recovered(journal)
    accounts, owners = engine.spot.accounts.values(), len(engine.ledger.accounts)
    note = (
        f"the snapshot: {owners:,} owners, {sum(len(a.orders) for a in accounts):,} open"
        f" orders, {len(engine.spot.client_ids.ended_orders()):,} remembered client ids,"
        f" {len(data):,} bytes; recovery checks its hash"
    )
    return [
        Row(
            what="start from a snapshot at the end",
            measured=at_end,
            unit="s",
            needed=NEEDED_SNAPSHOT_S,
            at_most=True,
        ),
        Row(what=f"start from a snapshot and a tail of {TAIL:,}", measured=with_tail, unit="s"),
    ], note


def _fill(journal: Journal, engine: Engine) -> None:
    """Many open orders away from the market, spread over owners and prices."""
    commands: list[Command] = []
    uids = list(engine.ledger.accounts)
    for number in range(OPEN_ORDERS):
        side = number % 2
        price = 9_200 + number % 400 if side == 0 else 10_800 - number % 400
        client_id = f"resting-{number:027d}"
        uid = uids[number // 2 % len(uids)]
        order = PlaceOrder(uid, SYMBOL, side, 0, 0, 1 + number % 9, price, client_id)
        order.time = engine.time
        commands.append(order)
    before = sum(len(account.orders) for account in engine.spot.accounts.values())
    for batch in _batches(commands):
        journal.append(batch)
        for command in batch:
            engine.apply(command)
    after = sum(len(account.orders) for account in engine.spot.accounts.values())
    assert after - before == OPEN_ORDERS, after - before
