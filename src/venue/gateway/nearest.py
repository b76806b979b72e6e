"""The listed symbol that an unknown one was meant to be, for the words of a refusal."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

COMPARED_MAX: Final = 64  # symbols: comparing takes some 20 us each, and anybody may ask
LENGTH_MAX: Final = 32  # of a symbol that is compared
QUOTES: Final = ("", "USDT")


def nearest(symbol: str, listed: Collection[str]) -> str:
    """The one that is written alike, or begins so: `btc-usdt`, `BTC/USDT:USDT`, `BTC`; or empty."""
    if len(symbol) > LENGTH_MAX:
        return ""
    plain = "".join(c for c in symbol.upper().partition(":")[0] if c.isascii() and c.isalnum())
    for quote in QUOTES:
        if f"{plain}{quote}" in listed:
            return f"{plain}{quote}"
    if len(listed) > COMPARED_MAX:
        return ""
    return next(iter(get_close_matches(plain, listed, n=1)), "")


def no_such(what: str, symbol: str, listed: Collection[str]) -> str:
    """The rule that an unknown symbol breaks, with the one that was meant perhaps."""
    near = nearest(symbol, listed)
    return f"no such {what}; {near} is listed" if near else f"no such {what}"
