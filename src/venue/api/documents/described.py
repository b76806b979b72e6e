"""Gives each field of a document its words and an example, and each request an example."""

from __future__ import annotations

from typing import Any, Final

from venue.api.documents.words import by_struct, contracts, market, money, operator, orders

Schema = dict[str, Any]
WORDS: Final = {
    **market.WORDS, **orders.WORDS, **money.WORDS, **contracts.WORDS, **operator.WORDS,
}  # fmt: skip


def describe_fields(struct: str, component: Schema) -> Schema:
    """Return a struct's schema with the words of each field; the schema's own words come first."""
    fields = component.get("properties", {})
    told = {name: _describe_field(struct, name, schema) for name, schema in fields.items()}
    return {**component, "properties": told} if fields else component


def _describe_field(struct: str, name: str, schema: Schema) -> Schema:
    words, example = by_struct.WORDS.get(f"{struct}.{name}") or WORDS[name]
    if schema.get("format") == "decimal":  # `Decimal`: replies have it as a JSON number
        schema = {**schema, "type": "number", "format": "double"}
    found = {"description": words, **schema}
    shown = _fitting(example, schema)
    return found if shown is None else {**found, "examples": [shown]}


def example(components: dict[str, Schema], struct: str) -> dict[str, Any]:
    """Return an example of a request: the fields that it needs, and those of the structs in
    them."""
    component = components.get(struct, {})
    fields = component.get("properties", {})
    return {name: _value(components, fields[name]) for name in component.get("required", [])}


def _value(components: dict[str, Schema], schema: Schema) -> Any:
    """Return a field's example; of a struct, or a list of them, the struct's."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return example(components, schema["$ref"].rpartition("/")[2])
    return [_value(components, schema["items"])]


def _fitting(value: Any, schema: Schema) -> Any:
    """Return the example in the form that the schema wants; None: the field is an object, or may be
    absent only."""
    forms = schema.get("anyOf", [schema])
    if "$ref" in forms[0] or "$ref" in str(forms[0].get("items", "")):
        return None
    chosen = next((form["enum"] for form in forms if form.get("enum", [""])[0]), None)
    if chosen is not None:
        return value if value in chosen else chosen[0]
    kind = forms[0].get("type")
    if kind == "null":
        kind = forms[-1].get("type")
    if isinstance(value, list):
        return [_fitting(one, forms[0].get("items") or {}) for one in value]
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if kind == "integer" and isinstance(value, str):
        return int(value) if value.isdigit() else None
    if kind == "number" and isinstance(value, str):
        return int(value) if value.isdigit() else float(value)
    return value
