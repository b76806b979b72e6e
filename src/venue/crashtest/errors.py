"""The error that ends a crash test without a report."""

from __future__ import annotations


class CrashTestError(Exception):
    """The bot cannot be tested, or the venue refused a necessary step. The text is for the user."""
