"""The rows of the table of operations and their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, ParamSpec, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import FieldInfo, fields, force_setattr

from venue.vocabulary import Access

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")


class Empty(Struct):
    """A request without parameters, or a reply without fields."""


class Operation(Struct, Generic[P, Q, R], frozen=True):
    """One operation: weight is (per IP, per UID); `request` and `reply` are their wire types.

    P are the parameters of the request's constructor: those of the method of a client. Q, the
    request itself, is what the operation's handler takes, and R what both return.
    """

    method: str
    path: str
    access: Access
    weight: tuple[int, int]
    request: Callable[P, Q]
    reply: type[R]
    name: str = ""  # the row's name in its module; `rows` fills it in
    lead: bool = False  # a lead trader's key is let in too, for its tracked positions


Row: TypeAlias = Operation[..., Any, Any]
Weight = tuple[int, int]


class Under(Struct, frozen=True):
    """Makes the rows of one access whose paths begin alike.

    GET carries its parameters in the query, POST, PUT and PATCH in a JSON body, except those that
    the path names; DELETE in the query, or in the body where its path names a batch.
    """

    prefix: str
    access: Access
    lead: bool = False

    def get(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("GET", path, weight, request, reply)

    def post(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("POST", path, weight, request, reply)

    def delete(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("DELETE", path, weight, request, reply)

    def put(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("PUT", path, weight, request, reply)

    def patch(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("PATCH", path, weight, request, reply)

    def _row(
        self, method: str, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        path = self.prefix + path
        return Operation(method, path, self.access, weight, request, reply, lead=self.lead)


VENUE: Final = Under("/_venue", Access.OPERATOR)  # for operators alone


def either(one: type[Q], other: type[R]) -> type[Q | R]:
    """The type of a reply that is one of two."""
    return one | other  # type: ignore[return-value]  # a union is no type to mypy


def request_type(row: Row) -> type[Struct]:
    """The struct of a row's request."""
    return cast(type[Struct], row.request)


def parameters(row: Row) -> tuple[FieldInfo, ...]:
    """The fields of a row's request."""
    return fields(request_type(row))


def rows(names: Mapping[str, object]) -> tuple[Row, ...]:
    """The rows among a module's names, in their order; each gets the name that it has there."""
    found = {name: row for name, row in names.items() if isinstance(row, Operation)}
    for name, row in found.items():
        force_setattr(row, "name", name)
    return tuple(found.values())


def in_body(row: Row) -> bool:
    """Whether the row's parameters come in a JSON body (protocol 1.2)."""
    return row.method in ("POST", "PUT", "PATCH") or (
        row.method == "DELETE" and "batch" in row.path
    )


SIGNATURE = ("ACCESS-KEY", "ACCESS-SIGN", "ACCESS-PASSPHRASE", "ACCESS-TIMESTAMP")
