"""Serves requests that fault rules match: delayed, answered differently, lost, or with a shifted
clock.

No rule matches operators' own requests, so a rule can always be removed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from venue.api.errors import ApiError
from venue.api.operator.faults import Effect
from venue.gateway.access.operators import OPERATOR_PATHS
from venue.gateway.dispatch.acting import named_uid
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.dispatcher import Dispatcher
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.routes import Route, strip_prefix
from venue.gateway.dispatch.wire_log import ACT_AS, Exchange
from venue.gateway.door import Door
from venue.gateway.faults.effects import Course, course, refusal
from venue.gateway.faults.rules import READING, SPARSE, STALE, RuleSubject
from venue.gateway.faults.sparse import without_fills
from venue.gateway.transport.request import Answering, Request, whole
from venue.node.clock import ServerClock
from venue.times import US_PER_MS

BATCHES: Final = ("orderList", "batchOrders")  # the parameters that hold a batch's orders
_LENGTH: Final = re.compile(rb"content-length: [0-9]+", re.IGNORECASE)
_END: Final = b"\r\n\r\n"
_OK: Final = b"HTTP/1.1 200"

Serve = Callable[[Request], None]


class ShiftedClock:
    """Another clock's times and a constant, in µs."""

    def __init__(self, clock: ServerClock, by_us: int) -> None:
        self._clock = clock
        self._by = by_us
        self.real = False

    def now(self) -> int:
        """Venue time."""
        return self._clock.now() + self._by

    def wall(self) -> int:
        """Server time."""
        return self._clock.wall() + self._by

    def server_time(self) -> int:
        """Return the time that the venue reports to clients, shifted."""
        return self._clock.server_time() + self._by

    def signs(self, sent_ms: int, window_ms: int) -> bool:
        """Return whether a timestamp is near venue time."""
        return self._clock.signs(sent_ms - self._by // US_PER_MS, window_ms)

    def oldest(self) -> int:
        """Return the earlier of both by the venue's own clock: one memory of requests serves
        all."""
        return self._clock.oldest()


class FaultyDoor:
    """Serves for a dispatcher while there are rules about requests. `skewed` makes one whose clock
    is off."""

    def __init__(
        self, door: Door, behind: Dispatcher, skewed: Callable[[ServerClock], Serve]
    ) -> None:
        self._door = door
        self._rules = door.faults
        self._routes = behind.table.routes
        self._through = behind.answer
        self._skewed = skewed
        self._doors: dict[int, Serve] = {}  # by how many ms their clock is off

    def serve(self, request: Request) -> None:
        """Serve a request as the rules that hit it say."""
        if request.path.startswith(OPERATOR_PATHS):
            self._through(request)
            return
        hits = self._rules.requests_hit(self._as_operation(request), self._door.node.clock.now())
        if not hits:
            self._through(request)
            return
        way = course(hits)
        if type(request.connection) is Exchange:
            request.connection.fault = way.summary()
        if way.wait_before_s:
            asyncio.get_running_loop().call_later(way.wait_before_s, self._go, request, way)
        else:
            self._go(request, way)

    def _go(self, request: Request, way: Course) -> None:
        connection = request.connection
        request.connection = answering = FaultyReceiver(connection, request, way, self._door)
        effect = way.before()
        if effect is None:
            self._do(request, way)
        elif effect.kind == "drop_before":
            connection.abort()
        elif effect.kind == "reset":
            connection.reset()
        else:
            answering.answer(_refusal_bytes(request, effect))

    def _do(self, request: Request, way: Course) -> None:
        """Serve the request; `duplicate` serves it a second time and drops that answer."""
        effect = way.effect
        if effect is not None and effect.kind == "clock_skew":
            self._shifted_door(effect.ms or 0)(request)
            return
        twice = effect is not None and effect.kind == "duplicate"
        again = _again(request) if twice else None
        self._through(request)
        if again is not None:
            self._through(again)

    def _shifted_door(self, ms: int) -> Serve:
        if ms not in self._doors:
            clock = self._door.node.clock
            self._doors[ms] = self._skewed(ShiftedClock(clock, ms * US_PER_MS))
            self._door.replays.reach_back(-ms, clock.oldest())
        return self._doors[ms]

    def _as_operation(self, request: Request) -> RuleSubject:
        path = strip_prefix(request.path)
        route = self._routes.find(request.method, path)
        name = request.headers.get(b"access-key", b"")
        key = self._door.keys.by_key(name)
        uid = key.view.uid if key is not None else named_uid(self._door.node, request)
        return rule_subject(
            route,
            request.method.decode("latin-1"),
            path.decode("latin-1"),
            uid,
            name.decode("latin-1"),
            _values(request),
        )


class FaultyReceiver:
    """Receives the answer to a request that fault rules match."""

    def __init__(self, connection: Answering, request: Request, way: Course, door: Door) -> None:
        self._connection = connection
        self._request = request
        self._way = way
        self._door = door

    def answer(self, data: bytes) -> None:
        """Do to an answer what was asked for, then send it."""
        wait_s = self._way.wait_after_s
        if wait_s:
            asyncio.get_running_loop().call_later(wait_s, self._send, data)
        else:
            self._send(data)

    def rest(self) -> None:
        """Do nothing: the venue does not slow down a client to which only a fault says so."""

    def abort(self) -> None:
        """End the connection."""
        self._connection.abort()

    def reset(self) -> None:
        """End the connection with a reset."""
        self._connection.reset()

    def peer_owner(self) -> int | None:
        """Return the user id at the other end."""
        return self._connection.peer_owner()

    def _send(self, data: bytes) -> None:
        effect = self._way.after()
        kind = effect.kind if effect is not None else ""
        if kind == "drop_after":
            self._connection.abort()
            return
        if kind == "reset":
            self._connection.reset()
            return
        if kind in ("status", "error"):
            assert effect is not None
            data = _refusal_bytes(self._request, effect)
        elif kind == "truncate":
            data = _truncate(data, effect.bytes if effect is not None else None)
        elif kind == STALE and data.startswith(_OK):  # a refusal is this caller's, now
            data = self._stale(data)
        elif kind == SPARSE and data.startswith(_OK):
            head, _, body = data.partition(_END)
            now_ms = self._door.node.clock.now() // US_PER_MS
            lasts_ms = effect.ms if effect is not None else None
            data = _with_body(head, without_fills(body, now_ms, lasts_ms))
        elif kind == "clock_skew":
            data = _shift_time(data, (effect.ms or 0) if effect is not None else 0)
        told = b"\r\nx-venue-fault: %s\r\n" % self._way.summary().encode()
        self._connection.answer(data.replace(b"\r\n", told, 1))

    def _stale(self, data: bytes) -> bytes:
        """Return an answer with the body of the first one to the same question, until that is too
        old.

        It is a success, so the caller is the one that the headers name; public answers have no
        caller.
        """
        effect, request = self._way.effect, self._request
        assert effect is not None
        (rule_id,) = [hit.rule for hit in self._way.hits if hit.effect is effect]
        rule = self._door.faults.find(rule_id)
        if rule is None or rule.effect is not effect:
            return data  # another one stands in its place, or none
        headers = request.headers
        caller = (headers.get(b"access-key", b""), headers.get(ACT_AS, b""))
        question = (*caller, request.method, request.path, request.query, request.body)
        now = asyncio.get_running_loop().time()
        lasts_s = effect.ms / 1000 if effect.ms is not None else None
        head, _, body = data.partition(_END)
        return _with_body(head, rule.stale.first(question, body, now, lasts_s))


class Nowhere:
    """Receives an answer that no client waits for; its owner is the first delivery's."""

    def __init__(self, connection: Answering) -> None:
        self._owner = connection.peer_owner()

    def answer(self, data: bytes) -> None:
        """Forget it."""

    def rest(self) -> None:
        """Nobody rests."""

    def abort(self) -> None:
        """Do nothing."""

    def reset(self) -> None:
        """Do nothing."""

    def peer_owner(self) -> int | None:
        """Return the user id at the other end of the first delivery."""
        return self._owner


def rule_subject(
    route: Route | None, method: str, path: str, uid: int, key: str, values: dict[str, Any]
) -> RuleSubject:
    """Return an operation as rules are compared with it; `values` are its parameters."""
    symbol, side = _order(values)
    return RuleSubject(
        operation=route.row.name if route is not None else "",
        path=path,
        method=method,
        uid=uid,
        key=key,
        symbol=symbol,
        side=side,
        batch=_batch(values) if route is not None and route.orders else (),
        places=route is not None and route.orders > 0,
        reads=route is not None and route.access in READING,
    )


def _batch(values: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Symbol and side of each order of a batch; a spot batch names one symbol for all."""
    for name in BATCHES:
        orders = values.get(name)
        if isinstance(orders, list):
            shared = {"symbol": values.get("symbol")}
            return tuple(_order(shared | order) for order in orders if isinstance(order, dict))
    return ()


def _order(values: dict[str, Any]) -> tuple[str, str]:
    symbol, side = values.get("symbol"), values.get("side")
    return (
        symbol.upper() if isinstance(symbol, str) else "",
        side if isinstance(side, str) else "",
    )


def _values(request: Request) -> dict[str, Any]:
    """Return the parameters, as far as they can be read: errors in them are told later."""
    try:
        if request.body:
            return body_values(request.body)
        return query_values(request.query) if request.query else {}
    except ApiError:
        return {}


def _again(request: Request) -> Request:
    nowhere = Nowhere(request.connection)
    copy = Request(
        nowhere, request.ip, request.method, b"", dict(request.headers), request.repeated
    )
    copy.path, copy.query, copy.body = request.path, request.query, request.body
    copy.old, copy.uid = request.old, request.uid
    return copy


def _refusal_bytes(request: Request, effect: Effect) -> bytes:
    refused = refusal(effect)
    lines = request.lines
    if refused.retry_after is not None:
        lines += b"retry-after: %d\r\n" % refused.retry_after
    with_body = request.method != b"HEAD"
    return whole(refused.status, refused.body(), lines, with_body=with_body)


def _truncate(data: bytes, size: int | None) -> bytes:
    head, _, body = data.partition(_END)
    return _with_body(head, body[: len(body) // 2 if size is None else size])


def _shift_time(data: bytes, ms: int) -> bytes:
    """Return the answer with its time changed to that of a shifted clock."""
    head, _, body = data.partition(_END)
    if not body.startswith(b'{"serverTime":'):
        return data
    told = msgspec.json.decode(body)
    told["serverTime"] += ms
    return _with_body(head, msgspec.json.encode(told))


def _with_body(head: bytes, body: bytes) -> bytes:
    """Return an answer with another body than its own."""
    return _LENGTH.sub(b"content-length: %d" % len(body), head, count=1) + _END + body
