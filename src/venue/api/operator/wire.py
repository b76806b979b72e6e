"""The operator operation that reads the wire log, of practice venues only."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from venue.api.fields import Flag, Kind, Text
from venue.api.operation import VENUE, rows

KINDS: Final = ("REQUEST", "OPERATION", "HEARD", "SENT")

EntryKind = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(KINDS)})
]
EntryStatus = Annotated[
    str, Meta(pattern="^([1-5]([0-9]{2}|xx)|lost)$", extra={"kind": Kind.TEXT.value})
]
EntryLimit = Annotated[int, Meta(ge=1, le=1000, extra={"kind": Kind.INTEGER.value})]
AfterNumber = Annotated[int, Meta(ge=0, le=2**63 - 1, extra={"kind": Kind.INTEGER.value})]


class WireRequest(Struct, kw_only=True):
    """The newest entries that agree with every field given, oldest first.

    `owner` is a name or a uid, `operation` a name of the table, `status` one such as 400, a class
    such as 4xx, or lost. `after` leaves out entries up to a number; `faulty` all that no rule hit.
    """

    owner: Text | None = None
    kind: EntryKind | None = None
    operation: Text | None = None
    status: EntryStatus | None = None
    faulty: Flag = False
    after: AfterNumber = 0
    limit: EntryLimit = 100


class WireEntry(Struct):
    """A request (REQUEST), an operation over a socket (OPERATION), or a frame that a client sent
    (HEARD) or was to get (SENT).

    `number` is the one that `X-Venue-Request-Id` tells, `time` venue time (ms) at which it came,
    `ms` how long its answer took. `status` is null without an answer: of frames, and where the
    connection ended. `code` and `msg` are those of a refusal. `fault` names the hits of rules as
    `X-Venue-Fault` does. `text` are the parameters, or the frame. Values of fields that name
    secrets are masked. `repeat` is the command that sends it again; null where there is none.
    """

    number: int
    time: int
    kind: str
    owner: str
    method: str
    path: str
    operation: str
    status: int | None
    code: int
    msg: str
    ms: float
    fault: str
    text: str
    repeat: str | None


_W = (1, 0)
wire = VENUE.get("/wire", _W, WireRequest, list[WireEntry])

ROWS = rows(globals())
