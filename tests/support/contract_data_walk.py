"""Random stories of contracts' market data, and slow answers about them."""

from __future__ import annotations

from random import Random
from typing import Any

from support.contract_feed import (
    CLOSES_LONG,
    CLOSES_SHORT,
    OPENS_LONG,
    OPENS_SHORT,
    SYMBOLS,
    Feed,
    closed,
    mark,
    placed,
    reduced,
    traded,
)
from venue.candles import DAY_US, INTERVALS, Candle, open_time
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractTrade,
    FundingDue,
)
from venue.core.messages.events import Event
from venue.node.market_data.views import MarketData
from venue.vocabulary import BUY, SELL, Cause


def quotes(opened: int, *prices: int) -> Candle:
    """The candle of prices without trades."""
    return Candle(opened, prices[0], max(prices), min(prices), prices[-1], 0, 0, 0, 0, 0)


class FeedWalk:
    """A random, consistent story: resting lots are known from the orders, never from levels."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.feed = Feed()
        self.orders: dict[int, tuple[str, int, int, int]] = {}  # symbol, side, price, lots
        self.longs = dict.fromkeys(SYMBOLS, 0)
        self.ids = 0

    def step(self) -> None:
        """One command of one to three actions, some time after the last one."""
        pace = self.random.choice([0, 300_000, 20_000_000, 3_600_000_000])
        self.feed.time += self.random.randrange(pace + 1)
        if self.random.random() < 0.01:
            self.feed.time += self.random.choice([DAY_US, 40 * DAY_US])
        actions = (self._place, self._place, self._take, self._leave, self._outside, self._prices)
        events: list[Event] = []
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.random.choice(actions)(self.random.choice(SYMBOLS), events)
        self.feed.say(*events)

    def _place(self, symbol: str, events: list[Event]) -> None:
        side = self.random.choice([BUY, SELL])
        price = self.random.randint(60, 70) + (10 if side == SELL else 0)
        lots = self.random.choice([0, *range(1, 9)])
        self.ids += 1
        events.append(placed(side, price, lots, symbol=symbol, order_id=self.ids))
        if lots:
            self.orders[self.ids] = (symbol, side, price, lots)

    def _take(self, symbol: str, events: list[Event]) -> None:
        """Somebody takes part or all of any resting order."""
        found = self._part(symbol)
        if found is None:
            return
        order_id, side, price, lots = found
        self._lessen(order_id, lots)
        taker_side = SELL if side == BUY else BUY
        cause = self.random.choice([Cause.USER, Cause.LIQUIDATION, Cause.TRIGGER, Cause.UNWIND])
        self._settle(symbol, taker_side, price, lots, cause, events)

    def _leave(self, symbol: str, events: list[Event]) -> None:
        found = self._part(symbol)
        if found is None:
            return
        order_id, side, price, lots = found
        if self.random.random() < 0.5:
            lots = self.orders[order_id][3]
            events.append(closed(side, price, lots, symbol=symbol, order_id=order_id))
        else:
            events.append(reduced(side, price, lots, symbol=symbol, order_id=order_id))
        self._lessen(order_id, lots)

    def _outside(self, symbol: str, events: list[Event]) -> None:
        price, lots = self.random.randint(1, 200), self.random.randint(1, 9)
        cause = self.random.choice([Cause.TAKEOVER, Cause.DELEVERAGE])
        self._settle(symbol, self.random.choice([BUY, SELL]), price, lots, cause, events)

    def _prices(self, symbol: str, events: list[Event]) -> None:
        index, price = self.random.randint(60, 80), self.random.randint(60, 80)
        events.append(mark(index, price, symbol=symbol, current=self.random.random() < 0.9))
        if self.random.random() < 0.1:
            rate = self.random.randint(-1_000, 1_000)
            events.append(FundingDue(symbol, self.feed.time, rate, price, index))

    def _settle(
        self, symbol: str, side: int, price: int, lots: int, cause: Cause, events: list[Event]
    ) -> None:
        """A buyer opens a long or closes a short, a seller the other way round."""
        closable = self.longs[symbol] >= lots
        buyer_opens = not closable or self.random.random() < 0.5
        seller_opens = not closable or self.random.random() < 0.5
        buyer = OPENS_LONG if buyer_opens else CLOSES_SHORT
        seller = OPENS_SHORT if seller_opens else CLOSES_LONG
        self.longs[symbol] += lots * (buyer_opens - (not seller_opens))
        taker, maker = (buyer, seller) if side == BUY else (seller, buyer)
        self.ids += 1
        events.append(
            traded(
                side,
                price,
                lots,
                taker=taker,
                maker=maker,
                symbol=symbol,
                cause=cause,
                trade_id=self.ids,
            )
        )

    def _part(self, symbol: str) -> tuple[int, int, int, int] | None:
        """Any resting order of the symbol, and some of its lots."""
        ids = [order_id for order_id, order in self.orders.items() if order[0] == symbol]
        if not ids:
            return None
        order_id = self.random.choice(ids)
        _, side, price, lots = self.orders[order_id]
        return order_id, side, price, self.random.randint(1, lots)

    def _lessen(self, order_id: int, lots: int) -> None:
        symbol, side, price, rest = self.orders.pop(order_id)
        if rest > lots:
            self.orders[order_id] = (symbol, side, price, rest - lots)

    def levels(self, symbol: str, wanted: int) -> list[tuple[int, int]]:
        """One side by levels, best first, from the orders."""
        totals: dict[int, int] = {}
        for of, side, price, lots in self.orders.values():
            if (of, side) == (symbol, wanted):
                totals[price] = totals.get(price, 0) + lots
        return sorted(totals.items(), reverse=wanted == BUY)


def public(data: MarketData, symbol: str, now: int) -> list[Any]:
    """Every answer of the board."""
    return [
        data.contract.depth(symbol, 200),
        data.contract.top(symbol),
        data.contract.trades(symbol, 1_000),
        data.contract.ticker(symbol, now),
        *[data.contract.candles(symbol, interval, 1_000, now) for interval in INTERVALS],
    ]


def beside(data: MarketData, symbol: str, now: int) -> list[Any]:
    """Every answer of the contract data."""
    view = data.contract_data
    return [
        view.prices(symbol),
        view.funding(symbol),
        view.open_interest(symbol),
        *[view.index_candles(symbol, interval, 1_000, now) for interval in INTERVALS],
        *[view.mark_candles(symbol, interval, 1_000, now) for interval in INTERVALS],
    ]


def slow_quotes(prices: list[tuple[int, int]], interval: str, limit: int, now: int) -> list[Candle]:
    """Candles of (time, price), newest `limit`, without gaps."""
    groups: dict[int, list[int]] = {}
    for time, price in prices:
        groups.setdefault(open_time(interval, time), []).append(price)
    answer: list[Candle] = []
    opened = open_time(interval, now)
    while groups and opened >= min(groups) and len(answer) < limit:
        inside = groups.get(opened)
        if inside is None:
            inside = [groups[max(known for known in groups if known < opened)][-1]]
        answer.append(quotes(opened, *inside))
        opened = open_time(interval, opened - 1)
    return answer[::-1]


def slow_update_id(feed: Feed, symbol: str) -> int:
    changes = 0
    for applied in feed.applied:
        mine = [event for event in applied.events if getattr(event, "symbol", "") == symbol]
        changes += any(
            isinstance(event, ContractOrderReduced | ContractOrderParked | ContractOrderReturned)
            or (isinstance(event, ContractOrderPlaced | ContractOrderClosed) and event.resting > 0)
            or (isinstance(event, ContractTrade) and event.cause < Cause.TAKEOVER)
            for event in mine
        )
    return changes
