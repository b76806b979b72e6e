"""What history knows of contracts' prices and funding: the habits of the other questions."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection, select

from venue.history.questions.spot import from_to
from venue.history.schema.contract import FUNDING_RATES, PRICE_MINUTES


class FundingRateRow(Struct, frozen=True, gc=False):
    """One funding settlement: prices in ticks, money in atoms; `settled` is 0 until it is through.

    `time` is when rate and mark were frozen: later than `due` when the index was stale.
    """

    symbol: str
    due: int
    skipped: int
    rate_ppb: int
    mark_price: int
    index_price: int
    time: int
    positions: int
    paid: int
    received: int
    settled: int


class PriceCandle(Struct, frozen=True, gc=False):
    """One minute of a price, in ticks, and the open interest at its end, in lots."""

    open_time: int
    open: int
    high: int
    low: int
    close: int
    open_interest: int


def funding_rates(
    connection: Connection, symbol: str, start: int | None, end: int | None, limit: int
) -> list[FundingRateRow]:
    """A contract's settlements due from `start` to `end`, without those that were skipped."""
    table = FUNDING_RATES.c
    rows = select(FUNDING_RATES).where(table.symbol == symbol, table.skipped == 0)
    rows = rows.where(*from_to(table.due, start, end)).order_by(table.due.desc())
    return [FundingRateRow(*row) for row in connection.execute(rows.limit(limit))]


def price_candles(
    connection: Connection, symbol: str, kind: Literal["index", "mark"], start: int, end: int
) -> list[PriceCandle]:
    """A contract's minutes that begin from `start` to `end`, oldest first, without empty ones."""
    table = PRICE_MINUTES.c
    prices = (
        (table.index_open, table.index_high, table.index_low, table.index_close)
        if kind == "index"
        else (table.mark_open, table.mark_high, table.mark_low, table.mark_close)
    )
    rows = select(table.open_time, *prices, table.open_interest).where(table.symbol == symbol)
    rows = rows.where(*from_to(table.open_time, start, end)).order_by(table.open_time)
    return [PriceCandle(*row) for row in connection.execute(rows)]
