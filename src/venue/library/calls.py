"""Calls the interface's operations without a socket: decoded, checked and answered as over REST.

No call is signed: code that holds the venue may act for any owner. An order is journaled as one
that an operator sent for its owner.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, TypeVar

import msgspec

from venue.api import errors
from venue.api.documents.table import BY_NAME
from venue.api.errors import ApiError
from venue.api.operation import Operation, Row
from venue.client.errors import Misused, refusal
from venue.client.http import NOT_SENT, wire_values
from venue.gateway.access.limits import Limits
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.dispatch.acting import acted_for
from venue.gateway.dispatch.decode import body_values, decode
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.dispatch.routes import Route
from venue.gateway.door import Call, Door
from venue.gateway.operations.bindings import routes
from venue.node.sequencer import Stopped
from venue.vocabulary import Access

R = TypeVar("R")


class Calls:
    """Serves rows of the table of operations for owners of one venue, on the venue's loop."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.node = door.node
        self._table = OperationTable(door, routes(), Limits(None, None, None))
        self._routes: dict[str, Route] = {}

    async def serve(self, row: Operation[..., Any, R], owner: str, values: dict[str, Any]) -> R:
        """Serve one call for an owner by name or uid; "" for rows without an owner. Refused,
        Misused."""
        route = self._route(row)
        try:
            self._table.check_open(route)
            uid = self._uid(route, owner)
            plain = _as_sent(route, values)
            unknown = self._table.unknown_names(route, plain)
            if unknown:
                raise errors.invalid(unknown[0], "no such parameter")
            reply = await self._reply(route, uid, plain)
        except ApiError as problem:
            raise refusal(problem) from None
        except (UnicodeEncodeError, OverflowError):
            found = errors.invalid("parameters", NOT_SENT)
            raise refusal(found) from None
        except Stopped as problem:
            raise Misused(f"the venue has stopped: {problem}") from None
        if isinstance(reply, EncodedBody):
            return msgspec.json.decode(reply.data, type=row.reply)
        answer: R = reply
        return answer

    def _route(self, row: Row) -> Route:
        route = self._routes.get(row.name)
        if route is None:
            found = self._table.routes.find(row.method.encode(), row.path.encode())
            assert found is not None, row
            route = self._routes[row.name] = found
        return route

    def _uid(self, route: Route, owner: str) -> int:
        if route.access in (Access.PUBLIC, Access.OPERATOR):
            return 0
        return self.node.owner(owner).uid

    async def _reply(self, route: Route, uid: int, given: dict[str, Any]) -> Any:
        if not route.trades:
            reply = route.handler(Call(self.door, uid, b""), decode(route.request, given))
            return await reply if inspect.isawaitable(reply) else reply
        if route.orders:
            self.node.check_room(uid)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def finish(reply: Any, problem: Exception | None) -> None:
            if answer.done():
                return  # the caller was interrupted
            if problem is None:
                answer.set_result(reply)
            else:
                answer.set_exception(problem)

        self._table.begin(route, acted_for(uid), given, finish)
        return await answer


def row_of(name: str) -> Row:
    """Return a row by its name; Refused when there is none."""
    row = BY_NAME.get(name) if isinstance(name, str) else None
    if row is None:
        raise refusal(errors.invalid("operation", "no such row in the table of operations"))
    return row


def check_text(name: str, value: object) -> None:
    """Raise Refused when an argument is no text."""
    if not isinstance(value, str):
        raise refusal(errors.invalid(name, "must be text"))


def check_count(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise Refused when an argument is no int in a range."""
    if type(value) is int and least <= value and (most is None or value <= most):
        return
    rule = f"{least} or more" if most is None else f"from {least} to {most}"
    raise refusal(errors.invalid(name, f"must be a whole number, {rule}"))


def _as_sent(route: Route, values: dict[str, Any]) -> dict[str, Any]:
    """Convert values to the form that a query or a body has. Refused for a float, before any other
    check."""
    plain = wire_values(values)
    if route.in_body and not route.named:
        return body_values(msgspec.json.encode(plain))
    if route.in_body:
        return body_values(msgspec.json.encode(plain)) if plain else {}
    return {name: _text(value) for name, value in plain.items()}


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return [_text(item) for item in value]
    return str(value)
