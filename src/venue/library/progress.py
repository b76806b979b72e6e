"""Shows on a terminal how far venue time has come."""

from __future__ import annotations

from typing import Final, TextIO

WIDTH: Final = 40


class Progress:
    """Draws on a stream when it is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()
        self._drawn = False

    def show(self, begin: int, now: int, end: int) -> None:
        """Draw how much of the way from `begin` to `end` is done."""
        part = min(max(now - begin, 0), end - begin) * WIDTH // max(end - begin, 1)
        bar = "#" * part + "." * (WIDTH - part)
        self._stream.write(f"\r[{bar}] {part * 100 // WIDTH:3d} %")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Remove the bar."""
        if self._drawn:
            self._stream.write("\r" + " " * (WIDTH + 8) + "\r")
            self._stream.flush()
