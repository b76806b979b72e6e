"""The rows of the table of operations: what each of them says."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

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
