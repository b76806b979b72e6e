"""The names of archives. An archive lies in the same folder as the file that its rows come from."""

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
    """Return the archives of a file, oldest first: their first and last command, and their path."""
    found = _beside(f"{path}{ARCHIVE}", NUMBERS)
    return sorted((int(numbers[1]), int(numbers[2]), one) for numbers, one in found)


def being_written(path: str) -> str:
    """Return the name of the archive that this process writes. The helper of a venue that was
    killed may still write another one, and remove it."""
    return f"{path}{NEW}-{os.getpid()}"


def unfinished(path: str) -> list[str]:
    """Return the archives of a file that are being written, or were abandoned."""
    return [one for _, one in _beside(f"{path}{NEW}", WRITER)]


def _beside(begin: str, rest: re.Pattern[str]) -> list[tuple[re.Match[str], str]]:
    """Return the files whose path is this prefix followed by a match of the pattern."""
    name = Path(begin).name
    return [
        (found, str(one))
        for one in Path(begin).absolute().parent.iterdir()
        if one.name.startswith(name) and (found := rest.fullmatch(one.name, len(name)))
    ]


def in_place(new: str, path: str, first: int, last: int) -> str:
    """Rename a written file to its name as an archive, durably; return the name."""
    with Path(new).open("rb") as file:
        os.fsync(file.fileno())
    target = f"{path}{ARCHIVE}-{first}-{last}"
    Path(new).rename(target)
    sync_folder(path)
    return target


def sync_folder(path: str) -> None:
    """Make the names of the files in this file's folder durable."""
    folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
