"""Market data and configuration: questions that need no key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Raw

from venue import candles
from venue.api import errors
from venue.api.market_data import CandleView, DepthRequest, TimeReply, TradesRequest
from venue.api.nearest import no_such
from venue.api.operation import Empty
from venue.api.spot.market import (
    BookTicker,
    Coin,
    ExchangeInfo,
    ExchangeInfoRequest,
    KlinesRequest,
    Network,
    Price,
    SelectionRequest,
    SpotSymbol,
    TickerView,
)
from venue.core.instruments import Asset, Instrument
from venue.core.spot.account import SpotMarket
from venue.gateway.answers import market as market_answers
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.answers.kept import array, encode, with_last
from venue.gateway.answers.market import ChartCandles, encode_candles
from venue.gateway.door import Call, Door
from venue.gateway.operations.budgets import rate_limit
from venue.node.market_data.product import Board
from venue.node.market_data.records import Top
from venue.node.node import Node
from venue.texts import (
    amount_text,
    decimal_text,
    fraction_text,
    price_text,
    quantity_text,
    rate_text,
    short_text,
)
from venue.times import US_PER_MS

NETWORK: Final = "VENUE"


def ping(_: Call, __: Empty) -> Empty:
    """Answer, to show that the venue does."""
    return Empty()


def time(call: Call, _: Empty) -> TimeReply:
    """Server time: the venue compares the timestamps of signed requests with it."""
    return TimeReply(call.node.clock.server_time() // 1000)


def coins(call: Call, _: Empty) -> list[Coin]:
    """Return all assets."""
    return [_coin(asset) for asset in call.node.engine.assets]


def exchange_info(call: Call, request: ExchangeInfoRequest) -> EncodedBody:
    """Instruments and limits; each instrument is encoded once."""
    node = call.node
    markets = _select_markets(node, request.symbol, request.symbols)
    if request.symbol_status is not None:
        markets = [market for market in markets if _status(market) == request.symbol_status]
    info = ExchangeInfo(
        timezone="UTC",
        server_time=node.clock.server_time() // 1000,
        rate_limits=[rate_limit(call.door)],
        symbols=[],
    )
    return with_last(info, [_encode_symbol(call.door, market) for market in markets])


def _encode_symbol(door: Door, market: SpotMarket) -> bytes:
    stamp = (market.instrument, market.halted)
    question = ("listed", market.symbol)
    return door.answers.find_or_make(question, stamp, lambda: encode(_spot_symbol(market))).data


def trading_symbols(call: Call, _: Empty) -> list[str]:
    """Return the symbols that take orders over the interface."""
    return list(call.node.engine.spot_markets)


def prices(call: Call, request: SelectionRequest) -> EncodedBody:
    """Last prices."""
    return _of_selected(call, request, _price)


def tickers(call: Call, request: SelectionRequest) -> EncodedBody:
    """24-hour statistics."""
    return _of_selected(call, request, _ticker)


def book_tickers(call: Call, request: SelectionRequest) -> EncodedBody:
    """Tops of books."""
    return _of_selected(call, request, _book_ticker)


def _of_selected(
    call: Call, request: SelectionRequest, one: Callable[[Door, SpotMarket], EncodedBody]
) -> EncodedBody:
    """Return an object for `symbol`, otherwise an array; each symbol's part is encoded once."""
    node = call.node
    if request.symbol is not None and request.symbols is None:
        return one(call.door, _find_market(node, request.symbol))
    markets = _select_markets(node, request.symbol, request.symbols)
    return array([one(call.door, market).data for market in markets])


def _price(door: Door, market: SpotMarket) -> EncodedBody:
    node = door.node
    price = market.last_price
    if not price:  # before the first trade here: the price that the ticker goes on from
        price = node.market_data.spot.ticker(market.symbol, node.clock.now()).last
    question = ("price", market.symbol)
    known = door.answers.known.get(question)
    if known is not None and known.stamp == price:
        return known.answer
    made = Price(market.symbol, price_text(market.instrument, price))
    return door.answers.keep(question, price, encode(made))


def _ticker(door: Door, market: SpotMarket) -> EncodedBody:
    node = door.node
    symbol, board, now = market.symbol, node.market_data.spot, node.clock.now()
    question, stamp = ("ticker", symbol), board.update_id(symbol)
    known = door.answers.known.get(question)
    if known is not None and known.stamp == stamp and now < known.until:
        return known.answer
    made = encode(_ticker_view(node, market, now))
    return door.answers.keep(question, stamp, made, board.ticker_until(symbol, now))


def _book_ticker(door: Door, market: SpotMarket) -> EncodedBody:
    node = door.node
    question = ("book_ticker", market.symbol)
    known = door.answers.known.get(question)
    if known is not None and known.stamp == node.market_data.spot.update_id(market.symbol):
        return known.answer
    top = node.market_data.spot.top(market.symbol)
    made = _book_ticker_view(market.instrument, top)
    return door.answers.keep(question, top.update_id, encode(made))


def trades(call: Call, request: TradesRequest) -> EncodedBody:
    """Return the newest trades, newest first."""
    node, symbol = call.node, request.symbol
    instrument = _find_market(node, symbol).instrument
    quote = node.asset(instrument.quote)
    board = node.market_data.spot
    return market_answers.trades(
        call.door.answers, ("trades", symbol), board, instrument, quote, request.limit
    )


def klines(call: Call, request: KlinesRequest) -> EncodedBody:
    """Candles, oldest first: the newest ones with the unfinished one last, or those of a span."""
    node, symbol, interval = call.node, request.symbol, request.interval
    instrument = _find_market(node, symbol).instrument
    quote = node.asset(instrument.quote)
    board, now = node.market_data.spot, node.clock.now()
    if request.start_time is not None or request.end_time is not None:
        rows = _span(board, request, now)
        return call.door.answers.array(
            ("span", symbol, interval),
            [(row.open_time, row) for row in rows],
            lambda row: _candle(row, interval, instrument, quote),
        )
    chart = ChartCandles(
        interval,
        board.minute(symbol),
        now,
        lambda limit: board.candles(symbol, interval, limit, now),
    )
    return encode_candles(
        call.door.answers,
        ("klines", symbol, interval),
        chart,
        request.limit,
        lambda row: _candle(row, interval, instrument, quote),
    )


def _span(board: Board, request: KlinesRequest, now: int) -> list[candles.Candle]:
    """Return the candles that open in a span: its first ones, or without a start its last ones."""
    start, end = request.start_time, request.end_time
    if start is not None and end is not None and start > end:
        raise errors.time_order()
    until = now if end is None else min(now, end * US_PER_MS)
    first, last = candles.bounds(
        request.interval, None if start is None else start * US_PER_MS, until, request.limit
    )
    until = candles.next_open(request.interval, last) - 1
    rows = board.candles_until(request.symbol, request.interval, request.limit, until)
    return [row for row in rows if first <= row.open_time <= last]


def depth(call: Call, request: DepthRequest) -> EncodedBody:
    """Return the best levels."""
    node = call.node
    board = node.market_data.spot
    question = ("depth", request.symbol, request.limit)
    known = call.door.answers.known.get(question)
    if known is not None and known.stamp == board.update_id(request.symbol):
        return known.answer
    instrument = _find_market(node, request.symbol).instrument
    return market_answers.depth(call.door.answers, question, board, instrument, int(request.limit))


def _find_market(node: Node, symbol: str) -> SpotMarket:
    market = node.engine.spot_markets.get(symbol)
    if market is None:
        raise errors.invalid("symbol", no_such("spot symbol", symbol, node.engine.spot_markets))
    return market


def _select_markets(node: Node, symbol: str | None, symbols: list[str] | None) -> list[SpotMarket]:
    markets = node.engine.spot_markets
    if symbol is not None and symbols is not None:
        raise errors.combination("symbol", "symbols")
    if symbol is not None:
        return [_find_market(node, symbol)]
    if symbols is None:
        return list(markets.values())
    for name in symbols:
        if name not in markets:
            raise errors.invalid("symbols", f"no such spot symbol: {errors.quote_value(name)}")
    return [markets[name] for name in symbols]


def _status(market: SpotMarket) -> str:
    return "HALT" if market.halted else "TRADING"


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
        withdraw_internal_min="0",
        deposit_dust="0",
        withdraw_integer_multiple=Raw(decimal_text(1, asset.scale).encode()),
        min_confirm=1,
        contract_address="",
        contract_address_url="",
        deposit_desc=None,
        withdraw_desc=None,
    )
    return Coin(asset.name, asset.name, True, True, [network])


def _spot_symbol(market: SpotMarket) -> SpotSymbol:
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


def _ticker_view(node: Node, market: SpotMarket, now: int) -> TickerView:
    instrument = market.instrument
    window = node.market_data.spot.ticker(market.symbol, now)
    top = node.market_data.spot.top(market.symbol)
    change = window.last - window.open
    return TickerView(
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
        quote_volume=amount_text(node.asset(instrument.quote), window.notional),
        open_time=window.open_time // 1000,
        close_time=window.close_time // 1000,
        count=window.count,
    )


def _book_ticker_view(instrument: Instrument, top: Top) -> BookTicker:
    return BookTicker(
        instrument.symbol,
        price_text(instrument, top.bid_price),
        quantity_text(instrument, top.bid_quantity),
        price_text(instrument, top.ask_price),
        quantity_text(instrument, top.ask_quantity),
    )


def _candle(row: candles.Candle, interval: str, instrument: Instrument, quote: Asset) -> CandleView:
    return CandleView(
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
