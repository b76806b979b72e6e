"""Keeps a venue's snapshots, those while it runs and the last one, and waits for its history."""

from __future__ import annotations

import contextlib
import logging
from functools import partial
from typing import Final

from venue.core.engine import Engine
from venue.helpers.link import HelperFailed
from venue.history.process.client import LAG_MAX, History
from venue.journal.journal import Journal, JournalFailed
from venue.node.keeper import Keeper
from venue.node.node import Node
from venue.node.snapshots import take

CATCH_UP_S: Final = 1.0  # how long time that is moved waits for history at once

log = logging.getLogger("venue")


def keeper(node: Node, path: str, frames_kept: int) -> Keeper:
    """Return the keeper: it has snapshots taken after history has durably projected their
    commands."""
    return Keeper(
        node.journal,
        path,
        frames_kept,
        on_disk_thread=node.sequencer.on_disk_thread,
        sequence=lambda: node.engine.sequence,
        durable=partial(_project, node),
    )


async def _project(node: Node) -> None:
    await node.history.drain()
    await node.history.checkpoint()


async def keep(node: Node, journal: Journal) -> None:
    """Save a snapshot of a venue that takes no more commands."""
    if node.sequencer.has_failed():
        return
    snapshot = take(node.engine, node.market_data, node.recorder)
    try:
        await _project(node)
        await node.sequencer.on_disk_thread(lambda: journal.save_snapshot(snapshot))
    except (HelperFailed, JournalFailed) as problem:
        log.error("no snapshot: %s", problem)


async def keep_up(history: History, engine: Engine) -> None:
    """Wait for a history that is far behind, unless it has failed: moved time goes only as fast as
    its followers take it."""
    with contextlib.suppress(HelperFailed, TimeoutError):
        if history.lag() > LAG_MAX // 2:
            await history.reach(engine.sequence - LAG_MAX // 4, CATCH_UP_S)
