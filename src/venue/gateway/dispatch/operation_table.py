"""Checks and starts operations for all transports: HTTP, WebSocket and the library."""

from __future__ import annotations

from typing import Any, Final

from venue.api import errors, former
from venue.api.errors import ApiError
from venue.gateway.access.auth import permit
from venue.gateway.access.callers import Caller
from venue.gateway.access.limits import Limits
from venue.gateway.dispatch.decode import decode, ignored_names
from venue.gateway.dispatch.routes import Route, Routes
from venue.gateway.door import Call, Door, Finish
from venue.vocabulary import Access

SHOWN_MAX: Final = 10  # unknown names in a refusal
UNKNOWN: Final = "unknown parameter; without --strict the venue ignores it, as exchanges do"


class OperationTable:
    """The operations of a venue, and the checks that each call passes, whichever transport it came
    by. `strict`: parameters that an operation does not know are refused; exchanges ignore them."""

    def __init__(self, door: Door, routes: Routes, limits: Limits, *, strict: bool = False) -> None:
        self.door = door
        self.node = door.node
        self.routes = routes
        self.limits = limits
        self._strict = strict

    def check_open(self, route: Route) -> None:
        """ApiError -1150 while something keeps the operation closed, which it names."""
        setting = route.closed(self.door) if route.closed is not None else ""
        if setting:
            raise errors.operation_closed(route.row.method, setting)

    def admit(self, route: Route, caller: Caller, now: int) -> tuple[int, int] | None:
        """Check the caller's right, then charge its account; ApiError -1052 and -1003.

        Return how many orders the account sent in ten seconds and in a minute; None for an
        operation that sends none, and without limits.
        """
        permit(caller, route.access_bits, leads=route.lead is not None)
        self.limits.charge_uid(caller.uid, route.row.weight[1], now)
        if not route.orders:
            return None
        return self.limits.charge_orders(caller.uid, route.orders, now)

    def unknown_names(self, route: Route, values: dict[str, Any]) -> list[str]:
        """Return the names of values that are ignored; ApiError -1142 where none may be."""
        unknown = ignored_names(route.request, values)
        if not unknown:
            return unknown
        if route.access is Access.OPERATOR:
            # Clients send extra parameters; an operator's misspelt one must not be lost in silence.
            raise errors.invalid(errors.quote_value(unknown[0])[1:-1], "no such parameter")
        if self._strict:
            _check_known(unknown, former.fields(route.request.names, values))
        return unknown

    def begin(
        self,
        route: Route,
        caller: Caller,
        values: dict[str, Any],
        finish: Finish,
        placed: dict[int, None] | None = None,
        connection: int = 0,
    ) -> None:
        """Start an operation that trades. Every transport starts it here, so that a caller has the
        same rights at each. See `Call` and `Call.begin`."""
        call = Call(self.door, caller.uid, caller.request, placed, connection)
        try:
            whole = permit(caller, route.access_bits, leads=route.lead is not None)
            request = decode(route.request, values)
            if not whole and route.lead is not None:
                route.lead(call, request)
            handler = route.handler(call, request)
        except ApiError as refusal:
            finish(None, refusal)
            return
        call.begin(handler, finish)


def _check_known(unknown: list[str], words: str) -> None:
    """ApiError -1142 that names what other exchanges swallow; known names that do nothing pass."""
    names = [errors.quote_value(name)[1:-1] for name in unknown if "=" not in name]
    if names:
        more = f"; {', '.join(names[1:SHOWN_MAX])} neither" if len(names) > 1 else ""
        raise errors.add_words(errors.invalid(names[0], UNKNOWN + more), words)
