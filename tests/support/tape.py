"""A taped engine, and the history rows that must follow from it, summed slowly."""

from __future__ import annotations

import random
from typing import Any

from support.world import (
    BTCUSDT,
    BUY,
    CONTRACT,
    ETHUSDT,
    IOC,
    LIMIT,
    MARKET,
    SELL,
    SPOT,
)
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, PlaceOrder
from venue.core.messages.contract_events import Income
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OwnerCreated,
    Trade,
    Transferred,
    WalletMoved,
)
from venue.core.state.snapshot import begin
from venue.history.projection.spot_rows import Catalog
from venue.history.store import Store
from venue.history.tables.every import TABLES
from venue.history.tables.table import names
from venue.vocabulary import OrderStatus

RICH = 10**14
LOTS = {
    "BTCUSDT": ("BTC", "USDT", 10**4),
    "ETHUSDT": ("ETH", "USDT", 10**5),
}
Rows = dict[str, list[tuple[Any, ...]]]


class Tape:
    """An engine and everything it was told and said. Three commands share each µs."""

    def __init__(self, owners: int = 3) -> None:
        self.engine = begin()
        self.applied: list[Applied] = []
        self.uids: list[int] = []
        for asset in ("USDT", "BTC", "ETH"):
            self.say(commands.RegisterAsset(asset, 8))
        self.say(commands.ListInstrument(BTCUSDT))
        for number in range(owners):
            (created,) = self.say(commands.CreateOwner(f"owner {number}", number % 2 * 3))
            assert isinstance(created, OwnerCreated)
            self.uids.append(created.uid)
            for asset in ("USDT", "BTC", "ETH"):
                self.say(commands.Deposit(created.uid, SPOT, asset, RICH))
        self.say(commands.ListInstrument(ETHUSDT))

    def say(self, command: Command) -> list[Event]:
        command.time = 1_000 + len(self.applied) // 3
        events = self.engine.apply(command)
        self.applied.append(Applied(self.engine.sequence, command.time, command, events))
        return events

    def walk(self, seed: int, count: int) -> Tape:
        """Orders that rest, cross and meet themselves, cancels, and money in, out and across."""
        choice = random.Random(seed)
        for _ in range(count):
            self.say(self._step(choice))
        return self

    def _step(self, choice: random.Random) -> Command:
        uid = choice.choice(self.uids)
        asset, symbol = choice.choice(("USDT", "BTC", "ETH")), choice.choice(tuple(LOTS))
        client_id = choice.choice(("", "", "a", "b", "c"))
        act = choice.randrange(12)
        if act == 0:
            return commands.Deposit(uid, choice.randrange(3), asset, choice.randint(1, 500))
        if act == 1:
            return commands.Withdraw(uid, choice.randrange(3), asset, choice.randint(1, 500))
        if act == 2:
            source, target = choice.randrange(3), choice.randrange(3)
            return commands.Transfer(uid, source, target, asset, choice.randint(1, 500))
        if act == 3:
            return commands.CancelOrders(uid, symbol)
        if act <= 5:
            return commands.CancelOrder(uid, 0, client_id or "a")
        side, quantity = choice.randrange(2), choice.randint(2, 40)
        if act == 6:
            return PlaceOrder(uid, symbol, side, MARKET, IOC, quantity, 0, client_id)
        tif, price = choice.choice((0, 0, 0, 1, 2, 3)), choice.randint(98, 102)
        return PlaceOrder(uid, symbol, side, LIMIT, tif, quantity, price, client_id)


def listed(engine: Engine) -> Catalog:
    instruments = [market.instrument for market in engine.spot.markets.values()]
    return Catalog.listing(engine.ledger.assets, instruments)


def rows_of(store: Store) -> Rows:
    """Every row of every table, by primary key."""
    return {
        table.table: list(
            store.connection.execute(
                f"SELECT {names(table)} FROM {table.table} ORDER BY {', '.join(table.key) or 1}"
            )
        )
        for table in TABLES
    }


class Sum:
    """The rows that must be there, summed slowly; balances by addition, never by what was said."""

    def __init__(self, applied: list[Applied]) -> None:
        self.orders: dict[int, list[Any]] = {}
        self.fills: list[tuple[Any, ...]] = []
        self.bills: list[tuple[Any, ...]] = []
        self.transfers: list[tuple[Any, ...]] = []
        self.income: list[tuple[Any, ...]] = []
        self.balances: dict[tuple[int, int, str], int] = {}
        for done in applied:
            for event in done.events:
                self.add(event, done.time)
        self.sequence = applied[-1].sequence

    def add(self, event: Event, time: int) -> None:
        match event:
            case OrderPlaced():
                self.orders[event.order_id] = [
                    event.order_id, event.uid, event.symbol, event.side, event.type,
                    event.time_in_force, event.quantity, event.price, event.client_id, time,
                    0, 0, OrderStatus.NEW, time,
                ]  # fmt: skip
            case OrderClosed():
                self.orders[event.order_id][12:] = [event.status, time]
            case WalletMoved():
                self.bill(event.uid, event.wallet, event.asset, event.kind, event.amount, time)
            case Income():
                chain = (event.uid, CONTRACT, event.asset)
                balance = self.balances.get(chain, 0) + event.amount
                self.balances[chain] = balance
                bill_id = 10**15 + len(self.bills) + len(self.income)
                self.income.append(
                    (bill_id, event.uid, 0, event.asset, "", event.kind, event.amount, 0, balance,
                     event.reason, time)
                )  # fmt: skip
            case Transferred():
                self.transfers.append(
                    (event.transfer_id, event.uid, event.asset, event.source, event.target,
                     event.amount, time)
                )  # fmt: skip
            case Trade():
                self.trade(event, time)

    def trade(self, event: Trade, time: int) -> None:
        base, quote, lot = LOTS[event.symbol]
        paid, got = event.price * event.quantity, event.quantity * lot
        paid *= 100 if event.symbol == "BTCUSDT" else 5_000
        about = (event.quantity, paid, event.symbol)
        parties = {
            event.taker_side: (0, event.taker_order_id, event.taker_uid),
            1 - event.taker_side: (1, event.maker_order_id, event.maker_uid),
        }
        both = []
        for side, (is_maker, order_id, uid) in parties.items():
            order = self.orders[order_id]
            order[10] += event.quantity
            order[11] += paid
            full = order[10] == order[6]
            order[12:] = [OrderStatus.FILLED if full else OrderStatus.PARTIALLY_FILLED, time]
            fee = (event.base_fee, base) if side == BUY else (event.quote_fee, quote)
            both.append(
                (event.trade_id, is_maker, order_id, uid, event.symbol, side, event.price,
                 event.quantity, paid, *fee, time)
            )  # fmt: skip
        self.fills += sorted(both)
        buyer, seller = parties[BUY][2], parties[SELL][2]
        base_fee, quote_fee = event.base_fee, event.quote_fee
        self.bill(buyer, SPOT, quote, "trade_out", -paid, time, 0, about)
        self.bill(buyer, SPOT, base, "trade_in", got - base_fee, time, base_fee, about)
        self.bill(seller, SPOT, base, "trade_out", -got, time, 0, about)
        self.bill(seller, SPOT, quote, "trade_in", paid - quote_fee, time, quote_fee, about)

    def bill(
        self,
        uid: int,
        wallet: int,
        asset: str,
        kind: str,
        amount: int,
        time: int,
        fee: int = 0,
        about: tuple[Any, ...] = (None, None, None),
    ) -> None:
        after = self.balances.get((uid, wallet, asset), 0) + amount
        self.balances[uid, wallet, asset] = after
        bill_id = 10**15 + len(self.bills) + len(self.income)
        self.bills.append((bill_id, uid, wallet, asset, kind, amount, after, fee, *about, time))

    def rows(self) -> Rows:
        """Every table's rows; no contract is listed: of theirs there are transfers' items alone."""
        return {table.table: [] for table in TABLES} | {
            "orders": [tuple(order) for order in self.orders.values()],
            "fills": self.fills,
            "bills": self.bills,
            "transfers": self.transfers,
            "income": self.income,
            "progress": [(self.sequence,)],
        }
