"""History's file as a file: whether it is sound, and its removal. Needs no tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from venue.files import private_files
from venue.history import pages
from venue.history.temporary import LOCK

ASIDE: Final = ".damaged"  # the end of the name of a file that was moved away
PAGES_TOLD: Final = 5


class HistoryDamaged(Exception):
    """The file is not as history wrote it; the text names the file and the damage."""


def check_pages(path: str) -> None:
    """Read the whole file, which is open nowhere; HistoryDamaged names the pages that changed."""
    for _ in check_by_pieces(path):
        pass


def check_by_pieces(path: str) -> Iterator[None]:
    """Do what `check_pages` does, some pages at a time."""
    found: list[int] = []
    for piece in pages.damaged_by_pieces(Path(path)):
        found += piece
        yield
    if found:
        shown = ", ".join(map(str, found[:PAGES_TOLD]))
        more = f" and {len(found) - PAGES_TOLD} more" if len(found) > PAGES_TOLD else ""
        raise HistoryDamaged(f"{path} is damaged: page {shown}{more} changed since it was written")


def remove(path: str) -> None:
    """Take away a temporary history, which has a folder to itself; nothing when it is gone."""
    private_files.remove(path)
    with suppress(OSError):
        Path(path).with_name(LOCK).unlink(missing_ok=True)
        Path(path).parent.rmdir()


def put_aside(path: str) -> str:
    """Move a damaged file away, beside earlier damaged ones; its new name.

    No earlier one is overwritten: it may be the only file with rows of commands under former rules.
    """
    aside, number = f"{path}{ASIDE}", 1
    while Path(aside).exists():
        number += 1
        aside = f"{path}{ASIDE}-{number}"
    for part in private_files.DATABASE:
        if Path(f"{path}{part}").exists():
            Path(f"{path}{part}").rename(f"{aside}{part}")
    return aside
