"""Drops saved states together with the commands before them: history could not revert to them any
more."""

from __future__ import annotations

import logging

from venue.core.messages.savepoints import DropState
from venue.journal.journal import Snapshot
from venue.journal.recovery import beginning
from venue.journal.sqlite import SqliteJournal
from venue.node.node import Node

log = logging.getLogger("venue")


async def forget_states(node: Node, last: int) -> None:
    """Drop the states that were saved up to a command, because the commands up to it are or will be
    archived."""
    async with node.saving:  # a name may be given to a newer state otherwise
        kept = node.engine.kept_states.values()
        for name in [one.name for one in kept if one.sequence <= last]:
            await node.submit([DropState(name)])
            log.warning("the kept state %s is older than the archive: it was dropped", name)


async def forget_archived(node: Node) -> None:
    """Drop the states that were saved before the journal begins, when the venue was pruned while it
    was stopped; called before the venue answers. JournalCorrupt and JournalFailed."""
    journal = node.journal
    if not node.engine.kept_states or not journal.begin():
        return
    if isinstance(journal, SqliteJournal):  # a world's begins with a state, and has no archives
        found: list[Snapshot | None] = []
        await node.sequencer.on_disk_thread(lambda: found.append(beginning(journal)))
        first = found[0]
        assert first is not None, "it does not begin with command 1"
        await forget_states(node, first.sequence)
