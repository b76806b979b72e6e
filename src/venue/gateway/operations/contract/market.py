"""Market data and configuration of the contract market: questions that need no key."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from venue import candles
from venue.api import errors
from venue.api.contract.market import (
    ContractAsset,
    ContractBookTicker,
    ContractExchangeInfo,
    ContractExchangeInfoRequest,
    ContractKlinesRequest,
    ContractSelectionRequest,
    ContractSymbol,
    ContractSymbolRequest,
    ContractTicker,
    FundingRate,
    FundingRatesRequest,
    HistoryKlinesRequest,
    OpenInterest,
    PremiumIndex,
    SymbolPrice,
    SymbolPriceRequest,
)
from venue.api.market_data import CandleView, DepthRequest, TimeReply, TradesRequest
from venue.api.nearest import no_such
from venue.api.operation import Empty
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.funding import interval_us, next_due
from venue.core.instruments import Asset, Instrument
from venue.gateway.access.replay import WINDOW_MS
from venue.gateway.answers import market as market_answers
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.answers.kept import array, encode, with_last
from venue.gateway.answers.market import ChartCandles, encode_candles
from venue.gateway.answers.premiums import premium_now
from venue.gateway.door import Call, Door
from venue.gateway.operations.budgets import rate_limit
from venue.gateway.operations.requests import span
from venue.history.questions import prices as questions
from venue.history.tables.contract import (
    PriceCandle,
)
from venue.node.node import Node
from venue.texts import (
    amount_text,
    fraction_text,
    funding_text,
    price_text,
    quantity_text,
    rate_text,
    short_text,
)
from venue.times import US_PER_MS
from venue.vocabulary import COIN

FUNDING_KEPT: Final = 16_384  # settlements that are kept as they are told
MINUTES_PER_DAY: Final = 1440
AHEAD_MAX_US: Final = WINDOW_MS * US_PER_MS
INTEREST_US: Final = 8 * 3600 * 1_000_000  # the period that a contract's interest is quoted for


# -- configuration --------------------------------------------------------------------------------


def contract_time(call: Call, _: Empty) -> TimeReply:
    """Server time: the venue compares the timestamps of signed requests with it."""
    return TimeReply(call.node.clock.server_time() // US_PER_MS)


def contract_exchange_info(call: Call, request: ContractExchangeInfoRequest) -> EncodedBody:
    """Contracts (demo ones only by symbol), their settle assets, and limits.

    A contract is encoded once per change.
    """
    node = call.node
    perps = _select_contracts(node, request.symbol)
    markets = node.engine.perps.values()
    settled = dict.fromkeys(perp.market.instrument.quote for perp in markets)
    info = ContractExchangeInfo(
        [ContractAsset(asset, True) for asset in settled], [rate_limit(call.door)], []
    )
    return with_last(info, [_encode_contract(call.door, perp) for perp in perps])


def _encode_contract(door: Door, perp: Perpetual) -> bytes:
    question = ("contract_listed", perp.symbol)
    made = door.answers.find_or_make(
        question, perp.contract, lambda: encode(_contract_symbol(door.node, perp))
    )
    return made.data


def contract_trading_symbols(call: Call, _: Empty) -> list[str]:
    """Return the contracts that take orders over the interface."""
    closed = call.node.api_closed()
    return [symbol for symbol in call.node.engine.perps if symbol not in closed]


def _contract_symbol(node: Node, perp: Perpetual) -> ContractSymbol:
    contract = perp.contract
    instrument = contract.instrument
    return ContractSymbol(
        symbol=instrument.symbol,
        display_symbol=instrument.symbol,
        contract_type="PERPETUAL" if contract.underlying == COIN else "TRADIFI_PERPETUAL",
        underlying_type=contract.underlying,
        underlying_sub_type=[],
        base_asset=instrument.base,
        quote_asset=instrument.quote,
        margin_asset=instrument.quote,
        price_precision=_decimals(instrument.tick, instrument.price_scale),
        quantity_precision=_decimals(instrument.step, instrument.quantity_scale),
        base_asset_precision=node.asset(instrument.base).scale,
        quote_precision=node.asset(instrument.quote).scale,
        contract_val=Decimal(1),  # quantities are amounts of the base asset (rule 5.1)
        delivery=[f"{minute // 60:02}:{minute % 60:02}:00" for minute in contract.funding_minutes],
        forward_contract_flag=True,
        min_leverage=1,
        max_leverage=contract.leverage_max,
        buy_limit_price_ratio=Decimal(rate_text(instrument.buy_band_ppm)),
        sell_limit_price_ratio=Decimal(rate_text(instrument.sell_band_ppm)),
        maker_fee_rate=Decimal(rate_text(perp.market.maker_ppm)),
        taker_fee_rate=Decimal(rate_text(perp.market.taker_ppm)),
        min_order_size=_size(instrument, instrument.quantity_min),
        max_order_size=_size(instrument, instrument.quantity_max),
        max_position_size=_size(instrument, perp.position_max),
        market_open_limit_size=_size(instrument, instrument.market_quantity_max),
    )


def _decimals(increment: int, scale: int) -> int:
    """Return how many decimals the multiples of `increment` x 10^-scale have."""
    return len(short_text(increment, scale).partition(".")[2])


def _size(instrument: Instrument, lots: int) -> Decimal:
    return Decimal(short_text(lots * instrument.step, instrument.quantity_scale))


# -- book and trades ------------------------------------------------------------------------------


def contract_depth(call: Call, request: DepthRequest) -> EncodedBody:
    """Return the best levels."""
    node = call.node
    board = node.market_data.contract
    question = ("contract_depth", request.symbol, request.limit)
    known = call.door.answers.known.get(question)
    if known is not None and known.stamp == board.update_id(request.symbol):
        return known.answer
    instrument = _find_contract(node, request.symbol).market.instrument
    return market_answers.depth(call.door.answers, question, board, instrument, int(request.limit))


def contract_book_tickers(call: Call, request: ContractSelectionRequest) -> EncodedBody:
    """Tops of books; the time, the last field of each, is that of the question."""
    node = call.node
    ending = b"%d}" % (node.clock.now() // US_PER_MS)
    return array(
        [_top(call.door, perp) + ending for perp in _select_contracts(node, request.symbol)]
    )


def _top(door: Door, perp: Perpetual) -> bytes:
    """Return the encoded top of a book, without its time."""
    node = door.node
    question = ("contract_book_ticker", perp.symbol)
    known = door.answers.known.get(question)
    if known is not None and known.stamp == node.market_data.contract.update_id(perp.symbol):
        return known.answer.data
    instrument = perp.market.instrument
    top = node.market_data.contract.top(perp.symbol)
    made = ContractBookTicker(
        perp.symbol,
        price_text(instrument, top.bid_price),
        quantity_text(instrument, top.bid_quantity),
        price_text(instrument, top.ask_price),
        quantity_text(instrument, top.ask_quantity),
        0,
    )
    return door.answers.keep(question, top.update_id, encode(made).removesuffix(b"0}")).data


def contract_trades(call: Call, request: TradesRequest) -> EncodedBody:
    """Return the newest trades, newest first."""
    node, symbol = call.node, request.symbol
    instrument = _find_contract(node, symbol).market.instrument
    asset = node.asset(instrument.quote)
    board = node.market_data.contract
    return market_answers.trades(
        call.door.answers, ("contract_trades", symbol), board, instrument, asset, request.limit
    )


def contract_tickers(call: Call, request: ContractSelectionRequest) -> EncodedBody:
    """24-hour statistics."""
    node = call.node
    return array([_ticker(call.door, perp) for perp in _select_contracts(node, request.symbol)])


def _ticker(door: Door, perp: Perpetual) -> bytes:
    node = door.node
    symbol, now, board = perp.symbol, node.clock.now(), node.market_data.contract
    question = ("contract_ticker", symbol)
    stamp = (board.newest_trade(symbol), node.market_data.contract_data.prices(symbol))
    known = door.answers.known.get(question)
    if known is not None and known.stamp == stamp and now < known.until:
        return known.answer.data
    made = encode(_ticker_view(node, perp, now))
    return door.answers.keep(question, stamp, made, board.ticker_until(symbol, now)).data


def _ticker_view(node: Node, perp: Perpetual, now: int) -> ContractTicker:
    instrument = perp.market.instrument
    window = node.market_data.contract.ticker(perp.symbol, now)
    prices = node.market_data.contract_data.prices(perp.symbol)
    change = window.last - window.open
    return ContractTicker(
        symbol=perp.symbol,
        price_change=price_text(instrument, change),
        price_change_percent=fraction_text(change, window.open),
        last_price=price_text(instrument, window.last),
        open_price=price_text(instrument, window.open),
        high_price=price_text(instrument, window.high),
        low_price=price_text(instrument, window.low),
        volume=quantity_text(instrument, window.volume),
        quote_volume=amount_text(node.asset(instrument.quote), window.notional),
        mark_price=price_text(instrument, prices.mark),
        index_price=price_text(instrument, prices.index),
        open_time=window.open_time // US_PER_MS,
        close_time=window.close_time // US_PER_MS,
    )


# -- candles --------------------------------------------------------------------------------------


def contract_klines(call: Call, request: ContractKlinesRequest) -> EncodedBody:
    """Return the newest candles of trades, oldest first, the unfinished one last."""
    board = call.node.market_data.contract
    return _newest_candles(call.door, request, "LAST", board.minute)


def index_klines(call: Call, request: ContractKlinesRequest) -> EncodedBody:
    """Return the newest candles of the index price."""
    data = call.node.market_data.contract_data
    return _newest_candles(call.door, request, "INDEX", data.index_minute)


def mark_klines(call: Call, request: ContractKlinesRequest) -> EncodedBody:
    """Return the newest candles of the mark price."""
    data = call.node.market_data.contract_data
    return _newest_candles(call.door, request, "MARK", data.mark_minute)


async def history_klines(call: Call, request: HistoryKlinesRequest) -> EncodedBody:
    """Return the last candles of a span, also where more open in it than the limit.

    Every minute of index and mark is kept; of trades the newest 1,000 candles of each interval.
    """
    node = call.node
    perp = _find_contract(node, request.symbol)
    now = node.clock.now()
    start, end = bounded_span(request.start_time, request.end_time, now)
    interval, limit = request.interval, request.limit
    first, last = candles.bounds(interval, None, min(now, end) if end is not None else now, limit)
    if start is not None:
        first = max(first, candles.bounds(interval, start, now, 1)[0])
    until = candles.next_open(interval, last) - 1
    if request.price_type == "LAST":
        found = node.market_data.contract.candles_until(perp.symbol, interval, limit, until)
        return _encode_span(call.door, perp, request, _within(found, first, last))
    known = _rows(node, perp.symbol, interval, request.price_type, candles.CANDLES_MAX, now)
    found = _within(known, first, last)
    if len(known) == candles.CANDLES_MAX and first < known[0].open_time:
        kind: Literal["index", "mark"] = "index" if request.price_type == "INDEX" else "mark"
        until = min(until, known[0].open_time - 1)
        minutes = await node.ask(questions.price_candles, perp.symbol, kind, first, until)
        earlier = candles.coarsen([_price_candle(minute) for minute in minutes], interval)
        past = node.market_data.contract_data.past_prices(perp.symbol, interval, until, limit)
        rows = _within(candles.join(past, earlier), first, until)
        found = candles.fill(rows, interval, until, limit) + found
    return _encode_span(call.door, perp, request, found)


def _within(rows: list[candles.Candle], first: int, last: int) -> list[candles.Candle]:
    return [row for row in rows if first <= row.open_time <= last]


def _newest_candles(
    door: Door,
    request: ContractKlinesRequest,
    price: str,
    minute: Callable[[str], candles.Candle | None],
) -> EncodedBody:
    node = door.node
    perp = _find_contract(node, request.symbol)
    symbol, interval, now = perp.symbol, request.interval, node.clock.now()
    instrument = perp.market.instrument
    asset = node.asset(instrument.quote)
    chart = ChartCandles(
        interval,
        minute(symbol),
        now,
        lambda limit: _rows(node, symbol, interval, price, limit, now),
    )
    return encode_candles(
        door.answers,
        (price, symbol, interval),
        chart,
        request.limit,
        lambda row: _candle_view(row, interval, instrument, asset),
    )


def _rows(
    node: Node, symbol: str, interval: str, price: str, limit: int, now: int
) -> list[candles.Candle]:
    """Return the newest candles of a price, up to now, without gaps."""
    data = node.market_data
    if price == "INDEX":
        return data.contract_data.index_candles(symbol, interval, limit, now)
    if price == "MARK":
        return data.contract_data.mark_candles(symbol, interval, limit, now)
    return data.contract.candles(symbol, interval, limit, now)


def _price_candle(minute: PriceCandle) -> candles.Candle:
    return candles.Candle(
        minute.open_time, minute.open, minute.high, minute.low, minute.close, 0, 0, 0, 0, 0
    )


def _encode_span(
    door: Door, perp: Perpetual, request: HistoryKlinesRequest, rows: list[candles.Candle]
) -> EncodedBody:
    instrument, interval = perp.market.instrument, request.interval
    asset = door.node.asset(instrument.quote)
    return door.answers.array(
        (f"span {request.price_type}", perp.symbol, interval),
        [(row.open_time, row) for row in rows],
        lambda row: _candle_view(row, interval, instrument, asset),
    )


def _candle_view(
    row: candles.Candle, interval: str, instrument: Instrument, asset: Asset
) -> CandleView:
    """Return a candle; on the contract side one closes when the next one opens."""
    return CandleView(
        row.open_time // US_PER_MS,
        price_text(instrument, row.open),
        price_text(instrument, row.high),
        price_text(instrument, row.low),
        price_text(instrument, row.close),
        quantity_text(instrument, row.volume),
        candles.next_open(interval, row.open_time) // US_PER_MS,
        amount_text(asset, row.notional),
        row.count,
        quantity_text(instrument, row.taker_volume),
        amount_text(asset, row.taker_notional),
    )


# -- reference prices and funding -----------------------------------------------------------------


def symbol_price(call: Call, request: SymbolPriceRequest) -> SymbolPrice:
    """Return the index or mark price."""
    perp = _find_contract(call.node, request.symbol)
    prices = call.node.market_data.contract_data.prices(perp.symbol)
    price = prices.mark if request.price_type == "MARK" else prices.index
    return SymbolPrice(
        perp.symbol, price_text(perp.market.instrument, price), prices.time // US_PER_MS
    )


def open_interest(call: Call, request: ContractSymbolRequest) -> OpenInterest:
    """Return the sum of all long positions."""
    perp = _find_contract(call.node, request.symbol)
    lots = call.node.market_data.contract_data.open_interest(perp.symbol)
    return OpenInterest(
        perp.symbol,
        quantity_text(perp.market.instrument, lots),
        call.node.clock.now() // US_PER_MS,
    )


def premium_index(call: Call, request: ContractSelectionRequest) -> list[PremiumIndex]:
    """Reference prices, the last funding rate and the coming one."""
    now = call.node.clock.now()
    return [
        _premium_index(call.door, perp, now)
        for perp in _select_contracts(call.node, request.symbol)
    ]


def _premium_index(door: Door, perp: Perpetual, now: int) -> PremiumIndex:
    instrument = perp.market.instrument
    data = door.node.market_data.contract_data
    kept = door.premiums
    told = kept.of(perp) if kept is not None else premium_now(perp, data, now)
    interval = interval_us(perp)
    return PremiumIndex(
        symbol=perp.symbol,
        mark_price=price_text(instrument, told.mark),
        index_price=price_text(instrument, told.index),
        last_funding_rate=funding_text(data.funding_rate(perp.symbol)),
        forecast_funding_rate=funding_text(told.forecast),
        interest_rate=funding_text(perp.contract.interest_ppb * interval // INTEREST_US),
        next_funding_time=next_due(perp, now) // US_PER_MS,
        time=data.prices(perp.symbol).time // US_PER_MS,
        collect_cycle=MINUTES_PER_DAY // len(perp.contract.funding_minutes),
    )


async def funding_rates(call: Call, request: FundingRatesRequest) -> list[FundingRate]:
    """Settled funding, newest first."""
    perp = _find_contract(call.node, request.symbol)
    start, end = span(request.start_time, request.end_time)
    rows = await call.node.ask(questions.funding_rates, perp.symbol, start, end, request.limit)
    instrument = perp.market.instrument
    told = [(row.due, row.rate_ppb, row.mark_price) for row in rows]
    if len(told) < request.limit:
        told += _past_funding(call.node, perp, start, end)[: request.limit - len(told)]
    return [_funding_rate(perp.symbol, instrument, due, rate, mark) for due, rate, mark in told]


@lru_cache(maxsize=FUNDING_KEPT)
def _funding_rate(
    symbol: str, instrument: Instrument, due: int, rate: int, mark: int
) -> FundingRate:
    """Return one settlement as it is told; it is over, and does not change."""
    return FundingRate(symbol, funding_text(rate), due // US_PER_MS, price_text(instrument, mark))


def _past_funding(
    node: Node, perp: Perpetual, start: int | None, end: int | None
) -> list[tuple[int, int, int]]:
    """Due time, rate and mark of the settlements before the venue began, newest first."""
    until = node.clock.now() if end is None else end
    past = node.market_data.contract_data.past_funding(perp.symbol, until, candles.CANDLES_MAX)
    return [(row.due, row.rate_ppb, row.mark) for row in past if start is None or row.due >= start]


def bounded_span(start: int | None, end: int | None, now: int) -> tuple[int | None, int | None]:
    """As `span`, where the range is bounded: -1170 for a start that lies in the future.

    The caller's clock may be as far ahead as that of a signed request.
    """
    if start is not None and start * US_PER_MS > now + AHEAD_MAX_US:
        raise errors.error(-1170, name="startTime", rule="must not lie in the future")
    return span(start, end)


def _find_contract(node: Node, symbol: str) -> Perpetual:
    perp = node.engine.perps.get(symbol)
    if perp is None:
        raise errors.invalid("symbol", no_such("contract symbol", symbol, node.engine.perps))
    return perp


def _select_contracts(node: Node, symbol: str | None) -> list[Perpetual]:
    """Return the contract asked for, or all but the demo contracts.

    A stock client takes listed contracts for a live market: in its sandbox mode it finds a demo
    contract under the name of the live one only as long as the demo contract is not listed.
    """
    if symbol is not None:
        return [_find_contract(node, symbol)]
    return node.perps(demo=False)
