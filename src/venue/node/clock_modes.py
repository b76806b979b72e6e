"""How venue time passes: the modes of the venue's clock, and their setting."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

SETTING: Final = "clock"  # the venue's setting that holds the mode
SIGNED_AHEAD: Final = "signedAhead"  # the one that holds an `AheadSpan`
BEGIN: Final = "2026-01-01T00:00:00Z"  # of a new venue whose time is not the machine's
RATE_UNIT: Final = 1_000  # rates are thousandths
RATE_MOST: Final = 10_000 * RATE_UNIT

_SETTING: Final = re.compile(r"(real|manual|skip)|(offset) (-?[0-9]{1,17})|(rate) ([0-9]{1,8})")


class Mode(StrEnum):
    """How venue time passes."""

    REAL = "real"
    OFFSET = "offset"
    RATE = "rate"
    MANUAL = "manual"
    SKIP = "skip"


class ClockMode(Struct, frozen=True):
    """A mode with what belongs to it: `offset` in µs from server time, `rate` in thousandths."""

    mode: Mode = Mode.REAL
    offset: int = 0
    rate: int = RATE_UNIT

    def text(self) -> str:
        """Return the mode as the text of the venue's setting."""
        if self.mode is Mode.OFFSET:
            return f"{self.mode} {self.offset}"
        return f"{self.mode} {self.rate}" if self.mode is Mode.RATE else str(self.mode)


class AheadSpan(Struct, frozen=True):
    """The times that the machine's clock showed while it was set ahead of server time: from `first`
    to `last` (µs), since venue time `begin`. Requests were signed by them before server time
    reached them."""

    begin: int
    first: int
    last: int

    def text(self) -> str:
        """Return the span as the text of the venue's setting."""
        return f"{self.begin} {self.first} {self.last}"


class ClockRefused(Exception):
    """The clock cannot be set this way; the text names the rule. Nothing has changed."""


def parse_mode(text: str) -> ClockMode:
    """Return the mode that a setting holds; an empty setting means `real`. ClockRefused: it is no
    mode."""
    found = _SETTING.fullmatch(text or Mode.REAL)
    if found is None:
        raise ClockRefused(f"the journal's clock setting {text!r} is unknown to this version")
    if found[2]:
        return ClockMode(Mode.OFFSET, offset=int(found[3]))
    return ClockMode(Mode.RATE, rate=int(found[5])) if found[4] else ClockMode(Mode(found[1]))


def span_of(text: str) -> AheadSpan | None:
    """Return the span that a setting holds; None: it holds none."""
    found = text.split()
    return AheadSpan(*map(int, found)) if len(found) == len(AheadSpan.__struct_fields__) else None
