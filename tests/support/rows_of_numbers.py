"""Requests made of the table of operations: each whole number and decimal of each row, replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from msgspec import inspect

from venue.api.documents.table import ROWS
from venue.api.operation import Row
from venue.vocabulary import Access

POWERS: Final = (2**31, 2**53, 2**61, 2**62, 2**63, 2**64, 10**17, 10**18, 10**30)
NUMBERS: Final = [
    *[power + step for power in POWERS for step in (-1, 0, 1)], 0, -1, -(2**63) - 1, -(2**64),
]  # fmt: skip
SCALES: Final = (0, 6, 18)
# Decimals that are 2^62 to 2^64 atoms of an asset, one more and one less.
ATOMS: Final = [
    f"{(power + step) // 10**scale}.{(power + step) % 10**scale:0{scale}}".rstrip(".")
    for scale in (6, 8, 18) for power in (2**62, 2**63, 2**64) for step in (-1, 0, 1)
]  # fmt: skip
FRACTIONS: Final = ["0.000001", "0.000000000000000001", "9" * 18 + "." + "9" * 18, "0." + "0" * 30]
WHOLE: Final = ("integer", "leverage", "countdown", "idOrAll")
DECIMAL: Final = ("decimal", "rate")
LISTS: Final = ("ids", "uids")
# They would end the venue, take the clock along, or do to others what the row is for.
LEFT_OUT: Final = ("/_venue/stop", "/_venue/clock", "/_venue/worlds", "/_venue/faults",
                   "/_venue/snapshots", "/_venue/bundle", "/_venue/wire")  # fmt: skip


# Of the operator's rows, those whose numbers are of an asset or a market.
MONEY: Final = ("/_venue/deposit", "/_venue/withdraw", "/_venue/transfer", "/_venue/index",
                "/_venue/gifts")  # fmt: skip


class Grid(NamedTuple):
    """A market whose assets have this many decimals."""

    symbol: str
    asset: str
    quote: str


GRIDS: Final = [Grid("BASE0QUOTE0", "BASE0", "QUOTE0"), Grid("BASE6QUOTE6", "BASE6", "QUOTE6"),
                Grid("BASE18QUOTE18", "BASE18", "QUOTE18")]  # fmt: skip
TEXTS: Final = {
    "owner": "carol", "code": "BOB7", "fromAccountType": "SPOT", "product": "CONTRACT",
    "month": "2026-11", "wallet": "SPOT", "from": "SPOT", "to": "FUNDING",
}  # fmt: skip


class Asked(NamedTuple):
    """A request, and whether the operator makes it."""

    method: str
    target: str
    body: dict[str, Any] | None
    operator: bool


def kind_of(field: inspect.Field) -> tuple[str, inspect.Type]:
    """How a field's text is read, and its type."""
    found = field.type
    kind = ""
    while True:
        if isinstance(found, inspect.Metadata):
            kind = (found.extra or {}).get("kind", kind)
            found = found.type
        elif isinstance(found, inspect.UnionType):
            found = next(one for one in found.types if not isinstance(one, inspect.NoneType))
        else:
            return kind, found


def plain(field: inspect.Field, grid: Grid) -> Any:
    """A value that the field takes."""
    kind, found = kind_of(field)
    name = field.encode_name
    if name in TEXTS:
        return TEXTS[name]
    if name in ("asset", "coin", "quoteAsset", "marginAsset"):
        return grid.quote
    if name == "baseAsset":
        return grid.asset
    if kind.startswith("symbol"):
        return [grid.symbol] if kind == "symbols" else grid.symbol
    if kind in ("objects", "object") and isinstance(found, inspect.ListType):
        return [body_of(found.item_type, grid)]
    usual = {
        "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "algoType": "STOP", "flag": True,
        "ids": [1], "uids": "1", "clientId": "m", "contractClientId": "m", "texts": [],
    }  # fmt: skip
    if kind in usual:
        return usual[kind]
    if kind in ("choice", "choices"):
        return _choice(field, kind)
    return 1 if kind in WHOLE else "1" if kind in DECIMAL else "x"


def _choice(field: inspect.Field, kind: str) -> Any:
    found: Any = field.type
    while not (isinstance(found, inspect.Metadata) and found.extra_json_schema):
        found = found.types[0] if isinstance(found, inspect.UnionType) else found.type
    names = found.extra_json_schema
    return [names["items"]["enum"][0]] if kind == "choices" else names["enum"][0]


def body_of(struct: inspect.Type, grid: Grid) -> dict[str, Any]:
    """The required fields of a request, and those without which its numbers say nothing."""
    assert isinstance(struct, inspect.StructType), struct
    wanted = ("price", "timeInForce", "positionSide", "coin", "asset", "symbol")
    return {
        field.encode_name: plain(field, grid)
        for field in struct.fields
        if field.required or field.encode_name in wanted
    }


def changed(struct: inspect.Type, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The body with one number replaced, for each of its fields and each number."""
    assert isinstance(struct, inspect.StructType), struct
    for field in struct.fields:
        kind, found = kind_of(field)
        name = field.encode_name
        if kind in WHOLE or kind in LISTS:
            for number in NUMBERS:
                yield {**body, name: [number] if kind in LISTS else number}
        elif kind in DECIMAL:
            for text in [*map(str, NUMBERS), *ATOMS, *FRACTIONS]:
                yield {**body, name: text}
        elif kind == "objects" and isinstance(found, inspect.ListType):
            for item in changed(found.item_type, body[name][0] if name in body else {}):
                yield {**body, name: [item]}


def requests() -> Iterator[Asked]:
    """All of them. Rows of money and orders are asked in each of the three grids."""
    for row in ROWS:
        if not row.path.startswith(LEFT_OUT):
            yield from of_row(row)


def of_row(row: Row) -> Iterator[Asked]:
    """The requests of one row."""
    struct = inspect.type_info(row.request)
    operator = row.access is Access.OPERATOR
    in_query = row.method == "GET" or (row.method == "DELETE" and "atch" not in row.path)
    moves = not in_query and (not operator or row.path.startswith(MONEY))
    for grid in GRIDS if moves else GRIDS[-1:]:
        for body in changed(struct, body_of(struct, grid)):
            path = row.path
            for name in [one for one in body if f"{{{one}}}" in path]:
                path = path.replace(f"{{{name}}}", str(body[name]))
            if in_query:
                yield Asked(row.method, f"{path}?{urlencode(body, doseq=True)}", None, operator)
            else:
                yield Asked(row.method, path, body, operator)
