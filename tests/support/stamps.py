"""Timestamps of signatures: no two of a process are equal, so no two requests are one."""

from __future__ import annotations

import time
from threading import Lock

_lock = Lock()
_last = 0


def stamp_ms() -> int:
    """The machine's time in ms, or a ms more than the last stamp where that is later.

    A venue takes two requests with equal signatures for one.
    """
    global _last  # noqa: PLW0603 - one clock for all clients of the process
    with _lock:
        _last = max(_last + 1, time.time_ns() // 1_000_000)
        return _last
