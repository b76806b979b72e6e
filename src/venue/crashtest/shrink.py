"""Finds the shortest schedule that a bot still fails: drops events and moves them earlier."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from venue.crashtest.schedule import Event

TRIES_MAX: Final = 12

Fails = Callable[[list[Event]], Awaitable[bool]]


async def shortest(events: list[Event], fails: Fails) -> list[Event]:
    """Return a schedule from which nothing can be dropped, with its events as early as possible;
    after TRIES_MAX runs, the shortest one found so far."""
    tries = 0

    async def fails_too(tried: list[Event]) -> bool:
        nonlocal tries
        tries += 1
        return tries <= TRIES_MAX and await fails(tried)

    found = list(events)
    for event in reversed(events):  # most often a single event is the cause
        if len(found) > 1 and await fails_too([event]):
            found = [event]
            break
    at = 0
    while len(found) > 1 and at < len(found):
        without = found[:at] + found[at + 1 :]
        if await fails_too(without):
            found = without
        else:
            at += 1
    for at, event in enumerate(found):
        for shorter in _shorter(event):
            tried = [*found[:at], shorter, *found[at + 1 :]]
            if await fails_too(tried):
                found = tried
                break
    return found


def _shorter(event: Event) -> list[Event]:
    """Return the same event once, or at the first request of its kind."""
    first = replace(event, nth=1, times=1)
    tried = [first, replace(event, times=1), replace(event, nth=1)]
    return [one for at, one in enumerate(tried) if one != event and one not in tried[:at]]
