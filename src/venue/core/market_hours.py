"""Market hours: when the market of a contract's underlying is open (rule 6.8)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.core.ranges import Signed
from venue.core.units import DAY_US, MINUTE_US, WEEK_US

WEEK_MINUTES: Final = 10_080
SESSIONS_MAX: Final = 50  # of a week
FIRST_MONDAY_US: Final = 4 * DAY_US  # 1970-01-05


class TradingSession(Struct, frozen=True, array_like=True):
    """An open span of each week: from minute `opens` to before `closes`, from Monday 00:00 UTC."""

    opens: Signed
    closes: Signed


def hours_fault(sessions: tuple[TradingSession, ...]) -> str:
    """Return why a contract cannot have these market hours; empty when it can."""
    if len(sessions) > SESSIONS_MAX:
        return f"market_hours must be at most {SESSIONS_MAX} sessions a week"
    end = 0
    for session in sessions:
        if not end <= session.opens < session.closes <= WEEK_MINUTES:
            return "market_hours must ascend within a week, and no session may overlap another"
        end = session.closes
    return ""


def opens_at(sessions: tuple[TradingSession, ...], time: int) -> int:
    """Return the time when the next session begins, in µs; 0 while one runs, and without
    sessions."""
    if not sessions:
        return 0
    passed = (time - FIRST_MONDAY_US) % WEEK_US
    monday = time - passed
    for session in sessions:
        if passed < session.opens * MINUTE_US:
            return monday + session.opens * MINUTE_US
        if passed < session.closes * MINUTE_US:
            return 0
    return monday + WEEK_US + sessions[0].opens * MINUTE_US
