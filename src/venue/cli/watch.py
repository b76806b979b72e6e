"""`venue watch`: one market on a full screen, its book, last trades and an account's open orders.

The keyboard has a thread of its own; the main thread reads the streams and draws the market.
"""

from __future__ import annotations

import curses
import os
import sys
import time
from collections import deque
from contextlib import suppress
from decimal import Decimal
from threading import Thread
from typing import Any, Final

from msgspec import Struct, field

from venue.cli.clients import ask
from venue.cli.streams import Frame, Streams
from venue.client.errors import Lost, Misused
from venue.lab.credentials import Credentials

LOOK_S: Final = 1.0  # between two looks at the terminal's size when nothing comes
TRADES_MAX: Final = 100
OPEN: Final = ("NEW", "PARTIALLY_FILLED", "UNTRIGGERED")
RIGHT: Final = 42  # column where the trades begin
ORDERS_SHARE: Final = 4  # own orders have one line of so many
PLAIN, BID, ASK, HEAD = range(4)

Cell = tuple[int, int, str, int]  # line, column, text, style


class WatchedOrder(Struct):
    """An own open order; `price` is its trigger price while it waits for that."""

    identity: str
    side: str
    kind: str
    price: str
    size: str
    filled: str
    status: str


class WatchedMarket(Struct):
    """The state of one market; sizes of the book's levels by price, orders by id."""

    symbol: str
    product: str
    owner: str
    bids: dict[str, str] = field(default_factory=dict)
    asks: dict[str, str] = field(default_factory=dict)
    update_id: int = 0
    trades: deque[Frame] = field(default_factory=lambda: deque(maxlen=TRADES_MAX))
    ticker: Frame = field(default_factory=dict)
    orders: dict[str, WatchedOrder] = field(default_factory=dict)

    def take(self, frame: Frame) -> None:
        """Learn from a frame; Lost: one before it is missing."""
        event = frame["e"]
        if event in ("depthSnapshot", "depth"):
            self._take_depth(frame)
        elif event in ("tradeSnapshot", "trade"):
            self.trades.extendleft(frame["d"])
        elif event == "ticker":
            self.ticker = frame["d"][0]
        elif event == "orders":
            for item in frame["d"]:
                if item["symbol"] == self.symbol:
                    self.keep(_watched_order(item))

    def keep(self, order: WatchedOrder) -> None:
        """Show an order while it is open."""
        if order.status in OPEN:
            self.orders[order.identity] = order
        else:
            self.orders.pop(order.identity, None)

    def _take_depth(self, frame: Frame) -> None:
        if frame["e"] == "depthSnapshot":
            self.bids, self.asks = {}, {}
        elif frame["U"] != self.update_id:
            raise Lost("a frame of the book is missing")
        self.update_id = frame["u"]
        for side, changes in ((self.bids, frame["b"]), (self.asks, frame["a"])):
            for price, size in changes:
                if size == "0":
                    side.pop(price, None)
                else:
                    side[price] = size


def watch(url: str, product: str, symbol: str, account: Credentials, owner: str) -> None:
    """Show a market until q is pressed; Misused: it cannot be shown;
    Lost: no longer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Misused("watch needs a terminal; `venue tail` does without one")
    try:
        curses.setupterm()
    except curses.error as problem:
        raise Misused(f"this terminal cannot be drawn on: {problem}") from None
    market = WatchedMarket(symbol.upper(), product, owner)
    channels = [f"{market.symbol}@{name}" for name in ("depth15", "trade", "ticker")]
    with suppress(KeyboardInterrupt), Streams(url, product, account) as streams:
        streams.listen([*channels, "orders"])
        # Asked after listening began: changes in between come as frames.
        for order in _open_orders(account, market):
            market.keep(order)
        curses.wrapper(_run, market, streams)


def _run(screen: curses.window, market: WatchedMarket, streams: Streams) -> None:
    Thread(target=_keys, args=(streams,), daemon=True).start()
    styles = _styles()
    while True:
        _draw(screen, market, styles)
        wait_s = LOOK_S
        with suppress(TimeoutError):
            while True:  # all waiting frames are drawn at once
                found = streams.next(wait_s)
                if isinstance(found, str):
                    if found in ("q", "Q", ""):
                        return
                else:
                    market.take(found)
                wait_s = 0


def _keys(streams: Streams) -> None:
    """Hand on typed keys until the terminal is gone."""
    key = "?"
    while key:
        try:
            key = os.read(0, 1).decode("latin-1")
        except OSError:
            key = ""
        streams.put(key)


def _open_orders(account: Credentials, market: WatchedMarket) -> list[WatchedOrder]:
    query = {"symbol": market.symbol}
    if market.product == "SPOT":
        return [_answered(row) for row in ask(account, "open_orders", query)]
    rows = ask(account, "contract_open_orders", query)
    conditionals = ask(account, "open_algos", query)
    return [_answered(row) for row in rows] + [_answered_conditional(row) for row in conditionals]


def _answered(row: dict[str, Any]) -> WatchedOrder:
    """An open order as REST shows it."""
    return WatchedOrder(
        identity=str(row["orderId"]),
        side=_side(row["side"], row.get("positionSide", "")),
        kind=row["type"],
        price=row["price"],
        size=row["origQty"],
        filled=row["executedQty"],
        status=row["status"],
    )


def _answered_conditional(row: dict[str, Any]) -> WatchedOrder:
    """A waiting conditional order as REST shows it."""
    return WatchedOrder(
        identity=str(row["algoId"]),
        side=_side(row["side"], row["positionSide"]),
        kind=row["orderType"],
        price=row["triggerPrice"],
        size=row["quantity"],
        filled="",
        status=row["algoStatus"],
    )


def _watched_order(item: dict[str, Any]) -> WatchedOrder:
    """An order as its stream shows it."""
    waits = item["status"] == "UNTRIGGERED"
    return WatchedOrder(
        identity=item["id"],
        side=_side(item["orderSide"], item.get("positionSide", "")),
        kind=item["type"],
        price=item["triggerPrice"] if waits else item["price"],
        size=item["size"],
        filled="" if waits else item["cumFillSize"],
        status=item["status"],
    )


def _side(side: str, position_side: str) -> str:
    return f"{side} {position_side}".strip()


# -- drawing --------------------------------------------------------------------------------------


def layout(market: WatchedMarket, lines: int) -> list[Cell]:
    """The text of a screen with this many lines and 80 columns, without its right edge."""
    share = max(2, lines // ORDERS_SHARE)
    body = max(1, lines - share - 3)  # lines of the book and the trades
    return [
        *_header(market),
        *_book(market, body),
        *_trades(market, body),
        *_orders(market, body + 2, share),
        (lines - 1, 0, "q quits", PLAIN),
    ]


def _header(market: WatchedMarket) -> list[Cell]:
    found = market.ticker
    told = f"{market.symbol} {market.product.lower()}"
    if found:
        told += (
            f"  {found['c']}  {Decimal(found['P']) * 100:+.2f}% in 24 h"
            f"  low {found['l']}  high {found['h']}"
        )
    return [
        (0, 0, told, HEAD),
        (1, 0, f"{'price':>16} {'size':>16}", PLAIN),
        (1, RIGHT, f"{'time':<8} {'price':>13} {'size':>13}", PLAIN),
    ]


def _book(market: WatchedMarket, body: int) -> list[Cell]:
    """Asks above bids, the best ones in the middle."""
    half = max(1, (body - 1) // 2)
    asks = sorted(market.asks.items(), key=_price)[:half]
    bids = sorted(market.bids.items(), key=_price, reverse=True)[:half]
    middle = 2 + half
    cells = [(middle - 1 - at, 0, _level(level), ASK) for at, level in enumerate(asks)]
    if asks and bids:
        spread = _price(asks[0]) - _price(bids[0])
        cells.append((middle, 0, f"{spread:>16} spread", PLAIN))
    return cells + [(middle + 1 + at, 0, _level(level), BID) for at, level in enumerate(bids)]


def _price(level: tuple[str, str]) -> Decimal:
    return Decimal(level[0])


def _level(level: tuple[str, str]) -> str:
    return f"{level[0]:>16} {level[1]:>16}"


def _trades(market: WatchedMarket, body: int) -> list[Cell]:
    """Newest first, in the taker's colour."""
    cells: list[Cell] = []
    for at, trade in enumerate(list(market.trades)[:body]):
        clock = time.strftime("%H:%M:%S", time.gmtime(trade["T"] // 1000))
        text = f"{clock} {trade['p']:>13} {trade['q']:>13}"
        cells.append((2 + at, RIGHT, text, ASK if trade["m"] else BID))
    return cells


def _orders(market: WatchedMarket, first: int, share: int) -> list[Cell]:
    """Newest first; orders without room are counted."""
    count = len(market.orders)
    cells = [(first, 0, f"{market.owner}'s open orders: {count or 'none'}", HEAD)]
    newest = sorted(market.orders.values(), key=lambda order: int(order.identity), reverse=True)
    for at, order in enumerate(newest[: share - 1]):
        filled = f"filled {order.filled}" if order.filled else ""
        text = f"{order.side:<10} {order.kind:<12.12} {order.size:>13} at {order.price:>13}  "
        style = BID if order.side.startswith("BUY") else ASK
        cells.append((first + 1 + at, 0, text + filled, style))
    return cells


def _styles() -> list[int]:
    """Attributes by style; without colours only the words tell."""
    with suppress(curses.error):
        curses.curs_set(0)
    bid = ask = curses.A_NORMAL
    with suppress(curses.error):
        curses.use_default_colors()
        curses.init_pair(1, curses.COLOR_GREEN, -1)
        curses.init_pair(2, curses.COLOR_RED, -1)
        bid, ask = curses.color_pair(1), curses.color_pair(2)
    return [curses.A_NORMAL, bid, ask, curses.A_BOLD]


def _draw(screen: curses.window, market: WatchedMarket, styles: list[int]) -> None:
    size = os.get_terminal_size(1)
    if curses.is_term_resized(size.lines, size.columns):
        curses.resizeterm(size.lines, size.columns)
    lines, columns = screen.getmaxyx()
    screen.erase()
    for line, column, text, style in layout(market, lines):
        room = columns - 1 - column  # the last column stays free: a corner cannot be written
        if line < lines and room > 0:
            screen.addnstr(line, column, text, room, styles[style])
    screen.refresh()
