"""Counts the lines of Python that a call runs through: its work, whatever the machine does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import TraceFunction

T = TypeVar("T")


def lines_run(call: Callable[[], T]) -> tuple[T, int]:
    """The result of a call and the lines it ran through; those of compiled modules do not count."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        return count

    sys.settrace(count)
    try:
        result = call()
    finally:
        sys.settrace(None)
    return result, lines
