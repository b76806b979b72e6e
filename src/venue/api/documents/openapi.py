"""OpenAPI from the rows of the table of operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import Struct

from venue.api import errors
from venue.api.documents.described import describe_fields, example
from venue.api.documents.schemas import body_schema, clean_schema, query_schema, text_of
from venue.api.operation import SIGNATURE, Row, product_of, request_type
from venue.api.profile import Profile
from venue.vocabulary import Access

ACCESS_TAGS: Final = {
    Access.PUBLIC: "market data",
    Access.READ: "account",
    Access.SPOT_TRADE: "trading",
    Access.CONTRACT_TRADE: "trading",
    Access.COPY_TRADE: "lead trading",
}
_HEADERS: Final = {
    "x-used-weight-10s": "Weight that the address used in this window of ten seconds.",
    "x-remaining-weight-10s": "Weight that is left to it.",
    "X-Venue-Ignored": "Parameters that the operation does not know, by name.",
}
_TRADE_HEADERS: Final = {
    "X-Venue-Repeated": "true: this request came before, and this is the answer it got then.",
}
_ORDER_HEADERS: Final = {
    "x-order-count-10s": "Orders that the account sent in this window of ten seconds.",
    "x-order-count-1m": "Orders that the account sent in this minute.",
}
_PROFILES: Final = {
    Profile.DOCUMENT: "Profile document: the interface's document decides; where it is silent, the"
    " live exchange.",
    Profile.LIVE: "Profile live: the live exchange decides, also where the interface's document"
    " says otherwise.",
}
_RETRY: Final = {"Retry-After": "Seconds to wait."}


def openapi(
    rows: Iterable[Row], version: str, profile: Profile = Profile.DOCUMENT
) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of these rows, of a venue with this profile."""
    rows = list(rows)
    types = [kind for row in rows for kind in (row.request, row.reply)]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    components = {name: describe_fields(name, one) for name, one in components.items()}
    paths: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        request = components.get(row.request.__name__, {})
        told = example(components, row.request.__name__)
        document = _document(row, request, told, schemas[2 * number], schemas[2 * number + 1])
        paths.setdefault(row.path, {})[row.method.lower()] = document
    for struct in _bodies(rows):
        name = struct.__name__
        components[name] = describe_fields(name, body_schema(struct, components[name]))
    schemes = {name: {"type": "apiKey", "in": "header", "name": name} for name in SIGNATURE}
    schemes["operator"] = {"type": "http", "scheme": "bearer"}
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Trading Interface V3",
            "version": version,
            "description": _PROFILES[profile],
        },
        # Relative to the document: of a world's it is the world.
        "servers": [{"url": ".", "description": "Both products are served from one address."}],
        "tags": [{"name": tag} for tag in dict.fromkeys(_tag(row) for row in rows)],
        "paths": paths,
        "components": {
            "schemas": {**components, "Error": _error()},
            "securitySchemes": schemes,
        },
    }
    return dict(clean_schema(document))


def _bodies(rows: Iterable[Row]) -> list[type[Struct]]:
    """Return the structs that stand in bodies of requests: those of rows, and of their lists."""
    found: dict[type[Struct], None] = {}
    for row in rows:
        if row.in_body:
            found[request_type(row)] = None
            for hint in get_type_hints(request_type(row)).values():
                found.update(
                    (part, None)
                    for part in get_args(hint)
                    if isinstance(part, type) and issubclass(part, Struct)
                )
    return list(found)


def _error() -> dict[str, Any]:
    told = [f"{row.code} {row.name} ({row.status}): {row.message}" for row in errors.ROWS]
    return {
        "type": "object",
        "required": ["code"],
        "properties": {
            "code": {
                "type": "integer",
                "enum": [row.code for row in errors.ROWS],
                "description": "\n".join(["Negative; name, HTTP status and words:", *told]),
            },
            "msg": {"type": "string", "description": "In words, except on 429 and 5xx."},
            "message": {"type": "string", "description": "In place of msg on 429 and 5xx."},
        },
    }


def _document(
    row: Row, request: dict[str, Any], shown: dict[str, Any], body: Any, reply: Any
) -> dict[str, Any]:
    problem = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    trades = row.access in (Access.SPOT_TRADE, Access.CONTRACT_TRADE)
    headers = _HEADERS | (_TRADE_HEADERS if trades else {})
    headers |= _ORDER_HEADERS if row.orders else {}
    document: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.name.replace("_", " ").capitalize(),
        "description": text_of(request_type(row)),
        "tags": [_tag(row)],
        "x-weight-ip": row.weight[0],
        "x-weight-uid": row.weight[1],
        "x-access": row.access.name,
        "responses": {
            "200": {
                "description": "OK",
                "headers": _header_schemas(headers),
                "content": {"application/json": {"schema": reply}},
            },
            "4XX": {"description": "Refused, without effect.", **problem},
            "429": {
                "description": "A budget is used up; without effect.",
                "headers": _header_schemas(_RETRY),
                **problem,
            },
            "5XX": {
                "description": "Not available, without effect.",
                "headers": _header_schemas(_RETRY),
                **problem,
            },
        },
    }
    named = _parameters(request, row, "path")
    if row.in_body:
        content = {"application/json": {"schema": body, "example": shown}}
        document["requestBody"] = {"required": True, "content": content}
    else:
        named += _parameters(request, row, "query")
    if named or not row.in_body:
        document["parameters"] = named
    if row.access is Access.OPERATOR:
        document["security"] = [{}, {"operator": []}]
    elif row.access is not Access.PUBLIC:
        document["security"] = [{name: [] for name in SIGNATURE}]
    return document


def _parameters(request: dict[str, Any], row: Row, place: str) -> list[dict[str, Any]]:
    """Return the parameters of a row that stand in its path, or those in its query."""
    required = request.get("required", [])
    return [
        _parameter(name, place, schema, required=name in required)
        for name, schema in request.get("properties", {}).items()
        if (f"{{{name}}}" in row.path) is (place == "path")
    ]


def _parameter(name: str, place: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    shown = {
        key: value
        for key, value in query_schema(schema).items()
        if key not in ("description", "examples")
    }
    words = schema["description"]
    found = {"name": name, "in": place, "required": required, "description": words}
    if "examples" in schema:
        found["example"] = schema["examples"][0]
    found["schema"] = shown
    if shown.get("type") == "array":  # comma-separated
        found |= {"style": "form", "explode": False}
    return found


def _tag(row: Row) -> str:
    if row.access is Access.OPERATOR:
        return "operator"
    return f"{product_of(row) or 'own'} {ACCESS_TAGS[row.access]}"


def _header_schemas(headers: dict[str, str]) -> dict[str, Any]:
    return {
        name: {"description": words, "schema": {"type": "string"}}
        for name, words in headers.items()
    }
