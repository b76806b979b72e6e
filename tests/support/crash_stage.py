"""A venue that is killed amid contract work: made in memory, started, read when it has stopped."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from support.client import Client
from support.contract_world import CONTRACT, CONTRACT_WALLET, HOUR, ISOLATED, SECOND, SYMBOL
from support.server import Server
from support.told import Told
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.units import FIRST_UID
from venue.history.sql import Where, select
from venue.history.store import open_history
from venue.history.tables import contract as tables
from venue.history.tables.table import R
from venue.journal.opening import open_journal, open_readonly
from venue.journal.recovery import recover
from venue.lab import demo
from venue.recompute.history import rebuild_history
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT

PATIENCE_S: Final = 120
CURRENT_S: Final = 5  # an index is posted again so often; it counts for ten seconds
DAY: Final = 24 * HOUR
MINUTE: Final = 60 * SECOND
ASSET: Final = "QQQ"
START: Final = 1_000  # the mark at which positions are opened


class Stage:
    """Commands applied in memory, then written as the journal a venue is started on.

    The contract's one funding time of the day, `due`, passed two hours ago.
    """

    def __init__(self, at: int) -> None:
        """`at` is the time of the first commands, in µs after (before: negative) the due time."""
        now = time.time_ns() // 1_000
        self.due = (now - 2 * HOUR) // MINUTE * MINUTE
        self.engine = Engine()
        self.commands: list[Command] = []
        self.time = self.due + at
        owners = [account.name for account in demo.ACCOUNTS]
        uids = {name: FIRST_UID + number for number, name in enumerate(owners)}
        contract = replace(
            CONTRACT,
            index_sources=("desk",),
            funding_minutes=(self.due % DAY // MINUTE,),
        )
        for command in (
            *demo.genesis(),
            *demo.funding(uids),
            commands.RegisterAsset("QQQ", 0),
            commands.RegisterAsset("AAA", 0),
            commands.ListContract(contract),
        ):
            self.do(command)
        self.post(START)

    def do(self, command: Command) -> list[Event]:
        """Apply a command; it is not refused."""
        command.time = self.time
        events = self.engine.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), (command, events)
        self.commands.append(command)
        return events

    def finish(self) -> list[Event]:
        """Work off what is pending."""
        events: list[Event] = []
        while self.engine.pending():
            events += self.do(commands.Proceed())
        return events

    def post(self, price: int) -> None:
        self.do(commands.PostIndex(SYMBOL, "desk", price, jump=True))

    def owner(self, name: str, money: int) -> int:
        (created,) = self.do(commands.CreateOwner(name))
        assert isinstance(created, OwnerCreated)
        self.do(commands.Deposit(created.uid, CONTRACT_WALLET, ASSET, money))
        return created.uid

    def short(self, uid: int, lots: int, price: int = START) -> None:
        """Offer to open a short."""
        self.do(commands.PlaceContractOrder(uid, SYMBOL, SELL, SHORT, LIMIT, GTC, lots, price))

    def long(self, uid: int, lots: int, price: int = START, tif: int = IOC) -> None:
        """Open a long against what is offered."""
        self.do(commands.PlaceContractOrder(uid, SYMBOL, BUY, LONG, LIMIT, tif, lots, price))

    def write(self, path: Path) -> None:
        """The journal's file, and its history."""
        journal = open_journal(str(path))
        for first in range(0, len(self.commands), 1_000):
            journal.append(self.commands[first : first + 1_000])
        journal.close()
        assert rebuild_history(str(path)) == (0, len(self.commands))


def recovered(path: Path) -> tuple[Engine, Told]:
    """The engine and the events recovered from a copy of the journal, from its first command on."""
    folder = path.parent / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        if (path.parent / name).exists():
            shutil.copy(path.parent / name, folder)
    journal = open_readonly(str(folder / path.name))
    told = Told()
    try:
        return recover(journal, 0, told), told
    finally:
        journal.close()


def start(path: Path, *more: str) -> Server:
    arguments = ("--state", str(path), "--no-agents", "--no-limits", *more)
    return Server(*arguments, folder=path.parent)


def post(client: Client, price: int) -> None:
    body = {"symbol": SYMBOL, "source": "desk", "price": str(price), "jump": True}
    answer = client.post("/_venue/index", body)
    assert answer.status == 200, answer.body


def sequence(client: Client) -> int:
    return int(client.get("/_venue/health?stateHash=false").json["sequence"])


def reach(client: Client, wanted: int) -> int:
    """Ask until so many commands were applied; how many there are then."""
    deadline = time.monotonic() + PATIENCE_S
    while (reached := sequence(client)) < wanted:
        assert time.monotonic() < deadline, (reached, wanted)
    return reached


def work_off(client: Client) -> None:
    """Wait until nothing is under way any more: that is when a new mode of time is answered."""
    answer = client.post("/_venue/clock", {"mode": "offset"})
    assert answer.status == 200, answer.body


def keep(path: Path, *more: str) -> None:
    """Start and stop at once: work under way is kept in a snapshot."""
    with start(path, *more) as server:
        assert server.stop() == 0


def rows(path: Path, table: type[R]) -> list[R]:
    """All rows of a stopped venue's history."""
    store = open_history(f"{path}.history")
    try:
        return select(store.connection, table, Where())
    finally:
        store.close()


def check_money(path: Path, engine: Engine) -> list[Any]:
    """Each pool's items chain from zero, and all money is what was deposited; the items."""
    items = [row for row in rows(path, tables.IncomeRow) if row.asset == ASSET]
    alone = {
        row.life.position_id
        for row in rows(path, tables.EndedPosition)
        if row.life.margin_mode == ISOLATED
    }
    for account in engine.ledger.accounts.values():
        alone.update(account.isolated)
    balances: dict[tuple[int, int], int] = {}
    for item in sorted(items, key=lambda row: row.bill_id):
        pool = (item.uid, item.position_id if item.position_id in alone else 0)
        balances[pool] = balances.get(pool, 0) + item.amount
        assert balances[pool] == item.balance, item
    deposited = sum(item.amount for item in items if item.kind == "deposit")
    dust = engine.ledger.dust[engine.ledger.ordinals[ASSET]]
    assert sum(balances.values()) + dust == deposited
    return items


def until_left(client: Client, price: int, left: int) -> None:
    """Keep the index current at a price until so many positions are left."""
    begun = time.monotonic()
    posted = begun - CURRENT_S
    while client.get("/_venue/health?stateHash=false").json["openPositions"] != left:
        now = time.monotonic()
        assert now < begun + PATIENCE_S
        if now >= posted + CURRENT_S:
            post(client, price)
            posted = now
