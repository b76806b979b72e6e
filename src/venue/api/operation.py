"""The rows of the table of operations, and OpenAPI made from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from venue.vocabulary import Access

Q = TypeVar("Q")
R = TypeVar("R")


class Empty(Struct):
    """A request without parameters, or a reply without fields."""


class Operation(Struct, Generic[Q, R], frozen=True):
    """One operation: weight is (per IP, per UID); `request` and `reply` are their wire types."""

    name: str
    method: str
    path: str
    access: Access
    weight: tuple[int, int]
    request: type[Q]
    reply: type[R]


def get(
    name: str, path: str, access: Access, weight: tuple[int, int], request: type[Q], reply: type[R]
) -> Operation[Q, R]:
    """A row that carries its parameters in the query."""
    return Operation(name, "GET", path, access, weight, request, reply)


def post(
    name: str, path: str, access: Access, weight: tuple[int, int], request: type[Q], reply: type[R]
) -> Operation[Q, R]:
    """A row that carries its parameters in a JSON body."""
    return Operation(name, "POST", path, access, weight, request, reply)


def delete(
    name: str, path: str, access: Access, weight: tuple[int, int], request: type[Q], reply: type[R]
) -> Operation[Q, R]:
    """A row whose parameters stand in the query, or in the body where its path names a batch."""
    return Operation(name, "DELETE", path, access, weight, request, reply)


def put(
    name: str, path: str, access: Access, weight: tuple[int, int], request: type[Q], reply: type[R]
) -> Operation[Q, R]:
    """A row that carries its parameters in a JSON body, but for those that its path names."""
    return Operation(name, "PUT", path, access, weight, request, reply)


def patch(
    name: str, path: str, access: Access, weight: tuple[int, int], request: type[Q], reply: type[R]
) -> Operation[Q, R]:
    """As `put`."""
    return Operation(name, "PATCH", path, access, weight, request, reply)


def in_body(row: Operation[Any, Any]) -> bool:
    """Whether the row's parameters come in a JSON body (protocol 1.2)."""
    return row.method in ("POST", "PUT", "PATCH") or (
        row.method == "DELETE" and "batch" in row.path
    )


SIGNATURE = ("ACCESS-KEY", "ACCESS-SIGN", "ACCESS-PASSPHRASE", "ACCESS-TIMESTAMP")


def openapi(rows: Iterable[Operation[Any, Any]], version: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these rows."""
    rows = list(rows)
    types = [kind for row in rows for kind in (row.request, row.reply)]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        request = components.get(row.request.__name__, {})
        document = _document(row, request, schemas[2 * number], schemas[2 * number + 1])
        paths.setdefault(row.path, {})[row.method.lower()] = document
    schemes = {name: {"type": "apiKey", "in": "header", "name": name} for name in SIGNATURE}
    schemes["operator"] = {"type": "http", "scheme": "bearer"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Trading Interface V3", "version": version},
        "paths": paths,
        "components": {
            "schemas": {**components, "Error": _ERROR},
            "securitySchemes": schemes,
        },
    }


_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["code"],
    "properties": {
        "code": {"type": "integer", "description": "Negative."},
        "msg": {"type": "string"},
        "message": {"type": "string", "description": "In place of msg on 429 and 5xx."},
    },
}


def _document(
    row: Operation[Any, Any], request: dict[str, Any], body: Any, reply: Any
) -> dict[str, Any]:
    problem = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    document: dict[str, Any] = {
        "operationId": row.name,
        "description": (row.request.__doc__ or "").strip(),
        "x-weight-ip": row.weight[0],
        "x-weight-uid": row.weight[1],
        "x-access": row.access.name,
        "responses": {
            "200": {"description": "OK", "content": {"application/json": {"schema": reply}}},
            "4XX": {"description": "Refused, without effect.", **problem},
            "5XX": {"description": "Not available, without effect.", **problem},
        },
    }
    named = _parameters(request, row, "path")
    if in_body(row):
        content = {"application/json": {"schema": body}}
        document["requestBody"] = {"required": True, "content": content}
    else:
        named += _parameters(request, row, "query")
    if named or not in_body(row):
        document["parameters"] = named
    if row.access is Access.OPERATOR:
        document["security"] = [{}, {"operator": []}]
    elif row.access is not Access.PUBLIC:
        document["security"] = [{name: [] for name in SIGNATURE}]
    return document


def _parameters(
    request: dict[str, Any], row: Operation[Any, Any], place: str
) -> list[dict[str, Any]]:
    """The parameters of a row that stand in its path, or those in its query."""
    required = request.get("required", [])
    return [
        {"name": name, "in": place, "required": name in required, "schema": schema}
        for name, schema in request.get("properties", {}).items()
        if (f"{{{name}}}" in row.path) is (place == "path")
    ]
