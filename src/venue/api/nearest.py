"""The listed symbols that an unknown one may have meant, for the words of a refusal."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

from venue.api import former

COMPARED_MAX: Final = 64  # symbols: comparing takes some 20 us each, and anybody may ask
LENGTH_MAX: Final = 32  # of a symbol that is compared
TOLD_MAX: Final = 10  # symbols in the words of a refusal
QUOTES: Final = ("", "USDT")
WORLDS: Final = "/w/"


def nearest(symbol: str, listed: Collection[str]) -> str:
    """Return the one that is written alike, or begins so: `btc-usdt`, `BTC/USDT:USDT`, `BTC`; or
    empty."""
    if len(symbol) > LENGTH_MAX:
        return ""
    plain = "".join(c for c in symbol.upper().partition(":")[0] if c.isascii() and c.isalnum())
    for quote in QUOTES:
        if f"{plain}{quote}" in listed:
            return f"{plain}{quote}"
    if len(listed) > COMPARED_MAX:
        return ""
    return next(iter(get_close_matches(plain, listed, n=1)), "")


def of_path(path: str, near: str) -> str:
    """Return the words for the caller of an unknown path: the world or the row that was perhaps
    meant. `near` is a known path that is written alike; or empty."""
    if path.startswith(WORLDS):
        return "There is no such world; GET /_venue/worlds lists them."
    return former.words(path) or (f"Near to it: {near}" if near else "")


def no_such(what: str, symbol: str, listed: Collection[str]) -> str:
    """Return the rule that an unknown symbol breaks, with those that are listed as `alternatives`
    has."""
    told = alternatives(symbol, listed)
    return f"no such {what}; {told}" if told else f"no such {what}"


def alternatives(symbol: str, listed: Collection[str]) -> str:
    """Return all listed symbols if they are few, otherwise the one that was perhaps meant; or
    empty. One that is written as in V2 has its name in V3."""
    plain = former.plain_symbol(symbol) if len(symbol) <= LENGTH_MAX else symbol
    if plain != symbol and plain in listed and plain != symbol.upper():
        return f"this is its name in V2, in V3 it is {plain}"
    if 0 < len(listed) <= TOLD_MAX:
        return f"listed: {', '.join(listed)}"
    near = nearest(symbol, listed)
    return f"{near} is listed" if near else ""
