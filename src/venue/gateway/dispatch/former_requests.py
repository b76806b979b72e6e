"""Answers a request to a path of V2 with words that name the fields of the row in V3."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from venue.api import former
from venue.api.errors import ApiError
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.routes import Routes
from venue.gateway.transport.request import Request

BODY_MAX: Final = 4_096  # bytes of a body that is looked into: anybody may send it


def words(routes: Routes, request: Request, row: str) -> str:
    """Return a sentence on the fields of a row of V3, such as `POST /api/v3/order`, that are meant
    by fields of V2; empty when none is, or when there is no such row."""
    method, _, path = row.partition(" ")
    route = routes.find(method.encode(), path.encode())
    if route is None or len(request.body) > BODY_MAX:
        return ""
    with suppress(ApiError):
        values = body_values(request.body) if request.body else query_values(request.query)
        told = former.intended_fields(route.request.names, values)
        return f" There {told}." if told else ""
    return ""
