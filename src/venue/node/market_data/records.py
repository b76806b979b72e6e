"""Plain records that the market data's views answer and dump.

They stand apart from the views, because the views are compiled, and a compiled class loses what
msgspec goes by: its options, and what its lists are of.
"""

from __future__ import annotations

import msgspec

from venue.node.market_data.chart import ChartRecord
from venue.node.market_data.past import PastTrade
from venue.node.market_data.reference import StateRecord
from venue.node.market_data.ticker import WindowRecord


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


class BoardRecord(msgspec.Struct, array_like=True):
    """One dumped symbol."""

    symbol: str
    levels: Depth
    trades: list[PastTrade]
    window: WindowRecord
    chart: ChartRecord


class ViewRecord(msgspec.Struct, array_like=True):
    """The dumped view: the last sequence in it, and what each part has dumped."""

    sequence: int
    spot: list[BoardRecord]
    contract: list[BoardRecord] = []
    contract_data: list[StateRecord] = []
    kept: list[tuple[str, bytes]] = []
