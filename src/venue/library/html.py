"""Tables in HTML, as notebooks show them. Every text is escaped; nothing of them runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from html import escape
from typing import Any, Final

from msgspec import Struct, structs

ROWS_MAX: Final = 40  # of a table; of more, the first and the last
DECIMALS: Final = 12  # of a number; a quotient has more
_TIMES: Final = ("ts", "close_ts", "updated_ts")
_RIGHT: Final = ' style="text-align:right"'


def fields_table(shown: Struct) -> str:
    """Return a table of a struct's fields: a notebook shows a result so."""
    names = [field.name for field in structs.fields(shown)]
    return table(type(shown).__name__, (), zip(names, _values(names, shown), strict=True))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table with a title; numbers stand on the right. Cells are values of any kind."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(title)}</caption>"
        + (f"<thead><tr>{head}</tr></thead>" if columns else "")
        + f"<tbody>{body}</tbody></table>"
    )


def of_structs(kind: type[Struct], rows: Sequence[Struct]) -> str:
    """Return a table of structs of one kind, a column for each field."""
    names = [field.name for field in structs.fields(kind)]
    count = len(rows)
    title = f"{count} {'row' if count == 1 else 'rows'} of {kind.__name__}"
    shown: list[Sequence[Any]] = [_values(names, row) for row in rows]
    if count > ROWS_MAX:
        half = ROWS_MAX // 2
        left_out = [f"{count - ROWS_MAX} more"] + [""] * (len(names) - 1)
        shown = [*shown[:half], left_out, *shown[-half:]]
    return table(title, names, shown)


def moment(ms: int) -> str:
    """Return a time of ms since 1970 in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(" ", "seconds")[:19]


def _values(names: Sequence[str], row: Struct) -> list[Any]:
    values = [getattr(row, name) for name in names]
    pairs = zip(names, values, strict=True)
    return [moment(value) if name in _TIMES else value for name, value in pairs]


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, Decimal):
        shown = round(value, DECIMALS) if _decimals(value) > DECIMALS else value
        return f"<td{_RIGHT}>{shown:f}</td>"
    if isinstance(value, int):
        return f"<td{_RIGHT}>{value}</td>"
    if isinstance(value, tuple):
        return f"<td>{escape(', '.join(map(str, value)))}</td>"
    return f"<td>{escape(str(value))}</td>"


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
