"""Operator operations that move prices of a practice venue: an index that is held, a crash."""

from __future__ import annotations

from msgspec import Struct

from venue.api.fields import Decimal, Flag, Symbol, Text
from venue.api.operation import Empty, get, post
from venue.vocabulary import Access

OPERATOR = Access.OPERATOR
_W = (1, 0)


class ReferenceView(Struct, rename="camel"):
    """The price that a contract goes by, on its way to `target` until `until` (ms, 0 once there).

    `held`: the index has no other source. Else the agents quote around that price in the spot
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


class HoldRequest(Struct):
    """Hold the index of a contract at a price until it is released; agents follow it.

    The index goes there by at most its step a second, or with `jump` at once.
    """

    symbol: Symbol
    price: Decimal
    jump: Flag = False


class ReleaseRequest(Struct):
    """Give a contract's index back to its sources."""

    symbol: Symbol


class CrashRequest(Struct):
    """Have a price fall, or rise: by `change`, a percentage with its sign such as -8%, in the span
    `over`, such as 30s. Agents quote along the way; of a held index the held price moves."""

    symbol: Symbol
    change: Text
    over: Text = "30s"


references = get("references", "/_venue/index", OPERATOR, _W, Empty, list[ReferenceView])
hold_index = post("hold_index", "/_venue/index/hold", OPERATOR, _W, HoldRequest, ReferenceView)
release_index = post(
    "release_index", "/_venue/index/release", OPERATOR, _W, ReleaseRequest, ReferenceView
)
crash = post("crash", "/_venue/crash", OPERATOR, _W, CrashRequest, ReferenceView)

ROWS = (references, hold_index, release_index, crash)
