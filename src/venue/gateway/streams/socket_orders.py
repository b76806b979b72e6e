"""Orders over one private connection: each message is one operation, answered by itself.

An operation takes the path of a request, from the same row to the same handler. Operations are
submitted in the order in which they were sent; answers are sent as they are ready. A message is
never recognised as a repetition of another: `newClientOrderId` makes an order safe to repeat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType, structs

from venue.api import errors, former
from venue.api.errors import ApiError
from venue.api.streams.channels import METHODS, PLACE, Answer, SocketError
from venue.core.messages.commands import Command, EndConnection, GuardOrders
from venue.gateway.access.auth import permit
from venue.gateway.access.callers import Caller
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.dispatcher import refusal_of
from venue.gateway.dispatch.faulty import rule_subject
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.dispatch.routes import Route
from venue.gateway.dispatch.wire_log import SocketExchange
from venue.gateway.faults.effects import course
from venue.gateway.faults.turns import Finish, take_turn
from venue.gateway.streams.frames import Frame
from venue.node.sequencer import Overloaded, Stopped
from venue.vocabulary import OPEN_ORDERS_PER_ACCOUNT_MAX, Product

PLACED_MAX: Final = 2 * OPEN_ORDERS_PER_ACCOUNT_MAX  # ids kept until those that ended are dropped
RETRY_S: Final = 0.05  # between attempts to cancel while too many commands wait, or a revert
SHOWN_MAX: Final = 20  # ignored names in an answer

log = logging.getLogger("venue.gateway")
_encode = msgspec.json.Encoder().encode
Identity = Raw | UnsetType


class SocketOrders:
    """The orders of one connection. `keep` holds on to what must be done after it is gone;
    `cancels`: the orders that it placed are cancelled with it."""

    def __init__(
        self,
        table: OperationTable,
        product: Product,
        caller: Caller,
        *,
        ip: str,
        most: int,
        send: Callable[[Frame], None],
        keep: Callable[[asyncio.Task[None]], None],
        number: int,
    ) -> None:
        self._table = table
        self._product = product
        self._caller = structs.replace(caller, request=b"")  # the login's is no operation's
        self._ip = ip
        self._most = most
        self._send = send
        self._keep = keep
        self._loop = asyncio.get_running_loop()
        self._routes = {name: table.routes.of(row) for name, row in METHODS[product].items()}
        self._in_flight = 0
        self._answered: asyncio.Future[None] | None = None  # nothing is in flight any more
        self._placed: dict[int, None] = {}
        self._number = number  # of the connection, among those of this run
        self._switching = asyncio.Lock()
        self.cancels = False

    def find(self, method: Any) -> Route | None:
        """Return the operation of a method; None when it is none."""
        return self._routes.get(method) if isinstance(method, str) else None

    def take(self, route: Route, params: Raw, identity: Identity) -> bool:
        """Serve one operation and answer it, at once or later; False when it was malformed."""
        note = self._note(route, params)
        try:
            self._charge(route)
        except ApiError as refusal:
            self._refuse(identity, refusal, note)
            return True
        try:
            values = _values(params)
        except ApiError as refusal:
            self._refuse(identity, refusal, note)
            return False
        try:
            ignored = self._table.unknown_names(route, values)
        except ApiError as refusal:
            self._refuse(identity, refusal, note)
            return True
        if note is not None:
            note.ignored = _shown(ignored)
        self._in_flight += 1
        turn = partial(self._begin, route, values)
        finish: Finish = partial(self._answer_operation, route, identity, ignored, values)
        if note is not None:
            finish = note.finishing(finish)
        faults = self._table.door.faults
        if faults.on_requests:
            self._take_faulty(route, values, turn, finish, note)
        else:
            turn(finish)
        return True

    def _begin(self, route: Route, values: dict[str, Any], finish: Finish) -> None:
        """Serve an operation; one that a rule delivers twice is two calls."""
        number = self._number if self.cancels else 0
        self._table.begin(route, self._caller, values, finish, self._placed, number)

    def _take_faulty(
        self,
        route: Route,
        values: dict[str, Any],
        turn: Callable[[Finish], None],
        finish: Finish,
        note: SocketExchange | None,
    ) -> None:
        """Serve an operation as the rules that hit it say."""
        row, caller, door = route.row, self._caller, self._table.door
        what = rule_subject(route, row.method, row.path, caller.uid, caller.key, values)
        hits = door.faults.requests_hit(what, door.node.clock.now())
        way = course(hits)
        lost: Finish = self._note_finished
        if note is not None:
            note.fault = way.summary()
            lost = note.losing(lost)
        take_turn(way, turn, finish, lost)

    def _note(self, route: Route, params: Raw) -> SocketExchange | None:
        """Return the wire log's note of an operation; None without a log."""
        wire = self._table.door.wire
        if wire is None:
            return None
        return SocketExchange(
            wire, route.row.method, route.row.path, self._caller.uid, bytes(params)
        )

    def refuse(self, route: Route, params: Raw, identity: Identity, refusal: ApiError) -> None:
        """Answer an operation that is not to be served."""
        self._refuse(identity, refusal, self._note(route, params))

    def _refuse(
        self, identity: Identity, refusal: ApiError, note: SocketExchange | None = None
    ) -> None:
        """Answer that an operation had no effect."""
        if note is not None:
            note.end(refusal)
        wait = UNSET if refusal.retry_after is None else refusal.retry_after
        problem = SocketError(refusal.code, refusal.message)
        answer = Answer(id=identity, status=refusal.status, error=problem, retry_after=wait)
        self._send(Frame(_encode(answer)))

    def cancel_on_disconnect(self, *, enabled: bool, finish: Callable[[str], None]) -> None:
        """From now on, cancel what was placed here when the connection is gone; or no longer.

        `finish` hears why that is not in the journal, empty when it is. ApiError -1052 when the
        caller may not trade.
        """
        permit(self._caller, self._routes[PLACE].row.access)
        self.cancels = enabled
        self._keep(self._loop.create_task(self._switch(finish, enabled=enabled)))

    async def _switch(self, finish: Callable[[str], None], *, enabled: bool) -> None:
        """Journal the switch with the orders that were placed before it, when all are answered."""
        async with self._switching:
            await self._quiet()
            self._forget_ended()
            orders = list(self._placed) if enabled else []
            uid, product = self._caller.uid, int(self._product)
            command = GuardOrders(uid, product, self._number, enabled, orders)
            finish("" if await self._submit_until_applied(command) else "the venue is stopping")

    async def _quiet(self) -> None:
        """Wait until nothing is in flight."""
        while self._in_flight:
            if self._answered is None:
                self._answered = self._loop.create_future()
            await self._answered

    async def _submit_until_applied(self, command: Command) -> bool:
        """Return whether a command was applied: not where the venue stops.

        Straight to the sequencer: history that lags behind must not keep these out.
        """
        while True:
            try:
                await self._table.node.sequencer.submit([command])
            except Overloaded:
                await asyncio.sleep(RETRY_S)
            except Stopped:
                return False
            else:
                return True

    def go_back(self) -> None:
        """The state went back: what was placed here is gone, or restored and not of this
        connection any more."""
        self._placed.clear()

    def quit(self) -> None:
        """The connection is gone."""
        if self.cancels:
            self.cancels = False
            self._keep(self._loop.create_task(self._cancel()))

    def _charge(self, route: Route) -> None:
        """Charge in the order of a request, except that the login has already identified the
        caller."""
        if self._in_flight >= self._most:
            raise errors.too_many_requests(
                f"Too many requests: {self._most} of this connection are in flight; wait for an "
                "answer.",
                1,
            )
        table = self._table
        now = table.node.clock.wall()
        table.limits.charge_ip(self._ip, route.row.weight[0], now)
        table.check_open(route)
        table.admit(route, self._caller, now)

    def _answer_operation(
        self,
        route: Route,
        identity: Identity,
        ignored: list[str],
        values: dict[str, Any],
        reply: Any,
        problem: Exception | None,
    ) -> None:
        """Answer an operation. It is over before that: the answer's reader may send the next."""
        self._note_finished(reply, problem)
        if problem is not None:
            told = former.fields(route.request.names, values) if ignored else ""
            refusal = refusal_of(problem, route.row.name)
            self._refuse(identity, errors.add_words(refusal, told))
            return
        try:
            frame = _answer_frame(identity, ignored, reply)
        except Exception as defect:  # noqa: BLE001 - must not end the connection
            self._refuse(identity, refusal_of(defect, route.row.name))
        else:
            self._send(frame)

    def _note_finished(self, _reply: Any, _problem: Exception | None) -> None:
        """Note that an operation is over."""
        self._in_flight -= 1
        if not self._in_flight and self._answered is not None:
            self._answered.set_result(None)
            self._answered = None
        if len(self._placed) > PLACED_MAX:
            self._forget_ended()

    # -- what was placed --------------------------------------------------------------------------

    def _open_orders(self) -> Mapping[int, object]:
        """Return the caller's open orders, wherever they were placed."""
        engine, uid = self._table.node.engine, self._caller.uid
        if self._product is Product.SPOT:
            return engine.spot_account(uid).orders
        return engine.holding(uid).orders

    def _forget_ended(self) -> None:
        """In place: operations in flight add to the same ids."""
        orders = self._open_orders()
        for order_id in [order_id for order_id in self._placed if order_id not in orders]:
            del self._placed[order_id]

    async def _cancel(self) -> None:
        """Cancel the orders placed over this connection, once its last answer has come."""
        async with self._switching:
            await self._quiet()
            if not await self._submit_until_applied(EndConnection(self._number)):
                log.error("the orders of a lost connection stay until the next start")


def _answer_frame(identity: Identity, ignored: list[str], reply: Any) -> Frame:
    answer = Answer(id=identity, status=200, result=reply)
    if ignored:
        answer.ignored = _shown(ignored)
    return Frame(_encode(answer))


def _shown(ignored: list[str]) -> list[str]:
    """Return the first ignored names as they are shown."""
    return [errors.quote_value(name)[1:-1] for name in ignored[:SHOWN_MAX]]


def _values(params: Raw) -> dict[str, Any]:
    """Return the parameters, by the reader of a request's body; none are no parameters."""
    raw = bytes(params)
    if raw == b"null":
        return {}
    if not raw.startswith(b"{"):
        raise errors.invalid("params", "must be an object")
    return body_values(raw)
