"""Repair of a damaged history when a venue starts."""

from __future__ import annotations

import logging
from pathlib import Path

from venue.history.files import HistoryDamaged, check_pages, put_aside
from venue.journal.journal import Readable

log = logging.getLogger("venue.history")


def mend(path: str, journal: Readable, begin: int) -> None:
    """Leave a history at `path` that is sound in all its pages, or none.

    A damaged file is moved aside: the journal has the commands after `begin`. Earlier ones were
    answered under former rules, or are in archives.
    """
    if not Path(path).exists():
        return
    from venue.history.store import open_history  # it brings the database along

    try:
        store = open_history(path)
        reached = store.last_sequence()
        store.close()
        check_pages(path)
    except HistoryDamaged as problem:
        aside = put_aside(path)
        log.warning("%s; it was moved to %s and is built again from the journal", problem, aside)
        if begin:
            log.warning(
                "rows of commands up to %d were made under former rules or are archived, and are"
                " not made again: %s now begins after that command. With a sound copy of it from"
                " before, put back in its place while the venue is stopped, they are there again",
                begin,
                path,
            )
        return
    if reached == 0 < journal.last_sequence() and not begin:
        log.warning("%s is empty: it is built again from the journal", path)
