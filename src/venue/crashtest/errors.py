"""How a crash test ends without a report."""

from __future__ import annotations


class CrashTestError(Exception):
    """The bot cannot be tested, or the venue refused what a run needs; carries words for a user."""
