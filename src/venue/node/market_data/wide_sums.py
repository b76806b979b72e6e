"""The rows of market data, and a list beside them for sums that exceed msgpack's 64 bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec
from msgspec import structs

from venue.candles import Candle

NARROW_MAX: Final = 2**63 - 1

Wide = tuple[int, dict[str, str]]  # row's ordinal, field -> digits


class Second(msgspec.Struct, array_like=True, gc=False):
    """The trades of one second: first and last price, sums, first and last time (µs)."""

    second: int
    first: int
    last: int
    volume: int
    notional: int
    count: int
    first_time: int
    last_time: int


Row = TypeVar("Row", Candle, Second)


def split_wide_sums(rows: Iterable[Row]) -> tuple[list[Row], list[Wide]]:
    """Return the rows, with sums beyond 63 bits replaced by 0 in copies, and these sums."""
    narrow = list(rows)
    wide: list[Wide] = []
    for ordinal, row in enumerate(narrow):
        # No other field is ever larger than these two.
        if row.notional <= NARROW_MAX and row.volume <= NARROW_MAX:
            continue
        fields = structs.asdict(row)
        sums = {name: str(value) for name, value in fields.items() if value > NARROW_MAX}
        wide.append((ordinal, sums))
        narrow[ordinal] = structs.replace(row, **dict.fromkeys(sums, 0))
    return narrow, wide


def restore_wide_sums(rows: list[Row], wide: list[Wide]) -> list[Row]:
    """Undo `split_wide_sums`."""
    for ordinal, sums in wide:
        exact = {name: int(digits) for name, digits in sums.items()}
        rows[ordinal] = structs.replace(rows[ordinal], **exact)
    return rows
