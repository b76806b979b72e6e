"""Prints for a terminal: texts of others lose the characters that would steer it."""

from __future__ import annotations

import sys
from typing import Final, TextIO

SHOWN: Final = "?"  # in the place of such a character
_CONTROL: Final = [*range(0x20), *range(0x7F, 0xA0)]  # C0, DEL and C1
_KEPT: Final = (0x09, 0x0A)  # tab and the end of a line
# Directions, separators of lines and invisible marks; halves of characters beyond 16 bits.
_FORMAT: Final = [
    0x061C, 0x200B, *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
    *range(0xFFF9, 0xFFFC), *range(0xD800, 0xE000), *range(0xE0000, 0xE0080),
]  # fmt: skip
_SHOWN_LINES: Final = dict.fromkeys((*_CONTROL, *_FORMAT), SHOWN)
_SHOWN: Final = {code: SHOWN for code in _SHOWN_LINES if code not in _KEPT}


def clean(text: str) -> str:
    """A text of several lines that steers no terminal."""
    return text.translate(_SHOWN)


def clean_line(text: str) -> str:
    """The same, as a part of one line."""
    return text.translate(_SHOWN_LINES)


def tell(*words: object, file: TextIO | None = None, flush: bool = False) -> None:
    """Print words, cleaned, to standard output or a file. Commands print by this alone."""
    print(clean(" ".join(map(str, words))), file=file or sys.stdout, flush=flush)


def paint(text: str, file: TextIO, end: str = "\n") -> None:
    """Print a text of the command's own that steers the terminal: colours, a line that is
    written over."""
    print(text, end=end, file=file, flush=True)
