"""A holder of a history's lock: no process of the venue can open the file meanwhile."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(history: str, pid: int) -> Iterator[None]:
    """Kill the process that has the file, and hold the lock that it leaves."""
    with Path(f"{history}.lock").open("rb") as lock:
        os.kill(pid, signal.SIGKILL)
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def children(pid: int) -> list[int]:
    """The processes a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
