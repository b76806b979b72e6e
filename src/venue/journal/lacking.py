"""Finds files beside a journal that are missing or damaged, although the journal does not need them
now."""

from __future__ import annotations

from pathlib import Path

from venue.journal.ending import ENDING
from venue.journal.journal import Readable
from venue.journal.snapshot_files import SnapshotFiles


def lacking(path: str, journal: Readable) -> list[str]:
    """Return a sentence for each of them, of a journal that was just opened. OSError."""
    found = [
        f"{file} is damaged: no start can go on from it, and no repair; put back a copy or move it"
        " away, and the next clean stop writes another one"
        for file in SnapshotFiles(path).damaged_files()
    ]
    if journal.last_sequence() and not Path(f"{path}{ENDING}").exists():
        found.append(
            f"{path}{ENDING} is missing, which says how far commands were acknowledged: the journal"
            f" ends at command {journal.last_sequence()}, and a copy of {path} without {path}-wal"
            " would lack the later ones"
        )
    return found
