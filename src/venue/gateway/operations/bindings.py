"""Every row of the table of operations with the handler that answers it."""

from __future__ import annotations

from functools import cache

from venue.api import errors
from venue.api.operation import Row
from venue.gateway.context import Node
from venue.gateway.dispatch.routes import Route, Routes
from venue.gateway.operations.contract import bindings as contract
from venue.gateway.operations.copying import bindings as copying
from venue.gateway.operations.operator import bindings as operator
from venue.gateway.operations.spot import bindings as spot


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [*spot.bindings(), *contract.bindings(), *copying.bindings(), *operator.bindings()]


@cache
def routes() -> Routes:
    """The table, ready to serve; one for all venues in this process."""
    return Routes(bindings())


def open_rows(node: Node) -> list[Row]:
    """The rows that this kind of venue has."""
    return [
        route.row
        for route in bindings()
        if route.closed is None or route.closed(node) != errors.PRACTICE
    ]
