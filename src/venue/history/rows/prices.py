"""The rows of the answers about contracts' prices and funding."""

from __future__ import annotations

from msgspec import Struct


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
