"""Slow answers of market data, computed from all the trades there ever were."""

from __future__ import annotations

from collections.abc import Sequence

from venue.candles import Candle, open_time
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.node.market_data.ticker import Ticker
from venue.vocabulary import Side

Timed = tuple[int, Trade | ContractTrade]  # with its time in µs


def slow_ticker(trades: Sequence[Timed], now: int) -> Ticker:
    bound = now // 1_000_000 - 86_400
    inside = [(time, trade) for time, trade in trades if time // 1_000_000 > bound]
    if not inside:
        last = trades[-1][1].price if trades else 0
        return Ticker(last, last, last, last, 0, 0, 0, (bound + 1) * 1_000_000, now)
    prices = [trade.price for _, trade in inside]
    return Ticker(
        prices[0],
        max(prices),
        min(prices),
        prices[-1],
        sum(trade.quantity for _, trade in inside),
        sum(trade.notional for _, trade in inside),
        len(inside),
        inside[0][0],
        inside[-1][0],
    )


def slow_candles(
    trades: Sequence[Timed], history: list[Candle], interval: str, limit: int, now: int
) -> list[Candle]:
    rows = {row.open_time: row for row in history}
    groups: dict[int, list[Trade | ContractTrade]] = {}
    for time, trade in trades:
        groups.setdefault(open_time(interval, time), []).append(trade)
    for opened, group in groups.items():
        old = rows.get(opened)
        prices = [trade.price for trade in group]
        taken = [trade for trade in group if trade.taker_side == Side.BUY]
        rows[opened] = Candle(
            opened,
            old.open if old else prices[0],
            max([*prices, old.high] if old else prices),
            min([*prices, old.low] if old else prices),
            prices[-1],
            sum(trade.quantity for trade in group) + (old.volume if old else 0),
            sum(trade.notional for trade in group) + (old.notional if old else 0),
            len(group) + (old.count if old else 0),
            sum(trade.quantity for trade in taken) + (old.taker_volume if old else 0),
            sum(trade.notional for trade in taken) + (old.taker_notional if old else 0),
        )
    answer: list[Candle] = []
    opened = open_time(interval, now)
    while rows and opened >= min(rows) and len(answer) < limit:
        row = rows.get(opened)
        if row is None:
            close = rows[max(known for known in rows if known < opened)].close
            row = Candle(opened, close, close, close, close, 0, 0, 0, 0, 0)
        answer.append(row)
        opened = open_time(interval, opened - 1)
    return answer[::-1]
