"""Times and spans of time as people write them, in µs."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from venue.candles import SECOND_US

_UNITS: Final = {
    "ms": SECOND_US // 1000,
    "s": SECOND_US,
    "m": 60 * SECOND_US,
    "h": 3_600 * SECOND_US,
    "d": 86_400 * SECOND_US,
}
_PART: Final = r"([0-9]{1,9})(ms|s|m|h|d)"
_SPAN: Final = re.compile(rf"(?:{_PART})+", re.ASCII)
_PARTS: Final = re.compile(_PART, re.ASCII)
_MS: Final = re.compile("[0-9]{13}", re.ASCII)
US_PER_MS: Final = 1_000
LAST_US_OF_MS: Final = US_PER_MS - 1  # added to an inclusive end in ms: all of it belongs to a span
YEAR_US: Final = 366 * 86_400 * SECOND_US
MOMENT_MIN: Final = 10**15
MOMENT_MAX: Final = 10**16 - US_PER_MS
SPAN_RULE: Final = "must be a span of time such as 250ms, 90s, 8h or 1d12h"
INSTANT_RULE: Final = "must be a time such as 2026-01-01T08:00:00Z"

MOMENT_RULE: Final = f"{INSTANT_RULE}, or its milliseconds, from 2001 to 2286"


def span_us(text: str) -> int:
    """Return a span such as 8h or 1h30m, in µs. ValueError: it is none."""
    if not _SPAN.fullmatch(text):
        raise ValueError(SPAN_RULE)
    return sum(int(count) * _UNITS[unit] for count, unit in _PARTS.findall(text))


def instant_us(text: str) -> int:
    """Return a time of RFC 3339 as µs since 1970. ValueError: it is none, or does not say which
    zone."""
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None or time.year < 1970:
            raise ValueError(INSTANT_RULE)
        since = time.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(INSTANT_RULE) from None
    return (since.days * 86_400 + since.seconds) * SECOND_US + since.microseconds


def instant_text(time_us: int) -> str:
    """Return a time in µs since 1970 as RFC 3339 in UTC, to the millisecond."""
    time = datetime.fromtimestamp(time_us // US_PER_MS / 1_000, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_us(text: str) -> int:
    """As `instant_us`, or the 13 digits of its milliseconds. It is a time that the interface can
    write, from 2001 to 2286. ValueError: it is none."""
    moment = int(text) * US_PER_MS if _MS.fullmatch(text) else instant_us(text)
    moment -= moment % US_PER_MS
    if not MOMENT_MIN <= moment <= MOMENT_MAX:
        raise ValueError(MOMENT_RULE)
    return moment
