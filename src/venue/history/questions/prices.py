"""Questions about contracts' prices and funding: the habits of the other questions."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Connection, select

from venue.history.questions.spot import from_to
from venue.history.schema.contract import FUNDING_RATES, PRICE_MINUTES
from venue.history.tables.contract import (
    FundingRateRow,
    PriceCandle,
)


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
