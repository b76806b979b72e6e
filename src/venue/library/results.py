"""Typed results of the library. Money and prices are `Decimal`, times `ts` in ms since 1970 (UTC).

`product` is "spot" or "contract". Sizes of contracts are in base units.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import zip_longest

from msgspec import Struct

from venue.library.html import fields_table, table


class Placed(Struct, frozen=True):
    """An accepted order; `Account.order(placed)` returns its present state."""

    order_id: int
    client_id: str
    symbol: str
    product: str

    _repr_html_ = fields_table


class Order(Struct, frozen=True, kw_only=True):
    """An order: `filled` is base, `value` quote; `position_side` is empty for spot."""

    ts: int
    updated_ts: int
    order_id: int
    client_id: str
    symbol: str
    product: str
    side: str
    position_side: str
    type: str
    time_in_force: str
    status: str
    price: Decimal
    quantity: Decimal
    filled: Decimal
    value: Decimal

    _repr_html_ = fields_table


class Place(Struct, frozen=True, kw_only=True):
    """The place of a resting order in the queue at its price: the quantities before it and after
    it. None where it stands in no queue, or too many orders do. `quantity` still rests."""

    order_id: int
    symbol: str
    product: str
    side: str
    price: Decimal
    quantity: Decimal
    ahead: Decimal | None
    behind: Decimal | None
    at_price: Decimal | None

    _repr_html_ = fields_table


class Balance(Struct, frozen=True):
    """Money in one asset. `total` is the wallet, without the `unrealized` of open positions."""

    asset: str
    product: str
    free: Decimal
    locked: Decimal
    total: Decimal
    unrealized: Decimal

    _repr_html_ = fields_table


class Position(Struct, frozen=True, kw_only=True):
    """An open position; `liquidation_price` is None where there is none."""

    position_id: int
    symbol: str
    side: str
    margin_type: str
    leverage: Decimal
    size: Decimal
    entry_price: Decimal
    margin: Decimal
    unrealized: Decimal
    funding: Decimal
    liquidation_price: Decimal | None

    _repr_html_ = fields_table


class Bill(Struct, frozen=True, kw_only=True):
    """A movement of the spot wallet: `amount` came in, or went out when it is negative."""

    ts: int
    bill_id: int
    asset: str
    kind: str
    amount: Decimal
    balance: Decimal
    fee: Decimal

    _repr_html_ = fields_table


class Income(Struct, frozen=True, kw_only=True):
    """A change of collateral; transfers have an empty symbol."""

    ts: int
    bill_id: int
    asset: str
    symbol: str
    kind: str
    amount: Decimal
    balance: Decimal
    fee: Decimal

    _repr_html_ = fields_table


class Fill(Struct, frozen=True, kw_only=True):
    """An own fill; `realized` is the profit of the closed part, 0 for spot.

    A spot fee is in the received asset: base of a buy, quote of a sell (`fee_asset`).
    """

    ts: int
    trade_id: int
    order_id: int
    symbol: str
    product: str
    side: str
    price: Decimal
    quantity: Decimal
    value: Decimal
    fee: Decimal
    fee_asset: str
    realized: Decimal

    _repr_html_ = fields_table


class Trade(Struct, frozen=True, kw_only=True):
    """A public trade; `side` is the taker's."""

    ts: int
    trade_id: str
    side: str
    price: Decimal
    quantity: Decimal
    value: Decimal

    _repr_html_ = fields_table


class Candle(Struct, frozen=True, kw_only=True):
    """A candle that opened at `ts`; the `taker_` fields are the volumes of taker buys."""

    ts: int
    close_ts: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    value: Decimal
    trades: int
    taker_volume: Decimal
    taker_value: Decimal

    _repr_html_ = fields_table


class Equity(Struct, frozen=True, kw_only=True):
    """An owner's worth in USDT: spot at last prices, contracts with unrealized profit."""

    ts: int
    owner: str
    equity: Decimal
    spot: Decimal
    contract: Decimal

    _repr_html_ = fields_table


class Level(Struct, frozen=True):
    """A price of a book and the quantity there."""

    price: Decimal
    quantity: Decimal

    _repr_html_ = fields_table


class Book(Struct, frozen=True):
    """A book's levels, best first."""

    symbol: str
    update_id: int
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]

    def _repr_html_(self) -> str:
        pairs = zip_longest(self.bids, self.asks)
        rows = [
            (*((bid.quantity, bid.price) if bid else (None, None)),
             *((ask.price, ask.quantity) if ask else (None, None)))
            for bid, ask in pairs
        ]  # fmt: skip
        return table(f"Book of {self.symbol}", ("quantity", "bid", "ask", "quantity"), rows)


class Ticker(Struct, frozen=True, kw_only=True):
    """Best prices and the last 24 hours."""

    symbol: str
    last: Decimal
    bid: Decimal
    ask: Decimal
    open: Decimal
    high: Decimal
    low: Decimal
    volume: Decimal
    value: Decimal

    _repr_html_ = fields_table


class Due(Struct, frozen=True):
    """An effect that was settled, or falls due, at `ts`; `count` of positions, orders or
    accounts."""

    ts: int
    kind: str
    symbol: str
    count: int

    _repr_html_ = fields_table


class Advanced(Struct, frozen=True):
    """Venue time before and after (ms), and the effects settled on the way, in order."""

    begin: int
    end: int
    sequence: int
    settled: tuple[Due, ...]
    left_out: int

    _repr_html_ = fields_table


class PreviewFill(Struct, frozen=True):
    """A fill that an order would get."""

    price: Decimal
    quantity: Decimal
    fee: Decimal

    _repr_html_ = fields_table


class Preview(Struct, frozen=True, kw_only=True):
    """The effects that an order would have now. A refused order has only `refused`, the reason."""

    accepted: bool
    refused: str
    code: int
    status: str
    fills: tuple[PreviewFill, ...]
    filled: Decimal
    resting: Decimal
    fee: Decimal
    fee_asset: str
    held: Decimal
    held_asset: str
    margin: Decimal | None
    available: Decimal | None
    liquidation_price: Decimal | None

    _repr_html_ = fields_table
