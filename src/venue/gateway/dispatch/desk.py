"""One operation served, over HTTP or over a socket: charge, permit, decode, call."""

from __future__ import annotations

import logging
from typing import Any, Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.gateway.access.auth import Caller, permit
from venue.gateway.access.limits import Limits
from venue.gateway.context import Call, Venue
from venue.gateway.dispatch.decode import decode, ignored
from venue.gateway.dispatch.routes import Route, Routes
from venue.gateway.dispatch.turn import Finish, Turn
from venue.node.sequencer import Stopped
from venue.vocabulary import ACCESS_COPY_TRADE, Access

SHOWN_MAX: Final = 10  # unknown names in a refusal
SWALLOWED: Final = (
    "no such parameter; a real exchange would have swallowed it and gone on without it"
    " (this venue is strict)"
)

log = logging.getLogger("venue.gateway")


class Desk:
    """Parts that all transports share: the table of operations and the budgets of all callers.

    `strict`: what an operation does not know is refused, where exchanges ignore it.
    """

    def __init__(
        self, venue: Venue, routes: Routes, limits: Limits, *, strict: bool = False
    ) -> None:
        self.venue = venue
        self.routes = routes
        self._limits = limits
        self._strict = strict

    def charge(self, route: Route, ip: str, now: int) -> tuple[int, int] | None:
        """Charge the caller's address at server time `now` (µs), or at venue time where that is
        stretched; its weight (used, remaining), None without limits: where time stands there are
        none.

        ApiError -1003 (HTTP 429) when the budget does not suffice. This comes first of all.
        """
        clock = self.venue.clock
        if not clock.limited:
            return None
        if clock.scaled:
            now = clock.now()
        if route.access is Access.OPERATOR:
            return self._limits.charge_operator(ip, route.row.weight[0], now)
        return self._limits.charge_ip(ip, route.row.weight[0], now)

    def charge_other(self, weight: int, ip: str, now: int) -> None:
        """Charge for what no row answers: documents, unknown paths. ApiError as for `charge`."""
        clock = self.venue.clock
        if clock.limited:
            self._limits.charge_ip(ip, weight, clock.now() if clock.scaled else now)

    def check_open(self, route: Route) -> None:
        """ApiError -1150 while a setting keeps the operation closed; a practice venue names it."""
        setting = route.closed(self.venue) if route.closed is not None else ""
        if setting:
            raise errors.closed(route.row.method, setting if self.venue.practice else "")

    def admit(self, route: Route, caller: Caller, now: int) -> tuple[int, int] | None:
        """Check the caller's right, then charge its account; ApiError -1052 and -1003.

        Where orders are sent, how many the account sent in ten seconds and in a minute; else None,
        and without limits.
        """
        if caller.access & route.access_bits != route.access_bits and (
            route.lead is None or not caller.access & ACCESS_COPY_TRADE
        ):
            permit(caller, route.access)
        clock = self.venue.clock
        if not clock.limited:
            return None
        if clock.scaled:
            now = clock.now()
        self._limits.charge_uid(caller.uid, route.row.weight[1], now)
        if not route.orders:
            return None
        return self._limits.charge_orders(caller.uid, route.orders, now)

    def unknown_names(self, route: Route, values: dict[str, Any]) -> list[str]:
        """The names of values that are ignored; ApiError -1142 where none may be."""
        unknown = ignored(route.request, values)
        if not unknown:
            return unknown
        if route.access is Access.OPERATOR:
            # Clients send extra parameters; an operator's misspelt one must not be lost in silence.
            raise errors.invalid(errors.shown(unknown[0])[1:-1], "no such parameter")
        if self._strict:
            _check_known(unknown)
        return unknown

    def turn(self, route: Route, call: Call, values: dict[str, Any], finish: Finish) -> None:
        """Serve an operation that trades; what it submits, it submits before this returns.

        `finish` gets the reply or what was raised, at once or later.
        """
        try:
            request = decode(route.request, values)
            if call.lead_key and route.lead is not None:
                route.lead(call, request)
            coroutine = route.handler(call, request)
        except ApiError as refusal:
            finish(None, refusal)
            return
        Turn(coroutine, finish).go_on()


def _check_known(unknown: list[str]) -> None:
    """ApiError -1142 that names what other exchanges swallow; known names that do nothing pass."""
    names = [errors.shown(name)[1:-1] for name in unknown if "=" not in name]
    if names:
        more = f"; {', '.join(names[1:SHOWN_MAX])} neither" if len(names) > 1 else ""
        raise errors.invalid(names[0], SWALLOWED + more)


def refusal_of(problem: Exception, what: str) -> ApiError:
    """What a caller is told of a problem; one that is no refusal is a defect, and logged."""
    if isinstance(problem, ApiError):
        return problem
    if isinstance(problem, Stopped):
        return errors.internal()  # the failure that stops the venue is told in the log
    log.error("defect while serving %s", what, exc_info=problem)
    return errors.internal()
