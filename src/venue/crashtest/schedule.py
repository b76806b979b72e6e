"""The schedule of a bot's run: events, each at the n-th request of a kind."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

FRAMES: Final = "ws:*"
OWN: Final = "ws:own"
BOOKS: Final = "ws:depth*"
OPENED: Final = "ws:open"
PINGS: Final = "ws:ping"
SLOW: Final = "slow-socket"
COUNTED: Final = (FRAMES, OWN, BOOKS)


class Event(Struct, frozen=True):
    """Something that happens at the `nth` request (from 1) whose operation matches `on`.

    `on` is an operation of the table, `place*`, `cancel*`, `GET` for any question, `*` for any
    request, or a channel with `ws:` before it, whose frames are counted; `ws:own` are those of the
    account's own channels, `ws:open` the openings of sockets, `ws:ping` their pings. Either
    `effect` applies to that request or frame, and to `times` of them in a row, or the operator acts
    before it is served. `noise` is no part of the incident: it harms no bot.
    """

    on: str
    nth: int
    effect: dict[str, Any] | None = None
    do: str = ""
    times: int = 1
    noise: bool = False

    @property
    def is_of_streams(self) -> bool:
        """Whether the event keeps stream frames from a bot."""
        return self.do == SLOW or self.on.startswith("ws:")

    @property
    def words(self) -> str:
        """The event in one line."""
        what = self.do or str((self.effect or {}).get("kind"))
        more = ", ".join(
            f"{name} {value}" for name, value in (self.effect or {}).items() if name != "kind"
        )
        again = f", {self.times} times" if self.times > 1 else ""
        where = f"at {_NAMES.get(self.on, self.on)} {self.nth}"
        return f"{what}{f' ({more})' if more else ''} {where}{again}"


_NAMES = {
    "place*": "placement",
    "cancel*": "cancel",
    "GET": "question",
    "*": "request",
    FRAMES: "frame",
    OWN: "frame of the account",
    BOOKS: "frame of a book",
    OPENED: "socket",
    PINGS: "ping",
}


def rule(number: int, event: Event, owner: str) -> dict[str, Any]:
    """Return the fault rule that applies an event's effect."""
    match: dict[str, Any] = {}
    if event.on == OWN:
        match |= {"owner": owner, "channel": "*"}
    elif event.on.startswith("ws:") and event.on not in (OPENED, PINGS):
        match["channel"] = event.on.removeprefix("ws:")
    elif event.on in (OPENED, PINGS):
        pass
    elif event.on == "GET":
        match["method"] = "GET"
    elif event.on == "*":
        match["path"] = "/*"
    else:
        match |= {"operation": event.on, "owner": owner}
    nth = list(range(event.nth, event.nth + event.times))
    return {"id": f"event-{number}", "match": match, "when": {"nth": nth}, "effect": event.effect}


def is_like(on: str, operation: str, method: str) -> bool:
    """Return whether an event counts a request."""
    if on in ("*", method):
        return True
    return operation.startswith(on[:-1]) if on.endswith("*") else operation == on
