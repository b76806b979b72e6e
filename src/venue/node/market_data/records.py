"""Plain records of the market data's answers and dumps.

They are in a module of their own because the views are compiled: a compiled class loses its options
and the types of its lists, which msgspec needs.
"""

from __future__ import annotations

import msgspec

from venue.candles import Candle
from venue.node.market_data.past import PastTrade
from venue.node.market_data.ticker import WindowRecord
from venue.node.market_data.wide_sums import Wide


class Depth(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The best levels of both sides, best first, as (price in ticks, lots).

    `update_id` counts the commands that changed the book.
    """

    update_id: int
    bids: list[tuple[int, int]]
    asks: list[tuple[int, int]]


class Top(msgspec.Struct, frozen=True, gc=False):
    """Best bid and ask: prices in ticks, quantities in lots; 0 and 0 where a side is empty."""

    update_id: int
    bid_price: int
    bid_quantity: int
    ask_price: int
    ask_quantity: int


class Prices(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Index and mark price in ticks and average premium in ppb, as they were set at `time` (µs).

    All 0 before the first mark. `current` is false when the index is stale (rule 6.1).
    """

    index: int = 0
    mark: int = 0
    current: bool = False
    time: int = 0
    premium_ppb: int = 0


class LastFunding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The last settlement: due time in µs, rate in ppb, mark in ticks; all 0 before the first."""

    due: int = 0
    rate_ppb: int = 0
    mark: int = 0


class ChartRecord(msgspec.Struct, array_like=True):
    """A dumped chart: per interval (finest first), then the running minute, rows and wide sums."""

    rows: list[tuple[list[Candle], list[Wide]]]


class BoardRecord(msgspec.Struct, array_like=True):
    """One dumped symbol."""

    symbol: str
    levels: Depth
    trades: list[PastTrade]
    window: WindowRecord
    chart: ChartRecord


class StateRecord(msgspec.Struct, array_like=True):
    """One dumped contract."""

    symbol: str
    prices: Prices
    funding: LastFunding
    open_interest: int
    index_chart: ChartRecord
    mark_chart: ChartRecord


class ViewRecord(msgspec.Struct, array_like=True):
    """The dumped view: the last sequence in it, and the dump of each part."""

    sequence: int
    spot: list[BoardRecord]
    contract: list[BoardRecord] = []
    contract_data: list[StateRecord] = []
    kept: list[tuple[str, bytes]] = []
    parked: list[int] = []
