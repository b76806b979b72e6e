"""Spans and moments as people write them, in µs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

US_PER_MS: Final = 1_000
DAY_US: Final = 86_400_000_000
YEAR_US: Final = 366 * DAY_US
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The times that the interface can say: 13 digits of milliseconds.
MOMENT_MIN: Final = 10**12
MOMENT_MAX: Final = 10**13 - 1

SPAN_RULE: Final = "must be a span such as 8h, 90s, 1d12h or 500ms"
MOMENT_RULE: Final = (
    "must be a time from 2001 to 2286 such as 2026-01-01T08:00:00Z, or its milliseconds since 1970"
)

_UNITS: Final = {"d": DAY_US, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1_000}
_SPAN: Final = re.compile("([0-9]{1,9}(ms|[dhms]))+", re.ASCII)
_PART: Final = re.compile("([0-9]+)(ms|[dhms])", re.ASCII)
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{3})?)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_MS: Final = re.compile("[0-9]{13}", re.ASCII)


def span_us(text: str) -> int:
    """The sum of a span's parts; ValueError with the rule when it is none."""
    if not _SPAN.fullmatch(text):
        raise ValueError(SPAN_RULE)
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def moment_us(text: str) -> int:
    """A time with its zone, or milliseconds since the epoch; ValueError with the rule."""
    if _MS.fullmatch(text):
        moment_ms = int(text)
    else:
        if not _MOMENT.fullmatch(text):
            raise ValueError(MOMENT_RULE)
        try:
            passed = datetime.fromisoformat(text) - EPOCH
        except (ValueError, OverflowError):
            raise ValueError(MOMENT_RULE) from None
        moment_ms = passed // timedelta(milliseconds=1)
    if not MOMENT_MIN <= moment_ms <= MOMENT_MAX:
        raise ValueError(MOMENT_RULE)
    return moment_ms * US_PER_MS
