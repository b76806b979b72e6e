"""Reads entries of the wire log: of which market they are, and what they ask for."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from venue.api.documents.table import ROWS
from venue.api.operation import product_of
from venue.api.operator.wire import WireEntry

_ROWS: Final = {row.name: row for row in ROWS}


def fields_of(entry: WireEntry) -> dict[str, Any]:
    """Return the parameters of a request; none where its text is no object."""
    try:
        found = msgspec.json.decode(entry.text)
    except (msgspec.MsgspecError, UnicodeError):
        return {}
    return found if isinstance(found, dict) else {}


def market_of(entry: WireEntry) -> str:
    """Return the product that a request is about; "spot" where it is about none."""
    row = _ROWS.get(entry.operation)
    return (product_of(row) if row is not None else "") or "spot"


def symbol_of(entry: WireEntry) -> str:
    """Return the symbol that a request names; "" without one."""
    if entry.kind not in ("REQUEST", "OPERATION"):
        return ""
    symbol = fields_of(entry).get("symbol")
    return symbol.upper() if isinstance(symbol, str) else ""
