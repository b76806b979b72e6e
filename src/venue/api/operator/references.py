"""Operator operations that move prices of a practice venue: an index that is held, a crash."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Decimal, Flag, Symbol, Text
from venue.api.operation import VENUE, Empty, rows

_W = (1, 0)


class ReferenceView(Struct, rename="camel"):
    """The price that a contract goes by, on its way to `target` until `until` (ms, 0 once there).

    `held`: the index has no other source. Otherwise the agents quote around that price in the spot
    market, which the index follows.
    """

    symbol: str
    held: bool
    price: str
    target: str
    until: int
    index_price: str
    index_is_current: bool
    mark_price: str
    in_doubt: bool


class HoldRequest(Struct, kw_only=True):
    """Hold the index of a contract at a price until it is released; agents follow it.

    The index goes there by at most its step a second, or with `jump` at once.
    """

    symbol: Symbol
    price: Decimal
    jump: Flag = False


class ReleaseRequest(Struct, kw_only=True):
    """Give a contract's index back to its sources."""

    symbol: Symbol


class CrashRequest(Struct, kw_only=True):
    """Have a price fall, or rise: by `change`, a percentage with its sign such as -8%, in the span
    `over`, such as 30s. Agents quote along the way; of a held index the held price moves."""

    symbol: Symbol
    change: Text
    over: Text = "30s"


references = VENUE.get("/index", _W, Empty, list[ReferenceView])
hold_index = VENUE.post("/index/hold", _W, HoldRequest, ReferenceView)
release_index = VENUE.post("/index/release", _W, ReleaseRequest, ReferenceView)
crash = VENUE.post("/crash", _W, CrashRequest, ReferenceView)

ROWS = rows(globals())
