"""Books, trades and candles of either product, encoded once per change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from venue import candles
from venue.api.market_data import CandleView, DepthReply, PublicTrade
from venue.core.instruments import Asset, Instrument
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.answers.kept import ITEMS_MAX, Answers, Question, Series, encode
from venue.node.market_data.past import PastTrade as Traded
from venue.node.market_data.product import Board
from venue.texts import amount_text, price_text, quantity_text
from venue.times import US_PER_MS

FEW: Final = 2  # candles that differ between two questions, as a rule


# -- books ----------------------------------------------------------------------------------------


def depth(
    answers: Answers, question: Question, board: Board, instrument: Instrument, limit: int
) -> EncodedBody:
    """Return the best levels; the answer is valid until the book's update id changes."""
    book = board.depth(instrument.symbol, limit)
    bids, asks = level_texts(instrument, book.bids), level_texts(instrument, book.asks)
    return answers.keep(question, book.update_id, encode(DepthReply(book.update_id, bids, asks)))


def level_texts(instrument: Instrument, levels: list[tuple[int, int]]) -> list[tuple[str, str]]:
    """Levels as price and quantity."""
    return [
        (price_text(instrument, price), quantity_text(instrument, lots)) for price, lots in levels
    ]


# -- trades ---------------------------------------------------------------------------------------


def trades(
    answers: Answers,
    question: Question,
    board: Board,
    instrument: Instrument,
    quote: Asset,
    limit: int,
) -> EncodedBody:
    """Return the newest trades, newest first: each is encoded once."""
    series = answers.series(question)
    keys, symbol = series.keys, instrument.symbol
    if not series.complete and len(keys) < limit:
        new = board.trades(symbol, min(max(limit, 2 * len(keys)), ITEMS_MAX))
        series.complete = len(new) < limit
        series.drop(0)
    elif keys and board.newest_trade(symbol) == keys[-1]:
        return series.answer(limit, newest_first=True)
    else:
        new = board.trades_after(symbol, keys[-1] if keys else 0)
        if len(new) > limit:
            new = new[-limit:]
            series.complete = False
            series.drop(0)
    for trade in new:
        series.add(trade.trade_id, _trade(trade, instrument, quote))
    return series.answer(limit, newest_first=True)


def _trade(trade: Traded, instrument: Instrument, quote: Asset) -> bytes:
    return encode(
        PublicTrade(
            id=trade_id_text(trade.trade_id),
            price=price_text(instrument, trade.price),
            qty=quantity_text(instrument, trade.quantity),
            quote_qty=amount_text(quote, trade.notional),
            time=trade.time // US_PER_MS,
            is_buyer_maker=trade.is_buyer_maker,
            is_best_match=True,
        )
    )


def trade_id_text(trade_id: int) -> str:
    """Return a public trade id: the trade's number in the form of a UUID."""
    digits = f"{trade_id:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


# -- candles --------------------------------------------------------------------------------------


class ChartCandles(Struct, frozen=True):
    """The candles of one chart: their source, and the way to ask for them.

    `minute` is the running one; `rows(limit)` are the newest candles, up to `now` (µs).
    """

    interval: str
    minute: candles.Candle | None
    now: int
    rows: Callable[[int], list[candles.Candle]]


def encode_candles(
    answers: Answers,
    question: Question,
    chart: ChartCandles,
    limit: int,
    view: Callable[[candles.Candle], CandleView],
) -> EncodedBody:
    """Return the newest candles, oldest first: a finished one is encoded once, the unfinished one
    each time."""
    series = answers.series(question)
    enough = series.complete or len(series.keys) >= limit
    if (
        series.stamp is not chart.minute
        or not enough
        or not series.asked <= chart.now < series.until
    ):
        # With limits that rise one by one not all items are encoded again each time.
        _draw(series, chart, limit if enough else max(limit, 2 * len(series.keys)), view)
    return series.answer(limit)


def _draw(
    series: Series, chart: ChartCandles, limit: int, view: Callable[[candles.Candle], CandleView]
) -> None:
    """Bring a series up to now: in another minute, candles from its last minute on may differ."""
    interval, minute, keys = chart.interval, chart.minute, series.keys
    if chart.now < series.asked or not (series.complete or len(keys) >= limit):
        series.drop(0)
    elif minute is not series.stamp:
        series.drop(series.begin)
    missing = candles.next_open(interval, keys[-1]) if keys else 0
    rows = chart.rows(FEW)
    if rows and rows[0].open_time > missing:
        rows = chart.rows(min(limit, ITEMS_MAX))
        if rows[0].open_time > missing:
            series.drop(0)  # the last question is so old that candles between would be left out
            series.complete = len(rows) < limit
    for row in rows:
        if row.open_time >= missing:
            series.add(row.open_time, encode(view(row)))
    series.stamp = minute
    series.begin = candles.open_time(interval, minute.open_time) if minute is not None else 0
    series.asked = chart.now
    last = max(chart.now, rows[-1].open_time) if rows else 0
    series.until = candles.next_open(interval, last) if rows else 0
