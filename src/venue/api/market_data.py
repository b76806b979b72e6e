"""Market operations that both products share: time, trades, books and candles."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Depth, Symbol, UpTo1000


class TimeReply(Struct, rename="camel"):
    """Server time, Unix ms: the venue compares the timestamps of signed requests with it."""

    server_time: int


class TradesRequest(Struct, kw_only=True):
    """The newest trades of a symbol."""

    symbol: Symbol
    limit: UpTo1000 = 100


class PublicTrade(Struct, rename="camel"):
    """One trade; `isBuyerMaker` is true when the taker sold."""

    id: str
    price: str
    qty: str
    quote_qty: str
    time: int
    is_buyer_maker: bool
    is_best_match: bool


class DepthRequest(Struct, kw_only=True):
    """The best 15 or 200 levels of a symbol's book."""

    symbol: Symbol
    limit: Depth = "15"


class DepthReply(Struct, rename="camel"):
    """Levels as [price, quantity], best first."""

    last_update_id: int
    bids: list[tuple[str, str]]
    asks: list[tuple[str, str]]


class CandleView(Struct, array_like=True):
    """Open time, open, high, low, close, volume, close time, quote volume, trades, taker buys."""

    open_time: int
    open: str
    high: str
    low: str
    close: str
    volume: str
    close_time: int
    quote_volume: str
    count: int
    taker_buy_volume: str
    taker_buy_quote_volume: str


class RateLimit(Struct, rename="camel"):
    """A weight budget per interval."""

    rate_limit_type: str
    interval: str
    interval_num: int
    limit: int
