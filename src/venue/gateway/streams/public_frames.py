"""The public channels' frames: a new subscriber's first frame, and the changes after it."""

from __future__ import annotations

from typing import Final, Protocol
from zlib import crc32

import msgspec

from venue import candles
from venue.api.streams.channels import (
    CHECKED,
    CHECKED_EVERY,
    LAST_PRICE,
    MARK_PRICE,
    BookTickerFrame,
    DepthFrame,
    KlineFrame,
    KlineItem,
    Stream,
    TickerFrame,
    TickerItem,
    TradeFrame,
    TradeItem,
)
from venue.core.instruments import Asset, Instrument
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractTrade,
    MarkSet,
)
from venue.core.messages.events import OrderClosed, OrderPlaced, Trade
from venue.gateway.answers.market import level_texts, trade_id_text
from venue.node.market_data.past import PastTrade
from venue.node.market_data.product import Board
from venue.node.market_data.records import Depth, Top
from venue.node.node import Node
from venue.texts import amount_text, decimal_text, fraction_text, price_text, quantity_text
from venue.times import US_PER_MS
from venue.vocabulary import Product, Side

TRADES_FIRST: Final = 50  # trades of a first frame
KLINES_FIRST: Final = 100  # candles of a first frame
AVERAGE_SCALE: Final = 8  # decimals of the weighted average price

# The data of a symbol that an event touches; a channel heeds one or more of these.
BOOK: Final = 1
TRADES: Final = 2
MARK: Final = 4
TOUCHES: Final[dict[type, tuple[Product, int]]] = {
    Trade: (Product.SPOT, BOOK | TRADES),
    OrderPlaced: (Product.SPOT, BOOK),
    OrderClosed: (Product.SPOT, BOOK),
    ContractTrade: (Product.CONTRACT, BOOK | TRADES),
    ContractOrderPlaced: (Product.CONTRACT, BOOK),
    ContractOrderClosed: (Product.CONTRACT, BOOK),
    ContractOrderReduced: (Product.CONTRACT, BOOK),
    ContractOrderParked: (Product.CONTRACT, BOOK),
    ContractOrderReturned: (Product.CONTRACT, BOOK),
    MarkSet: (Product.CONTRACT, MARK),
}

_encode = msgspec.json.Encoder().encode


class Shaper(Protocol):
    """Makes a channel's frames. `now` is in ms.

    `first` gives a new listener the present state; `later` returns the changes since the last
    frame, None when there are none; `note` adds a trade when it happens.
    """

    heeds: int

    def first(self, now: int) -> bytes: ...

    def later(self, now: int) -> bytes | None: ...

    def note(self, time: int, trade: Trade | ContractTrade) -> None: ...


def shaper(node: Node, product: Product, symbol: str, stream: Stream, channel: str) -> Shaper:
    """Return the shaper of a symbol's channel; the symbol is listed."""
    listed = ListedSymbol(node, product, symbol)
    if stream.name == "ticker":
        return TickerShaper(listed)
    if stream.name == "trade":
        return TradeShaper(listed)
    if stream.name == "depth":
        level = channel.removeprefix("depth").removesuffix(CHECKED)
        return DepthShaper(listed, int(level), checked=channel.endswith(CHECKED))
    if stream.name == "book_ticker":
        return BookTickerShaper(listed)
    _, interval, _ = channel.split("_", 2)
    return KlineShaper(listed, interval, marked=stream.name == "mark_kline")


def is_listed(node: Node, product: Product, symbol: str) -> bool:
    """Return whether the product has this symbol."""
    engine = node.engine
    markets = engine.spot_markets if product is Product.SPOT else engine.perps
    return symbol in markets


class ListedSymbol:
    """A listed symbol, with what is known of it now."""

    __slots__ = ("node", "product", "symbol")

    def __init__(self, node: Node, product: Product, symbol: str) -> None:
        self.node = node
        self.product = product
        self.symbol = symbol

    @property
    def board(self) -> Board:
        data = self.node.market_data
        return data.spot if self.product is Product.SPOT else data.contract

    @property
    def instrument(self) -> Instrument:
        engine = self.node.engine
        if self.product is Product.SPOT:
            return engine.spot_markets[self.symbol].instrument
        return engine.perps[self.symbol].market.instrument

    @property
    def quote(self) -> Asset:
        return self.node.asset(self.instrument.quote)


class TickerShaper:
    """24-hour statistics."""

    __slots__ = ("_last", "_listed", "heeds")

    def __init__(self, listed: ListedSymbol) -> None:
        self._listed = listed
        self._last: TickerItem | None = None
        self.heeds = TRADES | MARK

    def first(self, now: int) -> bytes:
        if self._last is None:
            self._last = _ticker_item(self._listed)
        return self._frame(now, self._last)

    def later(self, now: int) -> bytes | None:
        last, item = self._last, _ticker_item(self._listed)
        if item == last:
            return None
        self._last = item
        return self._frame(now, item)

    def _frame(self, now: int, item: TickerItem) -> bytes:
        return _encode(TickerFrame("ticker", now, self._listed.symbol, [item]))

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        """The statistics know it already."""


def _ticker_item(listed: ListedSymbol) -> TickerItem:
    node, instrument, quote = listed.node, listed.instrument, listed.quote
    window = listed.board.ticker(listed.symbol, node.clock.now())
    change = window.last - window.open
    item = TickerItem(
        change=price_text(instrument, change),
        change_fraction=fraction_text(change, window.open),
        average=_average_text(instrument, quote, window.volume, window.notional, window.last),
        last=price_text(instrument, window.last),
        open=price_text(instrument, window.open),
        high=price_text(instrument, window.high),
        low=price_text(instrument, window.low),
        volume=quantity_text(instrument, window.volume),
        quote_volume=amount_text(quote, window.notional),
        open_time=window.open_time // US_PER_MS,
        close_time=window.close_time // US_PER_MS,
        count=window.count,
    )
    if listed.product is Product.CONTRACT:
        prices = node.market_data.contract_data.prices(listed.symbol)
        item.mark = price_text(instrument, prices.mark)
        item.index = price_text(instrument, prices.index)
    return item


def _average_text(
    instrument: Instrument, quote: Asset, volume: int, notional: int, last: int
) -> str:
    """Return the average price weighted by volume, rounded down; the last price when nothing
    traded."""
    if not volume:
        return price_text(instrument, last)
    number = notional * 10 ** (instrument.quantity_scale + AVERAGE_SCALE)
    return decimal_text(number // (volume * instrument.step * 10**quote.scale), AVERAGE_SCALE)


class TradeShaper:
    """Trades, each one once."""

    __slots__ = ("_listed", "_new", "heeds")

    def __init__(self, listed: ListedSymbol) -> None:
        self._listed = listed
        self._new: list[PastTrade] = []
        self.heeds = TRADES

    def first(self, now: int) -> bytes:
        trades = self._listed.board.trades(self._listed.symbol, TRADES_FIRST)
        return self._frame("tradeSnapshot", now, trades)

    def later(self, now: int) -> bytes | None:
        if not self._new:
            return None
        new, self._new = self._new, []
        return self._frame("trade", now, new)

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        bought = trade.taker_side == Side.BUY
        self._new.append(
            PastTrade(trade.trade_id, trade.price, trade.quantity, trade.notional, time, not bought)
        )

    def _frame(self, event: str, now: int, trades: list[PastTrade]) -> bytes:
        instrument, quote = self._listed.instrument, self._listed.quote
        items = [
            TradeItem(
                trade.time // US_PER_MS,
                trade_id_text(trade.trade_id),
                price_text(instrument, trade.price),
                quantity_text(instrument, trade.quantity),
                amount_text(quote, trade.notional),
                trade.is_buyer_maker,
            )
            for trade in trades
        ]
        return _encode(TradeFrame(event, now, self._listed.symbol, items))


class KlineShaper:
    """Candles of one interval, of trades or of the mark price."""

    __slots__ = ("_interval", "_last", "_listed", "_marked", "heeds")

    def __init__(self, listed: ListedSymbol, interval: str, *, marked: bool) -> None:
        self._listed = listed
        self._interval = interval
        self._marked = marked
        self._last: candles.Candle | None = None  # the newest that was sent
        self.heeds = MARK if marked else TRADES

    def first(self, now: int) -> bytes:
        rows = self._rows(KLINES_FIRST)
        if rows and self._last is None:
            self._last = rows[-1]
        return self._frame("klineSnapshot", now, rows)

    def later(self, now: int) -> bytes | None:
        last, rows = self._last, self._rows(1)
        if not rows or rows[0] == last:
            return None
        if last is not None and rows[0].open_time > last.open_time:
            # The one before may have closed with trades that are still to be told.
            rows = [row for row in self._rows(KLINES_FIRST) if row.open_time >= last.open_time]
        self._last = rows[-1]
        return self._frame("kline", now, rows)

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        """The chart knows it already."""

    def _rows(self, limit: int) -> list[candles.Candle]:
        listed = self._listed
        now = listed.node.clock.now()
        if self._marked:
            data = listed.node.market_data.contract_data
            return data.mark_candles(listed.symbol, self._interval, limit, now)
        return listed.board.candles(listed.symbol, self._interval, limit, now)

    def _frame(self, event: str, now: int, rows: list[candles.Candle]) -> bytes:
        price_type = MARK_PRICE if self._marked else LAST_PRICE
        items = [self._item(row) for row in rows]
        return _encode(KlineFrame(event, now, self._listed.symbol, price_type, items))

    def _item(self, row: candles.Candle) -> KlineItem:
        listed, interval = self._listed, self._interval
        instrument, quote = listed.instrument, listed.quote
        closes = candles.next_open(interval, row.open_time) // US_PER_MS
        return KlineItem(
            open_time=row.open_time // US_PER_MS,
            # As over REST: on the contract side a candle closes when the next one opens.
            close_time=closes - 1 if listed.product is Product.SPOT else closes,
            symbol=listed.symbol,
            interval=interval,
            open=price_text(instrument, row.open),
            close=price_text(instrument, row.close),
            high=price_text(instrument, row.high),
            low=price_text(instrument, row.low),
            volume=quantity_text(instrument, row.volume),
            count=row.count,
            quote_volume=amount_text(quote, row.notional),
            taker_volume=quantity_text(instrument, row.taker_volume),
            taker_quote_volume=amount_text(quote, row.taker_notional),
        )


class DepthShaper:
    """The best levels, and how they change. All listeners are at the same update id."""

    __slots__ = ("_book", "_checked", "_level", "_listed", "heeds")

    def __init__(self, listed: ListedSymbol, level: int, *, checked: bool) -> None:
        self._listed = listed
        self._level = level
        self._checked = checked
        self._book: Depth | None = None  # as all listeners know it
        self.heeds = BOOK

    def first(self, now: int) -> bytes:
        book = self._book
        if book is None:
            book = self._book = self._now()
        made = self._depth_frame("depthSnapshot", now, book.update_id, book, "SNAPSHOT")
        if self._checked:
            made.checksum = _checksum(made.bids, made.asks)
        return _encode(made)

    def later(self, now: int) -> bytes | None:
        before, after = self._book, self._now()
        if before is None:
            return None
        bids = _changes(before.bids, after.bids)
        asks = _changes(before.asks, after.asks)
        if not bids and not asks:
            return None
        self._book = after
        bids.sort(reverse=True)
        asks.sort()
        changed = Depth(after.update_id, bids, asks)
        made = self._depth_frame("depth", now, before.update_id, changed, "CHANGED")
        passed = after.update_id // CHECKED_EVERY > before.update_id // CHECKED_EVERY
        if self._checked and passed:
            instrument = self._listed.instrument
            texts = [level_texts(instrument, levels) for levels in (after.bids, after.asks)]
            made.checksum = _checksum(*texts)
        return _encode(made)

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        """The levels know it already."""

    def _now(self) -> Depth:
        return self._listed.board.depth(self._listed.symbol, self._level)

    def _depth_frame(
        self, event: str, now: int, first_id: int, book: Depth, kind: str
    ) -> DepthFrame:
        instrument = self._listed.instrument
        return DepthFrame(
            event=event,
            time=now,
            symbol=self._listed.symbol,
            first_id=first_id,
            last_id=book.update_id,
            level=self._level,
            kind=kind,
            bids=_level_texts(instrument, book.bids),
            asks=_level_texts(instrument, book.asks),
        )


def _checksum(bids: list[tuple[str, str]], asks: list[tuple[str, str]]) -> int:
    return crc32(",".join([f"{price}:{size}" for price, size in bids + asks]).encode())


def _changes(before: list[tuple[int, int]], after: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Levels that came or changed, with their lots; levels that went, with 0."""
    gone = dict(before)
    changed = [(price, lots) for price, lots in after if gone.pop(price, 0) != lots]
    return changed + [(price, 0) for price in gone]


def _level_texts(instrument: Instrument, levels: list[tuple[int, int]]) -> list[tuple[str, str]]:
    texts = level_texts(instrument, levels)
    return [text if lots else (text[0], "0") for text, (_, lots) in zip(texts, levels, strict=True)]


class BookTickerShaper:
    """The top of the book, whenever it changes."""

    __slots__ = ("_listed", "_top", "heeds")

    def __init__(self, listed: ListedSymbol) -> None:
        self._listed = listed
        self._top: Top | None = None
        self.heeds = BOOK

    def first(self, now: int) -> bytes:
        if self._top is None:
            self._top = self._now()
        return self._frame(now, self._top)

    def later(self, now: int) -> bytes | None:
        before, top = self._top, self._now()
        self._top = top
        if before is not None and _quotes(before) == _quotes(top):
            return None
        return self._frame(now, top)

    def note(self, time: int, trade: Trade | ContractTrade) -> None:
        """The levels know it already."""

    def _now(self) -> Top:
        return self._listed.board.top(self._listed.symbol)

    def _frame(self, now: int, top: Top) -> bytes:
        instrument = self._listed.instrument
        return _encode(
            BookTickerFrame(
                event="bookTicker",
                time=now,
                symbol=self._listed.symbol,
                update_id=top.update_id,
                bid_price=price_text(instrument, top.bid_price),
                bid_quantity=quantity_text(instrument, top.bid_quantity),
                ask_price=price_text(instrument, top.ask_price),
                ask_quantity=quantity_text(instrument, top.ask_quantity),
            )
        )


def _quotes(top: Top) -> tuple[int, int, int, int]:
    return top.bid_price, top.bid_quantity, top.ask_price, top.ask_quantity
