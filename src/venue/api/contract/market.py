"""Public operations of the contract market: books, trades, candles, reference prices, funding."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import (
    CandlePrice,
    Interval,
    ReferencePrice,
    Symbol,
    TimeMs,
    UpTo100,
    UpTo1000,
)
from venue.api.market_data import (
    CandleView,
    DepthReply,
    DepthRequest,
    PublicTrade,
    RateLimit,
    TimeReply,
    TradesRequest,
)
from venue.api.operation import Empty, get
from venue.vocabulary import Access

PUBLIC = Access.PUBLIC


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


class ContractSelectionRequest(Struct):
    """One contract, or all; the reply is an array either way."""

    symbol: Symbol | None = None


class ContractSymbolRequest(Struct):
    """One contract."""

    symbol: Symbol


class ContractTicker(Struct, rename="camel"):
    """24-hour statistics; `priceChangePercent` is a fraction, times are the window's trades'."""

    symbol: str
    price_change: str
    price_change_percent: str
    last_price: str
    open_price: str
    high_price: str
    low_price: str
    volume: str
    quote_volume: str
    mark_price: str
    index_price: str
    open_time: int
    close_time: int


class ContractBookTicker(Struct, rename="camel"):
    """Top of book."""

    symbol: str
    bid_price: str
    bid_qty: str
    ask_price: str
    ask_qty: str
    time: int


class ContractKlinesRequest(Struct):
    """The newest candles of a contract, ending with the unfinished one."""

    symbol: Symbol
    interval: Interval
    limit: UpTo1000 = 100


class HistoryKlinesRequest(Struct, rename="camel"):
    """Candles of a contract that open from `startTime` to `endTime`, both inclusive."""

    symbol: Symbol
    interval: Interval
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo100 = 100
    price_type: CandlePrice = "LAST"


class SymbolPriceRequest(Struct, rename="camel"):
    """The index or mark price of a contract."""

    symbol: Symbol
    price_type: ReferencePrice = "INDEX"


class SymbolPrice(Struct):
    """A reference price and when it was set."""

    symbol: str
    price: str
    time: int


class OpenInterest(Struct, rename="camel"):
    """The sum of all long positions, in base units."""

    symbol: str
    open_interest: str
    time: int


class PremiumIndex(Struct, rename="camel"):
    """Reference prices and funding: the last settled rate, the coming one; cycle in minutes."""

    symbol: str
    mark_price: str
    index_price: str
    last_funding_rate: str
    forecast_funding_rate: str
    interest_rate: str
    next_funding_time: int
    time: int
    collect_cycle: int


class FundingRatesRequest(Struct, rename="camel"):
    """Settled funding rates of a contract."""

    symbol: Symbol
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo1000 = 100


class FundingRate(Struct, rename="camel"):
    """One settlement: its rate as a fraction and the mark price it was paid at."""

    symbol: str
    funding_rate: str
    funding_time: int
    mark_price: str


_MARKET = "/capi/v3/market"
contract_time = get("contract_time", f"{_MARKET}/time", PUBLIC, (1, 0), Empty, TimeReply)
contract_trading_symbols = get(
    "contract_trading_symbols", f"{_MARKET}/apiTradingSymbols", PUBLIC, (5, 0), Empty, list[str]
)
contract_exchange_info = get(
    "contract_exchange_info", "/capi/v3/market/exchangeInfo", PUBLIC, (1, 0),
    ContractExchangeInfoRequest, ContractExchangeInfo,
)  # fmt: skip
contract_depth = get("contract_depth", f"{_MARKET}/depth", PUBLIC, (1, 0), DepthRequest, DepthReply)
contract_tickers = get(
    "contract_tickers", f"{_MARKET}/ticker/24hr", PUBLIC, (40, 0), ContractSelectionRequest,
    list[ContractTicker],
)  # fmt: skip
contract_book_tickers = get(
    "contract_book_tickers", f"{_MARKET}/ticker/bookTicker", PUBLIC, (1, 0),
    ContractSelectionRequest, list[ContractBookTicker],
)  # fmt: skip
contract_trades = get(
    "contract_trades", f"{_MARKET}/trades", PUBLIC, (5, 0), TradesRequest, list[PublicTrade]
)
contract_klines = get(
    "contract_klines", f"{_MARKET}/klines", PUBLIC, (1, 0), ContractKlinesRequest, list[CandleView]
)
index_klines = get(
    "index_klines", f"{_MARKET}/indexPriceKlines", PUBLIC, (1, 0), ContractKlinesRequest,
    list[CandleView],
)  # fmt: skip
mark_klines = get(
    "mark_klines", f"{_MARKET}/markPriceKlines", PUBLIC, (1, 0), ContractKlinesRequest,
    list[CandleView],
)  # fmt: skip
history_klines = get(
    "history_klines", f"{_MARKET}/historyKlines", PUBLIC, (5, 0), HistoryKlinesRequest,
    list[CandleView],
)  # fmt: skip
symbol_price = get(
    "symbol_price", f"{_MARKET}/symbolPrice", PUBLIC, (1, 0), SymbolPriceRequest, SymbolPrice
)
open_interest = get(
    "open_interest", f"{_MARKET}/openInterest", PUBLIC, (2, 0), ContractSymbolRequest, OpenInterest
)
premium_index = get(
    "premium_index", f"{_MARKET}/premiumIndex", PUBLIC, (1, 0), ContractSelectionRequest,
    list[PremiumIndex],
)  # fmt: skip
funding_rates = get(
    "funding_rates", f"{_MARKET}/fundingRate", PUBLIC, (5, 0), FundingRatesRequest,
    list[FundingRate],
)  # fmt: skip

ROWS = (
    contract_exchange_info,
    contract_time,
    contract_trading_symbols,
    contract_depth,
    contract_tickers,
    contract_book_tickers,
    contract_trades,
    contract_klines,
    index_klines,
    mark_klines,
    history_klines,
    symbol_price,
    open_interest,
    premium_index,
    funding_rates,
)
