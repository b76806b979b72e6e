"""Events become rows: one transaction with the sequence it reached, each command exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from sqlalchemy import Connection, Table, delete, insert, update

from venue.api.streams.channels import KeptFrame
from venue.core.book.book import after_fill
from venue.core.instruments import Asset, Contract, Instrument, lot_atoms
from venue.core.messages.contract_events import ContractChanged, ContractListed
from venue.core.messages.events import (
    AssetRegistered,
    Event,
    InstrumentChanged,
    InstrumentListed,
    OrderClosed,
    OrderPlaced,
    Trade,
    Transferred,
    WalletMoved,
)
from venue.core.messages.savepoints import StateReverted
from venue.history import savepoints
from venue.history.frames import by_channel, packed
from venue.history.frames_kept import FRAMES_KEPT, frames_gone
from venue.history.projection.affiliate_rows import AffiliateRows
from venue.history.projection.contract_rows import (
    ADDED,
    INSERTED,
    STATEMENTS,
    ContractRows,
    Statement,
)
from venue.history.schema.affiliates import COMMISSIONS, INTERNAL_WITHDRAWALS
from venue.history.schema.spot import BILLS, FILLS, FRAMES, ORDERS, PROGRESS, TRANSFERS
from venue.history.store import Store
from venue.vocabulary import (
    BILL_TRADE_IN,
    BILL_TRADE_OUT,
    BUY,
    NEW,
    WALLET_SPOT,
)

# Rows per statement. SQLite's driver lets other threads run at every statement, and beside a busy
# event loop each such turn is waited for: few large statements keep the projector abreast.
CHUNKS: Final = (64, 8, 1)


# VALUES names its columns column1, column2, ... on SQLite and on PostgreSQL.
CHANGE: Final = Statement(
    "UPDATE orders SET executed = orders.executed + mark.column2,"
    " quote = orders.quote + mark.column3, status = mark.column4, update_time = mark.column5"
    " FROM (VALUES {}) AS mark WHERE orders.order_id = mark.column1",
    5,
)


class AppliedCommand(Protocol):
    """One applied command of the outbox: the part that history needs."""

    sequence: int
    time: int
    events: list[Event]
    agents: tuple[int, ...]


class Traded:
    """The facts about a symbol that a trade's rows need."""

    __slots__ = ("base", "lot_atoms", "quote")

    def __init__(self, base: str, quote: str, lot_atoms: int) -> None:
        self.base = base
        self.quote = quote
        self.lot_atoms = lot_atoms


class Catalog:
    """The assets and symbols known so far; a copy of its own, for history's process.

    `contracts` is the settle asset of each contract.
    """

    __slots__ = ("assets", "contracts", "symbols")

    def __init__(self) -> None:
        self.assets: dict[str, Asset] = {}
        self.symbols: dict[str, Traded] = {}
        self.contracts: dict[str, str] = {}

    @staticmethod
    def listing(
        assets: list[Asset], instruments: list[Instrument], contracts: Sequence[Contract] = ()
    ) -> Catalog:
        """The listings of an engine: for a projector that does not start at the beginning."""
        catalog = Catalog()
        for asset in assets:
            catalog.register(asset)
        for instrument in instruments:
            catalog.enlist(instrument)
        for contract in contracts:
            catalog.enlist_contract(contract)
        return catalog

    def register(self, asset: Asset) -> None:
        """Take up an asset."""
        self.assets[asset.name] = asset

    def enlist(self, instrument: Instrument) -> None:
        """Take up an instrument of known assets."""
        lot = lot_atoms(instrument, self.assets[instrument.base])
        self.symbols[instrument.symbol] = Traded(instrument.base, instrument.quote, lot)

    def enlist_contract(self, contract: Contract) -> None:
        """Take up a contract."""
        self.contracts[contract.instrument.symbol] = contract.instrument.quote


class Projector:
    """Writes the engine's events into a store. Used from one thread.

    Of the frames of a private channel the newest are kept, at least `frames_kept`.
    """

    __slots__ = ("_catalog", "_frames_kept", "_reached", "_statements", "_store")

    def __init__(self, store: Store, catalog: Catalog, frames_kept: int = FRAMES_KEPT) -> None:
        self._store = store
        self._catalog = catalog
        self._frames_kept = frames_kept
        self._reached = store.reached()
        store.expect_rows()
        self._statements = Statements(store.connection)

    def reached(self) -> int:
        """The sequence of the last command whose rows are in the store."""
        return self._reached

    def project(self, batch: Sequence[AppliedCommand], frames: Sequence[KeptFrame] = ()) -> None:
        """Write the rows of a batch, its frames and its last sequence in one transaction: in
        several when it keeps or reverts states.

        Commands already projected, and their frames, are passed over; a missing one is a defect.
        Rows that a later revert takes back are not written.
        """
        begin = 0
        for end, event in _pieces(batch):
            self._project(batch[begin:end], frames, event)
            begin = end
        self._project(batch[begin:] if begin else batch, frames, None)

    def _project(
        self, batch: Sequence[AppliedCommand], frames: Sequence[KeptFrame], last: Event | None
    ) -> None:
        """The same for commands of which only the last one's event is about a kept state."""
        before = reached = self._reached
        rows = Rows(self._catalog)
        stays = type(last) is not StateReverted
        for applied in batch:
            if applied.sequence <= reached:
                continue
            assert applied.sequence == reached + 1, (applied.sequence, reached)
            reached = applied.sequence
            if stays:
                rows.fold(applied)
        if reached == before:
            return
        new = [frame for frame in frames if stays and before < frame.sequence <= reached]
        with self._store.connection.begin():
            begun = savepoints.begin(self._store.connection)
            self._statements.add(rows)
            with savepoints.recorded(self._store.connection, begun):
                self._statements.write(rows, reached)
                if new:
                    self._statements.keep(new, self._frames_kept)
            if last is not None:
                savepoints.follow(self._store.connection, last)
        self._reached = reached

    def checkpoint(self) -> int:
        """Make everything projected so far durable; returns the sequence that it reaches."""
        self._store.checkpoint()
        return self._reached


def _pieces(batch: Sequence[AppliedCommand]) -> list[tuple[int, Event]]:
    """The events that keep or revert states, each with the number of commands up to it. Of reverts
    in a row only the last has an effect."""
    pieces: list[tuple[int, Event]] = []
    for number, applied in enumerate(batch, 1):
        if applied.events and type(applied.events[0]) in savepoints.KINDS:
            event = applied.events[0]
            if pieces and type(event) is type(pieces[-1][1]) is StateReverted:
                pieces.pop()
            pieces.append((number, event))
    return pieces


class Rows:
    """The rows of one batch, value after value as the columns stand.

    `orders` are new orders up to their time; `marks` hold the changes of an order, new or old, in
    the batch: executed lots, executed quote, status, update time. However often an order changes
    in a batch, it is written once.
    """

    __slots__ = (
        "_catalog", "affiliates", "bills", "contracts", "fills", "marks", "orders", "transfers",
    )  # fmt: skip

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.orders: dict[int, tuple[object, ...]] = {}
        self.marks: dict[int, list[int]] = {}
        self.fills: list[object] = []
        self.bills: list[object] = []
        self.transfers: list[object] = []
        self.affiliates = AffiliateRows()
        self.contracts = ContractRows(catalog.contracts)

    def fold(self, applied: AppliedCommand) -> None:
        """Add the rows of one command's events."""
        time, agents = applied.time, applied.agents
        for place, event in enumerate(applied.events):
            if type(event) is OrderPlaced:
                order_id = event.order_id
                self.orders[order_id] = (
                    order_id, event.uid, event.symbol, event.side, event.type,
                    event.time_in_force, event.quantity, event.price, event.client_id, time,
                )  # fmt: skip
                self.marks[order_id] = [0, 0, NEW, time]
            elif type(event) is Trade:
                self._trade(event, agents, time)
            elif type(event) is OrderClosed:
                self._mark(event.order_id, 0, 0, event.status, time)
            elif type(event) is WalletMoved:
                self.bills += (
                    event.bill_id, event.uid, event.wallet, event.asset, event.kind, event.amount,
                    event.after, 0, None, None, None, time,
                )  # fmt: skip
                self.affiliates.billed(event, time)
            elif type(event) is Transferred:
                self.transfers += (
                    event.transfer_id, event.uid, event.asset, event.source, event.target,
                    event.amount, time,
                )  # fmt: skip
            elif type(event) is AssetRegistered:
                self._catalog.register(event.asset)
            elif type(event) is InstrumentListed or type(event) is InstrumentChanged:
                self._catalog.enlist(event.instrument)
            elif type(event) is ContractListed or type(event) is ContractChanged:
                self._catalog.enlist_contract(event.contract)
            else:
                self.contracts.fold(event, applied.sequence, place, time, agents)
                self.affiliates.fold(event, time)

    def _trade(self, event: Trade, agents: tuple[int, ...], time: int) -> None:
        """Two fills, the changes of two orders, and the four bills that `Trade` promises."""
        side, maker, taker = event.taker_side, event.maker_uid, event.taker_uid
        if taker not in agents:
            self._share(event, 0, taker, event.taker_order_id, side, time)
            self._filled(event, event.taker_order_id, event.taker_remaining, time)
        if maker not in agents:
            self._share(event, 1, maker, event.maker_order_id, 1 - side, time)
            self._filled(event, event.maker_order_id, event.maker_remaining, time)

    def _share(
        self, event: Trade, is_maker: int, uid: int, order_id: int, side: int, time: int
    ) -> None:
        """One side's fill and two bills."""
        traded = self._catalog.symbols[event.symbol]
        base, quote, symbol = traded.base, traded.quote, event.symbol
        lots, notional, bill_id = event.quantity, event.notional, event.bill_id
        amount = lots * traded.lot_atoms
        if side == BUY:
            fee, of = event.base_fee, base
            self.bills += (
                bill_id, uid, WALLET_SPOT, quote, BILL_TRADE_OUT, -notional,
                event.buyer_quote_after, 0, lots, notional, symbol, time,
                bill_id + 1, uid, WALLET_SPOT, base, BILL_TRADE_IN, amount - fee,
                event.buyer_base_after, fee, lots, notional, symbol, time,
            )  # fmt: skip
        else:
            fee, of = event.quote_fee, quote
            self.bills += (
                bill_id + 2, uid, WALLET_SPOT, base, BILL_TRADE_OUT, -amount,
                event.seller_base_after, 0, lots, notional, symbol, time,
                bill_id + 3, uid, WALLET_SPOT, quote, BILL_TRADE_IN, notional - fee,
                event.seller_quote_after, fee, lots, notional, symbol, time,
            )  # fmt: skip
        self.fills += (
            event.trade_id, is_maker, order_id, uid, symbol, side, event.price, lots, notional,
            fee, of, time,
        )  # fmt: skip

    def _filled(self, event: Trade, order_id: int, remaining: int, time: int) -> None:
        self._mark(order_id, event.quantity, event.notional, after_fill(remaining), time)

    def _mark(self, order_id: int, lots: int, notional: int, status: int, time: int) -> None:
        mark = self.marks.get(order_id)
        if mark is None:
            self.marks[order_id] = [lots, notional, status, time]
            return
        mark[0] += lots
        mark[1] += notional
        mark[2] = status
        mark[3] = time


class Statements:
    """The texts that write rows, made once: per table, one for each of the `CHUNKS`."""

    __slots__ = (
        "_bills", "_change", "_changes", "_commissions", "_connection", "_contracts", "_fills",
        "_frames", "_orders", "_reach", "_transfers", "_withdrawals",
    )  # fmt: skip

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._orders = self._inserts(ORDERS)
        self._fills = self._inserts(FILLS)
        self._bills = self._inserts(BILLS)
        self._transfers = self._inserts(TRANSFERS)
        self._commissions = self._inserts(COMMISSIONS)
        self._withdrawals = self._inserts(INTERNAL_WITHDRAWALS)
        self._frames = self._inserts(FRAMES)
        self._change = _texts(CHANGE)
        self._contracts = {table.name: self._inserts(table) for table in (*ADDED, *INSERTED)}
        self._changes = {statement.text: _texts(statement) for statement in STATEMENTS}
        self._reach = update(PROGRESS)

    def add(self, rows: Rows) -> None:
        """Write a batch's new rows to the tables that only grow, inside the caller's transaction.
        They are written as the batch leaves them."""
        placed: list[object] = []
        for order_id, order in rows.orders.items():
            placed += order
            placed += rows.marks[order_id]
        self._run(self._orders, placed, len(ORDERS.columns))
        self._run(self._fills, rows.fills, len(FILLS.columns))
        self._run(self._bills, rows.bills, len(BILLS.columns))
        self._insert(rows.contracts.added())

    def write(self, rows: Rows, reached: int) -> None:
        """Write all other rows, and the sequence that the batch reaches."""
        changed: list[object] = []
        for order_id, mark in rows.marks.items():
            if order_id not in rows.orders:
                changed.append(order_id)
                changed += mark
        self._run(self._change, changed, CHANGE.width)
        self._run(self._transfers, rows.transfers, len(TRANSFERS.columns))
        paid, sent = rows.affiliates.commissions, rows.affiliates.withdrawals
        self._run(self._commissions, paid, len(COMMISSIONS.columns))
        self._run(self._withdrawals, sent, len(INTERNAL_WITHDRAWALS.columns))
        self._insert(rows.contracts.inserts())
        for statement, values in rows.contracts.changes():
            self._run(self._changes[statement.text], values, statement.width)
        self._connection.execute(self._reach.values(sequence=reached))

    def keep(self, frames: Sequence[KeptFrame], kept: int) -> None:
        """Write frames and take away those that are too old, inside the caller's transaction."""
        values: list[object] = []
        channels = by_channel(frames)
        for channel, own in channels.items():
            for row in packed(channel, own):
                values += row
        self._run(self._frames, values, len(FRAMES.columns))
        for channel, own in channels.items():
            gone = frames_gone(own[-1].number, kept)
            if gone > frames_gone(own[0].number - 1, kept):
                uid, product, name = channel
                old = delete(FRAMES).where(FRAMES.c.uid == uid, FRAMES.c.product == product)
                self._connection.execute(
                    old.where(FRAMES.c.channel == name, FRAMES.c.number <= gone)
                )

    def _insert(self, rows: dict[Table, list[object]]) -> None:
        for table, values in rows.items():
            self._run(self._contracts[table.name], values, len(table.columns))

    def _run(self, texts: dict[int, str], values: list[object], width: int) -> None:
        start = 0
        for chunk in CHUNKS:
            size = chunk * width
            while len(values) - start >= size:
                part = tuple(values[start : start + size])
                self._connection.exec_driver_sql(texts[chunk], part)
                start += size
        assert start == len(values), (start, len(values))

    def _inserts(self, table: Table) -> dict[int, str]:
        text = str(insert(table).compile(dialect=self._connection.dialect))
        head, _, row = text.partition(" VALUES ")
        return {chunk: f"{head} VALUES {', '.join([row] * chunk)}" for chunk in CHUNKS}


def _texts(statement: Statement) -> dict[int, str]:
    row = f"({', '.join('?' * statement.width)})"
    return {chunk: statement.text.format(", ".join([row] * chunk)) for chunk in CHUNKS}
