"""Operator operations on the clock: how venue time passes, and moving it; and on its end."""

from __future__ import annotations

import os
from itertools import takewhile
from typing import Final

from venue.api import errors
from venue.api.fields import Money
from venue.api.operation import Empty
from venue.api.operator.clock import (
    Advance,
    AdvanceRequest,
    ClockRequest,
    ClockView,
    DueView,
    Stopping,
)
from venue.candles import DAY_US
from venue.gateway.dispatch.decode import scale_amount
from venue.gateway.door import Call
from venue.node.clock_modes import RATE_MOST, ClockMode, ClockRefused, Mode
from venue.node.due import TOLD_MAX, Due, upcoming
from venue.node.node import Node
from venue.node.sequencer import Stopped
from venue.node.timekeeper import Busy, GoingBack
from venue.texts import short_text
from venue.times import MOMENT_MAX, US_PER_MS, YEAR_US, moment_us, span_us

RATE_DECIMALS: Final = 3
ANY: Final = "any"


def clock(call: Call, _: Empty) -> ClockView:
    """Return how venue time passes, and the next effects that fall due."""
    node = call.node
    mode = node.clock.setting
    return ClockView(
        mode=str(mode.mode),
        rate=short_text(mode.rate, RATE_DECIMALS),
        time=node.clock.now() // US_PER_MS,
        offset=node.clock.ahead() // US_PER_MS,
        sequence=node.engine.sequence,
        advancing=node.timekeeper.advancing(),
        holders=node.timekeeper.holders(),
        next=[_view(due) for due in node.timekeeper.next_due()],
    )


async def change_clock(call: Call, request: ClockRequest) -> ClockView:
    """Set another mode; effects due until the time it begins at are settled first."""
    node = call.node
    try:
        mode, to = _mode_of(node, request, node.clock.now())
        await node.timekeeper.change(mode, to)
    except GoingBack as problem:
        raise errors.busy(f"{problem}; nothing was done") from None
    except (Busy, ClockRefused) as problem:
        raise errors.failed_precondition(str(problem)) from None
    except Stopped:
        raise errors.busy("the venue is stopping") from None
    return clock(call, Empty())


def _mode_of(node: Node, request: ClockRequest, now: int) -> tuple[ClockMode, int | None]:
    """Return the mode, and the time to begin it at if that is not now."""
    mode = Mode(request.mode)
    for name, value in (("rate", request.rate), ("offset", request.offset)):
        if value is not None and mode != name:
            raise errors.combination(name, "mode")
    if request.at is not None and (mode is Mode.REAL or request.offset is not None):
        raise errors.combination("at", "mode" if mode is Mode.REAL else "offset")
    wall = node.clock.wall()
    to = None
    if mode is Mode.REAL:
        node.clock.check_real(now)
        _check_behind(now, wall)
        to = wall
    elif request.at is not None:
        to = _moment("at", request.at)
        _check_range("at", to, now)
    elif request.offset is not None:
        to = wall + _span("offset", request.offset)
        _check_range("offset", to, now)
    if mode is Mode.OFFSET:
        return ClockMode(mode, offset=(now if to is None else to) - wall), to
    if mode is not Mode.RATE:
        return ClockMode(mode), to
    if request.rate is None:
        raise errors.missing("rate")
    return ClockMode(mode, rate=_rate(request.rate)), to


async def advance_clock(call: Call, request: AdvanceRequest) -> Advance:
    """Move venue time, and settle the effects that are due on the way."""
    node = call.node
    to = _target(node, request)
    if request.dry_run:
        return _foreseen(node, to)
    try:
        done = await node.timekeeper.advance(to, sparse=request.sparse)
    except GoingBack as problem:
        raise errors.busy(f"{problem}; nothing was done") from None
    except Busy:
        raise errors.failed_precondition("another advance is under way") from None
    except Stopped:
        raise errors.busy("the venue is stopping") from None
    return Advance(
        begin=done.begin // US_PER_MS,
        end=done.end // US_PER_MS,
        sequence=done.sequence,
        settled=[_view(due) for due in done.settled],
        left_out=done.left_out,
        stopped=done.stopped,
    )


def _foreseen(node: Node, to: int) -> Advance:
    """Return the effects that are known to fall due until then; none happens."""
    now = node.clock.now()
    rows: list[DueView] = []
    left_out = 0
    for due in takewhile(lambda due: due.at <= to, upcoming(node.engine, now)):
        if len(rows) < TOLD_MAX:
            rows.append(_view(due))
        else:
            left_out += 1
    return Advance(
        begin=now // US_PER_MS,
        end=to // US_PER_MS,
        sequence=node.engine.sequence,
        settled=rows,
        left_out=left_out,
        stopped=False,
    )


def _target(node: Node, request: AdvanceRequest) -> int:
    """Return the venue time to come to."""
    given = {"by": request.by, "to": request.to, "to_next": request.to_next}
    names = [name for name, value in given.items() if value is not None]
    if not names:
        raise errors.either("by", "to", "to_next")
    if len(names) > 1:
        raise errors.combination(names[0], names[1])
    now = node.clock.now()
    if request.by is not None:
        span = _span("by", request.by)
        if not 0 < span <= YEAR_US:
            raise errors.out_of_range("by", "must be more than 0 and at most 366d")
        _check_range("by", now + span, now)
        return now + span
    if request.to is not None:
        to = _moment("to", request.to)
        _check_range("to", to, now)
        return to
    last = _last(now)
    coming = takewhile(lambda due: due.at <= last, upcoming(node.engine, now))
    soon = next((due.at for due in coming if request.to_next in (ANY, due.kind)), None)
    if soon is None:
        raise errors.failed_precondition(f"no {request.to_next} is due within 366 days")
    return soon


def _check_range(name: str, to: int, now: int) -> None:
    last = _last(now)
    if not now <= to <= last:
        why = "366 days on" if last < MOMENT_MAX else "the last time that can be written"
        raise errors.out_of_range(
            name,
            f"that is {to // US_PER_MS} ms in venue time, which must be from"
            f" {-(-now // US_PER_MS)} (now) to {last // US_PER_MS} ({why}): time never goes back",
        )


def _check_behind(now: int, wall: int) -> None:
    """ApiError when more than one request may settle lies between venue time and the machine's."""
    if wall > now + YEAR_US:
        days = (wall - now) // DAY_US
        raise errors.out_of_range(
            "mode",
            f"venue time is {days} days behind the machine's, and a request settles at most 366"
            " days: take the mode offset, which goes on from here",
        )


def _last(now: int) -> int:
    """Return the last venue time (µs) that one request may come to."""
    return min(now + YEAR_US, MOMENT_MAX)


def _span(name: str, text: str) -> int:
    try:
        return span_us(text)
    except ValueError as problem:
        raise errors.invalid(name, str(problem)) from None


def _moment(name: str, text: str) -> int:
    try:
        return moment_us(text)
    except ValueError as problem:
        raise errors.invalid(name, str(problem)) from None


def _rate(text: Money) -> int:
    """Return a rate in thousandths."""
    rate = scale_amount(text, RATE_DECIMALS, "rate")
    if not 1 <= rate <= RATE_MOST:
        raise errors.out_of_range("rate", "must be from 0.001 to 10000")
    return rate


def _view(due: Due) -> DueView:
    return DueView(due.at // US_PER_MS, due.kind, due.symbol, due.count)


def stop(call: Call, _: Empty) -> Stopping:
    """End the venue's process; earlier requests are answered."""
    if call.door.stop is None:
        raise errors.failed_precondition("this venue is a part of a process")
    call.door.stop()
    return Stopping(os.getpid())
