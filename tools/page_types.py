"""Writes what the pages know of the table of operations: types of rows and frames, and paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import venue
from venue.api.documents.openapi import openapi
from venue.api.documents.table import BY_NAME, ROWS
from venue.api.operation import request_type

REFERENCE: Final = "#/components/schemas/"
WHERE: Final = "src/venue/pages"
# The operations that pages use, and no others.
OPERATIONS: Final = (
    "owners", "clock", "change_clock", "advance_clock", "faults", "add_fault", "clear_faults",
    "remove_fault", "snapshots", "keep_snapshot", "revert", "hold_index", "release_index", "crash",
    "wire", "liquidations", "instruments", "contracts", "operator_positions", "places",
    "explain_order", "explain_refusal", "explain_bill", "explain_liquidation",
    "exchange_info", "klines", "depth", "trades", "tickers", "contract_exchange_info",
    "contract_klines", "contract_depth", "contract_trades", "contract_tickers", "premium_index",
    "account", "open_orders", "all_orders", "my_trades", "bills", "place_order",
    "contract_balance", "positions", "contract_open_orders", "contract_order_history",
    "open_algos", "user_trades", "income", "place_contract_order",
)  # fmt: skip
# The sections of a frame, and the operations of either product whose replies they are.
SECTIONS: Final = {
    "clock": ("clock",),
    "faults": ("faults",),
    "depth": ("depth", "contract_depth"),
    "ticker": ("tickers", "contract_tickers"),
    "prices": ("premium_index",),
    "trades": ("trades", "contract_trades"),
    "candle": ("klines", "contract_klines"),
    "orders": ("open_orders", "contract_open_orders"),
    "positions": ("positions",),
    "balances": ("account", "contract_balance"),
    "conditional": ("open_algos",),
    "places": ("places",),
    "wire": ("wire",),
}
PLAIN: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
    "null": "null",
}  # fmt: skip


def page_documents() -> dict[str, str]:
    """Each generated file of the pages by its path in the repository."""
    return {f"{WHERE}/types.d.ts": _types(), f"{WHERE}/operations.js": _paths()}


def _types() -> str:
    document = openapi(ROWS, venue.__version__)
    components = document["components"]["schemas"]
    replies, requests = [], []
    used: list[str] = []
    for name in OPERATIONS:
        row = BY_NAME[name]
        told = document["paths"][row.path][row.method.lower()]
        schema = told["responses"]["200"]["content"]["application/json"]["schema"]
        asked = {"$ref": f"{REFERENCE}{request_type(row).__name__}"}
        replies.append(f"  {name}: {written(schema)};")
        requests.append(f"  {name}: {written(asked)};")
        used += [*_named(schema), *_named(asked)]
    types = [
        f"export type {name} = {written(components[name])};" for name in _reached(used, components)
    ]
    sections = [
        f"  {name}?: {' | '.join(f'Replies[{json.dumps(one)}]' for one in names)};"
        for name, names in SECTIONS.items()
    ]
    return "\n".join(
        [
            "// Written by `make docs` from the table of operations.",
            "",
            *types,
            "",
            "/** The replies of the operations that pages use. */",
            "export interface Replies {",
            *replies,
            "}",
            "",
            "/** Their parameters. */",
            "export interface Requests {",
            *requests,
            "}",
            "",
            "/** The sections of a frame of `/_venue/events`. */",
            "export interface Sections {",
            *sections,
            "}",
            "",
        ]
    )


def _paths() -> str:
    rows = [BY_NAME[name] for name in OPERATIONS]
    lines = [
        f"  {row.name}: [{json.dumps(row.method)}, {json.dumps(row.path)},"
        f" {json.dumps(row.in_body)}],"
        for row in rows
    ]
    return "\n".join(
        [
            "// Written by `make docs` from the table of operations.",
            "",
            "/** Method, path, and whether the parameters stand in the body, of each operation.",
            " * @type {Record<keyof import('./types').Replies, [string, string, boolean]>} */",
            "export const OPERATIONS = {",
            *lines,
            "};",
            "",
        ]
    )


def written(schema: dict[str, Any]) -> str:
    """A type as TypeScript writes it."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REFERENCE)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return f"({' | '.join(written(one) for one in schema[several])})"
    if "enum" in schema:
        return f"({' | '.join(json.dumps(one) for one in schema['enum'])})"
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(written(one) for one in schema['prefixItems'])}]"
        return f"{written(schema.get('items') or {})}[]"
    if "properties" in schema:
        required = schema.get("required", ())
        fields = [
            f"{json.dumps(name)}{'' if name in required else '?'}: {written(one)}"
            for name, one in schema["properties"].items()
        ]
        return f"{{ {'; '.join(fields)} }}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"Record<string, {written(schema['additionalProperties'])}>"
    return PLAIN.get(str(kind), "unknown")


def _named(schema: dict[str, Any]) -> list[str]:
    """The components that a schema names."""
    return re.findall(rf"{re.escape(REFERENCE)}(\w+)", json.dumps(schema))


def _reached(names: Iterable[str], components: dict[str, Any]) -> Iterator[str]:
    """These components and all that they name, each once, by name."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _named(components[name])
    yield from sorted(found)
