"""One operation served, through whichever door it was asked for: charge, permit, decode, call."""

from __future__ import annotations

import logging
from typing import Any

from venue.api import errors
from venue.api.errors import ApiError
from venue.gateway.access.auth import Caller, permit
from venue.gateway.access.limits import Limits
from venue.gateway.context import Call, Venue
from venue.gateway.dispatch.decode import decode, ignored
from venue.gateway.dispatch.routes import Route, Routes
from venue.node.sequencer import Stopped
from venue.terms import Access

log = logging.getLogger("venue.gateway")


class Desk:
    """What all doors share: the table of operations and everyone's budgets."""

    def __init__(self, venue: Venue, routes: Routes, limits: Limits) -> None:
        self.venue = venue
        self.routes = routes
        self._limits = limits

    def charge(self, route: Route, ip: str, now: int) -> tuple[int, int] | None:
        """Charge the caller's address; its weight (used, remaining), None without limits.

        ApiError -1003 (HTTP 429) when the budget does not suffice. This comes first of all.
        """
        return self._limits.charge_ip(ip, route.row.weight[0], now)

    def check_open(self, route: Route) -> None:
        """ApiError -1150 while a setting keeps the operation closed."""
        if route.closed is not None and route.closed(self.venue):
            raise errors.method_not_supported(route.row.method)

    def admit(self, route: Route, caller: Caller, now: int) -> None:
        """Check the caller's right, then charge its account; ApiError -1052 and -1003."""
        permit(caller, route.row.access)
        self._limits.charge_uid(caller.uid, route.row.weight[1], now)

    async def serve(self, route: Route, call: Call, values: dict[str, Any]) -> Any:
        """Decode and call: the reply."""
        return await self.call(route, call, decode(route.request, values))

    async def call(self, route: Route, call: Call, request: Any) -> Any:
        """The reply. What a handler submits, it submits before it waits for anything."""
        reply = route.handler(call, request)
        if not route.is_async:
            return reply
        try:
            return await reply
        except Stopped:
            raise errors.internal() from None


def unknown_names(route: Route, values: dict[str, Any]) -> list[str]:
    """The names of values that are ignored; ApiError -1142 where none may be."""
    unknown = ignored(route.request, values)
    if unknown and route.row.access is Access.OPERATOR:
        # Clients send extra parameters; an operator's misspelt one must not be lost in silence.
        raise errors.invalid(errors.shown(unknown[0])[1:-1], "no such parameter")
    return unknown


def refusal_of(problem: Exception, what: str) -> ApiError:
    """What a caller is told of a problem; one that is no refusal is a defect, and logged."""
    if isinstance(problem, ApiError):
        return problem
    log.error("defect while serving %s", what, exc_info=problem)
    return errors.internal()
