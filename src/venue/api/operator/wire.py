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
    such as 4xx, or lost. `refused` leaves out frames and successes, `faulty` all that no rule hit,
    `after` entries up to a number. Requests of the venue's own tools are left out without `tools`.
    """

    owner: Text | None = None
    kind: EntryKind | None = None
    operation: Text | None = None
    status: EntryStatus | None = None
    faulty: Flag = False
    after: AfterNumber = 0
    limit: EntryLimit = 100
    refused: Flag = False
    tools: Flag = False


class WireSigned(Struct):
    """The parts of a signed request: the last characters of its `key`, the first of `signature`.

    `payload` is the text to sign. It ends with ... where the rest is too long to keep, cannot be
    read or holds a secret.
    """

    key: str
    timestamp: str
    signature: str
    payload: str


class WireEntry(Struct):
    """A request (REQUEST), an operation over a socket (OPERATION), or a frame that a client sent
    (HEARD) or was to get (SENT).

    `number` is the one that `X-Venue-Request-Id` tells, `time` venue time (ms) at which it came,
    `ms` how long its answer took. `status` is null without an answer: of frames, and where the
    connection ended. `code` and `msg` are those of a refusal. `fault` names the hits of rules as
    `X-Venue-Fault` does. `text` are the parameters, or the frame. Values of fields that name
    secrets are masked. `repeat` is the command that sends it again; null where there is none.

    `answer` is the beginning of the answer's body, `size` its bytes; `cut`: there are more than are
    shown. `ignored` names parameters that the operation does not know, `orders` the first orders
    that the answer names. It was answered after command `sequence`. `signed` is null of what was
    not signed. `tool`: it is of the venue's own tools, which are its page, and operators with rows
    under /_venue/ and in place of an owner.
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
    answer: str = ""
    size: int = 0
    cut: bool = False
    ignored: list[str] = []
    orders: list[int] = []
    sequence: int = 0
    signed: WireSigned | None = None
    tool: bool = False


_W = (1, 0)
wire = VENUE.get("/wire", _W, WireRequest, list[WireEntry])

ROWS = rows(globals())
