"""Schemas for the documents: texts without indentation, and every form of a request's fields."""

from __future__ import annotations

import inspect
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from venue.api.fields import Kind

Schema = dict[str, Any]
INTEGERS: Final = (Kind.INTEGER, Kind.COUNTDOWN, Kind.ID_OR_ALL)
OR_ALL: Final = (Kind.SYMBOL_OR_ALL, Kind.ID_OR_ALL)
_DIGITS: Final = {"type": "string", "pattern": "^[0-9]{1,19}$"}
_FORMS: Final[dict[Kind, Schema]] = {  # forms of a field in a body beside its own type
    **dict.fromkeys(INTEGERS, _DIGITS),
    Kind.DECIMAL: {"type": "number", "exclusiveMinimum": 0},
    Kind.RATE: {"type": "number", "minimum": 0},
    Kind.LEVERAGE: {"type": "string", "pattern": r"^[0-9]{1,19}(\.0+)?$"},
    Kind.FLAG: {"enum": ["true", "false"]},
}


def clean_schema(value: Any) -> Any:
    """Descriptions without the indentation of the sources, and pairs of one kind as lists of two,
    which every dialect knows: in a schema and all below it."""
    if isinstance(value, list):
        return [clean_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: clean_schema(item) for name, item in value.items()}
    if isinstance(found.get("description"), str):
        found["description"] = inspect.cleandoc(found["description"])
    places = found.get("prefixItems")
    if places and found.get("items") is False and all(place == places[0] for place in places):
        found["items"] = found.pop("prefixItems")[0]
    return found


def text_of(kind: type[Any]) -> str:
    """Return a type's docstring."""
    return inspect.cleandoc(kind.__doc__ or "")


def draft_07(value: Any) -> Any:
    """Return the same schema in the words of draft 07, the dialect of AsyncAPI 3.0."""
    if isinstance(value, list):
        return [draft_07(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: draft_07(item) for name, item in value.items()}
    places = found.pop("prefixItems", None)
    if places is not None:
        found["additionalItems"] = found.pop("items", True)
        found["items"] = places
    return found


def query_schema(schema: Schema) -> Schema:
    """Return a parameter of a query, which is left out and not null."""
    base = _base(schema)
    default = schema.get("default")
    return base if default is None else {**base, "default": default}


def body_schema(struct: type[Struct], component: Schema) -> Schema:
    """Return the schema of a body: every form of each field that is taken (protocol 1.2)."""
    kinds, required = _kinds(struct), component.get("required", [])
    properties = {
        name: _body_schema(schema, kinds[name], optional=name not in required)
        for name, schema in component["properties"].items()
    }
    return {**component, "properties": properties}


def _body_schema(schema: Schema, kind: Kind, *, optional: bool) -> Schema:
    base = _base(schema)
    if kind is Kind.IDS:
        base = {**base, "items": {"anyOf": [base["items"], _DIGITS]}}
    forms = [base]
    if kind in _FORMS:
        forms.append(_FORMS[kind])
    if optional and kind not in OR_ALL:
        forms.append({"enum": ["", None], "description": "As if it were left out."})
    found = forms[0] if len(forms) == 1 else {"anyOf": forms}
    default = schema.get("default")
    return found if default is None else {**found, "default": default}


def _base(schema: Schema) -> Schema:
    """Return the schema of a value that is given: without null, without the default."""
    given = [form for form in schema.get("anyOf", ()) if form != {"type": "null"}]
    if given:
        return given[0] if len(given) == 1 else {"anyOf": given}
    return {name: value for name, value in schema.items() if name != "default"}


def _kinds(struct: type[Struct]) -> dict[str, Kind]:
    hints = get_type_hints(struct, include_extras=True)
    return {field.encode_name: _kind(hints[field.name]) for field in msgspec.structs.fields(struct)}


def _kind(hint: Any) -> Kind:
    for part in (hint, *get_args(hint)):
        for extra in getattr(part, "__metadata__", ()):
            if isinstance(extra, Meta) and extra.extra:
                return Kind(extra.extra["kind"])
    return Kind.OBJECT
