"""The tables of orders, fills, bills and transfers, how far history reaches, and what can be asked
of them.

Absent conditions are None (texts: empty).
"""

from __future__ import annotations

from msgspec import Struct

from venue.core.book.book import OPEN
from venue.history.tables.table import PAST, TableRow


class OrderRow(TableRow, frozen=True, gc=False):
    """One order: price in ticks, quantities in lots, `quote` in quote atoms, times in µs."""

    table = "orders"
    key = ("order_id",)
    indexes = (
        "orders_of_owner (uid, symbol, time)",
        "orders_by_client_id (uid, client_id) WHERE client_id <> ''",
    )
    grows = True
    archivable = f"update_time < {{time}} AND status NOT IN {OPEN}"

    order_id: int
    uid: int
    symbol: str
    side: int
    type: int
    time_in_force: int
    quantity: int
    price: int
    client_id: str
    time: int
    executed: int  # lots
    quote: int  # executed notional in quote atoms
    status: int
    update_time: int


class SpotFill(TableRow, frozen=True, gc=False):
    """One order's share of a trade: `notional` in quote atoms, `fee` in atoms of `fee_asset`.

    A trade between two orders of one owner has two fills too: maker or taker tells them apart.
    """

    table = "fills"
    key = ("trade_id", "is_maker")
    indexes = ("fills_of_owner (uid, symbol, time)", "fills_of_order (order_id)")
    grows = True
    archivable = PAST
    clustered = True

    trade_id: int
    is_maker: int
    order_id: int
    uid: int
    symbol: str
    side: int
    price: int
    quantity: int
    notional: int
    fee: int
    fee_asset: str
    time: int


class FillRow(Struct, frozen=True, gc=False):
    """A fill as an answer. `both`: it is the maker's side of an owner's trade with itself."""

    fill: SpotFill
    both: int


class BillRow(TableRow, frozen=True, gc=False):
    """One movement of a wallet: `amount` signed, then `after`, `fee` inside it, in atoms.

    `fill_quantity` (lots), `fill_notional` (quote atoms) and `symbol` are None without a trade.
    """

    table = "bills"
    key = ("bill_id",)
    # Asset and kind ride along so that a rare kind is found without visiting the rows between.
    indexes = ("bills_of_owner (uid, wallet, time, asset, kind)",)
    grows = True
    archivable = PAST

    bill_id: int
    uid: int
    wallet: int
    asset: str
    kind: str
    amount: int
    after: int
    fee: int  # in the bill's asset, positive: charged
    fill_quantity: int | None
    fill_notional: int | None
    symbol: str | None
    time: int


class TransferRow(TableRow, frozen=True, gc=False):
    """One transfer between two wallets of an owner; `amount` in atoms."""

    table = "transfers"
    key = ("transfer_id",)
    indexes = ("transfers_of_owner (uid, time)",)
    archivable = PAST

    transfer_id: int
    uid: int
    asset: str
    source: int
    target: int
    amount: int
    time: int


class Progress(TableRow, frozen=True, gc=False):
    """The only row: the sequence of the last projected command."""

    table = "progress"

    sequence: int


class Opening(TableRow, frozen=True, gc=False):
    """No row: history begins with the journal. One: it begins after this command, and orders from
    this id on have all their rows."""

    table = "opening"

    sequence: int
    order_id: int


class OrdersOf(Struct, frozen=True, gc=False):
    """Which orders: an owner's in one symbol, placed from `start` to `end`."""

    uid: int
    symbol: str
    start: int | None = None
    end: int | None = None


class FillsOf(Struct, frozen=True, gc=False):
    """Which fills: an owner's in one symbol, of one order, from `start` to `end`.

    With `from_id` those from an id on, oldest first.
    """

    uid: int
    symbol: str
    order_id: int | None = None
    start: int | None = None
    end: int | None = None
    from_id: int | None = None


class BillsOf(Struct, frozen=True, gc=False):
    """Which bills: those of one wallet of an owner, by asset, kind, id and time."""

    uid: int
    wallet: int
    asset: str = ""
    kind: str = ""
    after_id: int | None = None
    before_id: int | None = None
    after_time: int | None = None
    before_time: int | None = None
    start: int | None = None
    end: int | None = None


class TransfersOf(Struct, frozen=True, gc=False):
    """Which transfers: an owner's, by asset, source wallet and time."""

    uid: int
    asset: str = ""
    source: int | None = None
    after_time: int | None = None
    before_time: int | None = None
