"""History's file as a file: whether it holds, and taking it away. Needs no tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from venue import private_files
from venue.history import pages

ASIDE: Final = ".damaged"  # what the name of a file that was moved away ends in
PAGES_TOLD: Final = 5


class HistoryDamaged(Exception):
    """The file is not as history wrote it; the text names the file and says what is wrong."""


def check_pages(path: str) -> None:
    """Read the whole file, which is open nowhere; HistoryDamaged names the pages that changed."""
    for _ in checked(path):
        pass


def checked(path: str) -> Iterator[None]:
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
        Path(path).parent.rmdir()


def put_aside(path: str) -> str:
    """Move a damaged file away, beside those that were before; its new name.

    None is written over: it may be the only one with rows of commands under former rules.
    """
    aside, number = f"{path}{ASIDE}", 1
    while Path(aside).exists():
        number += 1
        aside = f"{path}{ASIDE}-{number}"
    for part in private_files.DATABASE:
        if Path(f"{path}{part}").exists():
            Path(f"{path}{part}").rename(f"{aside}{part}")
    return aside
