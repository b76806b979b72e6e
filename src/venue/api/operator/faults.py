"""Operator operations on faults: deliberate failures of chosen requests and frames."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Flag, Id, Ids, Kind, Rate, SideName, Text
from venue.api.operation import VENUE, Empty, rows

WAIT_MAX_MS = 600_000
RuleId = Annotated[
    str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$", max_length=64, extra={"kind": Kind.TEXT.value})
]
Wait = Annotated[int, Meta(ge=1, le=WAIT_MAX_MS, extra={"kind": Kind.INTEGER.value})]
Skew = Annotated[
    int, Meta(ge=-86_400_000, le=86_400_000, extra={"kind": Kind.INTEGER.value}, description="ms.")
]
Status = Annotated[int, Meta(ge=400, le=599, extra={"kind": Kind.INTEGER.value})]
CloseCode = Annotated[int, Meta(ge=1000, le=4999, extra={"kind": Kind.INTEGER.value})]
Size = Annotated[int, Meta(ge=0, le=1_000_000, extra={"kind": Kind.INTEGER.value})]
Code = Annotated[int, Meta(ge=-9999, le=-1, extra={"kind": Kind.INTEGER.value})]
SIDES = ("before", "after")
KINDS = (
    "delay", "status", "error", "drop_before", "drop_after", "duplicate", "stale", "sparse",
    "truncate", "reset", "clock_skew", "reject_rate", "ws.disconnect", "ws.silence", "ws.gap",
    "ws.late", "ws.duplicate", "ws.empty", "ws.no_ping", "ws.no_pong", "ws.refuse",
)  # fmt: skip
EffectKind = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(KINDS)})
]
EffectSide = Annotated[
    str, Meta(extra={"kind": Kind.CHOICE.value}, extra_json_schema={"enum": list(SIDES)})
]


class FaultMatch(Struct, frozen=True, omit_defaults=True):
    """The requests and frames of a rule: all that agree with every field given.

    `operation`, `path` and `channel` may end in `*`. `owner` is a name or a uid, `channel` a stream
    such as `depth15`. A batch agrees with `symbol` and `side` when one of its orders does.
    """

    operation: Text | None = None
    path: Text | None = None
    method: Text | None = None
    owner: Text | None = None
    key: Text | None = None
    symbol: Text | None = None
    side: SideName | None = None
    channel: Text | None = None


class When(Struct, frozen=True, rename={"from_": "from"}, omit_defaults=True):
    """The matches that a rule hits: all, or those that agree with every field given.

    Requests that match are numbered from 1: `nth` lists numbers, `first` takes so many, `every` 3
    takes each third, `after` leaves so many out. `probability` draws from random numbers of the
    rule's own.
    `count` ends the rule after so many hits. `from` and `until` are venue times such as
    `2026-01-01T08:00:00Z`, spans from now such as `+90s`, or `midnight` (UTC) and `midnight+30s`.
    """

    nth: Ids | None = None
    first: Id | None = None
    every: Id | None = None
    after: Id | None = None
    probability: Rate | None = None
    count: Id | None = None
    from_: Text | None = None
    until: Text | None = None


class Effect(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The fault of a hit. `side` tells whether the venue carries the request out before it: with
    `after` it does.

    `ms` is how long a delay, a silence or lateness lasts, and by how much a clock is off;
    `jitterMs` adds up to so much. `truncate` leaves `bytes` of the body, half of it by default.
    """

    kind: EffectKind
    side: EffectSide | None = None
    ms: Skew | None = None
    jitter_ms: Wait | None = None
    status: Status | None = None
    retry_after: Wait | None = None
    code: Code | None = None
    close_code: CloseCode | None = None
    message: Text | None = None
    bytes: Size | None = None
    rate: Rate | None = None


class FaultView(Struct, rename="camel"):
    """A rule with its counts: its matches and its hits."""

    id: str
    enabled: bool
    match: FaultMatch
    when: When
    effect: Effect
    matched: int
    hits: int


class FaultRequest(Struct, kw_only=True):
    """A new rule; without `id` it is given one."""

    effect: Effect
    id: RuleId | None = None
    match: FaultMatch | None = None
    when: When | None = None
    enabled: Flag = True


class ChangeFaultRequest(Struct, kw_only=True):
    """Changes of a rule; one whose match, when or effect changes counts from 0 again."""

    id: RuleId
    match: FaultMatch | None = None
    when: When | None = None
    effect: Effect | None = None
    enabled: Flag | None = None


class FaultId(Struct, kw_only=True):
    """The rule with this id."""

    id: RuleId


class TryRequest(Struct, kw_only=True):
    """A request, or a frame of a channel, that is not sent; nothing is counted."""

    method: Text | None = None
    path: Text | None = None
    owner: Text | None = None
    key: Text | None = None
    symbol: Text | None = None
    side: SideName | None = None
    channel: Text | None = None


class Tried(Struct):
    """A rule that the request meets, and whether it would hit it now."""

    id: str
    hits: bool


class Preset(Struct):
    """A set of rules under one name."""

    name: str
    description: str
    rules: list[str]


class PresetRequest(Struct, kw_only=True):
    """Add the rules of a preset, in the place of those that it added before.

    `rate` scales how often each of them hits: 0.3, or 30%.
    """

    name: Text
    rate: Text | None = None


_W = (1, 0)
faults = VENUE.get("/faults", _W, Empty, list[FaultView])
add_fault = VENUE.post("/faults", _W, FaultRequest, FaultView)
clear_faults = VENUE.delete("/faults", _W, Empty, list[FaultView])
change_fault = VENUE.patch("/faults/{id}", _W, ChangeFaultRequest, FaultView)
remove_fault = VENUE.delete("/faults/{id}", _W, FaultId, FaultView)
try_fault = VENUE.post("/faults/try", _W, TryRequest, list[Tried])
fault_presets = VENUE.get("/faults/presets", _W, Empty, list[Preset])
apply_fault_preset = VENUE.put("/faults/presets/{name}", _W, PresetRequest, list[FaultView])

ROWS = rows(globals())
