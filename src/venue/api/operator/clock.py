"""Operator operations on the venue's clock, and its end; of practice venues only."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from venue.api.fields import Decimal, Flag, Kind, Text
from venue.api.operation import VENUE, Empty, rows

MODES: Final = ("real", "offset", "rate", "manual", "skip")
NEXT: Final = ("funding", "countdown", "any")

ModeName = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(MODES)})
]
NextName = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(NEXT)})
]


class DueView(Struct):
    """Something at venue time `at` (ms), and of how many positions, orders or accounts.

    Kinds: funding, countdown; where time was moved also trigger, liquidation, deleveraging and
    `funding skipped`.
    """

    at: int
    kind: str
    symbol: str
    count: int


class ClockView(Struct, rename="camel"):
    """How venue time passes. `time` is venue time (ms), `offset` how far it is ahead of the
    machine's (ms), `rate` how many seconds pass in one of the machine's.

    `advancing`: an advance is under way. `holders`: connections that keep the mode skip from going
    on (`CLOCK.HOLD`). `next` are the next ten things known to fall due.
    """

    mode: str
    rate: str
    time: int
    offset: int
    sequence: int
    advancing: bool
    holders: int
    next: list[DueView]


class ClockRequest(Struct, kw_only=True):
    """A new mode. Venue time goes on from where it is, or from `at`: effects due until then are
    settled first.

    `rate` (0.001 to 10000) belongs to the mode rate, `offset` (such as 8h, from the machine's time)
    to the mode offset; `at` is a time such as 2026-01-01T00:00:00Z, or ms. An advance under way
    ends where it is.
    """

    mode: ModeName
    rate: Decimal | None = None
    offset: Text | None = None
    at: Text | None = None


class AdvanceRequest(Struct, kw_only=True):
    """Move venue time: `by` a span (8h, 90s, 1d12h, 500ms), `to` a time (2026-01-01T08:00:00Z, or
    ms), or `to_next` thing that is due; by at most 366 days.

    The answer comes when all due effects on the way have been settled, in order. `dry_run` only
    tells those that are known to fall due. The mode real is left for the mode offset. `sparse`: the
    venue's agents act once a minute of venue time, and books change between as others change them.
    """

    by: Text | None = None
    to: Text | None = None
    to_next: NextName | None = None
    dry_run: Flag = False
    sparse: Flag = False


class Advance(Struct, rename={"begin": "from", "end": "to", "left_out": "leftOut"}):
    """Venue time before and after (ms), the last sequence, and the settled effects, in order.

    `leftOut` counts the effects beyond a thousand entries. `stopped`: a change of the mode ended
    it early.
    """

    begin: int
    end: int
    sequence: int
    settled: list[DueView]
    left_out: int
    stopped: bool


class Stopping(Struct):
    """The venue stops as at SIGTERM. `pid`: of its process, gone when all of it is on the disk."""

    pid: int


clock = VENUE.get("/clock", (1, 0), Empty, ClockView)
change_clock = VENUE.post("/clock", (1, 0), ClockRequest, ClockView)
advance_clock = VENUE.post("/clock/advance", (1, 0), AdvanceRequest, Advance)
stop = VENUE.post("/stop", (1, 0), Empty, Stopping)

ROWS = rows(globals())
