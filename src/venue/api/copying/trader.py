"""Operations of lead traders, with a key for copy trading."""

from __future__ import annotations

from msgspec import Struct, field

from venue.api.fields import Id, Page, Symbol, TimeMs, UpTo100
from venue.api.operation import Empty, Under, rows
from venue.vocabulary import Access


class TracksRequest(Struct, kw_only=True):
    """Tracked positions that are open, oldest first; pages count from 1."""

    symbol: Symbol | None = None
    limit: UpTo100 = 100
    page: Page = 1


class TrackedPosition(Struct, rename="camel"):
    """A tracked position. `openSize` is its open size, `openFillSize` the sum of all openings.

    `profitRate` is its realized profit as a fraction of `openMarginAmount`, `netProfit` is without
    fees. `followCount` is its number of copies; of a follower's copy it is 0.
    """

    tracking_no: int
    symbol: str
    open_order_id: int
    open_leverage: int
    open_price_avg: str
    open_time: int
    open_size: str
    open_fee: str
    open_margin_amount: str
    open_fill_size: str
    position_side: str
    status: str
    tp_trigger_price: str | None
    sl_trigger_price: str | None
    realized_pnl: str
    profit_rate: str
    net_profit: str
    follow_count: int
    created_time: int
    update_time: int


class EndedRequest(Struct, rename="camel", kw_only=True):
    """Ended positions, newest first, at most 90 days; both members of a reply's `nextKey` ask for
    the positions after it."""

    symbol: Symbol | None = None
    limit: UpTo100 = 20
    start_time: TimeMs | None = None
    end_time: TimeMs | None = None
    next_key_id: Id | None = None
    next_key_time: Id | None = None


class EndedKey(Struct, rename="camel"):
    """The start of the next page."""

    next_key_id: int
    next_key_time: int


class EndedTracks(Struct, rename="camel"):
    """A page; `nextKey` is null on the last one."""

    positions: list[TrackedPosition] = field(name="list")
    next_flag: bool
    next_key: EndedKey | None


LEAD = Under("/capi/v3/copy/trader", Access.COPY_TRADE)
open_tracks = LEAD.get("/openOrders", (10, 15), TracksRequest, list[TrackedPosition])
ended_tracks = LEAD.get("/historyOrders", (10, 15), EndedRequest, EndedTracks)
copied_pairs = LEAD.get("/pairs", (1, 1), Empty, list[str])

ROWS = rows(globals())
