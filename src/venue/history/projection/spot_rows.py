"""The spot side of a batch: events become rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import astuple

from venue.core.book.book import after_fill
from venue.core.instruments import Asset, Contract, Instrument, lot_atoms
from venue.core.messages.contract_events import ContractChanged, ContractListed
from venue.core.messages.events import (
    AssetRegistered,
    InstrumentChanged,
    InstrumentListed,
    OrderClosed,
    OrderPlaced,
    Trade,
    Transferred,
    WalletMoved,
)
from venue.history.projection.batch import AppliedCommand, Batch, Folds, Marks
from venue.history.projection.contract_rows import ContractRows
from venue.history.projection.copying_rows import CopyingRows
from venue.history.tables.spot import BillRow, OrderRow, SpotFill, TransferRow
from venue.vocabulary import BILL_TRADE_IN, BILL_TRADE_OUT, BUY, NEW, WALLET_SPOT

CHANGE: Final = (
    "UPDATE orders SET executed = executed + ?2, quote = quote + ?3, status = ?5, update_time = ?6"
    " WHERE order_id = ?1"
)


class SymbolFacts:
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
        self.symbols: dict[str, SymbolFacts] = {}
        self.contracts: dict[str, str] = {}

    @staticmethod
    def listing(
        assets: list[Asset], instruments: list[Instrument], contracts: Sequence[Contract] = ()
    ) -> Catalog:
        """Return the listings of an engine: for a projector that does not start at the
        beginning."""
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
        self.symbols[instrument.symbol] = SymbolFacts(instrument.base, instrument.quote, lot)

    def enlist_contract(self, contract: Contract) -> None:
        """Take up a contract."""
        self.contracts[contract.instrument.symbol] = contract.instrument.quote


class Rows:
    """Folds the commands of one batch into its rows."""

    __slots__ = (
        "_bills", "_catalog", "_contracts", "_copying", "_fills", "_folds", "_marks", "_placed",
        "_transfers", "batch",
    )  # fmt: skip

    def __init__(self, catalog: Catalog) -> None:
        self.batch = Batch()
        self._catalog = catalog
        self._contracts = ContractRows(self.batch, catalog.contracts)
        self._copying = CopyingRows(self.batch)
        self._bills = self.batch.new[BillRow]
        self._fills = self.batch.new[SpotFill]
        self._transfers = self.batch.new[TransferRow]
        self._placed: dict[int, tuple[OrderPlaced, int]] = {}  # and when
        self._marks = Marks()
        self._folds: Folds = {
            OrderPlaced: self._order,
            Trade: self._trade,
            OrderClosed: self._add_closed,
            WalletMoved: self._add_movement,
            Transferred: self._add_transfer,
            AssetRegistered: self._register_asset,
            InstrumentListed: self._list_instrument,
            InstrumentChanged: self._list_instrument,
            ContractListed: self._contract,
            ContractChanged: self._contract,
            **self._contracts.folds(),
            **self._copying.folds(),
        }

    def fold(self, applied: AppliedCommand) -> None:
        """Add the rows of one command's events."""
        folds = self._folds
        for place, event in enumerate(applied.events):
            kind = type(event)
            if kind in folds:
                folds[kind](event, applied, place)

    def finish(self) -> Batch:
        """Return the rows of all commands. New orders are as the batch leaves them."""
        orders = self.batch.new[OrderRow]
        marks = self._marks.by_id
        for order_id, (placed, time) in self._placed.items():
            mark = marks.pop(order_id)
            row = OrderRow(
                order_id, placed.uid, placed.symbol, placed.side, placed.type,
                placed.time_in_force, placed.quantity, placed.price, placed.client_id, time,
                mark.executed, mark.quote, mark.status, mark.update_time,
            )  # fmt: skip
            orders.append(row)
        self.batch.changes.append((CHANGE, [astuple(mark) for mark in marks.values()]))
        self._contracts.finish()
        return self.batch

    def _order(self, event: OrderPlaced, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        self._placed[event.order_id] = (event, time)
        self._marks.add(event.order_id, 0, 0, 0, NEW, time)

    def _add_closed(self, event: OrderClosed, applied: AppliedCommand, _: int) -> None:
        self._marks.add(event.order_id, 0, 0, 0, event.status, applied.time)

    def _add_movement(self, event: WalletMoved, applied: AppliedCommand, _: int) -> None:
        time = applied.time
        row = BillRow(
            event.bill_id, event.uid, event.wallet, event.asset, event.kind, event.amount,
            event.after, 0, None, None, None, time,
        )  # fmt: skip
        self._bills.append(row)
        self._copying.add_bill(event, time)

    def _add_transfer(self, event: Transferred, applied: AppliedCommand, _: int) -> None:
        row = TransferRow(
            event.transfer_id, event.uid, event.asset, event.source, event.target, event.amount,
            applied.time,
        )  # fmt: skip
        self._transfers.append(row)

    def _register_asset(self, event: AssetRegistered, _: AppliedCommand, __: int) -> None:
        self._catalog.register(event.asset)

    def _list_instrument(
        self, event: InstrumentListed | InstrumentChanged, _: AppliedCommand, __: int
    ) -> None:
        self._catalog.enlist(event.instrument)

    def _contract(
        self, event: ContractListed | ContractChanged, _: AppliedCommand, __: int
    ) -> None:
        self._catalog.enlist_contract(event.contract)

    def _trade(self, event: Trade, applied: AppliedCommand, _: int) -> None:
        """Two fills, the changes of two orders, and the four bills that `Trade` promises."""
        side, maker, taker = event.taker_side, event.maker_uid, event.taker_uid
        time, agents = applied.time, applied.agents
        if taker not in agents:
            self._share(event, 0, taker, event.taker_order_id, side, time)
            self._add_fill(event, event.taker_order_id, event.taker_remaining, time)
        if maker not in agents:
            self._share(event, 1, maker, event.maker_order_id, 1 - side, time)
            self._add_fill(event, event.maker_order_id, event.maker_remaining, time)

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
            given = BillRow(
                bill_id, uid, WALLET_SPOT, quote, BILL_TRADE_OUT, -notional,
                event.buyer_quote_after, 0, lots, notional, symbol, time,
            )  # fmt: skip
            taken = BillRow(
                bill_id + 1, uid, WALLET_SPOT, base, BILL_TRADE_IN, amount - fee,
                event.buyer_base_after, fee, lots, notional, symbol, time,
            )  # fmt: skip
        else:
            fee, of = event.quote_fee, quote
            given = BillRow(
                bill_id + 2, uid, WALLET_SPOT, base, BILL_TRADE_OUT, -amount,
                event.seller_base_after, 0, lots, notional, symbol, time,
            )  # fmt: skip
            taken = BillRow(
                bill_id + 3, uid, WALLET_SPOT, quote, BILL_TRADE_IN, notional - fee,
                event.seller_quote_after, fee, lots, notional, symbol, time,
            )  # fmt: skip
        self._bills += (given, taken)
        fill = SpotFill(
            event.trade_id, is_maker, order_id, uid, symbol, side, event.price, lots, notional,
            fee, of, time,
        )  # fmt: skip
        self._fills.append(fill)

    def _add_fill(self, event: Trade, order_id: int, remaining: int, time: int) -> None:
        status = after_fill(remaining)
        self._marks.add(order_id, event.quantity, event.notional, 0, status, time)
