"""Market hours as operators write them: `MON-FRI 14:30-21:00`, in UTC."""

from __future__ import annotations

import re
from typing import Final

from venue.api import errors
from venue.core.instruments import DAY_MINUTES
from venue.core.market_hours import TradingSession

DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
RULE: Final = "each must be days and times such as MON-FRI 14:30-21:00 or SUN 23:00-24:00 (UTC)"
_DAY: Final = f"({'|'.join(DAYS)})"
_TIME: Final = "([01][0-9]|2[0-3]):([0-5][0-9])"
_SPAN: Final = re.compile(rf"{_DAY}(?:-{_DAY})? {_TIME}-(?:{_TIME}|24:00)", re.ASCII)


def sessions(asked: list[str]) -> tuple[TradingSession, ...]:
    """Return the sessions of a week, ascending."""
    found = [session for text in asked for session in _sessions(text)]
    return tuple(sorted(found, key=lambda session: session.opens))


def _sessions(text: str) -> list[TradingSession]:
    parts = _SPAN.fullmatch(text)
    if parts is None:
        raise errors.invalid("tradingHours", RULE)
    first, last, *times = parts.groups()
    begin, end = DAYS.index(first), DAYS.index(last or first)
    opens = _minute(times[0], times[1])
    closes = _minute(times[2], times[3]) if times[2] else DAY_MINUTES
    if end < begin or closes <= opens:
        raise errors.invalid("tradingHours", f"{RULE}: the later day and time stand last")
    return [
        TradingSession(day * DAY_MINUTES + opens, day * DAY_MINUTES + closes)
        for day in range(begin, end + 1)
    ]


def _minute(hours: str, minutes: str) -> int:
    return int(hours) * 60 + int(minutes)


def hours_texts(found: tuple[TradingSession, ...]) -> list[str]:
    """Return each session as a text, split at midnight."""
    return [text for session in found for text in _texts(session.opens, session.closes)]


def _texts(opens: int, closes: int) -> list[str]:
    day, minute = divmod(opens, DAY_MINUTES)
    midnight = (day + 1) * DAY_MINUTES
    until = min(closes, midnight) - day * DAY_MINUTES
    text = f"{DAYS[day]} {minute // 60:02}:{minute % 60:02}-{until // 60:02}:{until % 60:02}"
    return [text, *_texts(midnight, closes)] if closes > midnight else [text]
