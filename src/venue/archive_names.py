"""The names of archives, which stand beside the file that they were taken out of."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

ARCHIVE: Final = ".archive"  # the part of an archive's name after the file's
NEW: Final = f"{ARCHIVE}.new"  # one that is being written


def archives(path: str) -> list[tuple[int, int, str]]:
    """The archives beside a file, oldest first: their first and last command, and their path."""
    name = re.compile(re.escape(Path(path).name + ARCHIVE) + r"-(\d+)-(\d+)")
    beside = [
        (name.fullmatch(one.name), str(one)) for one in Path(path).absolute().parent.iterdir()
    ]
    return sorted((int(found[1]), int(found[2]), one) for found, one in beside if found)


def in_place(new: str, path: str, first: int, last: int) -> str:
    """Give a written file its name as an archive, durably; the name."""
    with Path(new).open("rb") as file:
        os.fsync(file.fileno())
    target = f"{path}{ARCHIVE}-{first}-{last}"
    Path(new).rename(target)
    sync_folder(path)
    return target


def sync_folder(path: str) -> None:
    """Make the names of the files beside a file durable."""
    folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
