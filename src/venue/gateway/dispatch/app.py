"""The bare ASGI application: find the row, charge, authenticate, decode, call, encode.

The order of the steps is part of the security argument: weight before signature, signature over
the raw bytes before anything is parsed, and nothing has an effect before the handler runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from venue.api import errors, signing
from venue.api.errors import ApiError
from venue.gateway.access.auth import Authenticator, Caller
from venue.gateway.access.limits import Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.context import Call, Venue
from venue.gateway.dispatch.decode import body_values, decode, query_values
from venue.gateway.dispatch.desk import Desk, refusal_of, unknown_names
from venue.gateway.dispatch.routes import Route, Routes, unprefixed
from venue.gateway.encoded import Encoded
from venue.terms import Access

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]
Answer = tuple[int, bytes]

JSON: Final[Header] = (b"content-type", b"application/json")
IGNORED_SHOWN_MAX: Final = 200  # bytes of the header that names ignored parameters


class Disconnected(Exception):
    """The client went away before its request was complete."""


class App:
    """Serves the table of operations over ASGI."""

    def __init__(
        self,
        venue: Venue,
        routes: Routes,
        authenticator: Authenticator,
        limits: Limits,
        replays: ReplayGuard,
        door: OperatorDoor,
        documents: dict[bytes, Callable[[], bytes]],
    ) -> None:
        self.desk = Desk(venue, routes, limits)
        self._venue = venue
        self._authenticator = authenticator
        self._replays = replays
        self._door = door
        self._documents = documents
        self._encode = msgspec.json.Encoder().encode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _other(scope, receive, send)
            return
        headers = [JSON]
        try:
            status, body = await self._serve(scope, receive, headers)
        except Disconnected:
            return
        except Exception as problem:  # noqa: BLE001 - a defect must not end the connection
            refusal = refusal_of(problem, f"{scope['method']} {scope['path']}")
            status, body = refusal.status, refusal.body()
            if refusal.retry_after is not None:
                headers.append((b"retry-after", b"%d" % refusal.retry_after))
        headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _serve(self, scope: Scope, receive: Receive, headers: list[Header]) -> Answer:
        desk = self.desk
        path = unprefixed(scope["raw_path"])
        route = desk.routes.find(scope["method"], path)
        if route is None:
            return self._unrouted(scope, path)
        row = route.row
        ip = scope["client"][0] if scope["client"] else ""
        now = self._venue.clock.now()
        weight = desk.charge(route, ip, now)
        if weight is not None:
            headers.append((b"x-used-weight-10s", b"%d" % weight[0]))
            headers.append((b"x-remaining-weight-10s", b"%d" % weight[1]))
        desk.check_open(route)
        if row.access is Access.PUBLIC:
            body = await _body(receive)
            return await self._answer(route, scope, body, 0, b"", headers)
        if row.access is Access.OPERATOR:
            self._door.check(ip, scope["headers"])
            body = await _body(receive)
            return await self._answer(route, scope, body, 0, b"", headers)
        signed = self._authenticator.precheck(scope["headers"])
        body = await _body(receive)
        text = signing.payload(
            signed.timestamp, row.method.encode(), path, scope["query_string"], body
        )
        caller = self._authenticator.verify(signed, text, ip)
        if caller is None:
            caller = await self._authenticator.verify_slowly(signed, text, ip)
        desk.admit(route, caller, now)
        if not route.trades:
            return await self._answer(route, scope, body, caller.uid, b"", headers)
        return await self._trade(route, scope, body, caller, headers)

    async def _trade(
        self, route: Route, scope: Scope, body: bytes, caller: Caller, headers: list[Header]
    ) -> Answer:
        """A TRADE request has its effect once: an exact repetition gets the recorded answer."""
        replays = self._replays
        request, timestamp = caller.request, caller.timestamp_ms
        known = replays.enter(timestamp, request, self._venue.clock.now())
        while known is not None:
            answer = await known if isinstance(known, asyncio.Future) else known
            if answer is not None:
                return answer
            known = replays.enter(timestamp, request, self._venue.clock.now())
        try:
            answer = await self._answer(route, scope, body, caller.uid, request, headers)
        except ApiError as refusal:
            if refusal.status in (429, 503):
                replays.forget(timestamp, request)
            else:
                replays.record(timestamp, request, (refusal.status, refusal.body()))
            raise
        except BaseException:
            replays.lose(timestamp, request)
            raise
        replays.record(timestamp, request, answer)
        return answer

    async def _answer(
        self,
        route: Route,
        scope: Scope,
        body: bytes,
        uid: int,
        request_id: bytes,
        headers: list[Header],
    ) -> Answer:
        """Parse, validate, call, encode."""
        query = scope["query_string"]
        asks = not body and route.row.method == "GET"
        request = route.queries.find(query) if asks else None
        if request is None:
            values = _values(route, scope, body)
            unknown = unknown_names(route, values)
            request = decode(route.request, values)
            if unknown:
                headers.append((b"x-venue-ignored", _names(unknown)))
            elif asks:
                route.queries.keep(query, request)
        reply = await self.desk.call(route, Call(self._venue, uid, request_id), request)
        return 200, reply.data if type(reply) is Encoded else self._encode(reply)

    def _unrouted(self, scope: Scope, path: bytes) -> Answer:
        made = self._documents.get(path)
        if made is not None and scope["method"] == "GET":
            return 200, made()
        time = datetime.fromtimestamp(self._venue.clock.now() / 1_000_000, UTC)
        shown = path.decode("ascii", "replace")[: errors.SHOWN_LENGTH_MAX]
        return 404, errors.unknown_path(shown, time.isoformat(timespec="milliseconds"))


def document(make: Callable[[], dict[str, Any]]) -> Callable[[], bytes]:
    """A document, made when it is first asked for."""
    made: list[bytes] = []

    def ask() -> bytes:
        if not made:
            made.append(msgspec.json.encode(make()))
        return made[0]

    return ask


def _values(route: Route, scope: Scope, body: bytes) -> dict[str, Any]:
    """The parameters, from the one place they may stand in."""
    query = scope["query_string"]
    if not route.in_body:
        if body and body.strip() != b"{}":
            raise errors.invalid("body", f"{scope['method']} carries its parameters in the query")
        return query_values(query) if query else {}
    if query:
        raise errors.invalid("query", f"{scope['method']} carries its parameters in the body")
    _check_content_type(scope["headers"])
    return body_values(body)


def _check_content_type(headers: list[Header]) -> None:
    found = [value for name, value in headers if name == b"content-type"]
    if len(found) != 1:
        raise errors.content_type()
    kind, _, parameters = found[0].lower().partition(b";")
    charset = parameters.replace(b" ", b"").replace(b'"', b"")
    if kind.strip() != b"application/json" or charset not in (b"", b"charset=utf-8"):
        raise errors.content_type()


def _names(unknown: list[str]) -> bytes:
    """Names for a header: what could break one is replaced."""
    clean = ",".join(
        "".join(c if c.isascii() and (c.isalnum() or c in "_-.") else "?" for c in name)
        for name in unknown
    )
    return clean.encode()[:IGNORED_SHOWN_MAX]


async def _body(receive: Receive) -> bytes:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Disconnected
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    parts = [body]
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        parts.append(message.get("body", b""))
    return b"".join(parts)


async def _other(scope: Scope, receive: Receive, send: Send) -> None:
    """Lifespan messages are acknowledged. Streams do not come this way: see `sockets`."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
