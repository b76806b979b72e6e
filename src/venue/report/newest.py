"""Reads the newest items of a list that comes in pages, back to the beginning of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from venue.client.errors import FAILURES, words

PAGE: Final = 100
PAGES_MOST: Final = 10
DAY_MS: Final = 86_400_000


class Paging(NamedTuple):
    """A list of an owner, newest first: the fields of an item's id and time, the parameters of the
    next page after a reply and its items (None: it was the last), and how far back it is told."""

    id: str
    time: str
    following: Callable[[Any, list[dict[str, Any]]], dict[str, Any] | None]
    reach_ms: int | None = None


# Paging of fills follow by time: one page may repeat items of another.
LISTINGS: Final = {
    "bills": Paging("billId", "cTime", lambda _, rows: {"before": rows[-1]["billId"]}),
    "income": Paging("billId", "time", lambda reply, _: reply["nextKey"]),
    "user_trades": Paging("id", "time", lambda _, rows: {"endTime": rows[-1]["time"]}, 7 * DAY_MS),
}


class Newest(NamedTuple):
    """Items, newest first; all of them from the time `since` (ms) on. `problem` says why there are
    no earlier ones, "" when the run has none."""

    items: list[dict[str, Any]]
    since: int
    problem: str


def newest(
    ask: Callable[[dict[str, Any]], Any], name: str, span: tuple[int, int], **values: Any
) -> Newest:
    """Return the items of a run, and some before it; `ask` asks for a page."""
    listing = LISTINGS[name]
    begin, end = span
    found: dict[str, dict[str, Any]] = {}
    problem = f"the newest {PAGES_MOST * PAGE} are in it"
    key: dict[str, Any] | None = {}
    for _ in range(PAGES_MOST):
        try:
            reply = ask({"limit": PAGE, **values, **(key or {})})
        except FAILURES as failure:
            problem = words(failure)
            break
        rows = reply if isinstance(reply, list) else reply["items"]
        fresh = {one[listing.id]: one for one in rows if one[listing.id] not in found}
        found |= fresh
        key = listing.following(reply, rows) if len(rows) == PAGE else None
        if key is None or int(rows[-1][listing.time]) < begin:
            since = begin if listing.reach_ms is None else max(begin, end - listing.reach_ms)
            return Newest(list(found.values()), since, "")
        if not fresh:  # more than a page of one time
            break
    items = list(found.values())
    return Newest(items, int(items[-1][listing.time]) if items else end, problem)
