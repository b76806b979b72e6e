"""Knows again, at a start, the requests of a journal's last commands: none has a second effect."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Final

from venue.gateway.access.replay import SEEDED_MS, lasting
from venue.gateway.context import Node
from venue.journal.archive import joined
from venue.journal.journal import Readable
from venue.journal.recovery import tail_requests, time_of_last
from venue.journal.sqlite import SqliteJournal
from venue.node.clock_modes import SIGNED_AHEAD, span_of

# Requests are known from so far back, should the machine's clock be set back: of so many commands.
RECALLED_US: Final = 3_900_000_000
RECALLED_MAX: Final = 200_000


def seed(node: Node, path: str, *, known: bool) -> None:
    """Know the requests of the journal's last commands; all of them with a `known` mode of the
    clock: only real venue time is never behind server time.

    A timestamp is far ahead of its command's only where the machine's clock was: such requests are
    known from then on, or all of their times are refused.
    """
    clock, wall = node.clock, node.clock.wall()
    ahead = span_of(node.setting(SIGNED_AHEAD, ""))
    with contextlib.ExitStack() as closing:
        journal: Readable = node.journal
        if isinstance(journal, SqliteJournal):
            # Pruning goes by venue time: it may have taken a command that is seconds old.
            journal = joined(journal, path, closing, (wall - RECALLED_US) / 1e6)
        since = 0
        if clock.real and not known:
            least = time_of_last(journal, RECALLED_MAX)
            since = min(max(wall - RECALLED_US, least), wall - SEEDED_MS * 1_000)
            if ahead is not None and ahead.last > wall - SEEDED_MS * 1_000:
                since = min(since, max(ahead.begin, least))
        requests = tail_requests(journal, since, partial(lasting, wall=wall))
        since = max(since, time_of_last(journal, journal.last_sequence()))
    node.replays.seed(requests, clock.oldest(), moved=known, since=since)
    if ahead is not None and since > ahead.begin:
        node.replays.refuse(ahead.first, ahead.last)
