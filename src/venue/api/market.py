"""Public operations: configuration and market data of the spot market, and the contract list."""

from __future__ import annotations

from msgspec import Raw, Struct

from venue.api.fields import Depth, Interval, Symbol, Symbols, SymbolStatus, UpTo1000
from venue.api.operation import Empty, Operation, get
from venue.terms import Access

PUBLIC = Access.PUBLIC


class TimeReply(Struct, rename="camel"):
    """Server time, Unix ms: what the timestamps of signed requests are compared with."""

    server_time: int


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


class ExchangeInfoRequest(Struct, rename="camel"):
    """Spot instruments, all or some."""

    symbol: Symbol | None = None
    symbols: Symbols | None = None
    symbol_status: SymbolStatus | None = None


class RateLimit(Struct, rename="camel"):
    """A weight budget per interval."""

    rate_limit_type: str
    interval: str
    interval_num: int
    limit: int


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


class ContractExchangeInfoRequest(Struct, rename="camel"):
    """Contract instruments."""

    symbol: Symbol | None = None


class ContractAsset(Struct, rename="camel"):
    """An asset that contracts settle in."""

    asset: str
    margin_available: bool


class ContractSymbol(Struct, rename="camel"):
    """One contract: precisions are numbers of decimals, sizes base units, ratios fractions.

    `delivery` lists the times of day (UTC) at which funding is settled.
    """

    symbol: str
    display_symbol: str
    contract_type: str
    underlying_type: str
    underlying_sub_type: list[str]
    base_asset: str
    quote_asset: str
    margin_asset: str
    price_precision: str
    quantity_precision: str
    base_asset_precision: str
    quote_precision: str
    contract_val: str
    delivery: list[str]
    forward_contract_flag: bool
    min_leverage: str
    max_leverage: str
    buy_limit_price_ratio: str
    sell_limit_price_ratio: str
    maker_fee_rate: str
    taker_fee_rate: str
    min_order_size: str
    max_order_size: str
    max_position_size: str
    market_open_limit_size: str


class ContractExchangeInfo(Struct, rename="camel"):
    """Contract instruments and the assets they settle in."""

    assets: list[ContractAsset]
    rate_limits: list[RateLimit]
    symbols: list[ContractSymbol]


class SelectionRequest(Struct):
    """One symbol (the reply is an object), several, or all (the reply is an array)."""

    symbol: Symbol | None = None
    symbols: Symbols | None = None


class Price(Struct):
    """A symbol's last trade price."""

    symbol: str
    price: str


class Ticker(Struct, rename="camel"):
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


class TradesRequest(Struct):
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


class KlinesRequest(Struct):
    """The newest candles of a symbol, ending with the unfinished one."""

    symbol: Symbol
    interval: Interval
    limit: UpTo1000 = 300


class DepthRequest(Struct):
    """The best 15 or 200 levels of a symbol's book."""

    symbol: Symbol
    limit: Depth = "15"


class DepthReply(Struct, rename="camel"):
    """Levels as [price, quantity], best first."""

    last_update_id: int
    bids: list[tuple[str, str]]
    asks: list[tuple[str, str]]


class Candle(Struct, array_like=True):
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


# What a selection answers: one object for `symbol`, else an array.
PriceReply = Price | list[Price]
TickerReply = Ticker | list[Ticker]
BookTickerReply = BookTicker | list[BookTicker]

_V3 = "/api/v3"
_MARKET = "/api/v3/market"
ping = get("ping", f"{_V3}/ping", PUBLIC, (1, 0), Empty, Empty)
time = get("time", f"{_V3}/time", PUBLIC, (1, 0), Empty, TimeReply)
coins = get("coins", f"{_V3}/coins", PUBLIC, (5, 0), Empty, list[Coin])
exchange_info = get(
    "exchange_info", f"{_V3}/exchangeInfo", PUBLIC, (20, 0), ExchangeInfoRequest, ExchangeInfo
)
trading_symbols = get(
    "trading_symbols", f"{_V3}/apiTradingSymbols", PUBLIC, (5, 0), Empty, list[str]
)
prices: Operation[SelectionRequest, Price | list[Price]] = get(
    "prices", f"{_MARKET}/ticker/price", PUBLIC, (4, 0), SelectionRequest,
    PriceReply,  # type: ignore[arg-type]  # a union is no type to mypy
)  # fmt: skip
tickers: Operation[SelectionRequest, Ticker | list[Ticker]] = get(
    "tickers", f"{_MARKET}/ticker/24hr", PUBLIC, (2, 0), SelectionRequest,
    TickerReply,  # type: ignore[arg-type]
)  # fmt: skip
book_tickers: Operation[SelectionRequest, BookTicker | list[BookTicker]] = get(
    "book_tickers", f"{_MARKET}/ticker/bookTicker", PUBLIC, (4, 0), SelectionRequest,
    BookTickerReply,  # type: ignore[arg-type]
)  # fmt: skip
trades = get("trades", f"{_MARKET}/trades", PUBLIC, (25, 0), TradesRequest, list[PublicTrade])
klines = get("klines", f"{_MARKET}/klines", PUBLIC, (2, 0), KlinesRequest, list[Candle])
depth = get("depth", f"{_MARKET}/depth", PUBLIC, (5, 0), DepthRequest, DepthReply)
contract_exchange_info = get(
    "contract_exchange_info", "/capi/v3/market/exchangeInfo", PUBLIC, (1, 0),
    ContractExchangeInfoRequest, ContractExchangeInfo,
)  # fmt: skip

ROWS = (
    ping,
    time,
    coins,
    exchange_info,
    trading_symbols,
    prices,
    tickers,
    book_tickers,
    trades,
    klines,
    depth,
    contract_exchange_info,
)
