"""Answers of a `sparse` rule: ended contract orders lack what they have filled, for a while."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from venue.vocabulary import OrderStatus

LEFT_OUT: Final = ("executedQty", "cumQuote")
_ENDED: Final = (OrderStatus.FILLED.name, OrderStatus.CANCELED.name, OrderStatus.EXPIRED.name)
_MARK: Final = b'"cumQuote"'


def without_fills(body: bytes, now_ms: int, lasts_ms: int | None) -> bytes:
    """Return a body whose rows of ended orders lack their fills while they are younger than
    `lasts_ms`, or always. One without such rows stays as it is."""
    if _MARK not in body:
        return body
    told = msgspec.json.decode(body)
    for row in told if isinstance(told, list) else [told]:
        if row.get("status") in _ENDED and _is_young(row, now_ms, lasts_ms):
            for name in LEFT_OUT:
                row.pop(name, None)
    return msgspec.json.encode(told)


def _is_young(row: dict[str, Any], now_ms: int, lasts_ms: int | None) -> bool:
    return lasts_ms is None or now_ms < row.get("updateTime", 0) + lasts_ms
