"""Public operations: configuration and market data of the spot market."""

from __future__ import annotations

from msgspec import Raw, Struct

from venue.api.fields import Interval, Symbol, Symbols, SymbolStatus, TimeMs, UpTo1000
from venue.api.market_data import (
    CandleView,
    DepthReply,
    DepthRequest,
    PublicTrade,
    RateLimit,
    TimeReply,
    TradesRequest,
)
from venue.api.operation import Empty, Under, either, rows
from venue.vocabulary import Access


class Network(Struct, rename="camel"):
    """How an asset could move in and out; a practice venue has one internal network."""

    network: str
    coin: str
    name: str
    is_default: bool
    deposit_enable: bool
    withdraw_enable: bool
    withdraw_tag: bool
    withdraw_fee: str
    withdraw_min: str
    withdraw_internal_min: str
    deposit_dust: str
    withdraw_integer_multiple: Raw  # a JSON number
    min_confirm: int
    contract_address: str
    contract_address_url: str
    deposit_desc: str | None
    withdraw_desc: str | None


class Coin(Struct, rename="camel"):
    """One asset."""

    coin: str
    name: str
    deposit_all_enable: bool
    withdraw_all_enable: bool
    network_list: list[Network]


class ExchangeInfoRequest(Struct, rename="camel", kw_only=True):
    """Spot instruments, all or some."""

    symbol: Symbol | None = None
    symbols: Symbols | None = None
    symbol_status: SymbolStatus | None = None


class SpotSymbol(Struct, rename="camel"):
    """One spot instrument: `tickSize` and `stepSize` are increments, sizes are base units."""

    symbol: str
    base_asset: str
    quote_asset: str
    status: str
    base_asset_precision: str
    quote_asset_precision: str
    tick_size: str
    step_size: str
    min_trade_amount: str
    max_trade_amount: str
    taker_fee_rate: str
    maker_fee_rate: str
    buy_limit_price_ratio: str
    sell_limit_price_ratio: str
    market_buy_limit_size: str
    market_sell_limit_size: str
    market_fallback_price_ratio: str
    enable_trade: bool
    enable_display: bool
    display_digit_merge: str
    display_new: bool
    display_hot: bool


class ExchangeInfo(Struct, rename="camel"):
    """Spot instruments and limits."""

    timezone: str
    server_time: int
    rate_limits: list[RateLimit]
    symbols: list[SpotSymbol]


class SelectionRequest(Struct, kw_only=True):
    """One symbol (the reply is an object), several, or all (the reply is an array)."""

    symbol: Symbol | None = None
    symbols: Symbols | None = None


class Price(Struct):
    """A symbol's last trade price."""

    symbol: str
    price: str


class TickerView(Struct, rename="camel"):
    """24-hour statistics; `priceChangePercent` is a fraction, times are the window's trades'."""

    symbol: str
    price_change: str
    price_change_percent: str
    last_price: str
    bid_price: str
    bid_qty: str
    ask_price: str
    ask_qty: str
    open_price: str
    high_price: str
    low_price: str
    volume: str
    quote_volume: str
    open_time: int
    close_time: int
    count: int


class BookTicker(Struct, rename="camel"):
    """Top of book."""

    symbol: str
    bid_price: str
    bid_qty: str
    ask_price: str
    ask_qty: str


class KlinesRequest(Struct, rename="camel", kw_only=True):
    """The newest candles of a symbol, ending with the unfinished one; with times, those that open
    from `startTime` to `endTime`, both inclusive: the first ones from a start, otherwise the last.
    """

    symbol: Symbol
    interval: Interval
    limit: UpTo1000 = 100
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None


# The answers to a selection: one object for `symbol`, otherwise an array.
PriceReply = either(Price, list[Price])
TickerReply = either(TickerView, list[TickerView])
BookTickerReply = either(BookTicker, list[BookTicker])

PUBLIC = Under("/api/v3", Access.PUBLIC)
ping = PUBLIC.get("/ping", (1, 0), Empty, Empty)
time = PUBLIC.get("/time", (1, 0), Empty, TimeReply)
coins = PUBLIC.get("/coins", (5, 0), Empty, list[Coin])
exchange_info = PUBLIC.get("/exchangeInfo", (20, 0), ExchangeInfoRequest, ExchangeInfo)
trading_symbols = PUBLIC.get("/apiTradingSymbols", (5, 0), Empty, list[str])
prices = PUBLIC.get("/market/ticker/price", (4, 0), SelectionRequest, PriceReply)
tickers = PUBLIC.get("/market/ticker/24hr", (2, 0), SelectionRequest, TickerReply)
book_tickers = PUBLIC.get("/market/ticker/bookTicker", (4, 0), SelectionRequest, BookTickerReply)
trades = PUBLIC.get("/market/trades", (25, 0), TradesRequest, list[PublicTrade])
klines = PUBLIC.get("/market/klines", (2, 0), KlinesRequest, list[CandleView])
depth = PUBLIC.get("/market/depth", (5, 0), DepthRequest, DepthReply)

ROWS = rows(globals())
