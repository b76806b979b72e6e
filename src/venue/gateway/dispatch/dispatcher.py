"""Answers a whole request: find the row, charge, authenticate, decode, call, encode.

The order of the steps is part of the security argument: the page's origin, then weight, then the
signature over the raw bytes before anything is parsed; nothing has an effect before the handler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import msgspec

from venue.api import errors, former, nearest, signing
from venue.api.errors import ApiError
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.callers import Caller, SignedHeaders
from venue.gateway.access.operators import OPERATOR_PATHS, OperatorDoor
from venue.gateway.access.origins import OF_PAGES, PREFLIGHT, Origins
from venue.gateway.access.replay import Answer, ReplayGuard
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.dispatch import former_requests
from venue.gateway.dispatch.acting import acting
from venue.gateway.dispatch.decode import body_values, decode
from venue.gateway.dispatch.documents import Documents
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.routes import Route, named_values, strip_prefix
from venue.gateway.dispatch.wire_log import ACT_AS
from venue.gateway.door import Call, Finish
from venue.gateway.transport.request import Request
from venue.node.clock import ServerClock
from venue.node.sequencer import Stopped
from venue.vocabulary import Access

IGNORED_SHOWN_MAX: Final = 200  # bytes of the header that names ignored parameters
UNKNOWN_WEIGHT: Final = 1
IGNORED: Final = b"x-venue-ignored"
REPEATED: Final = b"x-venue-repeated: true\r\n"  # of an answer to an earlier request
BUSY: Final = (429, 503)  # statuses that say that a request had no effect
OPERATORS: Final = -1  # the uid of a request of an operator for nobody
_JSON: Final = b"application/json"

log = logging.getLogger("venue.gateway")
_encode = msgspec.json.Encoder().encode


class Dispatcher:
    """Answers whole requests from the table of operations."""

    def __init__(
        self,
        table: OperationTable,
        authenticator: Authenticator,
        replays: ReplayGuard,
        operators: OperatorDoor,
        origins: Origins,
        documents: Documents,
        *,
        clock: ServerClock | None = None,
    ) -> None:
        self.table = table
        self._clock = clock or table.node.clock
        self._door = table.door
        self._node = table.node
        self._authenticator = authenticator
        self._replays = replays
        self._operators = operators
        self._origins = origins
        self._documents = documents
        self._rules = table.door.faults
        self.faulty: Callable[[Request], None] | None = None  # serves while rules hit requests
        self._waiting: set[asyncio.Task[None]] = set()  # requests that wait for more than orders

    def serve(self, request: Request) -> None:
        """Answer a request, or have it served as the rules that hit requests say."""
        if self._rules.on_requests and self.faulty is not None:
            self.faulty(request)
        else:
            self.answer(request)

    def answer(self, request: Request) -> None:
        """Answer a request, at once or when what it waits for has come."""
        try:
            self._serve(request)
        except Exception as problem:  # noqa: BLE001 - a defect must not end the connection
            self._refuse(request, problem)

    def _serve(self, request: Request) -> None:
        table = self.table
        request.lines = self._lines(request)
        path = request.path
        methods = table.routes.by_path.get(path)
        if methods is not None:
            route = methods.get(request.method)
        else:
            path = strip_prefix(path)
            route = table.routes.find(request.method, path)
        now = self._clock.wall()
        if route is None:
            self._serve_other(request, path, now)
            return
        charge, no_operator = table.limits.charge_ip, None
        if route.access is Access.OPERATOR:
            no_operator = self._no_operator(request)
            if no_operator is None:
                charge = table.limits.charge_operator
        weight = charge(request.ip, route.row.weight[0], now)
        if weight is not None:
            lines = b"x-used-weight-10s: %d\r\nx-remaining-weight-10s: %d\r\n" % weight
            request.lines += lines
        table.check_open(route)
        access = route.access
        if ACT_AS in request.headers:
            self._act(request, route, now)
        elif access is Access.PUBLIC:
            self._call(request, route, 0)
        elif access is Access.OPERATOR:
            if no_operator is not None:
                raise no_operator
            request.uid = OPERATORS
            self._call(request, route, 0)
        else:
            self._identify(request, route, path, now)

    def _lines(self, request: Request) -> bytes:
        """Headers for a page that may call; ApiError for one that may not, and for a name that is
        not this venue's."""
        headers, origins = request.headers, self._origins
        if headers.get(b"host") in origins.known and OF_PAGES.isdisjoint(headers):
            return self._door.epoch_line  # no page asks, of a venue whose name was right before
        document = self._documents(request.path)
        shown = document is not None and document.page
        try:
            return origins.check(headers, shown=shown) + self._door.epoch_line
        except ApiError:
            if request.path.startswith(OPERATOR_PATHS):
                raise errors.error(-1051) from None  # as for any caller that is no operator
            raise

    # -- who calls --------------------------------------------------------------------------------

    def _no_operator(self, request: Request) -> ApiError | None:
        """Return why a caller is no operator; None for one. Only operators spend their weight."""
        try:
            self._operators.check(
                request.ip, request.headers, request.connection.peer_owner, old=request.old
            )
        except ApiError as refusal:
            return refusal
        return None

    def _identify(self, request: Request, route: Route, path: bytes, now: int) -> None:
        signed = self._authenticator.precheck(request.headers, request.repeated, now)
        text = signing.payload(signed.timestamp, route.method, path, request.query, request.body)
        caller = self._authenticator.verify(signed, text, request.ip)
        if caller is None:
            self._wait(request, self._identify_slowly(request, route, signed, text))
        else:
            self._admit(request, route, caller, now)

    async def _identify_slowly(
        self, request: Request, route: Route, signed: SignedHeaders, text: bytes
    ) -> None:
        caller = await self._authenticator.verify_slowly(signed, text, request.ip)
        self._admit(request, route, caller, self._clock.wall())

    def _admit(self, request: Request, route: Route, caller: Caller, now: int) -> None:
        request.uid = caller.uid
        self._count(request, route, caller, now)
        if route.trades:
            self._trade(request, route, caller, self._clock.oldest())
        else:
            self._call(request, route, caller.uid)

    def _act(self, request: Request, route: Route, now: int) -> None:
        """Serve an operator that acts for an owner. Without a signature nothing marks a repetition:
        a request that trades has its effect each time."""
        caller = acting(self._node, self._operators, request, route)
        request.uid = caller.uid
        self._count(request, route, caller, now)
        if route.trades:
            self._trade_once(request, route, caller, partial(self._finish_act, request))
        else:
            self._call(request, route, caller.uid)

    def _finish_act(self, request: Request, reply: Any, problem: Exception | None) -> None:
        try:
            if problem is not None:
                raise problem
            request.answer(200, _encode(reply))
        except Exception as refused:  # noqa: BLE001 - handed on, whatever it is
            self._refuse(request, refused)

    def _count(self, request: Request, route: Route, caller: Caller, now: int) -> None:
        """Check the caller's right and budgets; set the headers with its number of orders."""
        orders = self.table.admit(route, caller, now)
        if orders is not None:
            request.lines += b"x-order-count-10s: %d\r\nx-order-count-1m: %d\r\n" % orders

    # -- operations that trade --------------------------------------------------------------------

    def _trade(self, request: Request, route: Route, caller: Caller, oldest: int) -> None:
        """Serve a request whose exact repetition only gets the recorded answer; `oldest` is the
        clock's now."""
        known = self._replays.enter(caller.timestamp_ms, caller.request, oldest)
        if known is None:
            self._trade_once(request, route, caller, partial(self._finish_trade, request, caller))
        elif isinstance(known, asyncio.Future):
            known.add_done_callback(partial(self._repeat_answer, request, route, caller))
        else:
            request.lines += REPEATED
            request.answer(*known)

    def _trade_once(self, request: Request, route: Route, caller: Caller, finish: Finish) -> None:
        try:
            if route.orders:  # not before: a repetition must get its answer
                self._node.check_room(caller.uid)
            values = self._values(request, route)
        except Exception as problem:  # noqa: BLE001 - handed on, whatever it is
            finish(None, problem)
            return
        self.table.begin(route, caller, values, finish)

    def _finish_trade(
        self, request: Request, caller: Caller, reply: Any, problem: Exception | None
    ) -> None:
        """Answer, and remember the answer as long as the request could come again."""
        replays, timestamp, name = self._replays, caller.timestamp_ms, caller.request
        if problem is None:
            try:
                body = _encode(reply)
            except Exception as defect:  # noqa: BLE001 - must not end the connection
                replays.lose(timestamp, name)
                self._refuse(request, defect)
                return
            replays.record(timestamp, name, (200, body))
            request.answer(200, body)
            return
        if not isinstance(problem, ApiError):
            replays.lose(timestamp, name)
        elif problem.status in BUSY:
            replays.forget(timestamp, name)
        else:
            refusal = self._add_former_names(request, problem)
            replays.record(timestamp, name, (refusal.status, refusal.body()))
            self._answer_refusal(request, refusal)
            return
        self._refuse(request, problem)

    def _repeat_answer(
        self, request: Request, route: Route, caller: Caller, known: asyncio.Future[Answer | None]
    ) -> None:
        """Repeat the first request's answer; if that had no effect, serve this one as new."""
        try:
            answer = known.result()
            if answer is None:
                self._trade(request, route, caller, self._clock.oldest())
            else:
                request.lines += REPEATED
                request.answer(*answer)
        except Exception as refused:  # noqa: BLE001 - handed on, whatever it is
            self._refuse(request, refused)

    # -- all others -------------------------------------------------------------------------------

    def _call(self, request: Request, route: Route, uid: int) -> None:
        """Parse, validate, call, encode."""
        reply = route.handler(Call(self._door, uid, b""), self._parameters(request, route))
        if route.is_async:
            self._wait(request, self._reply(request, reply))
        else:
            request.answer(200, _encode_reply(reply))

    async def _reply(self, request: Request, reply: Coroutine[Any, Any, Any]) -> None:
        request.answer(200, _encode_reply(await reply))

    def _parameters(self, request: Request, route: Route) -> Any:
        """Return the parameters in the row's struct; the usual queries are known by their bytes."""
        if route.in_body or route.named or request.body:
            return decode(route.request, self._values(request, route))
        asked = route.queries.find(request.query)
        if asked is None:
            lines = request.lines
            asked = decode(route.request, self._values(request, route))
            if request.lines is lines:  # nothing is ignored, which would have to be said each time
                route.queries.keep(request.query, asked)
        return asked

    def _values(self, request: Request, route: Route) -> dict[str, Any]:
        values = _values(route, request)
        if route.named:
            _add_named(values, named_values(route, request.path))
        unknown = self.table.unknown_names(route, values)
        if unknown:
            request.lines += b"%s: %s\r\n" % (IGNORED, _names(unknown))
        return values

    def _serve_other(self, request: Request, path: bytes, now: int) -> None:
        """Serve documents, refuse unknown paths and methods; each costs its weight."""
        table, document = self.table, self._documents(path)
        weight = document.weight if document is not None else UNKNOWN_WEIGHT
        table.limits.charge_ip(request.ip, weight, now)
        if request.method == b"OPTIONS" and b"origin" in request.headers:
            request.lines += PREFLIGHT
            request.answer(200, b"{}")
        elif document is not None and request.method in document.methods:
            document.answer(request)
        elif table.routes.knows(path):
            raise errors.method_not_supported(request.method.decode("latin-1"))
        else:
            time = datetime.fromtimestamp(self._clock.server_time() / 1_000_000, UTC)
            shown = path.decode("ascii", "replace")[: errors.SHOWN_LENGTH_MAX]
            told = time.isoformat(timespec="milliseconds")
            words = nearest.of_path(shown, table.routes.near(path))
            words += former_requests.words(table.routes, request, former.row_of(shown))
            body = errors.unknown_path(shown, told, words)
            request.answer(404, body)

    # -- answers ----------------------------------------------------------------------------------

    def _refuse(self, request: Request, problem: Exception) -> None:
        self._answer_refusal(
            request, self._add_former_names(request, refusal_of(problem, request.what()))
        )

    def _answer_refusal(self, request: Request, refusal: ApiError) -> None:
        if refusal.retry_after is not None:
            request.lines += b"retry-after: %d\r\n" % refusal.retry_after
        if refusal.code == errors.REQUEST_REPEATED:
            request.lines += REPEATED
        request.answer(refusal.status, refusal.body())

    def _add_former_names(self, request: Request, refusal: ApiError) -> ApiError:
        """Return the refusal; with the names of V3 where fields of V2 were ignored."""
        if IGNORED not in request.lines:
            return refusal
        route = self.table.routes.find(request.method, strip_prefix(request.path))
        assert route is not None, "its parameters were ignored"
        words = former.fields(route.request.names, _values(route, request))
        return errors.add_words(refusal, words)

    def _wait(self, request: Request, answering: Coroutine[Any, Any, None]) -> None:
        """Continue as a task."""
        task = asyncio.get_running_loop().create_task(self._answer_or_refuse(request, answering))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _answer_or_refuse(
        self, request: Request, answering: Coroutine[Any, Any, None]
    ) -> None:
        try:
            await answering
        except Exception as problem:  # noqa: BLE001 - a defect must not end the connection
            self._refuse(request, problem)


def refusal_of(problem: Exception, what: str) -> ApiError:
    """Return the refusal for a caller; log a problem that is neither a refusal nor a stop."""
    if isinstance(problem, ApiError):
        return problem
    if isinstance(problem, Stopped):
        return errors.internal()  # the failure that stops the venue is told in the log
    log.error("defect while serving %s", what, exc_info=problem)
    return errors.internal()


def _encode_reply(reply: Any) -> bytes:
    return reply.data if type(reply) is EncodedBody else _encode(reply)


def _values(route: Route, request: Request) -> dict[str, Any]:
    """Return the parameters, from the one place where they are allowed."""
    query, body = request.query, request.body
    if not route.in_body:
        if body and body.strip() != b"{}":
            method = route.row.method
            raise errors.invalid("body", f"{method} carries its parameters in the query")
        return query_values(query, route.request.lists) if query else {}
    if query:
        raise errors.invalid("query", f"{route.row.method} carries its parameters in the body")
    if not body and route.access is Access.OPERATOR:
        return {}  # an operator types less
    if request.headers.get(b"content-type") != _JSON:
        _check_content_type(request)
    return body_values(body)


def _add_named(values: dict[str, Any], named: dict[str, str]) -> None:
    """Add what the path names. ApiError -1142 when it is given twice."""
    for name, value in named.items():
        if name in values:
            raise errors.invalid(name, "stands in the path already")
        values[name] = value


def _check_content_type(request: Request) -> None:
    if b"content-type" in request.repeated:
        raise errors.content_type()
    kind, _, parameters = request.headers.get(b"content-type", b"").lower().partition(b";")
    charset = parameters.replace(b" ", b"").replace(b'"', b"")
    if kind.strip() != _JSON or charset not in (b"", b"charset=utf-8"):
        raise errors.content_type()


def _names(unknown: list[str]) -> bytes:
    """Names for a header: characters that could break one are replaced."""
    clean = ",".join(
        "".join(c if c.isascii() and (c.isalnum() or c in "_-.[]=") else "?" for c in name)
        for name in unknown
    )
    return clean.encode()[:IGNORED_SHOWN_MAX]
