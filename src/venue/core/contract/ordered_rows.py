"""Sorted rows: adding, removing and reading the front each touch a small part of the rows."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Any, Final, Generic, TypeVar

CHUNK_MAX: Final = 512  # rows of one chunk; a longer one is halved

R = TypeVar("R", bound=tuple[Any, ...])


class OrderedRows(Generic[R]):
    """Rows in ascending order, stored in chunks. The integers that a row begins with are unique, so
    the values after them are never compared."""

    __slots__ = ("chunks", "count", "lasts")

    def __init__(self) -> None:
        self.count = 0
        self.chunks: list[list[R]] = []
        self.lasts: list[R] = []  # the last row of each chunk

    def add(self, row: R) -> None:
        """Insert a row; it must not be present."""
        self.count += 1
        if not self.chunks:
            self.chunks.append([row])
            self.lasts.append(row)
            return
        at = min(bisect_left(self.lasts, row), len(self.lasts) - 1)
        chunk = self.chunks[at]
        insort(chunk, row)
        if len(chunk) > CHUNK_MAX:
            half = len(chunk) // 2
            self.chunks.insert(at + 1, chunk[half:])
            self.lasts.insert(at + 1, chunk[-1])
            del chunk[half:]
        self.lasts[at] = chunk[-1]

    def remove(self, row: R) -> None:
        """Remove a row; it must be present."""
        self.count -= 1
        at = bisect_left(self.lasts, row)
        chunk = self.chunks[at]
        place = bisect_left(chunk, row)
        assert chunk[place] == row, row
        del chunk[place]
        if chunk:
            self.lasts[at] = chunk[-1]
        else:
            del self.chunks[at]
            del self.lasts[at]

    def first(self) -> R | None:
        """Return the first row; None when there are none."""
        return self.chunks[0][0] if self.chunks else None

    def front(self) -> R:
        """Return the first row, when there is one for certain."""
        return self.chunks[0][0]

    def last(self) -> R | None:
        """Return the last row."""
        return self.lasts[-1] if self.lasts else None

    def after(self, beginning: tuple[int, ...], most: int) -> list[R]:
        """At most `most` rows that sort at or after this beginning of a row."""
        found: list[R] = []
        key: Any = beginning
        at = bisect_left(self.lasts, key)
        while at < len(self.chunks) and len(found) < most:
            chunk = self.chunks[at]
            place = 0 if found else bisect_left(chunk, key)
            found += chunk[place : place + most - len(found)]
            at += 1
        return found

    def rows(self) -> list[R]:
        """Return all rows, in order."""
        return [row for chunk in self.chunks for row in chunk]
