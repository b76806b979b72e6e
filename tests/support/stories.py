"""Trading stories as text: an act and its result on each line, a rule's number on the first.

A file's stories stand apart by an empty line; lines that begin with # are for the reader.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def stories(folder: Path) -> dict[str, list[str]]:
    """The lines of all stories of a folder's files by their titles, "file: rule title"."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.txt")):
        for text in path.read_text(encoding="utf-8").strip().split("\n\n"):
            told = [line for line in text.splitlines() if not line.startswith("#")]
            if not told:
                continue  # a file's introduction
            head, *lines = told
            word, number, title = head.split(maxsplit=2)
            assert (word, number[0].isdigit()) == ("rule", True), head
            assert lines, head
            title = f"{path.stem}: {number} {title}"
            assert title not in found, title
            found[title] = lines
    return found


def play(act: Callable[[str], str], lines: list[str]) -> None:
    """Have each line's act done, and compare what it says came of it."""
    for line in lines:
        told, arrow, expected = line.partition("->")
        assert arrow, line
        assert act(told) == " ".join(expected.split()), line


def rules_of(told: dict[str, list[str]]) -> set[str]:
    """The numbers of the rules that stories tell of."""
    return {title.split(": ")[1].split()[0] for title in told}
