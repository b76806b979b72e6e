"""The data of a report: replies of operations as they came, and what was said about the run."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from venue.api.operator.wire import WireEntry

FORMAT: Final = 1


class ReportCommand(Struct, frozen=True):
    """A command line of the reader, and what it does."""

    title: str
    line: str


class ReportVerdict(Struct, frozen=True):
    """The words on top. `kind` is `failed`, `passed`, or `told` where nobody judged the run."""

    kind: str
    title: str
    lines: list[str] = []


class ReportAbout(Struct, frozen=True):
    """The facts that the maker of a report knows of the run. `seed` "": ask the venue for it.
    Entries of the wire up to number `after` are no part of it. `faults` are the rules that were
    removed before the report: its questions would meet them."""

    title: str
    verdict: ReportVerdict | None = None
    commands: list[ReportCommand] = []
    seed: str = ""
    after: int = 0
    faults: list[dict[str, Any]] = []


class ReportBounds(Struct, frozen=True, kw_only=True):
    """How many reasons are asked for, each about a second of the venue's work, and how long (s)."""

    refusals: int = 8
    orders: int = 8
    others: int = 4
    seconds: float = 25.0


class ReportReply(Struct, frozen=True):
    """The reply of an operation, asked for `owner` or, with "", as the operator."""

    name: str
    owner: str
    values: dict[str, Any]
    reply: Any


class ReportFlag(Struct, frozen=True):
    """An event on the time axis (ms): an act of the operator, or a liquidation."""

    time: int
    kind: str
    title: str
    words: str = ""
    number: int = 0  # of the wire, or of the liquidation


class EquityCurve(Struct, frozen=True):
    """An account's equity over time (ms), in USDT."""

    owner: str
    product: str
    points: list[tuple[int, str]]


class ReportData(Struct, kw_only=True):
    """All that the page of a report shows. `lacking` are sentences on what is not in it."""

    format: int = FORMAT
    title: str
    verdict: ReportVerdict | None
    commands: list[ReportCommand]
    seed: str
    version: str
    profile: str
    begin: int
    end: int
    sequence: int
    epoch: int
    owners: list[str]
    markets: list[tuple[str, str]]
    wire: list[WireEntry]
    flags: list[ReportFlag]
    equity: list[EquityCurve]
    replies: list[ReportReply]
    lacking: list[str]
