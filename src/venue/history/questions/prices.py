"""Questions about contracts' prices and funding: the same conventions as `spot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from venue.history.sql import Where, execute, select
from venue.history.tables.contract import FundingRateRow, PriceCandle

if TYPE_CHECKING:
    from apsw import Connection


def funding_rates(
    connection: Connection, symbol: str, start: int | None, end: int | None, limit: int
) -> list[FundingRateRow]:
    """Return a contract's settlements due from `start` to `end`, without those that were
    skipped."""
    where = Where("symbol = ? AND skipped = 0", symbol).from_to("due", start, end)
    return select(connection, FundingRateRow, where, "ORDER BY due DESC LIMIT ?", limit)


def price_candles(
    connection: Connection, symbol: str, kind: Literal["index", "mark"], start: int, end: int
) -> list[PriceCandle]:
    """Return a contract's minutes that begin from `start` to `end`, oldest first, without empty
    ones."""
    prices = ", ".join(f"{kind}_{part}" for part in ("open", "high", "low", "close"))
    where = Where("symbol = ?", symbol).from_to("open_time", start, end)
    text = f"SELECT open_time, {prices}, open_interest FROM price_minutes {where}"
    rows = execute(connection, f"{text} ORDER BY open_time", where.values)
    return [PriceCandle(*row) for row in rows]
