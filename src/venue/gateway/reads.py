"""Market data and configuration: questions everybody may ask."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from venue import candles
from venue.api import errors
from venue.api.market import (
    BookTicker,
    Candle,
    Coin,
    DepthReply,
    DepthRequest,
    ExchangeInfo,
    ExchangeInfoRequest,
    KlinesRequest,
    Network,
    Price,
    PublicTrade,
    RateLimit,
    SelectionRequest,
    SpotSymbol,
    Ticker,
    TimeReply,
    TradesRequest,
)
from venue.api.operation import Empty
from venue.core.instruments import Asset, Instrument
from venue.core.market import Market
from venue.gateway.context import Call, Venue
from venue.gateway.wire import (
    amount_text,
    decimal_text,
    price_text,
    quantity_text,
    rate_text,
    short_text,
)

PERCENT_SCALE: Final = 6  # priceChangePercent is a fraction with six decimals
NETWORK: Final = "VENUE"


def ping(_: Call, __: Empty) -> Empty:
    """The venue answers."""
    return Empty()


def time(call: Call, _: Empty) -> TimeReply:
    """Server time: what the timestamps of signed requests are compared with."""
    return TimeReply(call.venue.clock.wall() // 1000)


def coins(call: Call, _: Empty) -> list[Coin]:
    """All assets."""
    return [_coin(asset) for asset in call.venue.engine.ledger.assets]


def exchange_info(call: Call, request: ExchangeInfoRequest) -> ExchangeInfo:
    """Instruments and limits."""
    markets = _selected(call.venue, request.symbol, request.symbols)
    if request.symbol_status is not None:
        markets = [market for market in markets if _status(market) == request.symbol_status]
    return ExchangeInfo(
        timezone="UTC",
        server_time=call.venue.clock.wall() // 1000,
        rate_limits=[rate_limit(call.venue)],
        symbols=[_spot_symbol(market) for market in markets],
    )


def trading_symbols(call: Call, _: Empty) -> list[str]:
    """The symbols that take orders over the interface."""
    return list(call.venue.engine.spot.markets)


def prices(call: Call, request: SelectionRequest) -> Price | list[Price]:
    """Last prices."""
    markets = _selected(call.venue, request.symbol, request.symbols)
    found = [Price(market.symbol, _last_text(market)) for market in markets]
    return found[0] if request.symbol is not None else found


def tickers(call: Call, request: SelectionRequest) -> Ticker | list[Ticker]:
    """24-hour statistics."""
    markets = _selected(call.venue, request.symbol, request.symbols)
    now = call.venue.clock.now()
    found = [_ticker(call.venue, market, now) for market in markets]
    return found[0] if request.symbol is not None else found


def book_tickers(call: Call, request: SelectionRequest) -> BookTicker | list[BookTicker]:
    """Tops of books."""
    markets = _selected(call.venue, request.symbol, request.symbols)
    found = [_book_ticker(call.venue, market.instrument) for market in markets]
    return found[0] if request.symbol is not None else found


def trades(call: Call, request: TradesRequest) -> list[PublicTrade]:
    """The newest trades, oldest first."""
    market = _known(call.venue, request.symbol)
    instrument = market.instrument
    quote = call.venue.asset(instrument.quote)
    return [
        PublicTrade(
            id=trade_id_text(trade.trade_id),
            price=price_text(instrument, trade.price),
            qty=quantity_text(instrument, trade.quantity),
            quote_qty=amount_text(quote, trade.notional),
            time=trade.time // 1000,
            is_buyer_maker=trade.is_buyer_maker,
            is_best_match=True,
        )
        for trade in call.venue.market_data.spot.trades(request.symbol, request.limit)
    ]


def klines(call: Call, request: KlinesRequest) -> list[Candle]:
    """The newest candles, oldest first, the unfinished one last."""
    instrument = _known(call.venue, request.symbol).instrument
    quote = call.venue.asset(instrument.quote)
    interval = request.interval
    rows = call.venue.market_data.spot.candles(
        request.symbol, interval, request.limit, call.venue.clock.now()
    )
    return [_candle(row, interval, instrument, quote) for row in rows]


def depth(call: Call, request: DepthRequest) -> DepthReply:
    """The best levels."""
    instrument = _known(call.venue, request.symbol).instrument
    book = call.venue.market_data.spot.depth(request.symbol, int(request.limit))
    return DepthReply(
        book.update_id, level_texts(instrument, book.bids), level_texts(instrument, book.asks)
    )


def trade_id_text(trade_id: int) -> str:
    """A public trade id: the trade's number in the form of a UUID."""
    digits = f"{trade_id:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _known(venue: Venue, symbol: str) -> Market:
    market = venue.engine.spot.markets.get(symbol)
    if market is None:
        raise errors.invalid("symbol", "no such spot symbol")
    return market


def _selected(venue: Venue, symbol: str | None, symbols: list[str] | None) -> list[Market]:
    markets = venue.engine.spot.markets
    if symbol is not None and symbols is not None:
        raise errors.combination("symbol", "symbols")
    if symbol is not None:
        return [_known(venue, symbol)]
    if symbols is None:
        return list(markets.values())
    for name in symbols:
        if name not in markets:
            raise errors.invalid("symbols", f"no such spot symbol: {errors.shown(name)}")
    return [markets[name] for name in symbols]


def _status(market: Market) -> str:
    return "HALT" if market.halted else "TRADING"


def rate_limit(venue: Venue) -> RateLimit:
    """The weight budget, per IP address and per account."""
    return RateLimit("REQUEST_WEIGHT", "SECOND", 10, venue.weight_limit)


def _coin(asset: Asset) -> Coin:
    network = Network(
        network=NETWORK,
        coin=asset.name,
        name=NETWORK,
        is_default=True,
        deposit_enable=True,
        withdraw_enable=True,
        withdraw_tag=False,
        withdraw_fee="0",
        withdraw_min="0",
        deposit_dust="0",
        withdraw_integer_multiple=Raw(decimal_text(1, asset.scale).encode()),
        min_confirm=1,
        contract_address="",
        contract_address_url="",
        deposit_desc=None,
        withdraw_desc=None,
    )
    return Coin(asset.name, asset.name, True, True, [network])


def _spot_symbol(market: Market) -> SpotSymbol:
    instrument = market.instrument
    tick = short_text(instrument.tick, instrument.price_scale)
    market_max = quantity_text(instrument, instrument.market_quantity_max)
    merges = [short_text(instrument.tick * 10**power, instrument.price_scale) for power in range(3)]
    return SpotSymbol(
        symbol=instrument.symbol,
        base_asset=instrument.base,
        quote_asset=instrument.quote,
        status=_status(market),
        base_asset_precision=str(instrument.quantity_scale),
        quote_asset_precision=str(instrument.price_scale),
        tick_size=tick,
        step_size=short_text(instrument.step, instrument.quantity_scale),
        min_trade_amount=quantity_text(instrument, instrument.quantity_min),
        max_trade_amount=quantity_text(instrument, instrument.quantity_max),
        taker_fee_rate=rate_text(instrument.taker_ppm),
        maker_fee_rate=rate_text(instrument.maker_ppm),
        buy_limit_price_ratio=rate_text(instrument.buy_band_ppm),
        sell_limit_price_ratio=rate_text(instrument.sell_band_ppm),
        market_buy_limit_size=market_max,
        market_sell_limit_size=market_max,
        market_fallback_price_ratio=rate_text(instrument.market_band_ppm),
        enable_trade=not market.halted,
        enable_display=True,
        display_digit_merge=",".join(merges),
        display_new=False,
        display_hot=False,
    )


def _last_text(market: Market) -> str:
    return price_text(market.instrument, market.last_price)


def _ticker(venue: Venue, market: Market, now: int) -> Ticker:
    instrument = market.instrument
    window = venue.market_data.spot.ticker(market.symbol, now)
    top = venue.market_data.spot.top(market.symbol)
    change = window.last - window.open
    return Ticker(
        symbol=market.symbol,
        price_change=price_text(instrument, change),
        price_change_percent=fraction_text(change, window.open),
        last_price=price_text(instrument, window.last),
        bid_price=price_text(instrument, top.bid_price),
        bid_qty=quantity_text(instrument, top.bid_quantity),
        ask_price=price_text(instrument, top.ask_price),
        ask_qty=quantity_text(instrument, top.ask_quantity),
        open_price=price_text(instrument, window.open),
        high_price=price_text(instrument, window.high),
        low_price=price_text(instrument, window.low),
        volume=quantity_text(instrument, window.volume),
        quote_volume=amount_text(venue.asset(instrument.quote), window.notional),
        open_time=window.open_time // 1000,
        close_time=window.close_time // 1000,
        count=window.count,
    )


def fraction_text(change: int, begin: int) -> str:
    """A change as a fraction of where it began, towards zero; of 0 it is 0."""
    fraction = abs(change) * 10**PERCENT_SCALE // begin if begin else 0
    return decimal_text(-fraction if change < 0 else fraction, PERCENT_SCALE)


def _book_ticker(venue: Venue, instrument: Instrument) -> BookTicker:
    top = venue.market_data.spot.top(instrument.symbol)
    return BookTicker(
        instrument.symbol,
        price_text(instrument, top.bid_price),
        quantity_text(instrument, top.bid_quantity),
        price_text(instrument, top.ask_price),
        quantity_text(instrument, top.ask_quantity),
    )


def level_texts(instrument: Instrument, levels: list[tuple[int, int]]) -> list[tuple[str, str]]:
    """Levels as price and quantity."""
    return [
        (price_text(instrument, price), quantity_text(instrument, lots)) for price, lots in levels
    ]


def _candle(row: candles.Candle, interval: str, instrument: Instrument, quote: Asset) -> Candle:
    return Candle(
        row.open_time // 1000,
        price_text(instrument, row.open),
        price_text(instrument, row.high),
        price_text(instrument, row.low),
        price_text(instrument, row.close),
        quantity_text(instrument, row.volume),
        candles.next_open(interval, row.open_time) // 1000 - 1,
        amount_text(quote, row.notional),
        row.count,
        quantity_text(instrument, row.taker_volume),
        amount_text(quote, row.taker_notional),
    )
