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

    `in_body`: its parameters come in a JSON body (protocol 1.2). A request counts for so many new
    `orders`, 0 where it places none.

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
    in_body: bool = False
    orders: int = 0


Row: TypeAlias = Operation[..., Any, Any]
Weight = tuple[int, int]
WITH_BODY: Final = ("POST", "PUT", "PATCH")
BATCH_ORDERS: Final = 5  # a batch counts for so many new orders, however many it has


class Under(Struct, frozen=True):
    """Makes the rows of one access whose paths begin alike.

    GET and DELETE carry their parameters in the query, POST, PUT, PATCH and the DELETE of many in a
    JSON body, except those that the path names.
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

    def place(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R], orders: int = 1
    ) -> Operation[P, Q, R]:
        """Return a POST that places new orders."""
        return self._row("POST", path, weight, request, reply, orders)

    def delete(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("DELETE", path, weight, request, reply)

    def delete_many(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        """Return a DELETE of what its body lists."""
        return self._row("DELETE", path, weight, request, reply, in_body=True)

    def put(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("PUT", path, weight, request, reply)

    def patch(
        self, path: str, weight: Weight, request: Callable[P, Q], reply: type[R]
    ) -> Operation[P, Q, R]:
        return self._row("PATCH", path, weight, request, reply)

    def _row(
        self,
        method: str,
        path: str,
        weight: Weight,
        request: Callable[P, Q],
        reply: type[R],
        orders: int = 0,
        *,
        in_body: bool = False,
    ) -> Operation[P, Q, R]:
        return Operation(
            method,
            self.prefix + path,
            self.access,
            weight,
            request,
            reply,
            lead=self.lead,
            in_body=in_body or method in WITH_BODY,
            orders=orders,
        )


VENUE: Final = Under("/_venue", Access.OPERATOR)  # for operators alone


def either(one: type[Q], other: type[R]) -> type[Q | R]:
    """Return the type of a reply that is one of two."""
    return one | other  # type: ignore[return-value]  # a union is no type to mypy


def request_type(row: Row) -> type[Struct]:
    """Return the struct of a row's request."""
    return cast(type[Struct], row.request)


def parameters(row: Row) -> tuple[FieldInfo, ...]:
    """Return the fields of a row's request."""
    return fields(request_type(row))


def product_of(row: Row) -> str:
    """Return the product that a row is for, as the interface tells it by the address; an operator's
    row is for none."""
    sides = {"/api/": "spot", "/capi/": "contract"}
    return next((product for start, product in sides.items() if row.path.startswith(start)), "")


def rows(names: Mapping[str, object]) -> tuple[Row, ...]:
    """Return the rows among a module's names, in their order; each gets the name that it has
    there."""
    found = {name: row for name, row in names.items() if isinstance(row, Operation)}
    for name, row in found.items():
        force_setattr(row, "name", name)
    return tuple(found.values())


SIGNATURE = ("ACCESS-KEY", "ACCESS-SIGN", "ACCESS-PASSPHRASE", "ACCESS-TIMESTAMP")
