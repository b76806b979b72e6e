"""The incidents: each draws a schedule from the seed, over the bot's requests on a calm day."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from msgspec import Struct

from venue.crashtest.schedule import BOOKS, FRAMES, OPENED, OWN, PINGS, Event

DRAWN_MAX: Final = 6  # events begin among the first so many requests of their kind
SPREAD: Final = 2  # how many events of an incident's kind a schedule has at most
BUSY: Final = 503
MANY: Final = 50


class Incident(Struct, frozen=True):
    """Something that goes wrong: the requests that it happens at, and an effect or an act of the
    operator."""

    name: str
    story: str
    on: str
    effect: dict[str, Any] | None = None
    do: str = ""
    times: int = 1


def _fault(name: str, story: str, on: str, kind: str, times: int = 1, **more: Any) -> Incident:
    return Incident(name, story, on, {"kind": kind, **more}, times=times)


def _act(name: str, story: str, on: str = "*") -> Incident:
    return Incident(name, story, on, do=name)


ALL: Final = (
    _fault("lost-reply", "an order is executed, and the reply is lost", "place*", "drop_after"),
    _fault("lost-request", "an order never arrives", "place*", "drop_before"),
    _fault("duplicate-delivery", "an order is delivered twice", "place*", "duplicate"),
    _fault("reset-after-order", "the connection is reset once an order is executed", "place*",
           "reset", side="after"),
    _fault("busy-after-order", "an order is executed, and 503 is answered", "place*", "status",
           side="after", status=BUSY),
    _fault("cut-reply", "the reply to an order is cut in half", "place*", "truncate"),
    _fault("late-reply", "the reply to an order is late", "place*", "delay", side="after", ms=700),
    _fault("refused-order", "an order is refused with a system error", "place*", "error",
           code=-1054),
    _fault("busy", "three orders in a row are refused with 503", "place*", "status", 3,
           status=BUSY),
    _fault("too-many-requests", "requests are refused with 429 for a while", "*", "status", 3,
           status=429, retryAfter=1),
    _fault("ban", "the address is banned: all requests are refused with 418", "*", "status", 12,
           status=418, retryAfter=2),
    _fault("cancel-refused", "a cancel is refused", "cancel*", "error", code=-1054),
    _fault("cancel-lost", "a cancel never arrives", "cancel*", "drop_before"),
    _fault("cancel-reply-lost", "an order is cancelled, and the reply is lost", "cancel*",
           "drop_after"),
    _act("fill-before-cancel", "an order is filled just before it is cancelled", "cancel*"),
    _act("partial-fill-before-cancel", "half of an order is filled just before it is cancelled",
         "cancel*"),
    _fault("questions-refused", "questions are refused with 503", "GET", "status", 3, status=BUSY),
    _fault("questions-lost", "questions are not answered", "GET", "drop_before", 2),
    _fault("answers-cut", "the answer to a question is cut in half", "GET", "truncate"),
    _fault("stale-book", "answers to questions are old ones", "GET", "stale", 4),
    _fault("clock-skew", "the venue's clock is a minute off", "*", "clock_skew", 3, ms=60_000),
    _act("clock-step", "a minute passes at once"),
    _act("halt", "the market is halted for a while"),
    _act("dead-feed", "the contract's index falls silent: orders may only reduce"),
    _act("frozen", "the account is frozen for a while"),
    _act("money-gone", "all free money has been withdrawn"),
    _act("price-jump", "the price falls by a tenth"),
    _act("funding", "funding is due"),
    _act("liquidation", "the account's positions are liquidated"),
    _act("deleveraging", "a position is closed against a bankrupt one"),
    _act("restart", "the venue loses power, and is back a little later"),
    _fault("mute-socket", "a stream falls silent", FRAMES, "ws.silence", ms=600_000),
    _fault("gap", "a stream leaves a frame out", FRAMES, "ws.gap"),
    _fault("missed-update", "a change of the account is left out", OWN, "ws.gap"),
    _fault("stale-stream", "the book's stream stands still", BOOKS, "ws.gap", MANY),
    _fault("disconnect", "a stream is closed", FRAMES, "ws.disconnect"),
    _fault("account-disconnect", "the account's stream is closed, and a change is missed", OWN,
           "ws.disconnect"),
    _fault("socket-refused", "a stream is not opened at first", OPENED, "ws.refuse", status=BUSY),
    _fault("frame-twice", "a stream sends a frame twice", FRAMES, "ws.duplicate"),
    _fault("update-twice", "a change of the account is told twice", OWN, "ws.duplicate"),
    _fault("no-pong", "a stream's pings are not answered", PINGS, "ws.no_pong", MANY),
    _act("slow-socket", "the streams are late by six requests"),
)  # fmt: skip


def named(name: str) -> Incident | None:
    """Return the incident with this name."""
    return next((one for one in ALL if one.name == name), None)


def draw(incident: Incident, seed: int, counts: dict[str, int]) -> list[Event]:
    """Return the schedule of an incident; empty when the bot makes no request or stream that it
    concerns.

    `counts` are the requests and frames of each kind on a calm day.
    """
    made = counts.get(incident.on, 0)
    if made == 0:
        return []
    random = Random(f"{seed}/{incident.name}")  # noqa: S311 - it shall be the same again
    if incident.do:  # in the middle of the run, when the bot has orders and positions
        places = [random.randint(made // 3 + 1, max(made * 2 // 3, made // 3 + 1))]
    else:
        among = min(made, DRAWN_MAX)
        places = sorted(random.sample(range(1, among + 1), min(SPREAD, among)))
    events = [
        Event(incident.on, nth, incident.effect, incident.do, incident.times) for nth in places
    ]
    if counts["*"] == 0:
        return events
    noise = random.randint(1, min(counts["*"], DRAWN_MAX))
    return [Event("*", noise, {"kind": "delay", "ms": 20}, noise=True), *events]
