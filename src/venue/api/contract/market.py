"""Public operations of the contract market: books, trades, candles, reference prices, funding."""

from __future__ import annotations

from decimal import Decimal

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
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class ContractExchangeInfoRequest(Struct, rename="camel", kw_only=True):
    """Contract instruments."""

    symbol: Symbol | None = None


class ContractAsset(Struct, rename="camel"):
    """An asset that contracts settle in."""

    asset: str
    margin_available: bool


class ContractSymbol(Struct, rename="camel"):
    """One contract: precisions are numbers of decimals, sizes base units, ratios fractions.

    They are JSON numbers, where all other prices, sizes and rates of the interface are texts.
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
    price_precision: int
    quantity_precision: int
    base_asset_precision: int
    quote_precision: int
    contract_val: Decimal
    delivery: list[str]
    forward_contract_flag: bool
    min_leverage: int
    max_leverage: int
    buy_limit_price_ratio: Decimal
    sell_limit_price_ratio: Decimal
    maker_fee_rate: Decimal
    taker_fee_rate: Decimal
    min_order_size: Decimal
    max_order_size: Decimal
    max_position_size: Decimal
    market_open_limit_size: Decimal


class ContractExchangeInfo(Struct, rename="camel"):
    """Contract instruments and the assets they settle in."""

    assets: list[ContractAsset]
    rate_limits: list[RateLimit]
    symbols: list[ContractSymbol]


class ContractSelectionRequest(Struct, kw_only=True):
    """One contract, or all; the reply is an array either way."""

    symbol: Symbol | None = None


class ContractSymbolRequest(Struct, kw_only=True):
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


class ContractKlinesRequest(Struct, kw_only=True):
    """The newest candles of a contract, ending with the unfinished one."""

    symbol: Symbol
    interval: Interval
    limit: UpTo1000 = 100


class HistoryKlinesRequest(Struct, rename="camel", kw_only=True):
    """Candles of a contract that open from `startTime` to `endTime`, both inclusive; the last ones
    where there are more than `limit`."""

    symbol: Symbol
    interval: Interval
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    limit: UpTo100 = 100
    price_type: CandlePrice = "LAST"


class SymbolPriceRequest(Struct, rename="camel", kw_only=True):
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


class FundingRatesRequest(Struct, rename="camel", kw_only=True):
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


# Short names, so that each row stands on one line.
InfoRequest = ContractExchangeInfoRequest
Selection = ContractSelectionRequest
BookTickers = list[ContractBookTicker]

PUBLIC = Under("/capi/v3/market", Access.PUBLIC)
contract_exchange_info = PUBLIC.get("/exchangeInfo", (1, 0), InfoRequest, ContractExchangeInfo)
contract_time = PUBLIC.get("/time", (1, 0), Empty, TimeReply)
contract_trading_symbols = PUBLIC.get("/apiTradingSymbols", (5, 0), Empty, list[str])
contract_depth = PUBLIC.get("/depth", (1, 0), DepthRequest, DepthReply)
contract_tickers = PUBLIC.get("/ticker/24hr", (40, 0), Selection, list[ContractTicker])
contract_book_tickers = PUBLIC.get("/ticker/bookTicker", (1, 0), Selection, BookTickers)
contract_trades = PUBLIC.get("/trades", (5, 0), TradesRequest, list[PublicTrade])
contract_klines = PUBLIC.get("/klines", (1, 0), ContractKlinesRequest, list[CandleView])
index_klines = PUBLIC.get("/indexPriceKlines", (1, 0), ContractKlinesRequest, list[CandleView])
mark_klines = PUBLIC.get("/markPriceKlines", (1, 0), ContractKlinesRequest, list[CandleView])
history_klines = PUBLIC.get("/historyKlines", (5, 0), HistoryKlinesRequest, list[CandleView])
symbol_price = PUBLIC.get("/symbolPrice", (1, 0), SymbolPriceRequest, SymbolPrice)
open_interest = PUBLIC.get("/openInterest", (2, 0), ContractSymbolRequest, OpenInterest)
premium_index = PUBLIC.get("/premiumIndex", (1, 0), Selection, list[PremiumIndex])
funding_rates = PUBLIC.get("/fundingRate", (5, 0), FundingRatesRequest, list[FundingRate])

ROWS = rows(globals())
