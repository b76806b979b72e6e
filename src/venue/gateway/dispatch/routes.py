"""Connects rows with their handlers: compiled once, found by raw path and method."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from typing import Any, Final

from venue.api.operation import Row, request_type
from venue.gateway.access.operators import OPERATOR_PATHS
from venue.gateway.dispatch.decode import RequestShape
from venue.gateway.dispatch.known_queries import KnownQueries
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.door import Call, Door
from venue.vocabulary import Access

_NAME: Final = re.compile(rb"\{[a-z]+\}")  # of a parameter in a path
PARTS_MAX: Final = 6  # of a path, with the empty one before it
NEAR_LENGTH_MAX: Final = 80  # of an unknown path that is compared with those that are known
COMPARED_MAX: Final = 40  # known paths, some 10 us each
ALIKE: Final = 0.5  # the least ratio of `difflib`
Closed = Callable[[Door], str]


class Route:
    """One row with its handler, ready to serve. `closed` names the setting that can switch it off.

    `lead` refuses requests that a lead trader's key may not make, of a row that admits such keys.
    """

    __slots__ = (
        "access",
        "access_bits",
        "closed",
        "handler",
        "in_body",
        "is_async",
        "lead",
        "method",
        "named",
        "orders",
        "queries",
        "request",
        "row",
        "trades",
    )

    def __init__(
        self,
        row: Row,
        handler: Callable[..., Any],
        closed: Closed | None,
        lead: Callable[[Call, Any], None] | None = None,
    ) -> None:
        assert row.lead == (lead is not None), row
        self.row = row
        self.method = row.method.encode()
        self.access = row.access
        self.access_bits = int(row.access)  # plain: flags are slow to compare
        self.handler = handler
        self.closed = closed
        self.lead = lead
        self.is_async = inspect.iscoroutinefunction(handler)
        self.in_body = row.in_body
        self.named = "{" in row.path  # parameters stand in the path
        self.request: RequestShape = compile_request(request_type(row))
        self.queries = KnownQueries()
        self.trades = row.access in (Access.SPOT_TRADE, Access.CONTRACT_TRADE)
        self.orders = row.orders


class Routes:
    """All routes by raw path and method. Nothing is decoded: an escaped path is another path."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.by_path: dict[bytes, dict[bytes, Route]] = {}  # as the table spells it; by method
        self._named: dict[tuple[bytes, ...], dict[bytes, Route]] = {}  # a name is empty
        for route in routes:
            if route.named:
                parts = tuple(_NAME.sub(b"", route.row.path.encode()).split(b"/"))
                self._named.setdefault(parts, {})[route.method] = route
                continue
            paths = [route.row.path.encode()]
            if paths[0].endswith(b"/"):
                paths.append(paths[0][:-1])  # both spellings are one operation
            for path in paths:
                methods = self.by_path.setdefault(path, {})
                assert route.method not in methods, route.row
                methods[route.method] = route
        self._parts = [path.split(b"/") for path in self.by_path]  # for `near`

    def of(self, row: Row) -> Route:
        """Return a row's route. KeyError: it has none here."""
        return self.by_path[row.path.encode()][row.method.encode()]

    def find(self, method: bytes, path: bytes) -> Route | None:
        """Return the route; None for an unknown path, or a method that the path does not have."""
        methods = self.by_path.get(path)
        if methods is None:
            methods = self._find_named(path)
        return methods.get(method) if methods is not None else None

    def knows(self, path: bytes) -> bool:
        """Return whether the path has a route of any method."""
        return path in self.by_path or self._find_named(path) is not None

    def near(self, path: bytes) -> str:
        """Return the known path that differs in one part, which is written alike; empty: there is
        none.

        Only paths of the same length in parts are compared, and few of them: anybody may ask.
        """
        if len(path) > NEAR_LENGTH_MAX:
            return ""
        parts = path.split(b"/")
        compared = []
        for known in self._parts:
            if len(known) == len(parts):
                differ = [pair for pair in zip(known, parts, strict=True) if pair[0] != pair[1]]
                if len(differ) == 1:
                    compared.append((known, *differ[0]))
        alike = [
            (SequenceMatcher(None, meant, given).ratio(), b"/".join(known).decode())
            for known, meant, given in compared[:COMPARED_MAX]
        ]
        ratio, nearest = max(alike, default=(0.0, ""))
        return nearest if ratio >= ALIKE else ""

    def _find_named(self, path: bytes) -> dict[bytes, Route] | None:
        """Return the routes of a path of which one part, after the first two, is a name."""
        parts = path.split(b"/", PARTS_MAX)
        if not path.startswith(OPERATOR_PATHS) or len(parts) > PARTS_MAX:
            return None
        for at in range(3, len(parts)):
            methods = self._named.get((*parts[:at], b"", *parts[at + 1 :]))
            if methods is not None and parts[at]:
                return methods
        return None


def named_values(route: Route, path: bytes) -> dict[str, str]:
    """Return the parameters that a path contains."""
    pairs = zip(route.row.path.split("/"), path.decode("latin-1").split("/"), strict=True)
    return {name[1:-1]: value for name, value in pairs if name.startswith("{")}


def strip_prefix(path: bytes) -> bytes:
    """Return the interface's own path, without the `/spot` or `/contract` a base address may
    carry."""
    if path.startswith(b"/spot/api/"):
        return path[5:]
    if path.startswith(b"/contract/capi/"):
        return path[9:]
    return path
