"""A venue in this process: wired as `venue dev`, without its listener.

with Venue(seed=7) as v:
    v.account("alice").buy("BTCUSDT", "0.01", price="63900")
    v.run("2h")
"""

from __future__ import annotations

import asyncio
import atexit
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from msgspec import Struct

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.operation import Operation, Row
from venue.api.operator import clock as clock_rows
from venue.api.operator import explain as explain_rows
from venue.api.operator import faults as fault_rows
from venue.api.operator import references as reference_rows
from venue.api.operator import snapshots as snapshot_rows
from venue.api.operator.explain import Explanation
from venue.api.operator.preview import preview as preview_row
from venue.api.profile import Profile
from venue.client.errors import Misused, refusal
from venue.compiled import refuse_stale
from venue.core.state import audit
from venue.gateway.bounds import bounds
from venue.gateway.dispatch.decode import scale_amount
from venue.gateway.door import Door
from venue.gateway.transport.server import listen
from venue.library import views
from venue.library.account import Account, Money
from venue.library.calls import Calls, check_text, row_of
from venue.library.chart import Chart
from venue.library.client import DirectClient
from venue.library.equity import EquityLog, keep_up, step_of
from venue.library.html import moment, table
from venue.library.loop import LoopThread
from venue.library.market import CONTRACT, SPOT, Market
from venue.library.progress import Progress
from venue.library.reporting import write_run
from venue.library.results import Advanced, Bill, Equity, Order, Placed, Preview
from venue.node.clock import SystemClock
from venue.node.clock_modes import BEGIN, RATE_MOST, ClockMode, Mode
from venue.running.doors import doors
from venue.running.opening import in_background, start_venue
from venue.running.options import Options
from venue.times import US_PER_MS, moment_us

R = TypeVar("R")
PORT_MAX: Final = 65_535
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class Served(Struct, frozen=True):
    """The addresses of a served venue."""

    url: str
    spot_ws: str
    contract_ws: str


class Venue:
    """A venue of its own in this process, for the thread that makes it. Use it in a `with`.

    `clock` is "manual", "skip", "offset", "real", or "rate N" with N seconds in one. `at` is the
    time to begin at; a new venue whose clock is not "real" begins at 2026-01-01. With `state`
    everything is kept in that file; without it in memory. `profile` is "document" or "live".
    Raises Misused for an unknown clock or profile, or an invalid time or span; a refusal of the
    file's journal raises exceptions of its own.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        clock: str = "manual",
        at: str | None = None,
        state: str | Path | None = None,
        agents: bool = True,
        profile: str = "document",
        equity_every: str = "1m",
    ) -> None:
        options = _options(seed, clock, at, state, agents=agents, profile=profile)
        self._step_us = step_of("equity_every", equity_every)
        self._options = options
        self._open = AsyncExitStack()
        self._failures: list[BaseException] = []
        self._background: list[asyncio.Task[None]] = []
        self._served: Served | None = None
        refuse_stale()
        self._loop = LoopThread()
        try:
            self._door = self._loop.call(self._start())
            self._node = self._door.node
        except BaseException:
            self._loop.close()
            raise
        self._calls = Calls(self._door)
        atexit.register(self._shut)

    async def _start(self) -> Door:
        opening = AsyncExitStack()
        async with opening:
            context = start_venue(self._options, SystemClock(), self._failures.append)
            door = await opening.enter_async_context(context)
            self._equity = EquityLog(door, self._step_us)
            door.node.timekeeper.follow(self._equity, keep_up)
            passing = in_background(door.node, self._options)
            self._background = await opening.enter_async_context(passing)
            self._open = opening.pop_all()
        return door

    # -- its end ----------------------------------------------------------------------------------

    def __enter__(self) -> Venue:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the venue: a file is saved, a venue in memory is lost. Later calls raise
        Misused."""
        if not self._loop.closed:
            self._loop.check()
            self._shut()

    def _shut(self) -> None:
        atexit.unregister(self._shut)
        if self._loop.closed or not self._loop.alive():
            return  # a forked process has no loop
        try:
            self._loop.call(self._open.aclose())
        finally:
            self._loop.close()

    def __repr__(self) -> str:
        if self._loop.closed:
            return "<venue, closed>"
        return f"<venue at {moment(self.ts)} UTC, sequence {self._node.engine.sequence}>"

    def _repr_html_(self) -> str:
        if self._loop.closed:
            return table("venue, closed", (), ())
        told = [(SPOT, one) for one in self.call("tickers")]
        told += [(CONTRACT, one) for one in self.call("contract_tickers")]
        rows = [(one.symbol, product, Decimal(one.last_price)) for product, one in told]
        return table(repr(self)[1:-1], ("market", "product", "last"), rows)

    # -- calls ------------------------------------------------------------------------------------

    def _ask(self, row: Operation[..., Any, R], owner: str, /, **values: object) -> R:
        self._check()
        return self._loop.call(self._calls.serve(row, owner, values))

    def _check(self) -> None:
        self._loop.check()
        ended = [task for task in self._background if task.done()]
        for task in ended:
            problem = None if task.cancelled() else task.exception()
            if problem is not None:
                raise Misused(f"the venue has stopped: {problem}")
        if self._failures:
            raise Misused(f"the venue has stopped: {self._failures[0]}")

    def call(self, operation: str, /, **values: object) -> Any:
        """Call any row that is public or an operator's, with parameters as on the wire."""
        row: Row = row_of(operation)
        return self._ask(row, "", **values)

    def account(self, name: str) -> Account:
        """Return an owner's account, by name or uid: alice and bob trade, carol has no money."""
        self._check()
        check_text("name", name)
        self._loop.call(self._watch(name))
        return Account(self._ask, name, _product, self._equity_rows)

    def client(self, owner: str = "") -> DirectClient:
        """Return the methods of `venue.Client` for an owner by name or uid; "": for the
        operator."""
        self._check()
        check_text("owner", owner)
        return DirectClient(self._ask, owner)

    async def _watch(self, name: str) -> None:
        try:
            self._node.owner(name)
        except ApiError as problem:
            raise refusal(problem) from None
        self._equity.watch(name)

    def _equity_rows(self, name: str) -> list[Equity]:
        self._check()
        return self._loop.call(self._equity_of(name))

    async def _equity_of(self, name: str) -> list[Equity]:
        return self._equity.rows(name)

    def market(self, symbol: str, *, product: str = SPOT) -> Market:
        """Return a market; Refused when there is none of that symbol."""
        self._check()
        check_text("symbol", symbol)
        self._loop.call(self._check_symbol(symbol, _product(product)))
        return Market(self._ask, symbol, product)

    def chart(
        self, symbol: str, *, product: str = SPOT, interval: str = "1m", limit: int = 120
    ) -> Chart:
        """Return a picture of a market's newest candles; `Account.chart` adds an owner's orders."""
        return self.market(symbol, product=product).chart(interval, limit)

    async def _check_symbol(self, symbol: str, product: str) -> None:
        try:
            if product == SPOT:
                self._node.market(symbol)
            else:
                self._node.perp(symbol)
        except ApiError as problem:
            raise refusal(problem) from None

    # -- time -------------------------------------------------------------------------------------

    @property
    def ts(self) -> int:
        """Venue time in ms since 1970."""
        self._check()
        return self._node.clock.now() // US_PER_MS

    def run(self, span: str, *, sparse: bool = False) -> Advanced:
        """Let a span of venue time (2h, 90s, 1d12h) pass: agents trade, funding is settled.

        `sparse`: the agents act once a minute. A terminal shows a progress bar. An interrupt stops
        the run where it is.
        """
        return self._move(by=span, sparse=sparse)

    def advance(
        self,
        by: str | None = None,
        *,
        to: str | None = None,
        to_next: str | None = None,
        sparse: bool = False,
    ) -> Advanced:
        """Let time pass as `run` does: `by` a span, `to` a time, or `to_next` funding, countdown or
        any."""
        return self._move(by=by, to=to, to_next=to_next, sparse=sparse)

    def _move(self, **how: str | bool | None) -> Advanced:
        self._check()
        begin = self._node.clock.now()
        row = clock_rows.advance_clock
        watch = None
        progress = Progress(sys.stderr)
        if progress.shown:
            foreseen = self._ask(row, "", **_advance_values(how), dry_run=True)
            end = foreseen.end * US_PER_MS
            watch = lambda: progress.show(begin, self._node.clock.now(), end)  # noqa: E731
        try:
            told = self._loop.call(self._calls.serve(row, "", _advance_values(how)), watch)
        finally:
            progress.clear()
        return views.advance_result(told)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep time from skipping (`clock="skip"`) inside a `with`; several holds are
        independent."""
        self._check()
        who = object()
        keeper = self._node.timekeeper
        self._loop.call(_call_with(keeper.hold, who))
        try:
            yield
        finally:
            if not self._loop.closed:
                self._loop.call(_call_with(keeper.release, who))

    # -- the lab ----------------------------------------------------------------------------------

    @contextmanager
    def hold_index(self, symbol: str, price: Money, *, jump: bool = False) -> Iterator[None]:
        """Hold a contract's index at a price inside a `with`; agents follow it there.

        The index moves by at most its step a second, or with `jump` at once. Refused: no such
        contract, or an invalid price. After the `with` its sources set it again.
        """
        self._ask(reference_rows.hold_index, "", symbol=symbol, price=price, jump=jump)
        try:
            yield
        finally:
            if not self._loop.closed:
                self._ask(reference_rows.release_index, "", symbol=symbol)

    def snapshot(self, name: str = "base") -> None:
        """Save the state under a name until `close`; replaces a state with that name."""
        self._ask(snapshot_rows.keep_snapshot, "", name=name)

    def revert(self, name: str = "base") -> None:
        """Revert to a saved state, any number of times. Refused: no state has that name."""
        self._ask(snapshot_rows.revert, "", name=name)

    def reset(self) -> None:
        """Revert to the state at the creation of this object."""
        self._ask(snapshot_rows.reset, "")

    def fault(
        self,
        kind: str,
        *,
        match: dict[str, Any] | None = None,
        when: dict[str, Any] | None = None,
        **effect: Any,
    ) -> fault_rows.FaultView:
        """Add a fault rule for clients of `serve()`; calls through this object are not affected."""
        values = {"effect": {"kind": kind, **effect}, "match": match, "when": when}
        return self._ask(fault_rows.add_fault, "", **values)

    def clear_faults(self) -> None:
        """Remove all fault rules."""
        self._ask(fault_rows.clear_faults, "")

    def preview(
        self,
        owner: str,
        symbol: str,
        side: str,
        quantity: Money,
        *,
        price: Money | None = None,
        product: str = SPOT,
        position: str | None = None,
    ) -> Preview:
        """Return the effects that an order would have now. It is not placed."""
        order: dict[str, Any] = {
            "symbol": symbol,
            "side": side,
            "type": "MARKET" if price is None else "LIMIT",
            "quantity": quantity,
        }
        if price is not None:
            order["price"] = price
        if _product(product) == CONTRACT:
            order["positionSide"] = position
            if price is not None:
                order["timeInForce"] = "GTC"
        asked = {"owner": owner, "product": product.upper(), "order": order}
        return views.preview(self._ask(preview_row, "", **asked))

    def explain(self, kind: str, identity: int | Placed | Order | Bill) -> Explanation:
        """Return the reasons for an order, a bill or a liquidation, in sentences with their
        numbers. `kind` is "order", "bill" or "liquidation". Refused: this id is unknown, or it is
        too long ago."""
        check_text("kind", kind)
        row = {
            "order": explain_rows.explain_order,
            "bill": explain_rows.explain_bill,
            "liquidation": explain_rows.explain_liquidation,
        }.get(kind)
        if row is None:
            raise refusal(errors.invalid("kind", "must be order, bill or liquidation"))
        number: object = identity
        if kind == "order" and isinstance(identity, Placed | Order):
            number = identity.order_id
        elif kind == "bill" and isinstance(identity, Bill):
            number = identity.bill_id
        return self._ask(row, "", id=number)

    def problems(self) -> list[str]:
        """Return the broken invariants of the rulebook, in words. An empty list unless there is a
        defect."""
        self._check()
        return self._loop.call(self._problems())

    async def _problems(self) -> list[str]:
        return audit.problems(self._node.engine)

    def report(self, path: str | Path) -> None:
        """Write what happened so far to one HTML file, which a browser opens. OSError."""
        self._check()
        write_run(path, self._options, self._ask)

    # -- a door -----------------------------------------------------------------------------------

    def serve(self, port: int = 0, *, host: str = "127.0.0.1") -> Served:
        """Serve REST and streams of this state until `close`; later calls return the same address.

        Loopback only: the demo keys are published. Misused: another host; OSError: the port is in
        use.
        """
        self._check()
        if self._served is None:
            if host not in LOOPBACK:
                raise Misused(f"host {host!r}: must be one of {', '.join(LOOPBACK)}")
            if type(port) is not int or not 0 <= port <= PORT_MAX:
                raise Misused(f"port {port!r}: must be an int from 0 to {PORT_MAX}")
            self._served = self._loop.call(self._serve(host, port))
        return self._served

    async def _serve(self, host: str, port: int) -> Served:
        fit = bounds(limited=self._options.limits)
        bound = listen(host, port)
        await self._open.enter_async_context(doors(self._door, self._options, bound, fit))
        place = f"{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"
        return Served(f"http://{place}", f"ws://{place}/spot/v3/ws", f"ws://{place}/contract/v3/ws")


async def _call_with(act: Callable[[object], None], who: object) -> None:
    """Call a function on the venue's loop."""
    act(who)


def _options(
    seed: int, clock: str, at: str | None, state: str | Path | None, *, agents: bool, profile: str
) -> Options:
    """Return the options of `venue dev`. Misused."""
    if type(seed) is not int:
        raise Misused(f"seed {seed!r}: must be an int")
    if type(agents) is not bool:
        raise Misused(f"agents {agents!r}: must be True or False")
    if profile not in list(Profile):
        raise Misused(f"profile {profile!r}: must be {' or '.join(Profile)}")
    if state is not None and (not isinstance(state, str | Path) or not str(state)):
        raise Misused(f"state {state!r}: must be a file's name")
    if at is not None and not isinstance(at, str):
        raise Misused(f"at {at!r}: must be text, as 2026-01-01T08:00:00Z")
    mode = _mode(clock)
    begin = at
    new = state is None or not Path(state).exists()
    if mode.mode is not Mode.REAL and begin is None and new:
        begin = BEGIN
    if mode.mode is Mode.REAL and at is not None:
        raise Misused("at: needs a clock that is not real")
    try:
        at_us = moment_us(begin) if begin is not None else None
    except ValueError as problem:
        raise Misused(f"at {at!r}: {problem}") from None
    return Options(
        seed=seed,
        agents=agents,
        state=str(state) if state is not None else None,
        clock=mode,
        at=at_us,
        resets=True,
        profile=Profile(profile),
    )


def _mode(clock: str) -> ClockMode:
    name, _, rate = clock.partition(" ") if isinstance(clock, str) else ("", "", "")
    if name in ("manual", "skip", "real", "offset") and not rate:
        return ClockMode(Mode(name))
    if name == "rate" and rate:
        try:
            thousandths = scale_amount(rate, 3, "rate")
        except ApiError as problem:
            raise refusal(problem) from None
        except ValueError:
            thousandths = 0
        if 1 <= thousandths <= RATE_MOST:
            return ClockMode(Mode.RATE, rate=thousandths)
    raise Misused(
        f"clock {clock!r}: must be manual, skip, offset, real, or rate N with N from 0.001 to 10000"
    )


def _product(product: str) -> str:
    if product not in (SPOT, CONTRACT):
        raise refusal(errors.invalid("product", f"must be {SPOT} or {CONTRACT}"))
    return product


def _advance_values(how: dict[str, str | bool | None]) -> dict[str, Any]:
    """Return the given parameters of an advance, by their names on the wire."""
    return {name: value for name, value in how.items() if value is not None}
