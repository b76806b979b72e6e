"""Reads the last signed requests from the journal at a start, so that none of them has a second
effect."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import Final

from venue.gateway.access.replay import SEEDED_MS, ReplayGuard, lasting
from venue.journal.archive import join_archives
from venue.journal.journal import Journal, Readable
from venue.journal.recovery import tail_requests, time_of_last
from venue.journal.sqlite import SqliteJournal
from venue.node.clock_modes import SETTING, SIGNED_AHEAD, span_of
from venue.node.venue_clock import VenueClock

# Requests are known from so far back, should the machine's clock be set back: of so many commands.
RECALLED_US: Final = 3_900_000_000
RECALLED_MAX: Final = 200_000


def recall(
    replays: ReplayGuard,
    clock: VenueClock,
    journal: Journal,
    path: str,
    settings: Mapping[str, str],
) -> None:
    """Know the requests of the journal's last commands; all of them where the clock's mode was
    set: only real venue time is never behind server time.

    A timestamp is far ahead of its command's only in the span in which the machine's clock was:
    such requests are known from then on, or all of their times are refused.
    """
    wall, known = clock.wall(), SETTING in settings
    span = span_of(settings.get(SIGNED_AHEAD, ""))
    with contextlib.ExitStack() as closing:
        whole: Readable = journal
        if isinstance(journal, SqliteJournal):
            # Pruning goes by venue time: it may have taken a command that is seconds old.
            whole = join_archives(journal, path, closing, (wall - RECALLED_US) / 1e6)
        since = 0
        if clock.real and not known:
            least = time_of_last(whole, RECALLED_MAX)
            since = min(max(wall - RECALLED_US, least), wall - SEEDED_MS * 1_000)
            if span is not None and span.last > wall - SEEDED_MS * 1_000:
                since = min(since, max(span.begin, least))
        requests = tail_requests(whole, since, partial(lasting, wall=wall))
        since = max(since, time_of_last(whole, whole.last_sequence()))
    replays.seed(requests, clock.oldest(), moved=known, since=since)
    if span is not None and since > span.begin:
        replays.refuse(span.first, span.last)
