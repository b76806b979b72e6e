"""A history file of a session in both products, and the questions of the interface to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from support.recording import contract_commands, spot_commands
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.units import FIRST_UID
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import contract as contract_queries
from venue.history.questions import liquidations as liquidation_queries
from venue.history.questions import prices as price_queries
from venue.history.questions import spot as queries
from venue.history.sql import Where, select, transaction
from venue.history.store import Store, open_history
from venue.history.tables.contract import (
    ConditionalsOf,
    ContractFillsOf,
    ContractOrdersOf,
    EndedPosition,
    IncomeOf,
)
from venue.history.tables.spot import BillsOf, FillsOf, OrdersOf, TransfersOf
from venue.recording.recorder import Recorder
from venue.vocabulary import Product, Wallet

REFUSED = "refused"
OWNERS = tuple(FIRST_UID + number for number in range(3))
FIRST_ID = 10**15
Question = tuple[Callable[..., Any], tuple[Any, ...]]


def played(commands: list[Command]) -> tuple[list[Applied], Recorder]:
    """Commands as an engine answered them, and the recorder that looked on."""
    engine, recorder = Engine(), Recorder()
    recorder.restore(b"", engine)
    applied: list[Applied] = []
    for command in commands:
        done = Applied(engine.sequence + 1, command.time, command, engine.apply(command))
        recorder.note(done)
        applied.append(done)
    return applied, recorder


def project(path: Path, commands: list[Command]) -> list[Applied]:
    """Make the history file of a session."""
    applied, recorder = played(commands)
    store = open_history(str(path))
    Projector(store, Catalog()).project(applied, recorder.take())
    store.close()
    return applied


def sessions() -> dict[str, list[Command]]:
    """One of spot trading, one of contracts with conditional orders and liquidations."""
    return {"spot": spot_commands(500), "contract": contract_commands(3, 900)}


def questions() -> list[Question]:
    """The questions that the interface can ask, of some owners, ids and symbols."""
    found: list[Question] = [
        (price_queries.funding_rates, ("BTCUSDT", None, None, 100)),
        (liquidation_queries.liquidations, (None, 100)),
        *((liquidation_queries.liquidation, (FIRST_ID + number,)) for number in range(0, 400, 50)),
        *((price_queries.price_candles, ("BTCUSDT", kind, 0, 2**62)) for kind in ("index", "mark")),
    ]
    for uid in OWNERS:
        found += [
            (queries.orders, (OrdersOf(uid, "BTCUSDT"), 1_000)),
            (queries.orders, (OrdersOf(uid, "ETHUSDT", 10**9, 10**10), 20, 2)),
            (queries.fills, (FillsOf(uid, "BTCUSDT"), 1_000)),
            (queries.bills_paged, (BillsOf(uid, int(Wallet.SPOT)), 1, 500)),
            (queries.bills, (BillsOf(uid, int(Wallet.SPOT), "USDT", "trade_in"), 500)),
            (queries.transfers, (TransfersOf(uid), 100)),
            (queries.order_by_client_id, (uid, "a")),
            (contract_queries.contract_orders, (ContractOrdersOf(uid, ended=True), 1_000)),
            (contract_queries.contract_order_by_client_id, (uid, "a")),
            (contract_queries.contract_fills, (ContractFillsOf(uid), 1_000)),
            (contract_queries.income, (IncomeOf(uid), 1_000)),
            (contract_queries.conditional_orders, (ConditionalsOf(uid), 1_000)),
            (_positions, (uid,)),
            (liquidation_queries.liquidations, (uid, 100)),
        ]
        for number in range(0, 300, 60):
            found += [
                (queries.order, (uid, FIRST_ID + number)),
                (contract_queries.contract_order, (uid, FIRST_ID + number)),
                (contract_queries.contract_fills, (ContractFillsOf(uid, "", FIRST_ID + number), 9)),
            ]
        for product in (int(Product.SPOT), int(Product.CONTRACT)):
            for channel in ("orders", "fills", "account", "positions"):
                found.append((queries.frames, ((uid, product, channel), 0, 2**62, 1_000)))
    return found


def _positions(connection: apsw.Connection, uid: int) -> list[Any]:
    """An owner's positions that have become zero."""
    return select(connection, EndedPosition, Where("uid = ?", uid))


def answers(store: Store) -> list[Any]:
    """The answer to each question, or REFUSED."""
    given: list[Any] = []
    for question, arguments in questions():
        try:
            with transaction(store.connection):
                given.append(question(store.connection, *arguments))
        except (apsw.CorruptError, apsw.NotADBError):
            given.append(REFUSED)
    return given


def flip(path: Path, choice: random.Random, count: int) -> set[int]:
    """Flip bits anywhere in a file; the places of the bytes that changed."""
    data = bytearray(path.read_bytes())
    places = {choice.randrange(len(data)) for _ in range(count)}
    for place in places:
        data[place] ^= 1 << choice.randrange(8)
    path.write_bytes(data)
    return places
