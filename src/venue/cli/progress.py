"""Tells on a terminal what a command is doing, once it has worked for a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final

QUIET_S: Final = 1.0  # a command that is done by then tells nothing
BETWEEN_S: Final = 0.25
_telling: Final = Lock()  # held while a line is shown


def _nothing() -> str:
    return ""


@contextmanager
def working(what: str, reached: Callable[[], str] = _nothing) -> Iterator[None]:
    """Show `what`, the seconds so far, and how far it is, on the error terminal; then clear it.

    `reached` is called from another thread. Where standard error is no terminal nothing is shown,
    nor inside another `working`.
    """
    if not sys.stderr.isatty() or not _telling.acquire(blocking=False):
        yield
        return
    done = Event()
    teller = Thread(target=_tell, args=(what, reached, done), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        _telling.release()


def _tell(what: str, reached: Callable[[], str], done: Event) -> None:
    begin = time.monotonic()
    width = 0
    wait = QUIET_S
    while not done.wait(wait):
        wait = BETWEEN_S
        far = reached()
        text = f"{what}: {time.monotonic() - begin:.0f} s{', ' if far else ''}{far}"
        sys.stderr.write("\r" + text.ljust(width))
        sys.stderr.flush()
        width = len(text)
    if width:
        sys.stderr.write("\r" + " " * width + "\r")
        sys.stderr.flush()
