"""What becomes of a damaged history when a venue starts."""

from __future__ import annotations

import logging
from pathlib import Path

from venue.history.store import HistoryDamaged, check_pages, open_history, put_aside
from venue.journal.journal import Journal, OtherVersion
from venue.journal.recovery import check_versions

log = logging.getLogger("venue.history")


def mend(path: str, journal: Journal) -> None:
    """Leave a history at `path` that holds in all its pages, or none: the journal has it all.

    A damaged file is moved aside. HistoryDamaged when other rules answered the journal's commands,
    so that only this file knows what they brought about.
    """
    if not Path(path).exists():
        return
    try:
        store = open_history(path)
        reached = store.reached()
        store.close()
        check_pages(path)
    except HistoryDamaged as problem:
        try:
            check_versions(journal, 0)
        except OtherVersion as reason:
            raise HistoryDamaged(
                f"{problem}. It cannot be built again from the journal ({reason}):"
                f" put a sound copy of {path} in its place"
            ) from reason
        aside = put_aside(path)
        log.warning("%s; it was moved to %s and is built again from the journal", problem, aside)
        return
    if reached == 0 < journal.last_sequence():
        log.warning("%s is empty: it is built again from the journal", path)
