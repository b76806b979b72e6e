"""The names of archives, which stand beside the file that they were taken out of."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

ARCHIVE: Final = ".archive"  # the part of an archive's name after the file's
NEW: Final = f"{ARCHIVE}.new"  # one that is being written
NUMBERS: Final = re.compile(r"-(\d+)-(\d+)")
WRITER: Final = re.compile(r"(-\d+)?")


def archives(path: str) -> list[tuple[int, int, str]]:
    """The archives beside a file, oldest first: their first and last command, and their path."""
    found = _beside(f"{path}{ARCHIVE}", NUMBERS)
    return sorted((int(numbers[1]), int(numbers[2]), one) for numbers, one in found)


def being_written(path: str) -> str:
    """The name of the archive that this process writes: the helper of a venue that was killed may
    still write another one, and remove it."""
    return f"{path}{NEW}-{os.getpid()}"


def unfinished(path: str) -> list[str]:
    """The archives beside a file that are being written, or were left."""
    return [one for _, one in _beside(f"{path}{NEW}", WRITER)]


def _beside(begin: str, rest: re.Pattern[str]) -> list[tuple[re.Match[str], str]]:
    """The files whose path begins so, and goes on by a pattern."""
    name = Path(begin).name
    return [
        (found, str(one))
        for one in Path(begin).absolute().parent.iterdir()
        if one.name.startswith(name) and (found := rest.fullmatch(one.name, len(name)))
    ]


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
