"""The questions to the spot history, and the rows of the answers.

Absent conditions are None (texts: empty).
"""

from __future__ import annotations

from msgspec import Struct


class OrderRow(Struct, frozen=True, gc=False):
    """One order: price in ticks, quantities in lots, `quote` in quote atoms, times in µs."""

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
    executed: int
    quote: int
    status: int
    update_time: int


class FillRow(Struct, frozen=True, gc=False):
    """One order's share of a trade: `notional` in quote atoms, `fee` in atoms of `fee_asset`.

    `both`: it is the maker's side of an owner's trade with itself.
    """

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
    both: int = 0


class BillRow(Struct, frozen=True, gc=False):
    """One movement of a wallet: `amount` signed, then `after`, `fee` inside it, in atoms.

    `fill_quantity` (lots), `fill_notional` (quote atoms) and `symbol` are None without a trade.
    """

    bill_id: int
    uid: int
    wallet: int
    asset: str
    kind: str
    amount: int
    after: int
    fee: int
    fill_quantity: int | None
    fill_notional: int | None
    symbol: str | None
    time: int


class TransferRow(Struct, frozen=True, gc=False):
    """One transfer between two wallets of an owner; `amount` in atoms."""

    transfer_id: int
    uid: int
    asset: str
    source: int
    target: int
    amount: int
    time: int


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
