"""Reads entries of the wire log: of which market they are, and what they ask for."""

from __future__ import annotations

from typing import Any

import msgspec

from venue.api.operator.wire import WireEntry


def fields_of(entry: WireEntry) -> dict[str, Any]:
    """Return the parameters of a request; none where its text is no object."""
    try:
        found = msgspec.json.decode(entry.text)
    except (msgspec.MsgspecError, UnicodeError):
        return {}
    return found if isinstance(found, dict) else {}


def market_of(entry: WireEntry) -> str:
    """Return the product that a request is about."""
    return "contract" if "/capi/" in entry.path or "contract" in entry.operation else "spot"


def symbol_of(entry: WireEntry) -> str:
    """Return the symbol that a request names; "" without one."""
    if entry.kind not in ("REQUEST", "OPERATION"):
        return ""
    symbol = fields_of(entry).get("symbol")
    return symbol.upper() if isinstance(symbol, str) else ""
