"""Operations as tools: which ones are offered, their schemas, and which ask a person first."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from venue.api.documents.openapi import openapi
from venue.api.documents.table import BY_NAME
from venue.api.operation import Row
from venue.vocabulary import Access

MARKET: Final = (
    "exchange_info", "tickers", "book_tickers", "trades", "klines", "depth",
    "contract_exchange_info", "contract_tickers", "contract_book_tickers", "contract_trades",
    "contract_klines", "contract_depth", "symbol_price", "premium_index", "funding_rates",
    "open_interest",
)  # fmt: skip
ACCOUNT: Final = (
    "account", "bills", "order", "open_orders", "all_orders", "my_trades", "contract_balance",
    "positions", "income", "commission_rate", "account_config", "symbol_config", "contract_order",
    "contract_open_orders", "contract_order_history", "user_trades", "open_algos", "all_algos",
)  # fmt: skip
TRADING: Final = (
    "place_order", "cancel_order", "cancel_open_orders", "place_contract_order",
    "cancel_contract_order", "cancel_contract_open_orders", "close_positions", "set_leverage",
    "set_margin_type", "move_margin", "place_algo", "place_exit", "change_exit", "cancel_algo",
    "cancel_algos",
)  # fmt: skip
OPERATING: Final = (
    "health", "owners", "preview", "explain_order", "explain_refusal", "explain_bill",
    "explain_liquidation", "wire", "deposit", "withdraw", "transfer", "clock", "change_clock",
    "advance_clock", "snapshots", "keep_snapshot", "revert", "reset", "faults", "fault_presets",
    "add_fault", "apply_fault_preset", "clear_faults", "hold_index", "release_index", "crash",
)  # fmt: skip
# Money or risk moves, or what happened since is gone: a person says yes first.
ASKS: Final = frozenset((
    "place_order", "place_contract_order", "close_positions", "set_leverage", "set_margin_type",
    "move_margin", "place_algo", "place_exit", "change_exit", "deposit", "withdraw", "transfer",
    "revert", "reset", "hold_index", "release_index", "crash", "change_clock", "advance_clock",
))  # fmt: skip
_REFERENCE: Final = "#/components/schemas/"


class Tool(Struct, frozen=True):
    """An operation as a tool; `schema` is the JSON schema of its arguments, without references."""

    row: Row
    words: str
    schema: dict[str, Any]

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return (
            self.row.method == "GET" or self.row.access is Access.READ or self.row.name == "preview"
        )

    @property
    def asks(self) -> bool:
        """Whether a person says yes before it is sent."""
        return self.row.name in ASKS


def tools(*, operating: bool) -> dict[str, Tool]:
    """The tools by name: an owner's, and with `operating` those of the venue's operator."""
    names = MARKET + ACCOUNT + TRADING + (OPERATING if operating else ())
    rows = [BY_NAME[name] for name in names]
    document = openapi(rows, "")
    found = {}
    for row in rows:
        told = document["paths"][row.path][row.method.lower()]
        side = "Operator" if row.access is Access.OPERATOR else told["tags"][0].partition(" ")[0]
        words = f"{side.capitalize()}: {told['description']}"
        found[row.name] = Tool(row, words, _arguments(told, document["components"]["schemas"]))
    return found


def _arguments(told: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """The schema of an operation's arguments: those of its path, its query and its body."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for one in told.get("parameters", ()):
        properties[one["name"]] = {**one["schema"], "description": one["description"]}
        if one["required"]:
            required.append(one["name"])
    content = told.get("requestBody", {}).get("content", {})
    if content:
        body = _whole(content["application/json"]["schema"], components)
        for name, schema in body["properties"].items():
            properties.setdefault(name, schema)
        required += [name for name in body.get("required", ()) if name not in required]
    return {
        "type": "object",
        "properties": _whole(properties, components),
        "required": required,
        "additionalProperties": False,
    }


def _whole(value: Any, components: dict[str, Any]) -> Any:
    """A schema with what it refers to in place of the references."""
    if isinstance(value, list):
        return [_whole(one, components) for one in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref", "")
    if reference.startswith(_REFERENCE):
        return _whole(components[reference.removeprefix(_REFERENCE)], components)
    return {name: _whole(one, components) for name, one in value.items()}
