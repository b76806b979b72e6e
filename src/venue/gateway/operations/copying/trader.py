"""Handlers of lead traders' operations, and pages of ended copies and tracked positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from venue.api import errors
from venue.api.copying.trader import (
    EndedKey,
    EndedRequest,
    EndedTracks,
    TrackedPosition,
    TracksRequest,
)
from venue.api.operation import Empty
from venue.candles import DAY_US
from venue.core.copying.people import Lead
from venue.gateway.door import Call
from venue.gateway.operations.copying.views import ended_position, open_track
from venue.history.questions import copying as questions
from venue.history.tables.copying import EndedOf
from venue.times import LAST_US_OF_MS, US_PER_MS

DAYS_MAX: Final = 90


def open_tracks(call: Call, request: TracksRequest) -> list[TrackedPosition]:
    """Tracked positions that are open, oldest first; none of an owner that does not lead."""
    node = call.node
    if request.symbol is not None:
        node.perp(request.symbol)
    lead = _lead(call)
    tracks = [] if lead is None else sorted(lead.tracks.items())
    found = [
        (track, track.position)
        for _, track in tracks
        if track.position is not None
        and (request.symbol is None or track.perp.symbol == request.symbol)
    ]
    begin = (request.page - 1) * request.limit
    return [open_track(node, *one) for one in found[begin : begin + request.limit]]


async def ended_tracks(call: Call, request: EndedRequest) -> EndedTracks:
    """Tracked positions that have ended, newest first."""
    return await ended_page(call, request, questions.ended_tracks)


def copied_pairs(call: Call, _: Empty) -> list[str]:
    """Return the contracts whose positions are copied."""
    lead = _lead(call)
    if lead is None:
        return []
    perps = call.node.engine.perps.values()
    return [perp.symbol for perp in perps if lead.covers(perp)]


async def ended_page(
    call: Call, request: EndedRequest, question: Callable[..., Any]
) -> EndedTracks:
    """Return one page of ended copies or tracked positions."""
    node = call.node
    if request.symbol is not None:
        node.perp(request.symbol)
    start, end = _span(request, node.clock.now())
    next_id, next_time = request.next_key_id, request.next_key_time
    if (next_id is None) != (next_time is None):
        raise errors.missing("nextKeyId" if next_id is None else "nextKeyTime")
    which = EndedOf(call.uid, request.symbol or "", start, end, next_time, next_id)
    # One more than is shown tells whether there is a next page.
    rows = await node.ask(question, which, request.limit + 1)
    shown = [ended_position(node, row) for row in rows[: request.limit]]
    more = len(rows) > len(shown)
    # The key's time is in µs, as ends are told apart by it.
    key = EndedKey(shown[-1].tracking_no, rows[len(shown) - 1].closed) if more else None
    return EndedTracks(shown, more, key)


def _span(request: EndedRequest, now: int) -> tuple[int | None, int | None]:
    """Return the span in µs; without a start, the last 90 days before the end."""
    start, end = request.start_time, request.end_time
    if start is not None and end is not None:
        if start > end:
            raise errors.time_order()
        if (end - start) * US_PER_MS > DAYS_MAX * DAY_US:
            rule = f"at most {DAYS_MAX} days after startTime"
            raise errors.error(-1170, name="endTime", rule=rule)
    until = None if end is None else end * US_PER_MS + LAST_US_OF_MS
    if start is not None:
        begin = start * US_PER_MS
        return begin, begin + DAYS_MAX * DAY_US if until is None else until
    return (now if until is None else until) - DAYS_MAX * DAY_US, until


def _lead(call: Call) -> Lead | None:
    trader = call.node.engine.leads.get(call.uid)
    return None if trader is None else trader.lead
