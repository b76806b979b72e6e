"""Drops old rows of a venue in memory: those of more than a day ago, where they take too much.

Saved states stay as they were: for each, the rows of the day before it are kept, and so is all that
was placed before it and settled later.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from itertools import pairwise
from typing import Final

from venue.core.units import DAY_US
from venue.helpers.link import HelperFailed
from venue.node.explainer import keeping_recent
from venue.node.node import Node
from venue.node.snapshots import take, take_state

ASK_S: Final = 10.0  # how often it is asked whether rows take too much
BYTES_MAX: Final = 64 << 20  # of history, if a day's rows do not take more
STEP_US: Final = DAY_US // 2  # of venue time between two times that all tables are looked through

log = logging.getLogger("venue")


class Forgetting:
    """Drops rows of a venue in memory. Belongs to one event loop."""

    def __init__(self, node: Node, bytes_max: int = BYTES_MAX) -> None:
        self._node = node
        self._bytes_max = bytes_max

    async def run(self) -> None:
        """Drop rows until cancelled."""
        while True:
            await asyncio.sleep(ASK_S)
            try:
                await self.round()
            except HelperFailed as problem:
                log.error("no rows are forgotten: %s", problem)

    async def round(self) -> bool:
        """Drop rows once, if there are enough; return whether there were. HelperFailed."""
        node, history = self._node, self._node.history
        now = node.engine.time
        if 0 < history.forgotten <= now - DAY_US < history.forgotten + STEP_US:
            return False
        kept = [one.time for one in node.engine.kept_states.values()]
        found = spans(now, kept)
        if not found or not await history.forget(found, self._bytes_max):
            return False
        history.forgotten = now - DAY_US
        return True


def spans(now: int, kept: list[int], day_us: int = DAY_US) -> list[tuple[int, int]]:
    """Return the times (µs), from and to, in which rows were placed and settled that are needed
    neither by the present nor by one of the states `kept` then."""
    times = [0, *sorted(time for time in kept if time < now), now]
    return [(after, at - day_us) for after, at in pairwise(times) if at - day_us > after]


def forgetting(node: Node) -> list[asyncio.Task[None]]:
    """Return the tasks that bound what a venue in memory keeps of its past, until they are
    cancelled."""
    recent = partial(take, node.engine, node.market_data, node.recorder)
    keeping = keeping_recent(node.journal, recent, partial(take_state, node.engine))
    return [*keeping, asyncio.create_task(Forgetting(node).run())]
